package edge

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"

	"shop/cmd/shop/pages"
	"shop/readapi"
	"shop/readapi/endpoint"
)

// asset is one file of the built storefront, with the encodings the build made of it.
type asset struct {
	plain, brotli, gzip []byte
	kind                string
	// tag is the ETag of the plain file; encodings add their name.
	tag string
	// hashed: the name changes with the content, so a copy stays good for ever.
	hashed bool
}

// assets are the files by URL path. They live in memory: they are part of the program anyway.
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
		plain, err := fs.ReadFile(dist, name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(plain)
		a := asset{plain: plain, tag: hex.EncodeToString(sum[:12]), hashed: strings.HasPrefix(name, "assets/")}
		// Absent encodings are fine: pictures and fonts are compressed already.
		a.brotli, _ = fs.ReadFile(dist, name+".br")
		a.gzip, _ = fs.ReadFile(dist, name+".gz")
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
	var manifest map[string]any
	if err := json.Unmarshal(a.plain, &manifest); err != nil {
		return fmt.Errorf("read the web manifest: %w", err)
	}
	manifest["name"], manifest["short_name"] = shop, shop
	plain, err := json.Marshal(manifest)
	if err != nil {
		return fmt.Errorf("write the web manifest: %w", err)
	}
	sum := sha256.Sum256(plain)
	all[webManifestPath] = asset{plain: plain, kind: a.kind, tag: hex.EncodeToString(sum[:12])}
	return nil
}

// Serve answers with the file, or says that there is none under this path.
func (all assets) Serve(w http.ResponseWriter, r *http.Request) bool {
	a, found := all[r.URL.Path]
	if !found {
		return false
	}
	body, tag := a.plain, a.tag
	header := w.Header()
	if a.brotli != nil || a.gzip != nil {
		header.Add("Vary", "Accept-Encoding")
		switch encoding := readapi.Encoding(r.Header.Get("Accept-Encoding")); {
		case encoding == "br" && a.brotli != nil:
			body, tag = a.brotli, a.tag+"-br"
			header.Set("Content-Encoding", "br")
		case encoding != "" && a.gzip != nil:
			body, tag = a.gzip, a.tag+"-gz"
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
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body)
	return true
}
