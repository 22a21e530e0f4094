package commands

import (
	"net/http"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/order"
)

// guests say whether the key of a letter's link opens an order.
type guests interface {
	OpensOrder(order domain.ID, key string) bool
}

// own is the order of a request's path, if it is the shopper's: their account's, a guest's with the link, or one that
// also says yes to. Any other is order.ErrUnknown, as if it were missing.
func (o *Orders) own(r *http.Request, also func(*http.Request, order.State) bool) (domain.ID, error) {
	id, err := uuid.Parse(r.PathValue("id"))
	if err != nil {
		return domain.ID{}, order.ErrUnknown
	}
	state, err := see(r.Context(), o.Handler, orderStream(id))
	if err != nil {
		return domain.ID{}, err
	}
	switch {
	case !state.Exists():
	case state.CustomerID != (domain.ID{}) && OriginOf(r.Context()).Actor == "customer:"+state.CustomerID.String(),
		o.Guests != nil && o.Guests.OpensOrder(id, r.URL.Query().Get("key")), also(r, state):
		return id, nil
	}
	return domain.ID{}, order.ErrUnknown
}

// nobodyElse is for what its person alone may do.
func nobodyElse(*http.Request, order.State) bool { return false }

// cameFrom says whether a guest's order was made of the basket that the request's cookie names. A guest who comes back
// from the bank has no letter at hand yet.
func cameFrom(r *http.Request, s order.State) bool {
	basket, ok := basketOf(r)
	return ok && s.CustomerID == (domain.ID{}) && s.Placed.BasketID == basket
}

// CancelOwn is POST /api/orders/{id}/cancellation/: a shopper gives up an order that was not approved yet.
func (o *Orders) CancelOwn(w http.ResponseWriter, r *http.Request) error {
	id, err := o.own(r, nobodyElse)
	if err != nil {
		return err
	}
	position, err := o.Cancel(r.Context(), id, "customer", "")
	if err != nil {
		return err
	}
	state, err := see(r.Context(), o.Handler, orderStream(id))
	if err != nil {
		return err
	}
	written(w, position)
	return answer(w, http.StatusOK, receiptOf(state))
}

// PayOwn is POST /api/orders/{id}/payment/: where to pay, again if the last attempt failed. The browser that placed a
// guest's order may pay for it too.
func (o *Orders) PayOwn(w http.ResponseWriter, r *http.Request) error {
	id, err := o.own(r, cameFrom)
	if err != nil {
		return err
	}
	receipt, position, err := o.Pay(r.Context(), id)
	if err != nil {
		return err
	}
	written(w, position)
	return answer(w, http.StatusOK, receipt)
}
