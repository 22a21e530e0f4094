package shopapi

import (
	"errors"
	"net/http"

	"shop/commands"
	"shop/domain/promocode"
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
	// Guess counts the promo code of a price or an order among those that a network guesses, or refuses with *Limited. settle tells
	// whether the code was found to be wrong.
	Guess func(r *http.Request, code string) (settle func(usable bool), err error)
	// Fresh lets a call wait for read models that show what its sender has seen.
	Fresh func(projections ...string) func(http.Handler) http.Handler
}

// guessed carries out what tells whether a promo code can be used. wrong says so of its result. An empty code is none.
func (g Guards) guessed(r *http.Request, code string, do func() (wrong bool, err error)) error {
	code = promocode.Normal(code)
	if code == "" || g.Guess == nil {
		_, err := do()
		return err
	}
	settle, err := g.Guess(r, code)
	if err != nil {
		return err
	}
	wrong, err := do()
	var invalid *commands.Invalid
	if errors.As(err, &invalid) {
		_, wrong = invalid.Fields["promocode"]
	}
	settle(!wrong)
	return err
}
