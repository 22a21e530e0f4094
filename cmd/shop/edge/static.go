package edge

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"shop/cmd/shop/pages"
	"shop/readapi"
	"shop/readapi/endpoint"
)

// asset is one file of the built storefront, with the encodings the build made of it.
type asset struct {
	plain, brotli, gzip body
	kind                string
	// tag is the ETag of the plain file, made when it is first wanted; encodings add their name.
	tag func() (string, error)
	// hashed: the name changes with the content, so a copy stays good for ever.
	hashed bool
}

// body is a file where the program has it, so that it takes no memory of its own; or a text. The zero value is none.
type body struct {
	dist fs.FS
	name string
	text []byte
	size int64
}

// bodyOf is a file of the built storefront; none when it is not there.
func bodyOf(dist fs.FS, name string) body {
	info, err := fs.Stat(dist, name)
	if err != nil {
		return body{}
	}
	return body{dist: dist, name: name, size: info.Size()}
}

func (b body) there() bool { return b.size > 0 }

func (b body) open() (io.ReadCloser, error) {
	if b.dist == nil {
		return io.NopCloser(bytes.NewReader(b.text)), nil
	}
	return b.dist.Open(b.name)
}

// sum names the content.
func (b body) sum() (string, error) {
	file, err := b.open()
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:12]), nil
}

// assets are the files by URL path.
type assets map[string]asset

const (
	// workerPath is the service worker, which answers for pages without a network.
	workerPath = "/worker.js"
	// noticesWorkerPath is that of staff, which shows what is pushed; its scope is /admin/.
	noticesWorkerPath = "/notices-worker.js"
	// webManifestPath is what a browser reads to install the shop.
	webManifestPath = "/manifest.webmanifest"
)

// types fixes what the system's table may lack or say otherwise.
var types = map[string]string{
	".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
	".json": "application/json", ".webmanifest": "application/manifest+json", ".woff2": "font/woff2",
	".avif": "image/avif", ".webp": "image/webp", ".txt": "text/plain; charset=utf-8", ".pdf": "application/pdf",
	".ico": "image/x-icon", ".png": "image/png", ".jpg": "image/jpeg",
}

// LoadAssets reads every file but the pages' own, and hidden ones.
func LoadAssets(dist fs.FS) (assets, error) {
	all := assets{}
	err := fs.WalkDir(dist, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir(), name == "index.html", name == pages.StaffFile, strings.HasSuffix(name, ".br"), strings.HasSuffix(name, ".gz"):
			return nil
		}
		// Absent encodings are fine: pictures and fonts are compressed already.
		a := asset{
			plain: bodyOf(dist, name), brotli: bodyOf(dist, name+".br"), gzip: bodyOf(dist, name+".gz"),
			hashed: strings.HasPrefix(name, "assets/"),
		}
		a.tag = sync.OnceValues(a.plain.sum)
		if a.kind = types[path.Ext(name)]; a.kind == "" {
			a.kind = mime.TypeByExtension(path.Ext(name))
		}
		if a.kind == "" {
			a.kind = "application/octet-stream"
		}
		all["/"+name] = a
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the built storefront: %w", err)
	}
	return all, nil
}

// Name writes the shop's name into the manifest that browsers install it by.
func (all assets) Name(shop string) error {
	a, found := all[webManifestPath]
	if !found {
		return nil
	}
	was, err := fs.ReadFile(a.plain.dist, a.plain.name)
	if err != nil {
		return fmt.Errorf("read the web manifest: %w", err)
	}
	var manifest map[string]any
	if err := json.Unmarshal(was, &manifest); err != nil {
		return fmt.Errorf("read the web manifest: %w", err)
	}
	manifest["name"], manifest["short_name"] = shop, shop
	plain, err := json.Marshal(manifest)
	if err != nil {
		return fmt.Errorf("write the web manifest: %w", err)
	}
	named := body{text: plain, size: int64(len(plain))}
	all[webManifestPath] = asset{plain: named, kind: a.kind, tag: sync.OnceValues(named.sum)}
	return nil
}

// Serve answers with the file, or says that there is none under this path.
func (all assets) Serve(w http.ResponseWriter, r *http.Request) bool {
	a, found := all[r.URL.Path]
	if !found {
		return false
	}
	sent := a.plain
	tag, err := a.tag()
	if err != nil {
		panic(err) // it was there when the program started, and is part of it
	}
	header := w.Header()
	if a.brotli.there() || a.gzip.there() {
		header.Add("Vary", "Accept-Encoding")
		switch encoding := readapi.Encoding(r.Header.Get("Accept-Encoding")); {
		case encoding == "br" && a.brotli.there():
			sent, tag = a.brotli, tag+"-br"
			header.Set("Content-Encoding", "br")
		case encoding != "" && a.gzip.there():
			sent, tag = a.gzip, tag+"-gz"
			header.Set("Content-Encoding", "gzip")
		}
	}
	header.Set("Content-Type", a.kind)
	header.Set("ETag", `"`+tag+`"`)
	switch {
	case r.URL.Path == workerPath, r.URL.Path == noticesWorkerPath:
		header.Set("Cache-Control", "no-cache") // a new release takes over at once
	case a.hashed:
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
	case strings.HasPrefix(r.URL.Path, "/img/"):
		// A new photograph should have a new name, but nothing makes it: not for ever, then.
		header.Set("Cache-Control", "public, max-age=604800, stale-while-revalidate=2592000")
	default:
		header.Set("Cache-Control", "public, max-age=3600")
	}
	if endpoint.SameTag(r.Header.Get("If-None-Match"), `"`+tag+`"`) {
		header.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return true
	}
	file, err := sent.open()
	if err != nil {
		panic(err)
	}
	defer file.Close()
	header.Set("Content-Length", strconv.FormatInt(sent.size, 10))
	io.Copy(w, file)
	return true
}
