package edge

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"shop/cmd/shop/pages"
	"shop/commands/photos"
	"shop/readapi/endpoint"
)

// keptShares is how many pictures for sharing are kept, of some 60 KB each.
const keptShares = 64

// largestShared is the most bytes of a picture that one for sharing is made of.
const largestShared = 4 << 20

// shares makes the pictures that stand for pages where their links are shared, from those that the pages show, one at a time.
type shares struct {
	// pictures answers requests for what the pages show.
	pictures http.Handler
	// misses asks whether somebody may have another picture made.
	misses func(r *http.Request) (after string, ok bool)

	making sync.Mutex
	kept   *lru.Cache[string, shared]
}

// shared is a picture for sharing, by the tag of the picture that it was made of.
type shared struct {
	of, tag string
	jpeg    []byte
}

func newShares(pictures http.Handler, misses func(r *http.Request) (string, bool)) *shares {
	kept, err := lru.New[string, shared](keptShares)
	if err != nil {
		panic(err) // the size is positive
	}
	return &shares{pictures: pictures, misses: misses, kept: kept}
}

// ServeHTTP answers /share/ADDRESS.jpg with the picture at /ADDRESS, made ready for sharing. A picture that is gone or hidden is not
// found, though it was kept.
func (s *shares) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	source := strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, pages.SharePath), ".jpg")
	if !strings.HasSuffix(r.URL.Path, ".jpg") || !strings.HasPrefix(source, "/img/") && !strings.HasPrefix(source, "/media/") {
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	original := r.Clone(r.Context())
	original.Method, original.Header, original.URL.Path = http.MethodGet, http.Header{}, source
	found := overheard{header: http.Header{}, status: http.StatusOK}
	s.pictures.ServeHTTP(&found, original)
	if found.status != http.StatusOK || found.body.Len() > largestShared {
		w.Header().Set("Cache-Control", "no-store")
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	sum := sha256.Sum256(found.body.Bytes())
	of := hex.EncodeToString(sum[:12])
	picture, have := s.kept.Get(source)
	if !have || picture.of != of {
		if after, ok := s.misses(r); !ok {
			w.Header().Set("Retry-After", after)
			tell(w, r, http.StatusTooManyRequests, TextTooMany)
			return
		}
		made, err := s.make(found.body.Bytes())
		if err != nil {
			http.Error(w, "not found", http.StatusNotFound)
			return
		}
		picture = shared{of: of, tag: `"` + of + `"`, jpeg: made}
		s.kept.Add(source, picture)
	}
	h := w.Header()
	h.Set("Content-Type", "image/jpeg")
	h.Set("ETag", picture.tag)
	h.Set("Cache-Control", "public, max-age=86400")
	if endpoint.SameTag(r.Header.Get("If-None-Match"), picture.tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Length", strconv.Itoa(len(picture.jpeg)))
	w.Write(picture.jpeg)
}

func (s *shares) make(content []byte) ([]byte, error) {
	s.making.Lock()
	defer s.making.Unlock()
	return photos.ForSharing(content)
}

// overheard is an answer that goes no further.
type overheard struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (o *overheard) Header() http.Header         { return o.header }
func (o *overheard) WriteHeader(status int)      { o.status = status }
func (o *overheard) Write(p []byte) (int, error) { return o.body.Write(p) }
