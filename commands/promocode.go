package commands

import (
	"context"
	"slices"

	"shop/domain"
	"shop/domain/promocode"
	"shop/eventstore"
)

// Promocodes issues and revokes promo codes.
type Promocodes struct{ Handler *Handler }

// Issue makes a code, or gives it other terms.
func (p *Promocodes) Issue(ctx context.Context, code string, terms promocode.Terms) (eventstore.Position, error) {
	return Change(ctx, p.Handler, PromocodeStream(code), func(u *Unit) promocode.Command {
		return promocode.Issue{Code: code, Terms: terms, At: u.At()}
	})
}

// Revoke ends a code.
func (p *Promocodes) Revoke(ctx context.Context, code string) (eventstore.Position, error) {
	return Change(ctx, p.Handler, PromocodeStream(code), func(u *Unit) promocode.Command {
		return promocode.Revoke{Code: code, At: u.At()}
	})
}

// msgNoCode is said of every code that nobody can use, so that guessers do not learn which codes there are.
const msgNoCode = "Промокод не найден или больше не действует"

// tellable is what a shopper is told of a promo code's problem.
func tellable(problem string) string {
	alike := []*domain.Refusal{promocode.ErrUnknown, promocode.ErrRevoked, promocode.ErrTooEarly, promocode.ErrExpired, promocode.ErrUsedUp}
	if slices.ContainsFunc(alike, func(r *domain.Refusal) bool { return r.Message == problem }) {
		return msgNoCode
	}
	return problem
}
