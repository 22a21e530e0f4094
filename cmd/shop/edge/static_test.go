package edge

import (
	"net/http"
	"strings"
	"testing"

	"shop/cmd/shop/shoptest"
)

func serveBuilt(t *testing.T) http.Handler {
	t.Helper()
	files, err := LoadAssets(shoptest.Built)
	if err != nil {
		t.Fatal(err)
	}
	if err := files.Name("Дала"); err != nil {
		t.Fatal(err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !files.Serve(w, r) {
			http.NotFound(w, r)
		}
	})
}

func TestHashedFilesStayGoodForEver(t *testing.T) {
	t.Parallel()
	h := serveBuilt(t)
	for accept, want := range map[string]struct{ body, encoding string }{
		"br, gzip":        {"brotli", "br"},
		"gzip":            {"gzip", "gzip"},
		"":                {"console.log(1)", ""},
		"br;q=0, gzip":    {"gzip", "gzip"},
		"gzip;q=0.5, br ": {"brotli", "br"},
	} {
		w := shoptest.Get(t, h, "/assets/main-1.js", "Accept-Encoding", accept)
		if w.Code != 200 || w.Body.String() != want.body || w.Header().Get("Content-Encoding") != want.encoding {
			t.Errorf("%q: got %d %q %v", accept, w.Code, w.Body, w.Header())
		}
		if w.Header().Get("Cache-Control") != "public, max-age=31536000, immutable" || w.Header().Get("Vary") != "Accept-Encoding" ||
			w.Header().Get("Content-Type") != "text/javascript; charset=utf-8" {
			t.Errorf("%q: headers are %v", accept, w.Header())
		}
		again := shoptest.Get(t, h, "/assets/main-1.js", "Accept-Encoding", accept, "If-None-Match", w.Header().Get("ETag"))
		if again.Code != http.StatusNotModified || again.Body.Len() != 0 {
			t.Errorf("%q: asked again got %d %q", accept, again.Code, again.Body)
		}
	}
	if br, gz := shoptest.Get(t, h, "/assets/main-1.js", "Accept-Encoding", "br"), shoptest.Get(t, h, "/assets/main-1.js", "Accept-Encoding", "gzip"); br.Header().Get("ETag") == gz.Header().Get("ETag") {
		t.Error("two encodings share an ETag")
	}
}

func TestOtherFilesAreCheckedNowAndThen(t *testing.T) {
	t.Parallel()
	w := shoptest.Get(t, serveBuilt(t), "/favicon.svg")
	if w.Code != 200 || w.Header().Get("Cache-Control") != "public, max-age=3600" || w.Header().Get("Content-Type") != "image/svg+xml" {
		t.Errorf("got %d %v", w.Code, w.Header())
	}
}

func TestServiceWorkerIsCheckedEveryTime(t *testing.T) {
	t.Parallel()
	w := shoptest.Get(t, serveBuilt(t), "/worker.js")
	if w.Code != 200 || w.Header().Get("Cache-Control") != "no-cache" || w.Header().Get("Content-Type") != "text/javascript; charset=utf-8" {
		t.Errorf("got %d %v", w.Code, w.Header())
	}
}

func TestWebManifestHasTheShopsName(t *testing.T) {
	t.Parallel()
	w := shoptest.Get(t, serveBuilt(t), "/manifest.webmanifest")
	if w.Body.String() != `{"name":"Дала","short_name":"Дала","start_url":"/"}` || w.Header().Get("Content-Type") != "application/manifest+json" {
		t.Errorf("got %s %v", w.Body, w.Header())
	}
}

func TestPicturesStayGoodForAWeek(t *testing.T) {
	t.Parallel()
	w := shoptest.Get(t, serveBuilt(t), "/img/hero.avif", "Accept-Encoding", "br")
	if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Cache-Control"), "public, max-age=604800") || w.Header().Get("Content-Type") != "image/avif" || w.Header().Get("Content-Encoding") != "" {
		t.Errorf("got %d %v", w.Code, w.Header())
	}
}

func TestWhatIsNotAPublicFile(t *testing.T) {
	t.Parallel()
	h := serveBuilt(t)
	for _, path := range []string{"/index.html", "/.vite/manifest.json", "/assets/main-1.js.br", "/assets/", "/assets/../index.html", "/assets/other.js"} {
		if w := shoptest.Get(t, h, path); w.Code != http.StatusNotFound {
			t.Errorf("%s: got %d", path, w.Code)
		}
	}
}

func TestStaffPageIsNoFile(t *testing.T) {
	t.Parallel()
	if w := shoptest.Get(t, serveBuilt(t), "/staff.html"); w.Code != http.StatusNotFound {
		t.Errorf("got %d", w.Code)
	}
}
