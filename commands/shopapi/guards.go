package shopapi

import (
	"net/http"

	"shop/readapi/endpoint"
)

// Guards stand before endpoints: they say who may call them and how often, and what an endpoint's error is answered with.
// cmd/shop/edge has them.
type Guards struct {
	// Anyone asks nobody who they are. Known says who is signed in, and refuses tokens that do not count; IfSignedIn passes
	// over those. Customer lets nobody through who is not signed in; inside stands between that and the endpoint.
	Anyone, Known, IfSignedIn func(endpoint.Endpoint) http.Handler
	Customer                  func(e endpoint.Endpoint, inside ...func(http.Handler) http.Handler) http.Handler
	// NewBaskets is for pricings without a basket of ours, by address.
	NewBaskets func(http.Handler) http.Handler
	// Pricings, Orders, Reviews and Accounts bound how often an address may ask, Portraits how often a customer.
	Pricings, Orders, Reviews, Accounts, Portraits func(http.Handler) http.Handler
	// Fresh lets a call wait for read models that show what its sender has seen.
	Fresh func(projections ...string) func(http.Handler) http.Handler
}
