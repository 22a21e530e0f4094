package edge

import (
	"context"
	"net/http"

	"shop/cmd/shop/pages"
	"shop/commands"
	"shop/commands/identity/credential"
	"shop/commands/shopapi"
	"shop/domain"
	"shop/domain/staff"
	"shop/readapi/endpoint"
)

// guards stand before the endpoints of shoppers that write.
func (s *Site) guards(limit Limits) shopapi.Guards {
	return shopapi.Guards{
		Anyone: func(e endpoint.Endpoint) http.Handler { return s.From(answer(s.Log, e)) },
		Known:  func(e endpoint.Endpoint) http.Handler { return s.From(s.signedIn(answer(s.Log, e))) },
		IfSignedIn: func(e endpoint.Endpoint) http.Handler {
			h := answer(s.Log, e)
			return s.From(s.eitherWay(h, h))
		},
		Customer: func(e endpoint.Endpoint, inside ...func(http.Handler) http.Handler) http.Handler {
			var h http.Handler = answer(s.Log, e)
			for _, around := range inside {
				h = around(h)
			}
			return s.From(s.customersOnly(h))
		},
		NewBaskets: limit.newBaskets,
		Pricings:   limit.Pricings, Orders: limit.orders, Reviews: limit.Reviews, Accounts: limit.Accounts, Portraits: limit.portraits,
		Guess: limit.guess, Fresh: s.Fresh.For,
	}
}

// allowed guards the endpoints of staff.
func (s *Site) allowed(permission staff.Permission, e endpoint.Endpoint) http.Handler {
	return s.StaffOnly(permission)(staffAnswer(s.Log, noted(e)))
}

// allowedAsShoppers guards the endpoints of staff that answer as shoppers are answered.
func (s *Site) allowedAsShoppers(permission staff.Permission, e endpoint.Endpoint) http.Handler {
	return s.StaffOnly(permission)(answerStaff(s.Log, e))
}

// From tells commands which request they come from.
func (s *Site) From(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		language := ""
		if pages.LanguageOf(r) == domain.Kazakh {
			language = domain.Kazakh
		}
		next.ServeHTTP(w, r.WithContext(commands.WithOrigin(s.client(r), commands.Origin{
			Correlation: endpoint.RequestID(r.Context()), Actor: "guest", Network: clientAddr(r).String(), Language: language,
		})))
	})
}

// client is the context of a request that knows which program it comes from.
func (s *Site) client(r *http.Request) context.Context {
	return credential.WithClient(r.Context(), shopapi.ClientOf(r, clientAddr(r).String(), s.Https))
}
