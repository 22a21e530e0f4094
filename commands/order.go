package commands

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"shop/commands/payments"
	"shop/domain"
	"shop/domain/bonus"
	"shop/domain/order"
	"shop/domain/promocode"
	"shop/domain/stock"
	"shop/eventstore"
)

// Approve confirms a CASH order.
func (o *Orders) Approve(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	return Change(ctx, o.Handler, OrderStream(id), func(u *Unit) order.Command { return order.Approve{At: u.At()} })
}

// Process says that an approved order is being put together.
func (o *Orders) Process(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	return Change(ctx, o.Handler, OrderStream(id), func(u *Unit) order.Command { return order.StartProcessing{At: u.At()} })
}

// Complete hands the order over: its goods leave the stock.
func (o *Orders) Complete(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	return o.change(ctx, id, func(u *Unit, goods orderGoods) error { return goods.order.Do(u, order.Complete{At: u.At()}) })
}

// Do decides commands, one after the other, that free nothing of what the order holds. An order that they complete ships its goods.
func (o *Orders) Do(ctx context.Context, id domain.ID, commands func(u *Unit, s order.State) ([]order.Command, error)) (eventstore.Position, error) {
	return o.change(ctx, id, func(u *Unit, goods orderGoods) error {
		all, err := commands(u, goods.order.State(u))
		if err != nil {
			return err
		}
		for _, c := range all {
			if err := goods.order.Do(u, c); err != nil {
				return err
			}
		}
		return nil
	})
}

// Cancel ends the order for By (customer, staff or system): its goods are free again, its promo code as well, and
// money that came is given back. When the provider cannot be reached for that, the order is cancelled all the same
// and the money follows.
func (o *Orders) Cancel(ctx context.Context, id domain.ID, by, reason string) (eventstore.Position, error) {
	owes := false
	position, err := o.change(ctx, id, func(u *Unit, goods orderGoods) error {
		if err := goods.order.Do(u, order.Cancel{By: by, Reason: reason, At: u.At()}); err != nil {
			return err
		}
		owes = len(goods.order.State(u).Owed()) > 0
		return goods.release(u, "cancellation")
	})
	if err != nil || !owes {
		return position, err
	}
	return max(position, o.tryGiveBack(ctx, id)), nil
}

// Standing is an order as staff see it after a change.
type Standing struct {
	ID     domain.ID    `json:"id"`
	Number int64        `json:"number"`
	Status order.Status `json:"status"`
	IsPaid bool         `json:"is_paid"`
	// Captured is the money that the shop holds for it, Owed what of that is to be given back.
	Captured domain.Money `json:"captured"`
	Owed     domain.Money `json:"owed"`
}

// Standing is an order's present state.
func (o *Orders) Standing(ctx context.Context, id domain.ID) (Standing, error) {
	s, err := See(ctx, o.Handler, OrderStream(id))
	if err != nil {
		return Standing{}, fmt.Errorf("see order %s: %w", id, err)
	}
	if !s.Exists() {
		return Standing{}, order.ErrUnknown
	}
	stands := Standing{ID: id, Number: s.Placed.Number, Status: s.Status, IsPaid: s.IsPaid(), Captured: s.Captured()}
	for _, p := range s.Owed() {
		stands.Owed += p.Amount
	}
	return stands, nil
}

// ExpirePayment ends the wait for an order's money when its time has passed, and frees its goods. An order that is
// paid, still has time, or was ended before stays as it is. The provider is asked first: money may have come
// without a word. While it cannot be asked the goods are held a little longer; after that it is not asked any more.
func (o *Orders) ExpirePayment(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	state, err := See(ctx, o.Handler, OrderStream(id))
	if err != nil {
		return 0, fmt.Errorf("see order %s: %w", id, err)
	}
	if state.Status != order.StatusReceived || state.PayBefore.IsZero() || o.Handler.Now().Before(state.PayBefore) {
		return 0, nil
	}
	// Once the patience with a silent provider is over, its answer would change nothing that a late payment does not.
	if o.Handler.Now().Before(state.PayBefore.Add(silence)) {
		known, err := o.standing(ctx, state, state.PaymentID)
		if err != nil {
			return 0, err
		}
		if known.Outcome == payments.Paid {
			return o.Settle(ctx, known)
		}
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

// ExpireConfirmation cancels a guest's order in cash that nobody confirmed in time, and frees what it holds. An order
// that was confirmed, ended, joined an account or still has time stays as it is.
func (o *Orders) ExpireConfirmation(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	return o.change(ctx, id, func(u *Unit, goods orderGoods) error {
		before := goods.order.State(u).Status
		if err := goods.order.Do(u, order.ExpireConfirmation{At: u.At()}); err != nil {
			return err
		}
		if goods.order.State(u).Status == before {
			return nil
		}
		return goods.release(u, "cancellation")
	})
}

// silence is how long goods are held for a provider that does not answer. Money of later is not lost: it takes them
// again, or goes back.
const silence = 15 * time.Minute

// orderGoods are the streams that an order holds something of.
type orderGoods struct {
	order Stream[order.Command, order.Event, order.State]
	id    domain.ID
	lines []domain.PricedLine
	// promocode is the code that the order used, empty when it used none; buyer is what tells its customers apart, and person
	// who owns the key of that.
	promocode string
	buyer     promocode.Buyer
	person    domain.ID
	totals    domain.Calculation
	// customer is whose bonuses pay for the order; zero when none do.
	customer domain.ID
}

// change decides about an order together with its goods, which leave the stock when it completes. An order nobody placed is
// order.ErrUnknown.
func (o *Orders) change(ctx context.Context, id domain.ID, decide func(u *Unit, goods orderGoods) error) (_ eventstore.Position, err error) {
	ctx, end := StartSpan(ctx, "change order")
	defer end(&err)
	position, err := o.Handler.Do(ctx, false, func(u *Unit) error {
		goods := orderGoods{order: OrderStream(id), id: id}
		if err := u.Load(goods.order); err != nil {
			return err
		}
		state := goods.order.State(u)
		if !state.Exists() {
			return order.ErrUnknown
		}
		goods.lines, goods.promocode = state.Placed.Calculation.Lines, state.Placed.Calculation.PromocodeApplied
		goods.totals, goods.buyer = state.Placed.Calculation, BuyerOf(o.Secret, state.Placed.CustomerID, state.Placed.Contact)
		goods.person = state.Placed.PersonID
		refs := make([]Ref, 0, len(goods.lines)+2)
		for _, l := range goods.lines {
			refs = append(refs, StockStream(l.ProductID))
		}
		if goods.promocode != "" {
			refs = append(refs, PromocodeStream(goods.promocode))
		}
		if state.Placed.Calculation.BonusSpent > 0 {
			goods.customer = state.CustomerID
			refs = append(refs, BonusStream(goods.customer))
		}
		if err := u.Load(refs...); err != nil {
			return err
		}
		if err := decide(u, goods); err != nil {
			return err
		}
		if state.Status != order.StatusCompleted && goods.order.State(u).Status == order.StatusCompleted {
			return goods.ship(u) // also when money completes an order that was delivered before
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("change order %s: %w", id, err)
	}
	return position, nil
}

// release frees what the order holds: goods, promo code and bonuses; what is free already stays so. hold is its reverse,
// so whatever else an order holds belongs in both.
func (g orderGoods) release(u *Unit, kind string) error {
	cause := stock.Cause{Kind: kind, Ref: g.id.String()}
	for _, l := range g.lines {
		if err := StockStream(l.ProductID).Do(u, stock.Release{OrderID: g.id, Cause: cause, At: u.At()}); err != nil {
			return err
		}
	}
	if g.customer != uuid.Nil {
		back := bonus.Return{OrderID: g.id, Keep: g.order.State(u).BonusHeld(), At: u.At()}
		if err := BonusStream(g.customer).Do(u, back); err != nil {
			return err
		}
	}
	if g.promocode == "" {
		return nil
	}
	return PromocodeStream(g.promocode).Do(u, promocode.Return{Code: g.promocode, OrderID: g.id, At: u.At()})
}

// hold takes the goods, the bonuses and the promo code again for an order that had lost them. Goods that are gone are
// stock.ErrNotEnough, bonuses spent elsewhere bonus.ErrNotEnough, a code that went to somebody else is a refusal of the
// promo code's.
func (g orderGoods) hold(u *Unit) error {
	if err := g.reserve(u); err != nil {
		return err
	}
	return g.redeem(u)
}

// reserve takes the goods and the bonuses again for an order that had lost them; bonus.ErrNotEnough when these were
// spent elsewhere meanwhile.
func (g orderGoods) reserve(u *Unit) error {
	for _, l := range g.lines {
		again := stock.Reserve{ProductID: l.ProductID, OrderID: g.id, Quantity: l.Amount, At: u.At()}
		err := StockStream(l.ProductID).Do(u, again)
		if errors.Is(err, stock.ErrNotEnough) {
			return stock.ErrNotEnough.With("Товара «" + l.Name + "» больше нет в нужном количестве")
		}
		if err != nil {
			return err
		}
	}
	if g.customer == uuid.Nil {
		return nil
	}
	spend := bonus.Spend{CustomerID: g.customer, OrderID: g.id, Amount: g.order.State(u).Placed.Calculation.BonusSpent, At: u.At()}
	return BonusStream(g.customer).Do(u, spend)
}

// redeem uses the promo code again that made the order's price.
func (g orderGoods) redeem(u *Unit) error {
	if g.promocode == "" {
		return nil
	}
	return PromocodeStream(g.promocode).Do(u, promocode.Redeem{
		Code: g.promocode, OrderID: g.id, PersonID: g.person, Buyer: g.buyer, TotalSum: g.totals.TotalSum,
		Discount: g.totals.TotalSum - g.totals.DiscountedSum, Again: true, At: u.At(),
	})
}

func (g orderGoods) ship(u *Unit) error {
	for _, l := range g.lines {
		if err := StockStream(l.ProductID).Do(u, stock.Ship{OrderID: g.id, At: u.At()}); err != nil {
			return err
		}
	}
	return nil
}
