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

// FollowScope follows what a scope depends on besides the products, which have to be loaded: the categories that they are in.
func (u *Unit) FollowScope(scope domain.Scope, products ...domain.ID) error {
	if len(scope.Categories) == 0 {
		return nil
	}
	refs := make([]Ref, 0, len(products))
	for _, id := range products {
		refs = append(refs, CategoryStream(ProductStream(id).State(u).CategoryID))
	}
	return u.Follow(refs...)
}

// InScope says whether a product is in a scope that is not all goods, by the catalog of the moment. FollowScope comes before.
func (u *Unit) InScope(scope domain.Scope, product domain.ID) bool {
	if scope.Everything() {
		return false
	}
	p := ProductStream(product).State(u)
	categories := []domain.ID{p.CategoryID}
	if len(scope.Categories) > 0 {
		categories = append(categories, CategoryStream(p.CategoryID).State(u).Category.ParentID)
	}
	return scope.Has(product, p.BrandID, categories...)
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
