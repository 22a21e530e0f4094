package pages

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"shop/readapi"
)

// listFile is the list of the storefront's pages as the build writes it from web/shop/app/pages.ts.
const listFile = ".vite/pages.json"

// Listed is a page of the storefront.
type Listed struct {
	// Path is the router's: ":id" stands for a part of it, ":id?" for one that may be missing.
	Path string `json:"path"`
	// Module is the page's own in the storefront's sources.
	Module string `json:"module"`
	// Query are the names that the page reads of a query.
	Query []string `json:"query"`
	// Own pages show what is one shopper's own, which comes to them by script: each is the same for every id.
	Own bool `json:"own"`
}

// loadList reads the list of pages. A program that was built without the storefront has a page to say so.
func loadList(dist fs.FS) ([]Listed, error) {
	text, err := ReadBuilt(dist, listFile, `[{"path":"/"}]`)
	if err != nil {
		return nil, err
	}
	var list []Listed
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("read the storefront's list of pages: %w", err)
	}
	return list, nil
}

// Routes are the page's paths as chi spells them.
func (l Listed) Routes() []string {
	path, below, optional := strings.Cut(l.Path, "/:id?")
	if optional {
		return []string{path + below, path + "/{id}" + below}
	}
	return []string{strings.ReplaceAll(l.Path, ":id", "{id}")}
}

// Fixed are the public pages without a subject, for the map of the site.
func (p *Pages) Fixed() []readapi.SitePage {
	var pages []readapi.SitePage
	for _, page := range p.List {
		if path := page.Routes()[0]; !page.Own && !strings.Contains(path, "{") {
			pages = append(pages, readapi.SitePage{Path: path})
		}
	}
	slices.SortFunc(pages, func(a, b readapi.SitePage) int { return strings.Compare(a.Path, b.Path) })
	return pages
}

// addressed is the address at which a request asks for the page: without what the page does not read, and spelled in one way
// as far as that is known without asking the storefront.
func (l Listed) addressed(r *http.Request) string {
	if l.Own {
		return chi.RouteContext(r.Context()).RoutePattern()
	}
	asked, read := r.URL.Query(), url.Values{}
	for _, name := range l.Query {
		if value := asked.Get(name); value != "" {
			read.Set(name, value)
		}
	}
	return with(pathOf(r), read)
}

// with is an address of a path and a query.
func with(path string, query url.Values) string {
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// plan is what the storefront says of an address before anything is asked.
type plan struct {
	// At is the address that the page is kept under: a path, and of the query what changes the page.
	At string `json:"at"`
	// Module is the page's own in the storefront's sources; empty: the shell has it.
	Module string     `json:"module"`
	Asks   []Question `json:"asks"`
}

const (
	// plansKept is how many plans a process remembers.
	plansKept = 4096
	// longAddress bounds the addresses whose plans are remembered.
	longAddress = 1024
)

// plan asks the storefront for the plan of an address, once.
func (p *Pages) plan(ctx context.Context, address string) (plan, error) {
	p.mu.Lock()
	known, found := p.plans.Get(address)
	p.mu.Unlock()
	if found {
		return known, nil
	}
	made, err := p.Engines.asks(ctx, address)
	if err != nil {
		return plan{}, fmt.Errorf("ask what page %s asks: %w", address, err)
	}
	if path, query, found := strings.Cut(made.At, "?"); found { // spelled as Go does it, so that spellings can be compared
		if said, err := url.ParseQuery(query); err == nil {
			made.At = with(path, said)
		}
	}
	if len(address) <= longAddress {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.plans.Add(address, made)
	}
	return made, nil
}
