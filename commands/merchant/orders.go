package merchant

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"shop/commands"
	"shop/domain"
	"shop/domain/bonus"
	"shop/domain/order"
	"shop/domain/promocode"
	"shop/domain/rules"
	"shop/domain/stock"
	"shop/eventstore"
)

// Orders changes orders that were placed.
type Orders struct {
	Orders *commands.Orders
}

// Overtaken: somebody else changed the order since it was read. It is an order.ErrOvertaken.
type Overtaken struct {
	// Events are the changes since, in their order; notes and tags are none.
	Events []eventstore.Event
}

func (o *Overtaken) Error() string { return order.ErrOvertaken.Error() }
func (o *Overtaken) Unwrap() error { return order.ErrOvertaken }

// errMoved: the order changed between the look at its news and the decision.
var errMoved = errors.New("the order moved")

// unit is an attempt at a change of one order.
type unit struct {
	*commands.Unit
	*Orders
	id    domain.ID
	order commands.Stream[order.Command, order.Event, order.State]
	// was is the order before the change.
	was order.State
}

// change decides about an order that has not changed since a version; 0: whatever happened to it.
func (o *Orders) change(ctx context.Context, id domain.ID, expected eventstore.Version, decide func(u *unit) error) (eventstore.Position, error) {
	for {
		at := expected
		if expected > 0 {
			news, err := o.news(ctx, id, expected)
			if err != nil {
				return 0, err
			}
			at += news
		}
		position, err := o.Orders.Handler.Do(ctx, false, func(base *commands.Unit) error {
			u := &unit{Unit: base, Orders: o, id: id, order: commands.OrderStream(id)}
			if err := u.Load(u.order, commands.RulesStream(), commands.SettingsStream()); err != nil {
				return err
			}
			if u.was = u.order.State(base); !u.was.Exists() {
				return order.ErrUnknown
			}
			if expected > 0 && u.order.Version(base) != at {
				return errMoved
			}
			return decide(u)
		})
		if errors.Is(err, errMoved) && ctx.Err() == nil {
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("change order %s: %w", id, err)
		}
		return position, nil
	}
}

// news counts the events of an order since a version that change nothing of it; any other is *Overtaken.
func (o *Orders) news(ctx context.Context, id domain.ID, since eventstore.Version) (eventstore.Version, error) {
	events, err := o.Orders.Handler.Events(ctx, eventstore.From{Stream: order.Stream(id), After: since})
	if err != nil {
		return 0, fmt.Errorf("see what became of order %s: %w", id, err)
	}
	var changed []eventstore.Event
	later := events[order.Stream(id)]
	for _, e := range later {
		switch e.Data.(type) {
		case order.Noted, order.Tagged, order.Assigned:
		default:
			changed = append(changed, e)
		}
	}
	if len(changed) > 0 {
		return 0, &Overtaken{Events: changed}
	}
	return eventstore.Version(len(later)), nil
}

// rulesOf are the rules that an order was placed by.
func (u *unit) rulesOf(ctx context.Context) (rules.Rules, error) {
	version := u.was.Placed.Calculation.RulesVersion
	if now := commands.RulesStream().State(u.Unit); now.Version == version {
		return now.Rules, nil
	}
	events, err := u.Orders.Orders.Handler.Events(ctx, eventstore.From{Stream: rules.Stream})
	if err != nil {
		return rules.Rules{}, fmt.Errorf("read rules version %d: %w", version, err)
	}
	for _, e := range events[rules.Stream] {
		if changed, ok := e.Data.(rules.Changed); ok && changed.Version == version {
			return changed.Rules, nil
		}
	}
	return rules.Rules{}, fmt.Errorf("rules version %d is not in the log", version)
}

// code is the promo code that may bring the order a discount, with its terms of the day; nil: none.
func (u *unit) code() (*order.UsedCode, error) {
	if u.was.Edited {
		return u.was.Code, nil
	}
	code := u.was.Placed.Calculation.PromocodeApplied
	if code == "" {
		return nil, nil
	}
	stream := commands.PromocodeStream(code)
	if err := u.Load(stream); err != nil {
		return nil, err
	}
	terms, known := stream.State(u.Unit).TermsAt(u.was.Placed.At)
	if !known {
		terms = stream.State(u.Unit).Terms
	}
	return usedCode(code, terms), nil
}

// usedCode is a code with those of its terms that a price depends on, and termsOf are they.
func usedCode(code string, t promocode.Terms) *order.UsedCode {
	return &order.UsedCode{Code: code, Kind: string(t.Kind), Value: t.Value, MinSum: t.MinSum, MaxDiscount: t.MaxDiscount, Scope: t.Scope}
}

func termsOf(c *order.UsedCode) promocode.Terms {
	return promocode.Terms{Kind: promocode.Kind(c.Kind), Value: c.Value, MinSum: c.MinSum, MaxDiscount: c.MaxDiscount, Scope: c.Scope}
}

// holdGoods makes the stocks hold what the order has now.
func (u *unit) holdGoods() error {
	pieces := map[domain.ID]int64{}
	var products []domain.ID
	count := func(lines []domain.PricedLine, now bool) {
		for _, l := range lines {
			if _, met := pieces[l.ProductID]; !met {
				pieces[l.ProductID] = 0
				products = append(products, l.ProductID)
			}
			if now {
				pieces[l.ProductID] += l.Amount
			}
		}
	}
	count(u.was.Placed.Calculation.Lines, false)
	count(u.order.State(u.Unit).Placed.Calculation.Lines, true)
	refs := make([]commands.Ref, len(products))
	for i, id := range products {
		refs[i] = commands.StockStream(id)
	}
	if err := u.Load(refs...); err != nil {
		return err
	}
	for _, id := range products {
		hold := stock.Hold{OrderID: u.id, Quantity: pieces[id], Cause: stock.Cause{Kind: "edit", Ref: u.id.String()}, At: u.At()}
		if err := commands.StockStream(id).Do(u.Unit, hold); err != nil {
			return err
		}
	}
	return nil
}

// moveCode gives the use of the promo code back, takes it again, or takes it with another discount.
func (u *unit) moveCode() error {
	was, now := u.was.Placed.Calculation, u.order.State(u.Unit).Placed.Calculation
	before, after := broughtByCode(was), broughtByCode(now)
	if was.PromocodeApplied == now.PromocodeApplied && before == after {
		return nil
	}
	if code := was.PromocodeApplied; code != "" {
		stream := commands.PromocodeStream(code)
		if err := u.Load(stream); err != nil {
			return err
		}
		if err := stream.Do(u.Unit, promocode.Return{Code: code, OrderID: u.id, At: u.At()}); err != nil {
			return err
		}
	}
	if code := now.PromocodeApplied; code != "" {
		stream := commands.PromocodeStream(code)
		if err := u.Load(stream); err != nil {
			return err
		}
		return stream.Do(u.Unit, promocode.Redeem{
			Code: code, OrderID: u.id, PersonID: u.was.Placed.PersonID, Buyer: commands.BuyerOf(u.Orders.Orders.Secret, u.was.CustomerID, u.was.Placed.Contact),
			TotalSum: now.TotalSum, Discount: after, Again: true, At: u.At(),
		})
	}
	return nil
}

// broughtByCode is what an order's promo code took off, without what staff took off by hand.
func broughtByCode(c domain.Calculation) domain.Money {
	return c.TotalSum - c.DiscountedSum - c.Manual.Amount
}

// moveBonuses gives the customer back what the order spends no more.
func (u *unit) moveBonuses() error {
	if u.was.CustomerID == uuid.Nil || u.was.Placed.Calculation.BonusSpent == 0 {
		return nil
	}
	ledger := commands.BonusStream(u.was.CustomerID)
	if err := u.Load(ledger); err != nil {
		return err
	}
	return ledger.Do(u.Unit, bonus.Return{OrderID: u.id, Keep: u.order.State(u.Unit).BonusHeld(), At: u.At()})
}

// giveBack gives back what the order has too much. What fails now is gone on with by a policy.
func (o *Orders) giveBack(ctx context.Context, id domain.ID, position eventstore.Position) eventstore.Position {
	at, err := o.Orders.GiveBack(ctx, id)
	if err != nil {
		o.Orders.Logger().ErrorContext(ctx, "give money back", "order", id, "error", err)
	}
	return max(position, at)
}
