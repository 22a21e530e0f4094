package pages

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"shop/readapi"
)

// Previewed is a page as it would be.
type Previewed struct {
	HTML []byte
	// Status is 200, or 404 for the not-found page.
	Status int
	// Moved is the one address of the page; empty: it is the one that was asked for.
	Moved string
}

// ErrOutside: the address is none of a page of the storefront.
var ErrOutside = errors.New("the address is outside of the storefront")

// outside are the first parts of addresses that are no pages.
var outside = []string{"admin", "analytics", "api", "assets", "feeds", "img", "kit", "media", "ops", "pay", "reports", "share", "shell", "unsubscribe"}

// Preview draws the page at an address from what reads answer, as a shopper would get it, and keeps nothing.
func (p *Pages) Preview(ctx context.Context, reads *Reads, language, address string) (Previewed, error) {
	r, err := inside(ctx, address)
	if err != nil {
		return Previewed{}, err
	}
	if path := pathOf(r); path != r.URL.EscapedPath() {
		return Previewed{Moved: with(path, r.URL.Query())}, nil
	}
	language = known(language)
	page, found := p.listedAt(r)
	if !found {
		return p.previewMissing(ctx, reads, language)
	}
	v := View{own: page.Own}
	at := page.addressed(r)
	if v.plan, err = p.plan(ctx, at); err != nil {
		return Previewed{}, err
	}
	if v.At != at && !v.own {
		return Previewed{Moved: v.At}, nil
	}
	f, err := p.fillFrom(ctx, reads, (*readapi.Answers)(nil).Gather(), v, language)
	var elsewhere moved
	switch {
	case errors.As(err, &elsewhere):
		return Previewed{Moved: string(elsewhere)}, nil
	case errors.Is(err, readapi.ErrNotFound):
		return p.previewMissing(ctx, reads, language)
	case err != nil:
		return Previewed{}, err
	}
	return p.previewed(ctx, v, language, f)
}

func (p *Pages) previewMissing(ctx context.Context, reads *Reads, language string) (Previewed, error) {
	v := View{missing: true}
	var err error
	if v.plan, err = p.plan(ctx, notFoundAddress); err != nil {
		return Previewed{}, err
	}
	f, err := p.fillFrom(ctx, reads, (*readapi.Answers)(nil).Gather(), v, language)
	if err != nil {
		return Previewed{}, err
	}
	return p.previewed(ctx, v, language, f)
}

func (p *Pages) previewed(ctx context.Context, v View, language string, f filled) (Previewed, error) {
	markup, err := p.Engines.Render(ctx, language, v.At, string(f.given))
	if err != nil {
		return Previewed{}, fmt.Errorf("draw a preview of %s: %w", v.At, err)
	}
	made := p.page(v, language, f, markup)
	status := http.StatusOK
	if v.missing {
		status = http.StatusNotFound
	}
	return Previewed{HTML: made.html(), Status: status}, nil
}

// known is a language of the storefront.
func known(language string) string {
	if language == kazakh {
		return kazakh
	}
	return russian
}

// inside is the request for the page at an address, which has to be a path of this shop that pages may have.
func inside(ctx context.Context, address string) (*http.Request, error) {
	at, err := url.Parse(address)
	if err != nil || at.Scheme != "" || at.Host != "" || at.Opaque != "" || at.User != nil || !strings.HasPrefix(address, "/") ||
		strings.HasPrefix(address, "//") || strings.ContainsAny(address, "\\\x00") {
		return nil, ErrOutside
	}
	first, _, _ := strings.Cut(strings.Trim(at.Path, "/"), "/")
	if slices.Contains(outside, strings.ToLower(first)) {
		return nil, ErrOutside
	}
	at.Fragment, at.RawPath = "", at.EscapedPath()
	route := chi.NewRouteContext()
	return (&http.Request{Method: http.MethodGet, URL: at, Header: http.Header{}}).WithContext(context.WithValue(ctx, chi.RouteCtxKey, route)), nil
}

// listedAt is the page of a request, whose route it notes.
func (p *Pages) listedAt(r *http.Request) (Listed, bool) {
	routes, byRoute := chi.NewRouter(), map[string]Listed{}
	for _, page := range p.List {
		for _, route := range page.Routes() {
			routes.Method(http.MethodGet, route, http.NotFoundHandler())
			byRoute[route] = page
		}
	}
	page, found := byRoute[routes.Find(chi.RouteContext(r.Context()), http.MethodGet, pathOf(r))]
	return page, found
}
