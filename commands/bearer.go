package commands

import (
	"context"
	"net/http"

	"shop/domain"
)

// errNoBearer asks a guest to sign in.
var errNoBearer = &Refused{http.StatusUnauthorized, "Войдите в аккаунт"}

type bearerKey struct{}

// WithBearer says whose token a request carries, once it was checked.
func WithBearer(ctx context.Context, customer domain.ID) context.Context {
	return context.WithValue(ctx, bearerKey{}, customer)
}

// BearerOf is the customer who is signed in; the zero ID is a guest.
func BearerOf(ctx context.Context) domain.ID {
	customer, _ := ctx.Value(bearerKey{}).(domain.ID)
	return customer
}
