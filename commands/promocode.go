package commands

import (
	"context"

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
