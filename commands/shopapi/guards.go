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
	// Guess counts the promo code of a price or an order among those that a network guesses, or refuses with *Limited. settle says
	// what the answer tells of the code.
	Guess func(r *http.Request, code string) (settle func(Told), err error)
	// Fresh lets a call wait for read models that show what its sender has seen.
	Fresh func(projections ...string) func(http.Handler) http.Handler
}

// Told is what an answer tells of a promo code.
type Told int

const (
	// ToldNothing: the answer is about something else that is wrong.
	ToldNothing Told = iota
	// ToldWrong: the code cannot be used. ToldUsable: it can.
	ToldWrong
	ToldUsable
)

// guessed carries out what tells whether a promo code can be used. wrong says so of its result, when there is no error. An empty code
// is none.
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
	told := ToldNothing
	var invalid *commands.Invalid
	switch {
	case err == nil && wrong:
		told = ToldWrong
	case err == nil:
		told = ToldUsable
	case errors.As(err, &invalid):
		if _, wrong := invalid.Fields["promocode"]; wrong {
			told = ToldWrong
		}
	}
	settle(told)
	return err
}
