package commands

import (
	"context"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"shop/domain"
)

// ErrSignedOut: the call needs a token, and there is none that counts.
var ErrSignedOut = &Refused{http.StatusUnauthorized, "Войдите в аккаунт"}

// customerActor begins the actor of a customer's commands; their id follows.
const customerActor = "customer:"

// AsCustomer lets the commands under ctx be a customer's.
func AsCustomer(ctx context.Context, id domain.ID) context.Context {
	origin := OriginOf(ctx)
	origin.Actor = customerActor + id.String()
	return WithOrigin(ctx, origin)
}

// CustomerOf is who is signed in under ctx; zero: nobody.
func CustomerOf(ctx context.Context) domain.ID {
	text, ok := strings.CutPrefix(OriginOf(ctx).Actor, customerActor)
	if !ok {
		return domain.ID{}
	}
	id, _ := uuid.Parse(text)
	return id
}
