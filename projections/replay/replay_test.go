package replay_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain"
	"shop/domain/order"
	"shop/domain/pricing"
	"shop/domain/promocode"
	"shop/domain/rules"
	"shop/eventstore"
	"shop/eventstore/registry"
	"shop/migrations/pgtest"
	"shop/projections/replay"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

var noon = time.Date(2026, 3, 2, 7, 0, 0, 0, time.UTC) // in Almaty

func id(n byte) domain.ID { return uuid.UUID{6: 0x40, 8: 0x80, 15: n} }

// past is a log under test.
type past struct {
	t     testing.TB
	pool  *pgxpool.Pool
	store *eventstore.Store
	next  int64
}

func openPast(t testing.TB) *past {
	t.Helper()
	pool := pgtest.Open(t)
	store := eventstore.Open(pool, registry.New(), eventstore.Options{})
	t.Cleanup(store.Close)
	return &past{t, pool, store, 100_000}
}

// given appends events to a stream.
func (p *past) given(stream string, events ...any) eventstore.Position {
	p.t.Helper()
	write := eventstore.Write{Stream: stream, Expected: eventstore.AnyVersion}
	for _, e := range events {
		write.Events = append(write.Events, eventstore.NewEvent{Data: e})
	}
	done, err := p.store.Append(p.t.Context(), eventstore.Append{
		Writes: []eventstore.Write{write}, Metadata: eventstore.Metadata{CorrelationID: "request-1", CausationID: "request-1", Actor: "guest"}, At: noon,
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return done.Position
}

// line is a product of which pieces are ordered.
func line(n byte, pieces, price int64) pricing.Line {
	return pricing.Line{ProductID: id(n), Article: "MK-" + string('0'+n), Name: "Крем", Amount: pieces, Price: price, DiscountedPrice: price}
}

// card is an order of lines, delivered in Алматы and paid by card.
func card(lines ...pricing.Line) pricing.Input {
	return pricing.Input{
		Lines: lines, Rules: rules.Default(), RulesVersion: 1, City: "Алматы", DeliveryType: domain.Delivery, PaymentMethod: domain.Card,
	}
}

// placed is an order at the price its input comes to.
func (p *past) placed(in pricing.Input, change ...func(*order.Placed)) order.Placed {
	p.next++
	orderID := uuid.NewSHA1(uuid.NameSpaceOID, []byte{byte(p.next), byte(p.next >> 8), byte(p.next >> 16)})
	o := order.Placed{
		ID: orderID, Number: p.next, PersonID: orderID, Contact: order.Contact{FirstName: "Алия", Email: "aliya@example.kz", Phone: "+77010000001"},
		City: in.City, Address: order.Address{City: in.City, Street: "Абая", House: "1"}, DeliveryType: in.DeliveryType,
		PaymentMethod: in.PaymentMethod, Calculation: pricing.Calculate(in), At: noon,
	}
	for _, c := range change {
		c(&o)
	}
	p.given(order.Stream(o.ID), o)
	return o
}

func unseen(float64) {}

func (p *past) proof(upTo eventstore.Position) replay.Proof {
	p.t.Helper()
	proof, err := replay.Prove(p.t.Context(), p.store, upTo, unseen)
	if err != nil {
		p.t.Fatal(err)
	}
	return proof
}

func TestEveryPriceComesOutAsItWas(t *testing.T) {
	t.Parallel()
	p := openPast(t)
	p.given(rules.Stream, rules.Changed{Version: 1, Rules: rules.Default(), At: noon})
	ten := promocode.Terms{Kind: promocode.Percent, Value: 10}
	p.given(promocode.Stream("TEN"), promocode.Issued{Code: "TEN", Terms: ten, At: noon})
	p.placed(card(line(1, 2, 9_000), line(2, 1, 14_990)))
	withCode := card(line(1, 1, 9_990))
	withCode.Promocode = &pricing.Code{Code: "TEN", Terms: ten}
	p.placed(withCode)
	withBonus := card(line(1, 1, 9_990))
	withBonus.BonusBalance, withBonus.SpendBonus = 50_000, -1
	p.placed(withBonus)
	// What changes later changes nothing of what was.
	other := rules.Default()
	other.Tiers, other.Delivery = nil, nil
	p.given(rules.Stream, rules.Changed{Version: 2, Rules: other, At: noon})
	p.given(promocode.Stream("TEN"), promocode.Issued{Code: "TEN", Terms: promocode.Terms{Kind: promocode.Fixed, Value: 1}, At: noon})
	newer := card(line(1, 5, 9_000))
	newer.Rules, newer.RulesVersion = other, 2
	p.placed(newer)
	p.placed(card(line(1, 1, 1)), func(o *order.Placed) { o.Calculation.RulesVersion = 0 }) // another shop's

	if got := p.proof(0); got.Orders != 4 || got.Elsewhere != 1 || got.Different != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestAPriceThatDoesNotHoldIsTold(t *testing.T) {
	t.Parallel()
	p := openPast(t)
	before := p.given(rules.Stream, rules.Changed{Version: 1, Rules: rules.Default(), At: noon})
	p.placed(card(line(1, 4, 9_000)), func(o *order.Placed) { // as if the tier had been forgotten
		c := &o.Calculation
		c.Lines[0].OrderDiscount, c.Lines[0].Total = 0, 36_000
		c.DiscountedSum, c.TotalPaid, c.PayableNow = 36_000, 36_000, 36_000
		c.Explanation[1].Amount = 0
	})
	p.placed(card(line(1, 1, 9_000)), func(o *order.Placed) { o.Calculation.RulesVersion = 7 })
	p.placed(card(line(1, 1, 9_000)), func(o *order.Placed) { o.Calculation.PromocodeApplied = "GONE" })

	got := p.proof(0)
	if got.Orders != 3 || got.Different != 3 || len(got.Differences) != 3 {
		t.Fatalf("got %+v", got)
	}
	first := got.Differences[0]
	var told []string
	for _, c := range first.Changes {
		told = append(told, c.Field+" "+string(c.Was)+" "+string(c.Now))
	}
	if first.Number != 100_001 || !strings.HasPrefix(first.Why, "tier_discount was 0 and comes to -1800") ||
		!strings.Contains(strings.Join(told, "\n"), "lines[0].total 36000 34200") {
		t.Errorf("got %s\n%s", first.Why, strings.Join(told, "\n"))
	}
	for i, want := range []string{"rules version 7 is not in the log", "promo code GONE is not in the log"} {
		if why := got.Differences[i+1].Why; !strings.HasPrefix(why, want) {
			t.Errorf("got %q, want %q", why, want)
		}
	}
	if early := p.proof(before); early.Position != before || early.Orders != 0 {
		t.Errorf("up to %d: %+v", before, early)
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	type thing struct {
		Lines []int64        `json:"lines"`
		Of    map[string]any `json:"of,omitempty"`
		Big   int64          `json:"big"`
	}
	found, err := replay.Changes(
		thing{Lines: []int64{1, 2}, Of: map[string]any{"a": "x"}, Big: 9_007_199_254_740_993},
		thing{Lines: []int64{1, 3, 4}, Big: 9_007_199_254_740_992})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range found {
		got = append(got, c.Field+": "+string(c.Was)+" > "+string(c.Now))
	}
	want := `big: 9007199254740993 > 9007199254740992; lines[1]: 2 > 3; lines[2]: null > 4; of: {"a":"x"} > null`
	if strings.Join(got, "; ") != want {
		t.Errorf("got %s", strings.Join(got, "; "))
	}
	if same, err := replay.Changes(thing{}, thing{}); err != nil || len(same) != 0 {
		t.Errorf("got %v, %v", same, err)
	}
}
