package pages

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"shop/readapi"
)

// Question is a call whose answer the page's first paint shows.
type Question struct {
	// Key is where the storefront's cache keeps the answer.
	Key json.RawMessage `json:"key"`
	// Path is the call's, with its query, as the browser spells it.
	Path string `json:"path"`
	// Page is the number of a page of a list that grows; 0: no such list.
	Page int `json:"page"`
	// Subject: without this answer there is no page.
	Subject bool `json:"subject"`
	// ForHead: the head of the page is made of it.
	ForHead bool `json:"for_head"`
}

// Reads are the calls that pages may ask, by their routes.
type Reads struct {
	endpoints map[string]readapi.Endpoint
	routes    *chi.Mux
}

// NewReads lets pages ask these endpoints.
func NewReads(endpoints map[string]readapi.Endpoint) *Reads {
	s := &Reads{endpoints: endpoints, routes: chi.NewRouter()}
	for route := range endpoints {
		s.routes.Method(http.MethodGet, route, http.NotFoundHandler())
	}
	return s
}

// Routes are those of the calls.
func (s *Reads) Routes() []string { return slices.Sorted(maps.Keys(s.endpoints)) }

// find is the endpoint of a call, and the request for it.
func (s *Reads) find(ctx context.Context, path string) (readapi.Endpoint, *http.Request, error) {
	at, err := url.Parse(path)
	if err != nil {
		return nil, nil, fmt.Errorf("ask %s: %w", path, err)
	}
	at.RawPath = at.EscapedPath() // parameters are escaped, also those that need no escaping
	route := chi.NewRouteContext()
	var e readapi.Endpoint
	if s != nil {
		e = s.endpoints[s.routes.Find(route, http.MethodGet, "/"+strings.Trim(at.RawPath, "/"))]
	}
	if e == nil {
		return nil, nil, fmt.Errorf("ask %s: pages may not ask that", path)
	}
	r := &http.Request{Method: http.MethodGet, URL: at, Header: http.Header{}}
	return e, r.WithContext(context.WithValue(ctx, chi.RouteCtxKey, route)), nil
}

// answer is the JSON that the storefront's cache holds for a question.
func (s *Reads) answer(ctx context.Context, q Question, from *readapi.Gathered) (json.RawMessage, error) {
	e, r, err := s.find(ctx, q.Path)
	if err != nil {
		return nil, err
	}
	body, err := from.Ask(e, r)
	if err != nil {
		return nil, err
	}
	if q.Page > 0 {
		return fmt.Appendf(nil, `{"pages":[%s],"pageParams":[%d]}`, bytes.TrimSpace(body), q.Page), nil
	}
	return body, nil
}

// given is what a page is made of, as the storefront reads it (web/shop/app/page-data.ts).
type given struct {
	Position string   `json:"position"`
	Missing  bool     `json:"missing,omitempty"`
	Queries  [][2]any `json:"queries"`
}

func (g given) encode(page string) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(g); err != nil {
		return nil, fmt.Errorf("encode what page %s is given: %w", page, err)
	}
	return bytes.TrimSpace(text.Bytes()), nil
}
