package pages

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/go-chi/chi/v5"
)

const (
	// pagesWarm is how many pages are kept warm at most.
	pagesWarm = 60
	// warmEvery is how long warming rests between two rounds, restAfter at least between two pages.
	warmEvery = 10 * time.Second
	restAfter = 20 * time.Millisecond
)

// KeepWarm renders the pages that most visits begin with before anybody asks for them, and again those that have
// changed since. It renders one at a time and then rests nine times as long: shoppers come first.
func (p *Pages) KeepWarm(ctx context.Context, mostVisited func(context.Context) []View) {
	for {
		for _, v := range mostVisited(ctx) {
			began := time.Now()
			p.Warm(ctx, v)
			if !rest(ctx, max(restAfter, 9*time.Since(began))) {
				return
			}
		}
		if !rest(ctx, warmEvery) {
			return
		}
	}
}

// Warm renders a page in Russian unless it is kept as it is now, or shoppers wait for theirs. What fails is left to the
// first visitor, who will be told.
func (p *Pages) Warm(ctx context.Context, v View) {
	key := Russian + " " + v.At
	kept := p.Look(key)
	if p.Engines.busy() || kept != nil && (kept.From.Stands() || time.Since(kept.Made) < RenewEvery) {
		return
	}
	f, err := p.fill(ctx, v)
	if err != nil {
		return
	}
	select {
	case <-p.render(v, key, Russian, f):
	case <-ctx.Done():
	}
}

// rest waits; false: it is over before that.
func rest(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// MostVisited are the pages that most visits begin with: the first, the categories, what is popular and what is new.
func (s *Views) MostVisited(ctx context.Context) []View {
	visit := func(of func(*http.Request) View, path, link string) View {
		route := chi.NewRouteContext()
		route.URLParams.Add("id", link)
		r := &http.Request{Method: http.MethodGet, URL: &url.URL{Path: path + link}, Header: http.Header{}}
		return of(r.WithContext(context.WithValue(ctx, chi.RouteCtxKey, route)))
	}
	views := []View{visit(s.HomePage(), "/", ""), visit(s.CategoriesPage(), "/categories", "")}

	var tree []*categoryFacts
	var popular, fresh struct{ Results []thing }
	from := s.Pages.Gather()
	for _, q := range []Question{
		{Path: "/api/categories/", Ask: s.Categories.List, into: &tree},
		{Path: popularCards, Ask: s.Products.Popular, into: &popular},
		{Path: freshCards, Ask: s.Products.List, into: &fresh},
	} {
		if _, err := q.answer(ctx, from); err != nil {
			return views // asked again in the next round
		}
	}
	for _, p := range append(popular.Results, fresh.Results...) {
		views = append(views, visit(s.ProductPage, "/product/", p.Link))
	}
	var walk func([]*categoryFacts)
	walk = func(categories []*categoryFacts) {
		for _, c := range categories {
			if len(c.Children) > 0 {
				views = append(views, visit(s.CategoryPage("src/routes/categories.tsx", s.ChildrenAsked), "/categories/", c.Link))
			} else {
				views = append(views, visit(s.CategoryPage("src/routes/category.tsx", s.ProductsAsked), "/category/", c.Link))
			}
			walk(c.Children)
		}
	}
	walk(tree)
	return views[:min(len(views), pagesWarm)]
}
