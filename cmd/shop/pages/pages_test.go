package pages

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

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
	if _, err := p.Engines.Render(t.Context(), Russian, "/", "{}"); err != nil { // now it is warm
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

// toldPages say of each address what the storefront says, and leave it to the browser to draw it. Each call is answered with
// its value; what has none is not there.
func toldPages(t *testing.T, values map[string]any) *Pages {
	t.Helper()
	p := testPages(t)
	p.Engines = StartEngines(shoptest.ServerScript()+"; globalThis.render = () => { throw new Error('not drawn') };", "Дала", p.Origin, 1)
	t.Cleanup(p.Engines.Stop)
	endpoints := map[string]readapi.Endpoint{}
	for route, value := range values {
		endpoints[route] = told(t, value)
	}
	p.Reads = NewReads(endpoints)
	return p
}

// routes lead to all pages.
func (p *Pages) routes() http.Handler {
	mux := chi.NewRouter()
	mux.Use(Slashless)
	for _, page := range p.List {
		for _, route := range page.Routes() {
			mux.Handle(route, p.Show(page))
		}
	}
	mux.NotFound(p.NotFound)
	return mux
}

// oilPages have a page about a thing with everything that must be escaped.
func oilPages(t *testing.T) *Pages {
	t.Helper()
	return toldPages(t, map[string]any{"/api/products/{id}": map[string]any{
		"link": "oil", "name": `Масло "Ши" <b>`, "description": strings.Repeat("Питает кожу. ", 40), "article": "MS-1", "images": []any{},
		"discounted_price": 4500, "in_stock": true, "rating": 4.5, "reviews_count": 2,
		"picture":  map[string]any{"src": "/img/oil.webp", "width": 900, "height": 1200, "sources": []any{map[string]any{"type": "image/avif", "srcset": "/img/oil.avif 900w"}}},
		"brand":    map[string]any{"name": "Ostara"},
		"category": map[string]any{"link": "masla", "name": "Масла", "parent": map[string]any{"link": "litso", "name": "Лицо"}},
	}})
}

func routed(path string, h http.Handler) http.Handler {
	mux := chi.NewRouter()
	mux.Handle(path, h)
	return mux
}

func TestPageHasItsOwnHead(t *testing.T) {
	t.Parallel()
	h := oilPages(t).routes()
	w := shoptest.Get(t, h, "/product/oil")
	body := w.Body.String()
	for _, want := range []string{
		"<title>Масло &#34;Ши&#34; &lt;b&gt; — Дала</title>",
		`<meta name="description" content="Питает кожу. `,
		`<link rel="canonical" href="https://shop.example/product/oil">`,
		`<meta property="og:image" content="https://shop.example/img/oil.webp">`,
		`<meta property="og:type" content="product">`,
		`<meta name="twitter:card" content="summary_large_image">`,
		`<link rel="preload" as="image" type="image/avif" imagesrcset="/img/oil.avif 900w"`,
		`<link rel="modulepreload" crossorigin href="/assets/product-1.js">`,
		`<div id="root"></div>`,
		`"name":"Масло \"Ши\" \u003cb>"`, // what is given
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
	if again := shoptest.Get(t, h, "/product/oil", "If-None-Match", w.Header().Get("ETag")); again.Code != http.StatusNotModified {
		t.Errorf("asked again got %d", again.Code)
	}
}

// factsOf reads what a page says in the words of schema.org, by type.
func factsOf(t *testing.T, body string) map[string]map[string]any {
	t.Helper()
	found := map[string]map[string]any{}
	for _, part := range strings.Split(body, `<script type="application/ld+json">`)[1:] {
		text, _, _ := strings.Cut(part, "</script>")
		var f map[string]any
		if err := json.Unmarshal([]byte(text), &f); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		found[f["@type"].(string)] = f
	}
	return found
}

func TestProductSaysWhatItIsForSaleFor(t *testing.T) {
	t.Parallel()
	body := shoptest.Get(t, oilPages(t).routes(), "/product/oil").Body.String()
	facts := factsOf(t, body)
	product := facts["Product"]
	offer, _ := product["offers"].(map[string]any)
	if product["name"] != `Масло "Ши" <b>` || offer["price"] != 4500.0 || offer["priceCurrency"] != "KZT" || offer["availability"] != "https://schema.org/InStock" {
		t.Errorf("got %v", product)
	}
	if rating, _ := product["aggregateRating"].(map[string]any); rating["ratingValue"] != 4.5 || rating["reviewCount"] != 2.0 {
		t.Errorf("got %v", product)
	}
	trail, _ := facts["BreadcrumbList"]["itemListElement"].([]any)
	if len(trail) != 4 || trail[1].(map[string]any)["item"] != "https://shop.example/categories/litso" {
		t.Errorf("got %v", trail)
	}
}

func TestPageHasOneAddress(t *testing.T) {
	t.Parallel()
	h := oilPages(t).routes()
	for from, to := range map[string]string{
		"/product/oil/":                   "/product/oil",
		"//product/oil/":                  "/product/oil",
		"/product/oil/?page=2":            "/product/oil?page=2",
		"/product/0198c0de-0000":          "/product/oil",
		"/product/0198c0de-0000?utm=mail": "/product/oil?utm=mail",
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://shop.example"+from, nil))
		if w.Code != http.StatusMovedPermanently || w.Header().Get("Location") != to {
			t.Errorf("%s: got %d to %s", from, w.Code, w.Header().Get("Location"))
		}
	}
}

func TestCategoryLeadsToItsChildrenOrItsProducts(t *testing.T) {
	t.Parallel()
	tree := []any{map[string]any{"id": "1", "link": "litso", "name": "Лицо", "child_categories": []any{
		map[string]any{"id": "2", "link": "masla", "name": "Масла", "parent": map[string]any{"link": "litso", "name": "Лицо"}, "child_categories": []any{}},
	}}}
	h := toldPages(t, map[string]any{"/api/categories": tree}).routes()
	for path, want := range map[string]struct {
		status int
		to     string
	}{
		"/category/masla":    {200, ""},
		"/categories/masla":  {301, "/category/masla"},
		"/categories/litso":  {200, ""},
		"/category/litso":    {301, "/categories/litso"},
		"/category/2":        {301, "/category/masla"},
		"/category/nowhere":  {404, ""},
		"/categories/no/way": {404, ""},
	} {
		if w := shoptest.Get(t, h, path); w.Code != want.status || w.Header().Get("Location") != want.to {
			t.Errorf("%s: got %d to %q", path, w.Code, w.Header().Get("Location"))
		}
	}
}

func TestListIsOnePageHoweverItsQueryIsSpelt(t *testing.T) {
	t.Parallel()
	p := toldPages(t, nil)
	category := p.List[slices.IndexFunc(p.List, func(l Listed) bool { return l.Path == "/category/:id" })]
	for query, want := range map[string]string{
		"utm_source=mail&page=1":                       "",
		"page=2&ordering=price":                        "?ordering=price&page=2",
		"ordering=name&page=-1&brand=,":                "",
		"brand=ostara,dala&page=20000&ordering=-price": "?brand=ostara%2Cdala&ordering=-price",
	} {
		r := httptest.NewRequest(http.MethodGet, "/category/masla?"+query, nil)
		kept, err := p.plan(t.Context(), category.addressed(r))
		if err != nil || kept.At != "/category/masla"+want || len(kept.Asks) != 5 {
			t.Errorf("%s: got %s that asks %d, %v", query, kept.At, len(kept.Asks), err)
		}
	}
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
		t.Errorf("in Kazakh: %s", w.Body)
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
	p.Look("ru /about").Made = time.Now().Add(-RenewEvery)
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
	if html, err := p.Engines.Render(ctx, Russian, "/", "{}"); err != nil || html != "<main>ru Дала / true</main>" {
		t.Errorf("afterwards got %q, %v", html, err)
	}
}

// TestWhatBreaksAPageBreaksNothingElse: pages are made in goroutines of nobody's request, where a panic would end the shop.
func TestWhatBreaksAPageBreaksNothingElse(t *testing.T) {
	t.Parallel()
	p, answers := renderingPages(t)
	said := "shown"
	page := plainPage(p, "/", called("a", func(r *http.Request) (*readapi.Reply, error) {
		if said == "" {
			panic("an answer of nothing")
		}
		return told(t, said)(r)
	}))
	for shoptest.Get(t, page, "/"); p.Look(Russian+" /") == nil; time.Sleep(time.Millisecond) {
	}
	for _, said = range []string{"it breaks", ""} {
		p.Look(Russian + " /").Made = time.Now().Add(-RenewEvery)
		answers.Changed("catalog", nil)
		if w := shoptest.Get(t, page, "/"); w.Code != 200 || !strings.Contains(w.Body.String(), "<main>") {
			t.Errorf("got %d %s, want the page as it was", w.Code, w.Body)
		}
	}

	var broke *endpoint.Broken
	if _, err := Call(nil, Work{Language: Russian, Function: "render"}); !errors.As(err, &broke) {
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
	h := routed("/order/{id}", p.Show(Listed{Path: "/order/:id", Module: "src/routes/order.tsx", Own: true}))
	for _, at := range []string{"/order/1", "/order/2"} {
		if body := shoptest.Get(t, h, at).Body.String(); !strings.Contains(body, "<main>ru Дала /order/{id} true</main>") || !strings.Contains(body, "noindex") {
			t.Errorf("%s: got %s", at, body)
		}
	}
	if p.Kept.Len() != 1 {
		t.Errorf("%d pages are kept", p.Kept.Len())
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
	if policy := testPages(t).Policy(); strings.Contains(policy, "unsafe") || !strings.Contains(policy, "script-src 'self';") || !strings.Contains(policy, "style-src 'self';") {
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
	if policy := p.Policy(); !strings.Contains(policy, "style-src 'self' 'sha256-"+hashOfRule+"';") || !strings.Contains(policy, "script-src 'self';") {
		t.Errorf("policy is %s", policy)
	}
}

func TestStaffPagesAreNobodysToKeepOrToFind(t *testing.T) {
	t.Parallel()
	p := testPages(t)
	for _, path := range []string{"/ops/log", "/analytics/orders/100001"} {
		w := shoptest.Get(t, StaffPage(p.Staff), path)
		header := w.Header()
		if w.Code != http.StatusOK || header.Get("Cache-Control") != "no-store" || header.Get("X-Robots-Tag") != "noindex" || header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: got %d %v", path, w.Code, header)
		}
		if body := w.Body.String(); !strings.Contains(body, "<title>Staff</title>") || !strings.Contains(body, `<meta name="application-name" content="Дала">`) {
			t.Errorf("%s: got %s", path, body)
		}
	}
}

// TestPageWithoutAnEngineIsDrawnByItsScript: the program has the storefront and not the script that engines run.
func TestPageWithoutAnEngineIsDrawnByItsScript(t *testing.T) {
	t.Parallel()
	h := testPages(t).routes()
	for at, want := range map[string]struct {
		status  int
		noindex bool
	}{"/product/oil": {200, false}, "/about": {200, false}, "/basket": {200, true}, "/nowhere": {404, true}} {
		w := shoptest.Get(t, h, at)
		body := w.Body.String()
		if w.Code != want.status || !strings.Contains(body, "<title>Дала</title>") || !strings.Contains(body, `<div id="root"></div>`) || strings.Contains(body, "noindex") != want.noindex {
			t.Errorf("%s: got %d %s", at, w.Code, body)
		}
	}
	if body := shoptest.Get(t, h, "/product/oil").Body.String(); !strings.Contains(body, `<link rel="modulepreload" crossorigin href="/assets/product-1.js">`) {
		t.Errorf("the page's script is not named in %s", body)
	}
}

// TestPageAsksWhatItMay: what the storefront asks at any address is among what pages may ask, and all of it is answered.
func TestPageAsksWhatItMay(t *testing.T) {
	t.Parallel()
	p := toldPages(t, map[string]any{})
	asked := map[string]bool{}
	for _, page := range p.List {
		for _, route := range page.Routes() {
			made, err := p.plan(t.Context(), strings.Replace(route, "{id}", "%D0%BE%20%2F", 1))
			if err != nil || made.Module != page.Module {
				t.Fatalf("%s: got %+v, %v", route, made, err)
			}
			for _, q := range made.Asks {
				asked[strings.SplitN(q.Path, "?", 2)[0]] = true
			}
		}
	}
	const id = "%D0%BE%20%2F"
	for _, want := range []string{"/api/products/" + id + "/", "/api/products/" + id + "/similar/", "/api/brands/" + id + "/", "/api/blog/posts/" + id + "/", "/api/shop/"} {
		if !asked[want] {
			t.Errorf("no page asks %s of %v", want, asked)
		}
	}
	var got string
	p.Reads = NewReads(map[string]readapi.Endpoint{"/api/brands/{id}": func(r *http.Request) (*readapi.Reply, error) {
		got = chi.URLParam(r, "id")
		return readapi.ReplyWith("brand")
	}})
	if _, err := p.Reads.answer(t.Context(), Question{Path: "/api/brands/" + id + "/"}, p.Gather()); err != nil || got != id {
		t.Errorf("the endpoint is asked for %q, %v", got, err)
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
	if first == nil || !strings.Contains(string(first.Plain), `[["a"],1]`) {
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
	first.Made = time.Now().Add(-RenewEvery)
	p.Warm(t.Context(), about)
	if now := p.Look("ru /about"); now == first || !now.From.Stands() || !strings.Contains(string(now.Plain), `[["a"],2]`) {
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
