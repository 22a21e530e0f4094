package main

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/go-chi/chi/v5"

	"shop/cmd/shop/edge"
	"shop/cmd/shop/pages"
	"shop/cmd/shop/shoptest"
	"shop/domain/document"
)

// A page's scripts are named in its head: the server knows the module that the storefront draws it with.
func TestEveryPageHasTheModuleThatDrawsIt(t *testing.T) {
	t.Parallel()
	list := pagesOf(t, shoptest.Built).List
	if len(list) < 20 {
		t.Fatalf("the storefront has %d pages", len(list))
	}
	chunks := map[string]pages.Chunk{}
	for _, page := range list {
		chunks[page.Module] = pages.Chunk{File: "assets/" + strings.TrimSuffix(strings.TrimPrefix(page.Module, "shop/routes/"), ".tsx") + "-1.js"}
	}
	manifest, err := json.Marshal(chunks)
	if err != nil {
		t.Fatal(err)
	}
	dist := maps.Clone(shoptest.Built)
	dist[".vite/manifest.json"] = &fstest.MapFile{Data: manifest}
	h := siteOf(t, dist)
	for _, page := range list {
		for _, route := range page.Routes() {
			id := "x"
			if strings.HasPrefix(route, "/documents/") {
				id = document.Offer // the program knows its documents, and no others
			}
			at := strings.Replace(route, "{id}", id, 1)
			if body := shoptest.Get(t, h, at).Body.String(); !strings.Contains(body, `href="/`+chunks[page.Module].File+`"`) {
				t.Errorf("%s is not drawn by %s", at, page.Module)
			}
		}
	}
}

// What pages may ask are calls of the API, at the same addresses.
func TestPagesAskTheAPI(t *testing.T) {
	t.Parallel()
	routes := testSite(t).(chi.Routes)
	for _, route := range (&edge.Site{}).PageReads().Routes() {
		at := chi.NewRouteContext()
		if !routes.Match(at, http.MethodGet, strings.NewReplacer("{id}", "x", "{name}", "x").Replace(route)) || at.RoutePattern() != route {
			t.Errorf("pages may ask %s, which %q answers", route, at.RoutePattern())
		}
	}
}
