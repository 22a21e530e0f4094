package pages

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/go-chi/chi/v5"

	"shop/cmd/shop/shoptest"
	"shop/eventstore"
	"shop/readapi"
	"shop/readapi/endpoint"
)

// drawn stands for the storefront's own code: it shows what it was given.
const drawn = `var language;
	function speak(l) { language = l }
	function asks(address) { return JSON.stringify({ at: address, asks: [] }) }
	function head(address, given, shop) {
		if (given.includes("breaks")) throw new Error("a head of nothing");
		return JSON.stringify({ title: "Страница — " + shop, path: address, private: address.startsWith("/order/") || given.includes("missing") });
	}
	function render(address, given, shop) {
		if (address === "/slow") for (;;);
		if (address === "/late") for (const begin = Date.now(); Date.now() < begin + 400;);
		if (address === "/broken") throw new Error("no such part");
		return "<main>" + [language, shop, address, given.length > 0].join(" ") + "</main>";
	}`

func testPages(t *testing.T) *Pages {
	t.Helper()
	return pagesOf(t, shoptest.Built)
}

func pagesOf(t *testing.T, dist fs.FS) *Pages {
	t.Helper()
	p, err := LoadPages(dist, "Дала", "https://shop.example", shoptest.Quiet)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// renderingPages render, and keep what they rendered until the store they gather from changes.
func renderingPages(t *testing.T) (*Pages, *readapi.Answers) {
	t.Helper()
	p := testPages(t)
	p.Engines = StartEngines(drawn, "Дала", p.Origin, 1)
	t.Cleanup(p.Engines.Stop)
	answers := readapi.NewAnswers(1<<20, time.Now)
	p.Gather = answers.Gather
	p.Position = func() eventstore.Position { return 42 }
	if _, err := p.Engines.Render(t.Context(), russian, "/", "{}"); err != nil { // now it is warm
		t.Fatal(err)
	}
	return p, answers
}

// told is an endpoint that answers with a value, and depends on the catalog.
func told(t *testing.T, value any) readapi.Endpoint {
	t.Helper()
	return func(*http.Request) (*readapi.Reply, error) {
		return readapi.ReplyWith(value, readapi.Part{Model: "catalog"})
	}
}

func routed(path string, h http.Handler) http.Handler {
	mux := chi.NewRouter()
	mux.Handle(path, h)
	return mux
}

func TestMissingThingIsARealNotFound(t *testing.T) {
	t.Parallel()
	p, _ := renderingPages(t)
	w := shoptest.Get(t, plainPage(p, "/product/soap", subject(readapi.ErrNotFound)), "/product/soap")
	if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), `<div id="root">`) || !strings.Contains(w.Body.String(), "noindex") ||
		!strings.Contains(w.Body.String(), `"missing":true`) || w.Header().Get("ETag") != "" {
		t.Errorf("got %d %v %s", w.Code, w.Header(), w.Body)
	}
}

func TestPageIsServedEvenWithoutTheDatabase(t *testing.T) {
	t.Parallel()
	p, _ := renderingPages(t)
	var logged strings.Builder
	p.Log = slog.New(slog.NewTextHandler(&logged, nil))
	w := shoptest.Get(t, plainPage(p, "/product/oil", subject(errors.New("the database is gone"))), "/product/oil")
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), `<div id="root">`) || strings.Count(logged.String(), "the database is gone") != 1 {
		t.Errorf("got %d %s, logged %s", w.Code, w.Body, &logged)
	}
}

// asked is a question with what answers it.
type asked struct {
	Question
	of readapi.Endpoint
}

// called is a question of a page under a key.
func called(key string, of readapi.Endpoint) asked {
	return asked{Question{Key: json.RawMessage(`["` + key + `"]`), Path: "/api/" + key, ForHead: true}, of}
}

// subject is the question of what a page is about, which fails.
func subject(err error) asked {
	return asked{Question{Key: json.RawMessage(`["subject"]`), Path: "/api/subject", Subject: true}, func(*http.Request) (*readapi.Reply, error) { return nil, err }}
}

// plainView is a page at an address that asks these.
func plainView(p *Pages, at string, asks ...asked) View {
	made, endpoints := plan{At: at}, map[string]readapi.Endpoint{}
	for _, a := range asks {
		made.Asks = append(made.Asks, a.Question)
		endpoints[a.Path] = a.of
	}
	p.Reads = NewReads(endpoints)
	p.plans.Add(at, made)
	return View{plan: made}
}

func plainPage(p *Pages, at string, asks ...asked) http.Handler {
	plainView(p, at, asks...)
	return p.Show(Listed{})
}

func TestPageIsRenderedOnceAndKept(t *testing.T) {
	t.Parallel()
	p, _ := renderingPages(t)
	h := plainPage(p, "/about")
	w := shoptest.Get(t, h, "/about", "Accept-Encoding", "br, gzip")
	if w.Code != 200 || w.Header().Get("Content-Encoding") != "br" {
		t.Fatalf("got %d %v", w.Code, w.Header())
	}
	w = shoptest.Get(t, h, "/about")
	if body := w.Body.String(); !strings.Contains(body, `<div id="root"><main>ru Дала /about true</main></div>`) ||
		!strings.Contains(body, `<script type="later" src="/assets/main-1.js">`) || !strings.Contains(body, `"position":"42"`) {
		t.Errorf("got %s", body)
	}
	first := p.Look("ru /about")
	shoptest.Get(t, h, "/about")
	if again := p.Look("ru /about"); first == nil || again != first {
		t.Error("it was rendered again")
	}
	if w = shoptest.Get(t, h, "/about", "Cookie", "lang=kk"); !strings.Contains(w.Body.String(), "<main>kk Дала") || !strings.Contains(w.Body.String(), `<html lang="kk">`) {
		t.Errorf("in kazakh: %s", w.Body)
	}
}

// TestAKeptPageIsTheSameInEachEncoding: what a page is kept as fits every browser.
func TestAKeptPageIsTheSameInEachEncoding(t *testing.T) {
	t.Parallel()
	p, _ := renderingPages(t)
	h := plainPage(p, "/about")
	shoptest.Get(t, h, "/about")
	kept := p.Look("ru /about")
	if kept == nil || kept.size() != len(kept.brotli)+len(kept.gzip)+1000 {
		t.Fatalf("more is kept than the encodings: %v", kept)
	}
	plain := shoptest.Get(t, h, "/about")
	if plain.Header().Get("Content-Encoding") != "" || plain.Header().Get("Content-Length") != strconv.Itoa(plain.Body.Len()) || !strings.HasSuffix(strings.TrimSpace(plain.Body.String()), "</html>") {
		t.Errorf("plain: %v %s", plain.Header(), plain.Body)
	}
	for encoding, decode := range map[string]func([]byte) []byte{
		"gzip": readapi.Unzip,
		"br": func(encoded []byte) []byte {
			body, err := io.ReadAll(brotli.NewReader(bytes.NewReader(encoded)))
			if err != nil {
				t.Error(err)
			}
			return body
		},
	} {
		w := shoptest.Get(t, h, "/about", "Accept-Encoding", encoding)
		if body := decode(w.Body.Bytes()); w.Header().Get("Content-Encoding") != encoding || !bytes.Equal(body, plain.Body.Bytes()) {
			t.Errorf("%s: %v %s", encoding, w.Header(), body)
		}
	}
}

// TestPagesAskInTheirLanguage: a page in Kazakh is made of answers in Kazakh, and never becomes that of a visitor who reads Russian.
func TestPagesAskInTheirLanguage(t *testing.T) {
	t.Parallel()
	p, _ := renderingPages(t)
	name := func(r *http.Request) (*readapi.Reply, error) {
		return told(t, map[string]string{"kk": "Сабын", "": "Мыло"}[r.URL.Query().Get("lang")]+r.URL.Query().Get("limit"))(r)
	}
	v := plainView(p, "/product/soap", called("plain", name))
	v.Asks = append(v.Asks, Question{Key: json.RawMessage(`["limited"]`), Path: "/api/plain?limit=3"})
	p.plans.Add("/product/soap", v.plan)
	h := p.Show(Listed{})
	for range 2 {
		for cookie, want := range map[string]string{"lang=kk": "Сабын", "lang=ru": "Мыло"} {
			body := shoptest.Get(t, h, "/product/soap", "Cookie", cookie).Body.String()
			if !strings.Contains(body, `[["plain"],"`+want+`"]`) || !strings.Contains(body, `[["limited"],"`+want+`3"]`) {
				t.Errorf("with %s got %s", cookie, body)
			}
		}
	}
}

func TestPageThatChangedIsRenderedAnew(t *testing.T) {
	t.Parallel()
	p, answers := renderingPages(t)
	var version atomic.Int64
	h := plainPage(p, "/about", called("a", func(r *http.Request) (*readapi.Reply, error) { return told(t, version.Add(1))(r) }))
	if body := shoptest.Get(t, h, "/about").Body.String(); !strings.Contains(body, `[["a"],1]`) {
		t.Fatalf("got %s", body)
	}
	answers.Changed("orders", nil)
	if body := shoptest.Get(t, h, "/about").Body.String(); !strings.Contains(body, `[["a"],1]`) {
		t.Errorf("what it does not show changed, and it shows %s", body)
	}
	answers.Changed("catalog", nil)
	w := shoptest.Get(t, h, "/about")
	if !strings.Contains(w.Body.String(), `[["a"],1]`) || w.Header().Get("Server-Timing") != "stale" {
		t.Errorf("within a second of its making got %v %s", w.Header(), w.Body)
	}
	p.Look("ru /about").Made = time.Now().Add(-renewEvery)
	shoptest.Get(t, h, "/about")
	for !p.Look("ru /about").From.Stands() {
		time.Sleep(time.Millisecond)
	}
	w = shoptest.Get(t, h, "/about")
	if !strings.Contains(w.Body.String(), `[["a"],2]`) || w.Header().Get("Server-Timing") != "" {
		t.Errorf("afterwards got %v %s", w.Header(), w.Body)
	}
}

func TestPageThatCannotBeRenderedIsServedBare(t *testing.T) {
	t.Parallel()
	p, _ := renderingPages(t)
	for _, at := range []string{"/broken", "/slow"} {
		began := time.Now()
		w := shoptest.Get(t, plainPage(p, at, called("a", told(t, 7))), at, "Cookie", "basket=1")
		body := w.Body.String()
		if w.Code != 200 || !strings.Contains(body, `<div id="root"></div>`) || !strings.Contains(body, "<title>Страница — Дала</title>") || !strings.Contains(body, `[["a"],7]`) {
			t.Errorf("%s: got %d %s", at, w.Code, body)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("%s: took %s", at, took)
		}
	}
	// The engine that would not end is replaced.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if html, err := p.Engines.Render(ctx, russian, "/", "{}"); err != nil || html != "<main>ru Дала / true</main>" {
		t.Errorf("afterwards got %q, %v", html, err)
	}
}

// TestWhatBreaksAPageBreaksNothingElse: pages are made in goroutines of nobody's request, where a panic would end the shop.
func TestWhatBreaksAPageBreaksNothingElse(t *testing.T) {
	t.Parallel()
	p, answers := renderingPages(t)
	var said atomic.Value // pages are renewed beside the test
	said.Store("shown")
	page := plainPage(p, "/", called("a", func(r *http.Request) (*readapi.Reply, error) {
		text := said.Load().(string)
		if text == "" {
			panic("an answer of nothing")
		}
		return told(t, text)(r)
	}))
	for shoptest.Get(t, page, "/"); p.Look(russian+" /") == nil; time.Sleep(time.Millisecond) {
	}
	for _, text := range []string{"it breaks", ""} {
		said.Store(text)
		p.Look(russian + " /").Made = time.Now().Add(-renewEvery)
		answers.Changed("catalog", nil)
		if w := shoptest.Get(t, page, "/"); w.Code != 200 || !strings.Contains(w.Body.String(), "<main>") {
			t.Errorf("got %d %s, want the page as it was", w.Code, w.Body)
		}
	}

	var broke *endpoint.Broken
	if _, err := Call(nil, Work{Language: russian, Function: "render"}); !errors.As(err, &broke) {
		t.Errorf("an engine that breaks: %v", err)
	}
}

func TestPageThatCameTooLateIsKeptForTheNext(t *testing.T) {
	t.Parallel()
	p, _ := renderingPages(t)
	h := plainPage(p, "/late")
	if body := shoptest.Get(t, h, "/late", "Cookie", "basket=1").Body.String(); !strings.Contains(body, `<div id="root"></div>`) {
		t.Errorf("at once got %s", body)
	}
	for p.Look("ru /late") == nil {
		time.Sleep(time.Millisecond)
	}
	if body := shoptest.Get(t, h, "/late", "Cookie", "basket=1").Body.String(); !strings.Contains(body, "<main>ru Дала /late true</main>") {
		t.Errorf("afterwards got %s", body)
	}
}

func TestWhoComesWithoutACookieWaitsForThePage(t *testing.T) {
	t.Parallel()
	p, _ := renderingPages(t)
	if body := shoptest.Get(t, plainPage(p, "/late"), "/late").Body.String(); !strings.Contains(body, "<main>ru Дала /late true</main>") {
		t.Errorf("got %s", body)
	}
}

func TestOnesOwnPageIsTheSameForEveryID(t *testing.T) {
	t.Parallel()
	p, _ := renderingPages(t)
	h := routed("/order/{id}", p.Show(Listed{Path: "/order/:id", Module: "shop/routes/order.tsx", Own: true}))
	for _, at := range []string{"/order/1", "/order/2"} {
		if body := shoptest.Get(t, h, at).Body.String(); !strings.Contains(body, "<main>ru Дала /order/{id} true</main>") || !strings.Contains(body, "noindex") {
			t.Errorf("%s: got %s", at, body)
		}
	}
	if p.kept.pages.Len() != 1 {
		t.Errorf("%d pages are kept", p.kept.pages.Len())
	}
}

func TestShellHasNothingOfAPage(t *testing.T) {
	t.Parallel()
	w := shoptest.Get(t, http.HandlerFunc(testPages(t).Bare), "/shell")
	if body := w.Body.String(); w.Code != http.StatusOK || !strings.Contains(body, `<div id="root"></div>`) || !strings.Contains(body, "<title>Дала</title>") ||
		!strings.Contains(body, "noindex") || strings.Contains(body, `id="given"`) {
		t.Errorf("got %d %s", w.Code, body)
	}
}

func TestPolicyAllowsTheShellsOwnInlineCodeOnly(t *testing.T) {
	t.Parallel()
	if policy := testPages(t).Policy()(httptest.NewRequest("GET", "/", nil)); strings.Contains(policy, "unsafe") || !strings.Contains(policy, "script-src 'self';") || !strings.Contains(policy, "style-src 'self';") {
		t.Errorf("policy is %s", policy)
	}
	inlined := fstest.MapFS{
		"index.html":   {Data: []byte(`<head><link rel="stylesheet" crossorigin href="/assets/b.css"></head><body><div id="root"></div><script type="application/json">{}</script></body>`)},
		"assets/b.css": {Data: []byte("b{}\n")},
	}
	p, err := LoadPages(inlined, "", "", shoptest.Quiet)
	if err != nil {
		t.Fatal(err)
	}
	// printf 'b{}' | openssl dgst -sha256 -binary | base64
	if policy := p.Policy()(httptest.NewRequest("GET", "/", nil)); !strings.Contains(policy, "style-src 'self' 'sha256-"+hashOfRule+"';") || !strings.Contains(policy, "script-src 'self';") {
		t.Errorf("policy is %s", policy)
	}
}

func TestStaffPagesAreNobodysToKeepOrToFind(t *testing.T) {
	t.Parallel()
	p := testPages(t)
	for _, path := range []string{"/ops/log", "/analytics/orders/100001"} {
		w := shoptest.Get(t, p.StaffPage(true), path)
		header := w.Header()
		if w.Code != http.StatusOK || header.Get("Cache-Control") != "no-store" || header.Get("X-Robots-Tag") != "noindex" || header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: got %d %v", path, w.Code, header)
		}
		if body := w.Body.String(); !strings.Contains(body, "<title>Staff</title>") || !strings.Contains(body, `<meta name="application-name" content="Дала">`) {
			t.Errorf("%s: got %s", path, body)
		}
	}
}

func TestProgramWithoutStorefrontSaysSo(t *testing.T) {
	t.Parallel()
	p, err := LoadPages(fstest.MapFS{}, "Дала", "", shoptest.Quiet)
	if err != nil || IsBuilt(fstest.MapFS{}) || !IsBuilt(shoptest.Built) {
		t.Fatalf("got %v", err)
	}
	if w := shoptest.Get(t, p.Show(p.List[0]), "/"); !strings.Contains(w.Body.String(), "make build") {
		t.Errorf("got %s", w.Body)
	}
}

const hashOfRule = "7yqHVAesot11p6HczDsgKRipvI5UPgs97z80zNXlans="

func TestPagesAreWarmBeforeAnybodyAsks(t *testing.T) {
	t.Parallel()
	p, answers := renderingPages(t)
	var version atomic.Int64
	about := plainView(p, "/about", called("a", func(r *http.Request) (*readapi.Reply, error) { return told(t, version.Add(1))(r) }))
	p.Warm(t.Context(), about)
	first := p.Look("ru /about")
	if first == nil || !strings.Contains(string(first.html()), `[["a"],1]`) {
		t.Fatalf("kept is %v", first)
	}
	p.Warm(t.Context(), about)
	if p.Look("ru /about") != first {
		t.Error("what stands was rendered again")
	}
	answers.Changed("catalog", nil)
	p.Warm(t.Context(), about)
	if p.Look("ru /about") != first {
		t.Error("within a second of its making it was rendered again")
	}
	first.Made = time.Now().Add(-renewEvery)
	p.Warm(t.Context(), about)
	if now := p.Look("ru /about"); now == first || !now.From.Stands() || !strings.Contains(string(now.html()), `[["a"],2]`) {
		t.Error("what changed was not rendered anew")
	}
	ctx, cancel := context.WithCancel(t.Context())
	asked := make(chan struct{})
	go func() { <-asked; cancel() }()
	p.KeepWarm(ctx, func(context.Context) []View { // ends with ctx
		defer close(asked)
		return []View{about}
	})
}
