package commands

import (
	"context"
	"fmt"

	"shop/commands/payments"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/promocode"
	"shop/domain/stock"
	"shop/eventstore"
)

// Approve confirms a CASH order.
func (o *Orders) Approve(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	return one(ctx, o.Handler, orderStream(id), func(u *Unit) order.Command { return order.Approve{At: u.At()} })
}

// Process says that an approved order is being put together.
func (o *Orders) Process(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	return one(ctx, o.Handler, orderStream(id), func(u *Unit) order.Command { return order.StartProcessing{At: u.At()} })
}

// Complete hands the order over: its goods leave the stock.
func (o *Orders) Complete(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	return o.change(ctx, id, func(u *Unit, goods orderGoods) error {
		if err := goods.order.Do(u, order.Complete{At: u.At()}); err != nil {
			return err
		}
		return goods.ship(u)
	})
}

// Cancel ends the order for By (customer, staff or system): its goods are free again, its promo code as well, and
// money that came is given back. Asking again goes on where a crash ended it.
func (o *Orders) Cancel(ctx context.Context, id domain.ID, by, reason string) (eventstore.Position, error) {
	position, err := o.change(ctx, id, func(u *Unit, goods orderGoods) error {
		if err := goods.order.Do(u, order.Cancel{By: by, Reason: reason, At: u.At()}); err != nil {
			return err
		}
		return goods.release(u, "cancellation")
	})
	if err != nil {
		return 0, err
	}
	refunded, err := o.GiveBack(ctx, id)
	return max(position, refunded), err
}

// GiveBack asks the provider to return what an order is owed, and records it. It asks before it records, so that a
// crash repeats the question, which a provider answers once.
func (o *Orders) GiveBack(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	state, err := see(ctx, o.Handler, orderStream(id))
	if err != nil {
		return 0, fmt.Errorf("see what order %s is owed: %w", id, err)
	}
	var position eventstore.Position
	for _, p := range state.Owed() {
		if err := o.Provider.Refund(ctx, p.ID, p.Amount); err != nil {
			return position, fmt.Errorf("refund payment %s: %w", p.ID, err)
		}
		position, err = one(ctx, o.Handler, orderStream(id), func(u *Unit) order.Command {
			return order.Refund{PaymentID: p.ID, Amount: p.Amount, At: u.At()}
		})
		if err != nil {
			return position, err
		}
	}
	return position, nil
}

// ExpirePayment ends the wait for an order's money when its time has passed, and frees its goods. An order that is
// paid, still has time, or was ended before stays as it is. The provider is asked first: money may have come
// without a word.
func (o *Orders) ExpirePayment(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	state, err := see(ctx, o.Handler, orderStream(id))
	if err != nil {
		return 0, fmt.Errorf("see order %s: %w", id, err)
	}
	if state.Status != order.StatusReceived || state.PayBefore.IsZero() || o.Handler.Now().Before(state.PayBefore) {
		return 0, nil
	}
	known, err := o.Provider.State(ctx, state.PaymentID)
	if err != nil {
		return 0, fmt.Errorf("ask for payment %s: %w", state.PaymentID, err)
	}
	if known.Outcome == payments.Paid {
		return o.Settle(ctx, known)
	}
	return o.change(ctx, id, func(u *Unit, goods orderGoods) error {
		before := goods.order.State(u).Status
		if err := goods.order.Do(u, order.ExpirePayment{At: u.At()}); err != nil {
			return err
		}
		if goods.order.State(u).Status == before {
			return nil
		}
		return goods.release(u, "payment_expired")
	})
}

// orderGoods are the streams that an order holds something of.
type orderGoods struct {
	order Stream[order.Command, order.Event, order.State]
	id    domain.ID
	lines []domain.PricedLine
	// promocode is the code that the order used; empty when it used none.
	promocode string
}

// change decides about an order together with its goods. An order nobody placed is order.ErrUnknown.
func (o *Orders) change(ctx context.Context, id domain.ID, decide func(u *Unit, goods orderGoods) error) (_ eventstore.Position, err error) {
	ctx, end := begin(ctx, "change order")
	defer end(&err)
	position, err := o.Handler.Do(ctx, false, func(u *Unit) error {
		goods := orderGoods{order: orderStream(id), id: id}
		if err := u.Load(goods.order); err != nil {
			return err
		}
		state := goods.order.State(u)
		if !state.Exists() {
			return order.ErrUnknown
		}
		goods.lines, goods.promocode = state.Placed.Calculation.Lines, state.Placed.Calculation.PromocodeApplied
		refs := make([]Ref, 0, len(goods.lines)+1)
		for _, l := range goods.lines {
			refs = append(refs, stockStream(l.ProductID))
		}
		if goods.promocode != "" {
			refs = append(refs, promocodeStream(goods.promocode))
		}
		if err := u.Load(refs...); err != nil {
			return err
		}
		return decide(u, goods)
	})
	if err != nil {
		return 0, fmt.Errorf("change order %s: %w", id, err)
	}
	return position, nil
}

// release frees the goods and the promo code; what is free already stays so.
func (g orderGoods) release(u *Unit, kind string) error {
	cause := stock.Cause{Kind: kind, Ref: g.id.String()}
	for _, l := range g.lines {
		if err := stockStream(l.ProductID).Do(u, stock.Release{OrderID: g.id, Cause: cause, At: u.At()}); err != nil {
			return err
		}
	}
	if g.promocode == "" {
		return nil
	}
	return promocodeStream(g.promocode).Do(u, promocode.Return{Code: g.promocode, OrderID: g.id, At: u.At()})
}

// reserve takes the goods again for an order that had lost them.
func (g orderGoods) reserve(u *Unit) error {
	for _, l := range g.lines {
		again := stock.Reserve{ProductID: l.ProductID, OrderID: g.id, Quantity: l.Amount, At: u.At()}
		if err := stockStream(l.ProductID).Do(u, again); err != nil {
			return err
		}
	}
	return nil
}

func (g orderGoods) ship(u *Unit) error {
	for _, l := range g.lines {
		if err := stockStream(l.ProductID).Do(u, stock.Ship{OrderID: g.id, At: u.At()}); err != nil {
			return err
		}
	}
	return nil
}
