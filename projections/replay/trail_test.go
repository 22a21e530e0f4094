package replay_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"shop/domain"
	"shop/domain/bonus"
	"shop/domain/order"
	"shop/domain/rules"
	"shop/domain/stock"
	"shop/eventstore"
	"shop/projections/replay"
)

func TestTrailOfAnOrder(t *testing.T) {
	t.Parallel()
	p := openPast(t)
	p.given(rules.Stream, rules.Changed{Version: 1, Rules: rules.Default(), At: noon})
	o := p.placed(card(line(1, 1, 9_000)))
	p.given(stock.Stream(id(1)), stock.Received{ProductID: id(1), Quantity: 3, OnHand: 3, At: noon}) // of the same request
	p.given(order.Stream(o.ID), order.Paid{PaymentID: "p1", Amount: 10_900, At: noon}, order.Approved{At: noon})

	steps, err := replay.Trail(t.Context(), p.store, order.Stream(o.ID), false)
	if err != nil || len(steps) != 3 {
		t.Fatalf("%d steps, %v", len(steps), err)
	}
	var fields []string
	for _, c := range steps[1].Changes {
		fields = append(fields, c.Field)
	}
	if !slices.Contains(fields, "is_paid") || !slices.Contains(fields, "captured") || slices.Contains(fields, "lines") {
		t.Errorf("paid changed %v", fields)
	}
	for _, s := range steps {
		if strings.Contains(string(s.State), "Алия") || strings.Contains(string(s.State), "aliya@") {
			t.Errorf("personal: %s", s.State)
		}
	}
	if open, err := replay.Trail(t.Context(), p.store, order.Stream(o.ID), true); err != nil || !strings.Contains(string(open[0].State), "Алия") {
		t.Errorf("asked for personal fields: %v", err)
	}
	if e := steps[0].Effects; !slices.ContainsFunc(e, func(e eventstore.Effect) bool { return e.Type == "stock.received" }) ||
		slices.ContainsFunc(e, func(e eventstore.Effect) bool { return e.ID == steps[0].Event.ID }) {
		t.Errorf("effects %+v", e)
	}
	if none, err := replay.Trail(t.Context(), p.store, order.Stream(id(99)), false); err != nil || none != nil {
		t.Errorf("got %v, %v", none, err)
	}
	if _, err := replay.Trail(t.Context(), p.store, rules.Stream, false); err != nil {
		t.Error(err)
	}

	again, err := replay.Reprice(t.Context(), p.store, &o, steps[0].Event.Position)
	if err != nil || !again.Holds || len(again.Explanation) != 2 {
		t.Errorf("got %+v, %v", again, err)
	}
	o.Calculation.DeliveryPrice = 2_500
	if altered, err := replay.Reprice(t.Context(), p.store, &o, steps[0].Event.Position); err != nil || altered.Holds || altered.Changes[0].Field != "delivery_price" {
		t.Errorf("got %+v, %v", altered, err)
	}
}

func TestEffectsAreFoundHoweverLateTheyCame(t *testing.T) {
	t.Parallel()
	p := openPast(t)
	others := func() { // more than is looked through
		busy := make([]eventstore.NewEvent, 2500)
		for i := range busy {
			busy[i].Data = stock.Adjusted{ProductID: id(9), Quantity: 1, OnHand: int64(i), At: noon}
		}
		_, err := p.store.Append(t.Context(), eventstore.Append{
			Writes:   []eventstore.Write{{Stream: stock.Stream(id(9)), Expected: eventstore.AnyVersion, Events: busy}},
			Metadata: eventstore.Metadata{CorrelationID: "request-2", CausationID: "request-2"}, At: noon,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	p.given(rules.Stream, rules.Changed{Version: 1, Rules: rules.Default(), At: noon})
	o := p.placed(card(line(1, 1, 9_000)), func(o *order.Placed) { o.CustomerID = id(7) })
	others()
	p.given(order.Stream(o.ID), order.Cancelled{By: "staff", At: noon})
	p.given(stock.Stream(id(1)), stock.Released{ProductID: id(1), OrderID: o.ID, Quantity: 1, OnHand: 3, At: noon}) // by the cancellation
	others()
	p.given(bonus.Stream(id(7)), bonus.Returned{CustomerID: id(7), OrderID: o.ID, Amount: 5, At: noon}) // by a policy that was down

	steps, err := replay.Trail(t.Context(), p.store, order.Stream(o.ID), false)
	if err != nil || len(steps) != 2 {
		t.Fatalf("%d steps, %v", len(steps), err)
	}
	for _, s := range steps {
		var types []string
		for _, e := range s.Effects {
			types = append(types, e.Type)
		}
		if !slices.Contains(types, "stock.released") || !slices.Contains(types, "bonus.returned") || slices.Contains(types, "stock.adjusted") {
			t.Errorf("effects of %s are %v", s.Event.Type, types)
		}
	}
}

// In a quiet log a look ends with the moment, not with the positions.
func TestEffectsAreThoseOfTheMoment(t *testing.T) {
	t.Parallel()
	p := openPast(t)
	adjusted := func(correlation string, after time.Duration, n int) {
		some := make([]eventstore.NewEvent, n)
		for i := range some {
			some[i].Data = stock.Adjusted{ProductID: id(9), Quantity: 1, OnHand: int64(i), At: noon}
		}
		_, err := p.store.Append(t.Context(), eventstore.Append{
			Writes:   []eventstore.Write{{Stream: stock.Stream(id(9)), Expected: eventstore.AnyVersion, Events: some}},
			Metadata: eventstore.Metadata{CorrelationID: correlation, CausationID: correlation}, At: noon.Add(after),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	p.given(rules.Stream, rules.Changed{Version: 1, Rules: rules.Default(), At: noon})
	adjusted("request-0", -time.Hour, 200)
	adjusted("request-1", -30*time.Second, 1)
	o := p.placed(card(line(1, 1, 9_000)))
	adjusted("request-2", 5*time.Minute, 40)
	adjusted("request-1", 14*time.Minute, 2)
	adjusted("request-2", time.Hour, 600)
	adjusted("request-1", time.Hour, 4)

	steps, err := replay.Trail(t.Context(), p.store, order.Stream(o.ID), false)
	if err != nil || len(steps) != 1 {
		t.Fatalf("%d steps, %v", len(steps), err)
	}
	found := 0
	for _, e := range steps[0].Effects {
		if e.Type == "stock.adjusted" {
			found++
		}
	}
	if found != 3 {
		t.Errorf("found %d of the 3 effects around", found)
	}
}

func TestLedgerAddsUp(t *testing.T) {
	t.Parallel()
	p := openPast(t)
	soap, first := id(1), id(51)
	cause := func(kind string, ref domain.ID) stock.Cause { return stock.Cause{Kind: kind, Ref: ref.String()} }
	p.given(stock.Stream(soap),
		stock.Received{ProductID: soap, Quantity: 50, OnHand: 50, Cause: stock.Cause{Kind: "receipt", Ref: "invoice-1"}, At: noon},
		stock.Replenished{ProductID: soap, Available: 50, At: noon},
		stock.Reserved{ProductID: soap, OrderID: first, Quantity: 3, OnHand: 50, Reserved: 3, Cause: cause("order", first), At: noon},
		stock.Shipped{ProductID: soap, OrderID: first, Quantity: 3, OnHand: 47, Cause: cause("shipment", first), At: noon},
	)
	moves, gap, err := replay.Ledger(t.Context(), p.store, soap)
	if err != nil || gap != 0 || len(moves) != 3 {
		t.Fatalf("%+v, %d, %v", moves, gap, err)
	}
	if last := moves[2]; last.Kind != "shipped" || last.OnHand != -3 || last.OnHandAfter != 47 || last.ReservedAfter != 0 || last.OrderID != first {
		t.Errorf("got %+v", last)
	}
	p.given(stock.Stream(soap), stock.Adjusted{ProductID: soap, Quantity: -1, OnHand: 40, At: noon})
	if _, gap, err := replay.Ledger(t.Context(), p.store, soap); err != nil || gap != 1 {
		t.Errorf("a ledger that does not add up: %d, %v", gap, err)
	}
}
