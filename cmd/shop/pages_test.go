package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/go-chi/chi/v5"

	"shop/readapi"
)

type fewSubjects map[string]readapi.Subject

func (f fewSubjects) Subject(_ context.Context, kind, ref string) (readapi.Subject, bool, error) {
	s, found := f[kind+"/"+ref]
	return s, found, nil
}

func testPages(t *testing.T) *pages {
	t.Helper()
	p, err := loadPages(built, "Дала", "https://shop.example", fewSubjects{
		"product/oil": {Name: `Масло "Ши" <b>`, Description: strings.Repeat("Питает кожу. ", 40), Path: "/product/oil", Picture: "/img/oil.webp"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPageHasItsOwnHead(t *testing.T) {
	t.Parallel()
	p := testPages(t)
	mux := chi.NewRouter()
	mux.Get("/product/{id}", p.about(quiet, "product"))
	w := get(t, mux, "/product/oil")
	body := w.Body.String()
	for _, want := range []string{
		"<title>Масло &#34;Ши&#34; &lt;b&gt; — Дала</title>",
		`<meta name="description" content="Питает кожу. `,
		`<link rel="canonical" href="https://shop.example/product/oil">`,
		`<meta property="og:image" content="https://shop.example/img/oil.webp">`,
		`<div id="root"></div>`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("%s is missing from\n%s", want, body)
		}
	}
	if strings.Count(body, "<title>") != 1 || strings.Contains(body, `content="old"`) || strings.Contains(body, "noindex") {
		t.Errorf("the head is\n%s", body)
	}
	if w.Code != 200 || w.Header().Get("Cache-Control") != "no-cache" || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("got %d %v", w.Code, w.Header())
	}
	if again := get(t, mux, "/product/oil", "If-None-Match", w.Header().Get("ETag")); again.Code != http.StatusNotModified {
		t.Errorf("asked again got %d", again.Code)
	}
}

func TestMissingThingIsARealNotFound(t *testing.T) {
	t.Parallel()
	mux := chi.NewRouter()
	mux.Get("/product/{id}", testPages(t).about(quiet, "product"))
	w := get(t, mux, "/product/soap")
	if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), `<div id="root">`) || !strings.Contains(w.Body.String(), "noindex") || w.Header().Get("ETag") != "" {
		t.Errorf("got %d %v %s", w.Code, w.Header(), w.Body)
	}
}

type noSubjects struct{}

func (noSubjects) Subject(context.Context, string, string) (readapi.Subject, bool, error) {
	return readapi.Subject{}, false, errors.New("the database is gone")
}

func TestPageIsServedEvenWithoutTheDatabase(t *testing.T) {
	t.Parallel()
	p := testPages(t)
	p.subjects = noSubjects{}
	var logged strings.Builder
	w := get(t, p.about(slog.New(slog.NewTextHandler(&logged, nil)), "product"), "/product/oil")
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), `<div id="root">`) || strings.Count(logged.String(), "the database is gone") != 1 {
		t.Errorf("got %d %s, logged %s", w.Code, w.Body, &logged)
	}
}

func TestPolicyAllowsTheShellsOwnInlineCodeOnly(t *testing.T) {
	t.Parallel()
	if policy := testPages(t).policy(); strings.Contains(policy, "unsafe") || !strings.Contains(policy, "script-src 'self';") || !strings.Contains(policy, "style-src 'self';") {
		t.Errorf("policy is %s", policy)
	}
	inlined := fstest.MapFS{"index.html": {Data: []byte(`<head><style>b{}</style></head><script type="application/json">{}</script>`)}}
	p, err := loadPages(inlined, "", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	// printf 'b{}' | openssl dgst -sha256 -binary | base64
	if policy := p.policy(); !strings.Contains(policy, "style-src 'self' 'sha256-"+hashOfRule+"';") || !strings.Contains(policy, "script-src 'self';") {
		t.Errorf("policy is %s", policy)
	}
}

func TestOperatorsPageIsNobodysToKeepOrToFind(t *testing.T) {
	t.Parallel()
	w := get(t, http.HandlerFunc(testPages(t).ops), "/ops/log")
	header := w.Header()
	if w.Code != http.StatusOK || header.Get("Cache-Control") != "no-store" || header.Get("X-Robots-Tag") != "noindex" || header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("got %d %v", w.Code, header)
	}
	if body := w.Body.String(); !strings.Contains(body, "<title>Operations</title>") || !strings.Contains(body, `<meta name="application-name" content="Дала">`) {
		t.Errorf("got %s", body)
	}
	if w := get(t, serveBuilt(t), "/ops.html"); w.Code != http.StatusNotFound {
		t.Errorf("as a file: got %d", w.Code)
	}
}

func TestProgramWithoutStorefrontSaysSo(t *testing.T) {
	t.Parallel()
	p, err := loadPages(fstest.MapFS{}, "Дала", "", nil)
	if err != nil || isBuilt(fstest.MapFS{}) || !isBuilt(built) {
		t.Fatalf("got %v", err)
	}
	if w := get(t, p.page("", ""), "/"); !strings.Contains(w.Body.String(), "make build") {
		t.Errorf("got %s", w.Body)
	}
}

func TestBeginning(t *testing.T) {
	t.Parallel()
	if got := beginning(" Короткий\n текст. "); got != "Короткий текст." {
		t.Errorf("got %q", got)
	}
	long := beginning(strings.Repeat("слово, ", 100))
	if n := len([]rune(long)); n > 160 || n < 150 || !strings.HasSuffix(long, "слово…") {
		t.Errorf("got %d runes: %q", n, long)
	}
}

const hashOfRule = "7yqHVAesot11p6HczDsgKRipvI5UPgs97z80zNXlans="
