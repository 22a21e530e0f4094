package fulfilment

import (
	"context"
	"fmt"
	"io"
	"time"

	"shop/commands"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/round"
	"shop/eventstore"
)

// Refusals of what is checked against an order.
var (
	ErrWrongGoods = domain.Refuse("order/wrong-goods", "В заказе нет такого товара")
	ErrTooMany    = domain.Refuse("order/too-many-goods", "Товара больше, чем в заказе")
	ErrNotChecked = domain.Refuse("order/not-checked", "Проверены не все товары заказа")
)

// Parcels are the use cases of packing and delivery. It is safe for concurrent use.
type Parcels struct {
	Orders *commands.Orders
	// Album keeps the photos of hand-overs; the command line, which takes none, has no album.
	Album album
}

// album keeps photos by their owner; photos.Album does.
type album interface {
	Add(ctx context.Context, owner domain.ID, uploads ...io.ReadSeeker) ([]domain.ID, error)
	Remove(ctx context.Context, owner domain.ID, ids ...domain.ID) error
}

// Checked is how many pieces of an article were scanned.
type Checked struct {
	Article string `json:"article"`
	Amount  int64  `json:"amount"`
}

// Pack says that an order's goods are in its parcel: each was checked, or a reason says why not.
func (p Parcels) Pack(ctx context.Context, id domain.ID, checked []Checked, reason string) (eventstore.Position, error) {
	return p.Orders.Do(ctx, id, func(u *commands.Unit, s order.State) ([]order.Command, error) {
		if reason == "" && !s.Parcel.Packed() {
			if err := check(s.Placed.Calculation.Lines, checked); err != nil {
				return nil, err
			}
		}
		return []order.Command{order.Pack{Reason: reason, At: u.At()}}, nil
	})
}

// check holds scanned goods against the lines of an order.
func check(lines []domain.PricedLine, checked []Checked) error {
	missing := map[string]int64{}
	for _, l := range lines {
		missing[l.Article] += l.Amount
	}
	for _, c := range checked {
		left, known := missing[c.Article]
		switch {
		case !known || c.Amount < 1:
			return ErrWrongGoods.With("В заказе нет артикула " + c.Article)
		case c.Amount > left:
			return ErrTooMany.With("Артикула " + c.Article + " больше, чем в заказе")
		}
		missing[c.Article] -= c.Amount
	}
	for article, left := range missing {
		if left > 0 {
			return ErrNotChecked.With(fmt.Sprintf("Не проверен артикул %s: ещё %d", article, left))
		}
	}
	return nil
}

// Assign plans an order for a courier and a day; a zero courier takes it from everybody.
func (p Parcels) Assign(ctx context.Context, id, courier domain.ID, day string) (eventstore.Position, error) {
	return p.one(ctx, id, func(at time.Time) order.Command { return order.AssignCourier{Courier: courier, Day: day, At: at} })
}

// HandOver gives an order's parcel to a carrier or a courier.
func (p Parcels) HandOver(ctx context.Context, id domain.ID, to order.HandOver) (eventstore.Position, error) {
	return p.one(ctx, id, func(at time.Time) order.Command { to.At = at; return to })
}

// Deliver says that the customer has the goods.
func (p Parcels) Deliver(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	return p.one(ctx, id, func(at time.Time) order.Command { return order.Deliver{At: at} })
}

// NotDeliver says that the parcel came back.
func (p Parcels) NotDeliver(ctx context.Context, id domain.ID, reason, day string) (eventstore.Position, error) {
	return p.one(ctx, id, func(at time.Time) order.Command { return order.NotDeliver{Reason: reason, Day: day, At: at} })
}

func (p Parcels) one(ctx context.Context, id domain.ID, command func(at time.Time) order.Command) (eventstore.Position, error) {
	return p.Orders.Do(ctx, id, func(u *commands.Unit, _ order.State) ([]order.Command, error) {
		return []order.Command{command(u.At())}, nil
	})
}

// Arrive is a courier's word that an own order of today is delivered, and how the money that it lacks was paid; an empty method: it
// was not. The order of somebody else, or of another day, is order.ErrUnknown.
func (p Parcels) Arrive(ctx context.Context, courier, id domain.ID, method order.HandMethod) (eventstore.Position, error) {
	return p.Orders.Do(ctx, id, func(u *commands.Unit, s order.State) ([]order.Command, error) {
		if !own(s, courier, u.At()) {
			return nil, order.ErrUnknown
		}
		if s.Parcel.Delivered() && s.Lacks() == 0 {
			return nil, nil
		}
		if err := u.Load(commands.RulesStream()); err != nil {
			return nil, err
		}
		all := []order.Command{order.Deliver{At: u.At()}}
		if method != "" && s.Lacks() > 0 {
			all = append(all, order.PayByHand{
				Reference: CourierReference(s.Parcel.Day), Method: method, Amount: s.Lacks(), By: commands.OriginOf(ctx).Actor,
				ConfirmAbove: commands.RulesStream().State(u).Rules.HandConfirmAbove, At: u.At(),
			})
		}
		return all, nil
	})
}

// Fail is a courier's word that an own order of today could not be delivered.
func (p Parcels) Fail(ctx context.Context, courier, id domain.ID, reason, day string) (eventstore.Position, error) {
	return p.Orders.Do(ctx, id, func(u *commands.Unit, s order.State) ([]order.Command, error) {
		if !own(s, courier, u.At()) {
			return nil, order.ErrUnknown
		}
		return []order.Command{order.NotDeliver{Reason: reason, Day: day, At: u.At()}}, nil
	})
}

// own says whether an order is a courier's of today.
func own(s order.State, courier domain.ID, at time.Time) bool {
	return courier != (domain.ID{}) && s.Parcel.Courier == courier && s.Parcel.Day == at.In(domain.Almaty).Format(time.DateOnly)
}

// CourierReference is the reference of money that a courier took at the door on a day.
func CourierReference(day string) string { return "courier " + day }

// Sort sets the order of a courier's stops of a day.
func (p Parcels) Sort(ctx context.Context, courier domain.ID, day string, orders []domain.ID) (eventstore.Position, error) {
	return commands.Change(ctx, p.Orders.Handler, commands.RoundStream(courier, day), func(u *commands.Unit) round.Command {
		return round.Sort{Courier: courier, Day: day, Orders: orders, At: u.At()}
	})
}

// Settle records the cash that a courier handed in for a day, beside what was expected.
func (p Parcels) Settle(ctx context.Context, courier domain.ID, day string, expected, handedIn domain.Money, note string) (eventstore.Position, error) {
	return commands.Change(ctx, p.Orders.Handler, commands.RoundStream(courier, day), func(u *commands.Unit) round.Command {
		return round.Settle{Courier: courier, Day: day, Expected: expected, HandedIn: handedIn, Note: note, At: u.At()}
	})
}

// CloseShort lets go what is short of a courier's day. expected is the cash of the day at this moment.
func (p Parcels) CloseShort(ctx context.Context, courier domain.ID, day string, expected domain.Money, reason string) (eventstore.Position, error) {
	return commands.Change(ctx, p.Orders.Handler, commands.RoundStream(courier, day), func(u *commands.Unit) round.Command {
		return round.CloseShort{Courier: courier, Day: day, Expected: expected, Reason: reason, At: u.At()}
	})
}
