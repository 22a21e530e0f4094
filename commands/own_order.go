package commands

import (
	"context"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/order"
	"shop/eventstore"
)

// guests say whether the key of a letter's link opens an order.
type guests interface {
	OpensOrder(order domain.ID, key string) bool
}

// OwnOrder names an order that a shopper claims: a signed-in customer, or a guest.
type OwnOrder struct {
	ID domain.ID
	// Key is that of the link in a guest's letter; empty: they have none.
	Key string
	// BasketID is the basket of the guest's browser; zero: it has none.
	BasketID domain.ID
}

// Own refuses an order unless it is the shopper's: their account's, a guest's with the link while it lasts, or, where that is enough, one
// made of the guest's basket. Any other is order.ErrUnknown, as if it were missing.
func (o *Orders) Own(ctx context.Context, asked OwnOrder, byBasket bool) error {
	state, err := See(ctx, o.Handler, OrderStream(asked.ID))
	if err != nil {
		return err
	}
	guest := state.CustomerID == uuid.Nil
	switch {
	case !state.Exists():
	case !guest && CustomerOf(ctx) == state.CustomerID,
		o.opensByLink(state, asked),
		byBasket && guest && !state.Forgotten && asked.BasketID != uuid.Nil && state.Placed.BasketID == asked.BasketID:
		return nil
	}
	return order.ErrUnknown
}

// CancelOwn lets a shopper give up an order that was not approved yet.
func (o *Orders) CancelOwn(ctx context.Context, asked OwnOrder) (Receipt, eventstore.Position, error) {
	if err := o.Own(ctx, asked, false); err != nil {
		return Receipt{}, 0, err
	}
	position, err := o.Cancel(ctx, asked.ID, "customer", "")
	if err != nil {
		return Receipt{}, 0, err
	}
	state, err := See(ctx, o.Handler, OrderStream(asked.ID))
	if err != nil {
		return Receipt{}, 0, err
	}
	return receiptOf(state), position, nil
}

// PayOwn tells a shopper where to pay, again if the last attempt failed. The browser that placed a guest's order may pay for
// it too: a guest who comes back from the bank has no letter at hand yet.
func (o *Orders) PayOwn(ctx context.Context, asked OwnOrder) (Receipt, eventstore.Position, error) {
	if err := o.Own(ctx, asked, true); err != nil {
		return Receipt{}, 0, err
	}
	return o.Pay(ctx, asked.ID)
}

// OwnsByLink says whether somebody holds the link of an order's letter, while it lasts; else it is order.ErrUnknown.
func (o *Orders) OwnsByLink(ctx context.Context, asked OwnOrder) error {
	state, err := See(ctx, o.Handler, OrderStream(asked.ID))
	if err != nil {
		return err
	}
	if !o.opensByLink(state, asked) {
		return order.ErrUnknown
	}
	return nil
}

// opensByLink says whether the key is that of the link in the letter of an order, and the link still opens it.
func (o *Orders) opensByLink(state order.State, asked OwnOrder) bool {
	return o.Guests != nil && o.Guests.OpensOrder(asked.ID, asked.Key) && state.OpensByLink(o.Handler.Now())
}
