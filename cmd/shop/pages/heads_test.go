package pages

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"shop/cmd/shop/shoptest"
	"shop/readapi"
)

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

func TestPageHasItsOwnHead(t *testing.T) {
	t.Parallel()
	h := oilPages(t).routes()
	w := shoptest.Get(t, h, "/product/oil")
	body := w.Body.String()
	for _, want := range []string{
		"<title>Масло &#34;Ши&#34; &lt;b&gt; — Дала</title>",
		`<meta name="description" content="Питает кожу. `,
		`<link rel="canonical" href="https://shop.example/product/oil">`,
		`<meta property="og:image" content="https://shop.example/share/img/oil.webp.jpg">`,
		`<meta property="og:image:width" content="1200">`,
		`<meta property="og:image:height" content="630">`,
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

// TestWritingAHeadLeavesItAsItIs: while a page is rendered, the same page without content may be put together from the same head.
// Writing into its facts ended the whole process with "concurrent map writes".
func TestWritingAHeadLeavesItAsItIs(t *testing.T) {
	t.Parallel()
	h := Head{Title: "Масло", Path: "/product/oil", Facts: []map[string]any{{"@type": "Product"}}}
	if text := h.write("Дала", "https://shop.example", russian); !strings.Contains(text, `{"@context":"https://schema.org","@type":"Product"}`) {
		t.Errorf("the head is %s", text)
	}
	if len(h.Facts[0]) != 1 {
		t.Errorf("the facts became %v", h.Facts)
	}
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
		"brand=ostara,dala&page=20000&ordering=-price": "?brand=dala%2Costara&ordering=-price",
	} {
		r := httptest.NewRequest(http.MethodGet, "/category/masla?"+query, nil)
		kept, err := p.plan(t.Context(), category.addressed(r))
		if err != nil || kept.At != "/category/masla"+want || len(kept.Asks) != 5 {
			t.Errorf("%s: got %s that asks %d, %v", query, kept.At, len(kept.Asks), err)
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
