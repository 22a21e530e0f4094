package main

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

// keepWarm renders the pages that most visits begin with before anybody asks for them, and again those that have
// changed since. It renders one at a time and then rests nine times as long: shoppers come first.
func (p *pages) keepWarm(ctx context.Context, mostVisited func(context.Context) []view) {
	for {
		for _, v := range mostVisited(ctx) {
			began := time.Now()
			p.warm(ctx, v)
			if !rest(ctx, max(restAfter, 9*time.Since(began))) {
				return
			}
		}
		if !rest(ctx, warmEvery) {
			return
		}
	}
}

// warm renders a page in Russian unless it is kept as it is now, or shoppers wait for theirs. What fails is left to the
// first visitor, who will be told.
func (p *pages) warm(ctx context.Context, v view) {
	key := russian + " " + v.at
	kept := p.look(key)
	if p.engines.busy() || kept != nil && (kept.from.Stands() || time.Since(kept.made) < renewEvery) {
		return
	}
	f, err := p.fill(ctx, v)
	if err != nil {
		return
	}
	select {
	case <-p.render(v, key, russian, f):
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

// mostVisited are the pages that most visits begin with: the first, the categories, what is popular and what is new.
func (s *views) mostVisited(ctx context.Context) []view {
	visit := func(of func(*http.Request) view, path, link string) view {
		route := chi.NewRouteContext()
		route.URLParams.Add("id", link)
		r := &http.Request{Method: http.MethodGet, URL: &url.URL{Path: path + link}, Header: http.Header{}}
		return of(r.WithContext(context.WithValue(ctx, chi.RouteCtxKey, route)))
	}
	views := []view{visit(s.homePage(), "/", ""), visit(s.categoriesPage(), "/categories", "")}

	var tree []*categoryFacts
	var popular, fresh struct{ Results []thing }
	from := s.pages.gather()
	for _, q := range []question{
		{path: "/api/categories/", ask: s.categories.List, into: &tree},
		{path: popularCards, ask: s.products.Popular, into: &popular},
		{path: freshCards, ask: s.products.List, into: &fresh},
	} {
		if _, err := q.answer(ctx, from); err != nil {
			return views // asked again in the next round
		}
	}
	for _, p := range append(popular.Results, fresh.Results...) {
		views = append(views, visit(s.productPage, "/product/", p.Link))
	}
	var walk func([]*categoryFacts)
	walk = func(categories []*categoryFacts) {
		for _, c := range categories {
			if len(c.Children) > 0 {
				views = append(views, visit(s.categoryPage("src/routes/categories.tsx", s.childrenAsked), "/categories/", c.Link))
			} else {
				views = append(views, visit(s.categoryPage("src/routes/category.tsx", s.productsAsked), "/category/", c.Link))
			}
			walk(c.Children)
		}
	}
	walk(tree)
	return views[:min(len(views), pagesWarm)]
}
