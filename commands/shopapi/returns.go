package shopapi

import (
	"net/http"

	"shop/commands/merchant"
	"shop/domain/order"
)

// Return is POST /api/orders/{id}/return/: the wish to bring goods of a completed order back.
func (a Orders) Return(w http.ResponseWriter, r *http.Request) error {
	own, err := a.ownOrder(r)
	if err != nil {
		return err
	}
	if err := a.Orders.Own(r.Context(), own, false); err != nil {
		return err
	}
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	named := f.lines("products")
	reason := f.text("reason", textRule{max: order.MaxReason, newlines: true})
	if err := f.done(); err != nil {
		return err
	}
	lines, err := a.Orders.Handler.Identify(r.Context(), named, a.Orders.Links)
	if err != nil {
		return err
	}
	asked := make([]order.AskedLine, len(lines))
	for i, l := range lines {
		asked[i] = order.AskedLine{ProductID: l.ProductID, Amount: l.Amount}
	}
	position, err := (&merchant.Orders{Orders: a.Orders}).RequestReturn(r.Context(), own.ID, asked, reason)
	if err != nil {
		return err
	}
	written(w, position)
	w.WriteHeader(http.StatusNoContent)
	return nil
}
