package stock

import (
	"time"

	"shop/domain"
)

// The shop's limits on counting: more than this is a slip of the hand, and sums stay far from the end of int64.
const (
	maxMove = 1_000_000
	// MaxOnHand is the most pieces of a product.
	MaxOnHand = 1_000_000_000
)

// Receipt is the kind of cause of a delivery: of its pieces, and of those of one that is taken back.
const Receipt = "receipt"

// Refusals of stock commands.
var (
	// ErrNotEnough: fewer pieces are free than asked for.
	ErrNotEnough = domain.Refuse("stock/not-enough", "Товар заканчивается")
	// ErrBadQuantity: a quantity is not between 1 and a million.
	ErrBadQuantity = domain.Refuse("stock/bad-quantity", "The quantity must be between 1 and 1000000.")
	// ErrBadCount: a count is not between 0 and a billion.
	ErrBadCount = domain.Refuse("stock/bad-count", "The count must be between 0 and 1000000000.")
	// ErrTooMuch: the pieces on hand would pass a billion.
	ErrTooMuch = domain.Refuse("stock/too-much", "More than 1000000000 pieces cannot be on hand.")
	// ErrOtherQuantity: the order holds another quantity of this product already.
	ErrOtherQuantity = domain.Refuse("stock/other-quantity", "The order holds another quantity of this product.")
	// ErrNotOnHand: fewer pieces are on hand than the order holds; a count says so, or the count is wrong.
	ErrNotOnHand = domain.Refuse("stock/not-on-hand", "Fewer pieces are on hand than the order holds; correct the count first.")
)

// State is the stock of one product. The zero value is a product that was never received.
//
// OnHand may be counted below Reserved: the warehouse has fewer pieces than orders reserve. Then nothing is available, and the
// reservations stay until orders are cancelled or pieces arrive.
type State struct {
	ProductID domain.ID
	// OnHand are the pieces in the warehouse, Reserved those of them that open orders reserve.
	OnHand   int64
	Reserved int64

	// held is what each open order holds; an order is forgotten when its pieces are released or shipped.
	held domain.Map[int64]
}

// Free is how many pieces may be sold: on hand less reserved, never negative.
func (s State) Free() int64 { return max(0, s.OnHand-s.Reserved) }

// Available is how many pieces one order may take: the free ones, at most max.
func (s State) Available(max int64) int64 { return min(s.Free(), max) }

// Held is how many pieces an order holds; 0 when none.
func (s State) Held(order domain.ID) int64 {
	quantity, _ := s.held.Get(order.String())
	return quantity
}

// Decider is a product's stock.
var Decider = domain.Decider[Command, Event, State]{Decide: decide, Evolve: evolve}

func decide(command Command, s State) ([]Event, error) {
	switch c := command.(type) {
	case Receive:
		if c.Quantity < 1 || c.Quantity > maxMove {
			return nil, ErrBadQuantity
		}
		if s.OnHand > MaxOnHand-c.Quantity {
			return nil, ErrTooMuch
		}
		return moved(s, Received{
			ProductID: c.ProductID, Quantity: c.Quantity,
			OnHand: s.OnHand + c.Quantity, Reserved: s.Reserved, Cause: c.Cause, At: c.At,
		}, c.At), nil

	case Count:
		if c.OnHand < 0 || c.OnHand > MaxOnHand {
			return nil, ErrBadCount
		}
		if c.OnHand == s.OnHand {
			return nil, nil
		}
		return moved(s, Adjusted{
			ProductID: c.ProductID, Quantity: c.OnHand - s.OnHand,
			OnHand: c.OnHand, Reserved: s.Reserved, Cause: c.Cause, At: c.At,
		}, c.At), nil

	case Reserve:
		if c.Quantity < 1 || c.Quantity > maxMove {
			return nil, ErrBadQuantity
		}
		if held := s.Held(c.OrderID); held == c.Quantity {
			return nil, nil
		} else if held > 0 {
			return nil, ErrOtherQuantity
		}
		if c.Quantity > s.Free() {
			return nil, ErrNotEnough
		}
		return moved(s, Reserved{
			ProductID: s.ProductID, OrderID: c.OrderID, Quantity: c.Quantity,
			OnHand: s.OnHand, Reserved: s.Reserved + c.Quantity,
			Cause: Cause{Kind: "order", Ref: c.OrderID.String()}, At: c.At,
		}, c.At), nil

	case Hold:
		return decideHold(c, s)

	case Release:
		held := s.Held(c.OrderID)
		if held == 0 {
			return nil, nil
		}
		return moved(s, Released{
			ProductID: s.ProductID, OrderID: c.OrderID, Quantity: held,
			OnHand: s.OnHand, Reserved: s.Reserved - held, Cause: c.Cause, At: c.At,
		}, c.At), nil

	case Ship:
		held := s.Held(c.OrderID)
		if held == 0 {
			return nil, nil
		}
		if held > s.OnHand {
			return nil, ErrNotOnHand
		}
		return moved(s, Shipped{
			ProductID: s.ProductID, OrderID: c.OrderID, Quantity: held,
			OnHand: s.OnHand - held, Reserved: s.Reserved - held,
			Cause: Cause{Kind: "shipment", Ref: c.OrderID.String()}, At: c.At,
		}, c.At), nil
	}
	return nil, domain.UnknownCommand(command)
}

// decideHold moves the difference between what an order holds and is to hold, so that nobody takes the pieces between.
func decideHold(c Hold, s State) ([]Event, error) {
	more := c.Quantity - s.Held(c.OrderID)
	switch {
	case c.Quantity < 0 || c.Quantity > maxMove:
		return nil, ErrBadQuantity
	case more > s.Free():
		return nil, ErrNotEnough
	case more > 0:
		return moved(s, Reserved{
			ProductID: s.ProductID, OrderID: c.OrderID, Quantity: more, OnHand: s.OnHand, Reserved: s.Reserved + more,
			Cause: Cause{Kind: "order", Ref: c.OrderID.String()}, At: c.At,
		}, c.At), nil
	case more < 0:
		return moved(s, Released{
			ProductID: s.ProductID, OrderID: c.OrderID, Quantity: -more, OnHand: s.OnHand, Reserved: s.Reserved + more, Cause: c.Cause, At: c.At,
		}, c.At), nil
	}
	return nil, nil
}

// moved is the movement and, where the free pieces step between none and some, the event that says so.
func moved(before State, movement Event, at time.Time) []Event {
	after := evolve(before, movement)
	switch {
	case before.Free() == 0 && after.Free() > 0:
		return []Event{movement, Replenished{ProductID: after.ProductID, Available: after.Free(), At: at}}
	case before.Free() > 0 && after.Free() == 0:
		return []Event{movement, Depleted{ProductID: after.ProductID, At: at}}
	}
	return []Event{movement}
}

func evolve(s State, event Event) State {
	switch e := event.(type) {
	case Received:
		s.ProductID, s.OnHand, s.Reserved = e.ProductID, e.OnHand, e.Reserved
	case Adjusted:
		s.ProductID, s.OnHand, s.Reserved = e.ProductID, e.OnHand, e.Reserved
	case Reserved:
		s.OnHand, s.Reserved = e.OnHand, e.Reserved
		s.held = s.held.With(e.OrderID.String(), s.Held(e.OrderID)+e.Quantity)
	case Released:
		s.OnHand, s.Reserved = e.OnHand, e.Reserved
		if left := s.Held(e.OrderID) - e.Quantity; left > 0 {
			s.held = s.held.With(e.OrderID.String(), left)
		} else {
			s.held = s.held.Without(e.OrderID.String())
		}
	case Shipped:
		s.OnHand, s.Reserved = e.OnHand, e.Reserved
		s.held = s.held.Without(e.OrderID.String())
	case Replenished, Depleted:
	}
	return s
}
