package shoptest

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"shop/web"
)

// Built is a small storefront as vite would have built it.
var Built = fstest.MapFS{
	"index.html":              {Data: []byte("<!doctype html><html lang=\"ru\"><head><title>Dev</title><meta name=\"description\" content=\"old\"><script type=\"module\" src=\"/assets/main-1.js\"></script></head><body><div id=\"root\"></div></body></html>")},
	"staff.html":              {Data: []byte("<!doctype html><html><head><title>Staff</title></head><body><div id=\"root\"></div></body></html>")},
	"assets/main-1.js":        {Data: []byte("console.log(1)")},
	"assets/main-1.js.br":     {Data: []byte("brotli")},
	"assets/main-1.js.gz":     {Data: []byte("gzip")},
	"favicon.svg":             {Data: []byte("<svg/>")},
	"worker.js":               {Data: []byte("self")},
	"manifest.webmanifest":    {Data: []byte(`{"name":"Shop","short_name":"Shop","start_url":"/"}`)},
	"img/hero.avif":           {Data: []byte("picture")},
	".vite/manifest.json":     {Data: []byte(`{"shop/routes/product.tsx": {"file": "assets/product-1.js"}}`)},
	"assets/onest-1.woff2":    {Data: []byte("font")},
	"assets/onest-1.woff2.gz": {Data: []byte("font in gzip")},
	".vite/pages.json":        {Data: ofStorefront(".vite/pages.json")},
}

// ServerScript is the storefront's own, as the engines run it.
func ServerScript() string { return string(ofStorefront(".vite/server.js")) }

// ofStorefront reads a file of the storefront that is built into the program; tests need one (make build).
func ofStorefront(name string) []byte {
	text, err := fs.ReadFile(web.Dist(), name)
	if err != nil {
		panic(fmt.Sprintf("build the storefront first (make build): %v", err))
	}
	return text
}

// Get asks a handler for a path, with pairs of header names and values.
func Get(t *testing.T, h http.Handler, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// KeyFile is a new key file, for a shop with an https address.
func KeyFile(t testing.TB) string {
	t.Helper()
	key := make([]byte, 32)
	rand.Read(key) // never fails
	path := filepath.Join(t.TempDir(), "shop.key")
	if err := os.WriteFile(path, []byte(base64.StdEncoding.EncodeToString(key)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Env is an environment of names and values, in pairs.
func Env(pairs ...string) func(string) string {
	return func(name string) string {
		if i := slices.Index(pairs, name); i >= 0 && i%2 == 0 {
			return pairs[i+1]
		}
		return ""
	}
}

// Quiet logs nothing.
var Quiet = slog.New(slog.DiscardHandler)
