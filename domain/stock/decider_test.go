package stock_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"shop/domain"
	"shop/domain/spec"
	"shop/domain/stock"
)

var (
	noon    = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	product = uuid.MustParse("00000000-0000-0000-0000-0000000000a1")
	anna    = uuid.MustParse("00000000-0000-0000-0000-0000000000b1")
	boris   = uuid.MustParse("00000000-0000-0000-0000-0000000000b2")
	receipt = stock.Cause{Kind: "receipt", Ref: "42"}
	count   = stock.Cause{Kind: "count"}
)

// movement is what every movement of stock says.
type movement struct{ quantity, onHand, reserved int64 }

func received(m movement) stock.Event {
	return stock.Received{ProductID: product, Quantity: m.quantity, OnHand: m.onHand, Reserved: m.reserved, Cause: receipt, At: noon}
}

func adjusted(m movement) stock.Event {
	return stock.Adjusted{ProductID: product, Quantity: m.quantity, OnHand: m.onHand, Reserved: m.reserved, Cause: count, At: noon}
}

func reserved(order domain.ID, m movement) stock.Event {
	return stock.Reserved{
		ProductID: product, OrderID: order, Quantity: m.quantity, OnHand: m.onHand, Reserved: m.reserved,
		Cause: stock.Cause{Kind: "order", Ref: order.String()}, At: noon,
	}
}

func released(order domain.ID, m movement) stock.Event {
	return stock.Released{
		ProductID: product, OrderID: order, Quantity: m.quantity, OnHand: m.onHand, Reserved: m.reserved,
		Cause: stock.Cause{Kind: "cancellation"}, At: noon,
	}
}

func shipped(order domain.ID, m movement) stock.Event {
	return stock.Shipped{
		ProductID: product, OrderID: order, Quantity: m.quantity, OnHand: m.onHand, Reserved: m.reserved,
		Cause: stock.Cause{Kind: "shipment", Ref: order.String()}, At: noon,
	}
}

var depleted = stock.Depleted{ProductID: product, At: noon}

func replenished(available int64) stock.Event {
	return stock.Replenished{ProductID: product, Available: available, At: noon}
}

func reserve(order domain.ID, quantity int64) stock.Command {
	return stock.Reserve{ProductID: product, OrderID: order, Quantity: quantity, At: noon}
}

func release(order domain.ID) stock.Command {
	return stock.Release{OrderID: order, Cause: stock.Cause{Kind: "cancellation"}, At: noon}
}

func TestReceive(t *testing.T) {
	t.Parallel()
	receive := func(quantity int64) stock.Command {
		return stock.Receive{ProductID: product, Quantity: quantity, Cause: receipt, At: noon}
	}
	spec.For(t, stock.Decider).When(receive(5)).
		Then(received(movement{5, 5, 0}), replenished(5))
	spec.For(t, stock.Decider).Given(received(movement{5, 5, 0})).When(receive(2)).
		Then(received(movement{2, 7, 0}))
	spec.For(t, stock.Decider).Given(adjusted(movement{999_000_000, 999_000_000, 0})).When(receive(1_000_000)).
		Then(received(movement{1_000_000, 1_000_000_000, 0}))
	for _, quantity := range []int64{0, -1, 1_000_001} {
		spec.For(t, stock.Decider).When(receive(quantity)).Refused(stock.ErrBadQuantity)
	}
	spec.For(t, stock.Decider).Given(adjusted(movement{1e9, 1e9, 0})).When(receive(1)).Refused(stock.ErrTooMuch)
}

func TestCount(t *testing.T) {
	t.Parallel()
	set := func(onHand int64) stock.Command {
		return stock.Count{ProductID: product, OnHand: onHand, Cause: count, At: noon}
	}
	five := received(movement{5, 5, 0})
	spec.For(t, stock.Decider).Given(five).When(set(5)).Nothing()
	spec.For(t, stock.Decider).Given(five).When(set(7)).Then(adjusted(movement{2, 7, 0}))
	spec.For(t, stock.Decider).Given(five).When(set(0)).Then(adjusted(movement{-5, 0, 0}), depleted)
	spec.For(t, stock.Decider).When(set(0)).Nothing()
	spec.For(t, stock.Decider).Given(five).When(set(1_000_000_000)).Then(adjusted(movement{999_999_995, 1_000_000_000, 0}))
	spec.For(t, stock.Decider).When(set(3)).Then(adjusted(movement{3, 3, 0}), replenished(3))
	spec.For(t, stock.Decider).Given(five).When(set(-1)).Refused(stock.ErrBadCount)
	spec.For(t, stock.Decider).Given(five).When(set(1_000_000_001)).Refused(stock.ErrBadCount)
}

func TestCountBelowReserved(t *testing.T) {
	t.Parallel()
	short := spec.For(t, stock.Decider).Given(
		received(movement{5, 5, 0}), reserved(anna, movement{4, 5, 4}), adjusted(movement{-3, 2, 4}),
	)
	if free, available := short.State().Free(), short.State().Available(99); free != 0 || available != 0 {
		t.Errorf("2 on hand, 4 reserved: free %d, available %d, want 0", free, available)
	}
	short.When(reserve(boris, 1)).Refused(stock.ErrNotEnough)
	short.When(stock.Ship{OrderID: anna, At: noon}).Refused(stock.ErrNotOnHand)
	short.When(release(anna)).Then(released(anna, movement{4, 2, 0}), replenished(2))
	short.When(stock.Receive{ProductID: product, Quantity: 2, Cause: receipt, At: noon}).
		Then(received(movement{2, 4, 4}))
}

func TestReserve(t *testing.T) {
	t.Parallel()
	five := received(movement{5, 5, 0})
	spec.For(t, stock.Decider).Given(five).When(reserve(anna, 3)).Then(reserved(anna, movement{3, 5, 3}))
	spec.For(t, stock.Decider).Given(five).When(reserve(anna, 5)).Then(reserved(anna, movement{5, 5, 5}), depleted)
	spec.For(t, stock.Decider).Given(five).When(reserve(anna, 6)).Refused(stock.ErrNotEnough)
	spec.For(t, stock.Decider).When(reserve(anna, 1)).Refused(stock.ErrNotEnough)
	spec.For(t, stock.Decider).Given(five).When(reserve(anna, 0)).Refused(stock.ErrBadQuantity)
	spec.For(t, stock.Decider).Given(five).When(reserve(anna, -1)).Refused(stock.ErrBadQuantity)

	million := spec.For(t, stock.Decider).Given(received(movement{1_000_000, 1_000_000, 0}))
	million.When(reserve(anna, 1_000_000)).Then(reserved(anna, movement{1_000_000, 1_000_000, 1_000_000}), depleted)
	million.When(reserve(anna, 1_000_001)).Refused(stock.ErrBadQuantity)

	held := spec.For(t, stock.Decider).Given(five, reserved(anna, movement{3, 5, 3}))
	held.When(reserve(anna, 3)).Nothing()
	held.When(reserve(anna, 2)).Refused(stock.ErrOtherQuantity)
	held.When(reserve(boris, 3)).Refused(stock.ErrNotEnough)
	held.When(reserve(boris, 2)).Then(reserved(boris, movement{2, 5, 5}), depleted)
}

func TestReleaseAndShip(t *testing.T) {
	t.Parallel()
	held := spec.For(t, stock.Decider).Given(
		received(movement{5, 5, 0}), reserved(anna, movement{3, 5, 3}), reserved(boris, movement{2, 5, 5}), depleted,
	)
	held.When(release(boris)).Then(released(boris, movement{2, 5, 3}), replenished(2))
	held.When(stock.Ship{OrderID: anna, At: noon}).Then(shipped(anna, movement{3, 2, 2}))

	exact := spec.For(t, stock.Decider).Given(received(movement{3, 3, 0}), reserved(anna, movement{3, 3, 3}), depleted)
	exact.When(stock.Ship{OrderID: anna, At: noon}).Then(shipped(anna, movement{3, 0, 0}))

	gone := held.Given(released(boris, movement{2, 5, 3}), shipped(anna, movement{3, 2, 0}))
	gone.When(release(boris)).Nothing()
	gone.When(stock.Ship{OrderID: anna, At: noon}).Nothing()
	gone.When(reserve(boris, 2)).Then(reserved(boris, movement{2, 2, 2}), depleted)
	if got := gone.State().Held(anna); got != 0 {
		t.Errorf("a shipped order still holds %d", got)
	}
}

func TestAvailableIsLimitedPerOrder(t *testing.T) {
	t.Parallel()
	s := stock.Decider.Fold(stock.State{}, received(movement{500, 500, 0}), reserved(anna, movement{1, 500, 1}))
	if got := s.Available(99); got != 99 {
		t.Errorf("available %d, want 99", got)
	}
	if got := s.Available(1000); got != 499 {
		t.Errorf("available %d, want 499", got)
	}
}

// TestNeverOversold runs random commands against a ledger kept apart from the decider.
func TestNeverOversold(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		state := stock.Decider.Initial
		onHand, held := int64(0), map[domain.ID]int64{}
		sum := func() (s int64) {
			for _, quantity := range held {
				s += quantity
			}
			return s
		}
		free := func() int64 { return max(0, onHand-sum()) }

		for range rapid.IntRange(1, 60).Draw(t, "commands") {
			order := uuid.UUID{15: byte(rapid.IntRange(1, 6).Draw(t, "order"))}
			quantity := rapid.Int64Range(-1, 12).Draw(t, "quantity")
			before := free()
			var command stock.Command
			switch rapid.SampledFrom([]string{"receive", "count", "reserve", "reserve", "reserve", "release", "ship"}).Draw(t, "command") {
			case "receive":
				command = stock.Receive{ProductID: product, Quantity: quantity}
			case "count":
				command = stock.Count{ProductID: product, OnHand: quantity}
			case "reserve":
				command = stock.Reserve{ProductID: product, OrderID: order, Quantity: quantity}
			case "release":
				command = stock.Release{OrderID: order}
			case "ship":
				command = stock.Ship{OrderID: order}
			}
			events, err := stock.Decider.Decide(command, state)
			if err != nil && len(events) > 0 {
				t.Fatalf("%#v was refused with events", command)
			}
			for _, event := range events {
				var sums [2]int64
				switch e := event.(type) {
				case stock.Received:
					onHand += e.Quantity
					sums = [2]int64{e.OnHand, e.Reserved}
				case stock.Adjusted:
					onHand += e.Quantity
					sums = [2]int64{e.OnHand, e.Reserved}
				case stock.Reserved:
					if e.Quantity > before {
						t.Fatalf("%d reserved of %d free", e.Quantity, before)
					}
					held[e.OrderID] += e.Quantity
					sums = [2]int64{e.OnHand, e.Reserved}
				case stock.Released:
					held[e.OrderID] -= e.Quantity
					sums = [2]int64{e.OnHand, e.Reserved}
				case stock.Shipped:
					onHand -= e.Quantity
					held[e.OrderID] -= e.Quantity
					sums = [2]int64{e.OnHand, e.Reserved}
				case stock.Replenished:
					if before != 0 || free() == 0 || e.Available != free() {
						t.Fatalf("replenished to %d: free went from %d to %d", e.Available, before, free())
					}
					continue
				case stock.Depleted:
					if before == 0 || free() != 0 {
						t.Fatalf("depleted: free went from %d to %d", before, free())
					}
					continue
				}
				if sums != [2]int64{onHand, sum()} {
					t.Fatalf("%#v says %v, the ledger %d and %d", event, sums, onHand, sum())
				}
			}
			if (before == 0) != (free() == 0) && len(events) != 2 {
				t.Fatalf("%#v: free went from %d to %d without a word", command, before, free())
			}
			if onHand < 0 || held[order] < 0 {
				t.Fatalf("%d on hand, order holds %d", onHand, held[order])
			}
			state = stock.Decider.Fold(state, events...)
			if state.OnHand != onHand || state.Reserved != sum() || state.Held(order) != held[order] {
				t.Fatalf("state %+v, the ledger %d and %v", state, onHand, held)
			}
		}
	})
}

// TestFoldedStatesAreShared proves that folding on leaves an earlier state as it was: handlers cache them.
func TestFoldedStatesAreShared(t *testing.T) {
	t.Parallel()
	before := stock.Decider.Fold(stock.State{}, received(movement{5, 5, 0}), reserved(anna, movement{3, 5, 3}))
	stock.Decider.Fold(before, released(anna, movement{3, 5, 0}), reserved(boris, movement{1, 5, 1}))
	if before.Held(anna) != 3 || before.Held(boris) != 0 {
		t.Errorf("an earlier state changed: %d, %d", before.Held(anna), before.Held(boris))
	}
}
