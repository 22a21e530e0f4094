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

// own is the order of a request's path, if it is the shopper's: their account's, or a guest's with the link. Any other
// is order.ErrUnknown, as if it were missing.
func (o *Orders) own(r *http.Request) (domain.ID, error) {
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
		o.Guests != nil && o.Guests.OpensOrder(id, r.URL.Query().Get("key")):
		return id, nil
	}
	return domain.ID{}, order.ErrUnknown
}

// CancelOwn is POST /api/orders/{id}/cancellation/: a shopper gives up an order that was not approved yet.
func (o *Orders) CancelOwn(w http.ResponseWriter, r *http.Request) error {
	id, err := o.own(r)
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

// PayOwn is POST /api/orders/{id}/payment/: where to pay, again if the last attempt failed.
func (o *Orders) PayOwn(w http.ResponseWriter, r *http.Request) error {
	id, err := o.own(r)
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
