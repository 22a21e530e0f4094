package edge

import (
	"context"
	"errors"
	"net/http"

	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/identity/accounts"
	"shop/commands/identity/securitylog"
	"shop/commands/shopapi"
)

// signedIn lets commands and queries know whose token a request has. A token that does not count is refused, so that nobody
// orders as a guest by mistake.
func (s *Site) signedIn(next http.Handler) http.Handler {
	return answer(s.Log, func(w http.ResponseWriter, r *http.Request) error {
		if r.Header.Get("Authorization") == "" {
			next.ServeHTTP(w, r)
			return nil
		}
		id, err := s.Customers.SignIns.Holder(s.client(r), shopapi.Bearer(r))
		if errors.Is(err, accounts.ErrNoToken) {
			return signedOut(w)
		}
		if err != nil {
			return err
		}
		next.ServeHTTP(w, r.WithContext(asCustomer(r.Context(), id)))
		return nil
	})
}

// asCustomer is a context in which a customer is at work.
func asCustomer(ctx context.Context, id uuid.UUID) context.Context {
	return securitylog.As(commands.AsCustomer(ctx, id), securitylog.Who{Party: securitylog.Customer, ID: id})
}

// customersOnly lets those through whom signedIn knows.
func (s *Site) customersOnly(next http.Handler) http.Handler {
	return s.signedIn(answer(s.Log, func(w http.ResponseWriter, r *http.Request) error {
		if commands.CustomerOf(r.Context()) == uuid.Nil {
			return signedOut(w)
		}
		next.ServeHTTP(w, r)
		return nil
	}))
}

func signedOut(w http.ResponseWriter) error {
	w.Header().Set("WWW-Authenticate", "Bearer")
	return commands.ErrSignedOut
}

// eitherWay answers those who are signed in otherwise than everybody else, unless they ask for products in brief, which are alike for
// everybody. Reading goes on without a token that counts.
func (s *Site) eitherWay(everybody, customers http.Handler) http.Handler {
	return answer(s.Log, func(w http.ResponseWriter, r *http.Request) error {
		token := shopapi.Bearer(r)
		if token == "" || r.URL.Query().Get("brief") == "true" {
			everybody.ServeHTTP(w, r)
			return nil
		}
		id, err := s.Customers.SignIns.Holder(s.client(r), token)
		if errors.Is(err, accounts.ErrNoToken) {
			everybody.ServeHTTP(w, r)
			return nil
		}
		if err == nil {
			customers.ServeHTTP(w, r.WithContext(asCustomer(r.Context(), id)))
		}
		return err
	})
}
