package replay_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/domain/change"
	"shop/domain/order"
	"shop/domain/pricing"
	"shop/domain/rules"
	"shop/eventstore"
	"shop/projections/replay"
)

// BenchmarkEffect measures a sale over 100 000 orders in the database: first with none of them read, then again. The aim is 3 s.
func BenchmarkEffect(b *testing.B) {
	const orders, together = 100_000, 500
	p := openPast(b)
	p.given(rules.Stream, rules.Changed{Version: 1, Rules: rules.Default(), At: noon})
	for n := 0; n < orders; n += together {
		var writes []eventstore.Write
		for i := range together {
			id := uuid.NewSHA1(uuid.NameSpaceOID, []byte(strconv.Itoa(n+i)))
			in := card(line(byte(1+i%7), 2, 4_000), line(byte(10+i%90), 1, 3_000))
			writes = append(writes, eventstore.Write{Stream: order.Stream(id), Expected: 0, Events: []eventstore.NewEvent{{Data: order.Placed{
				ID: id, Number: int64(n + i + 1), PersonID: id, City: in.City, DeliveryType: in.DeliveryType, PaymentMethod: in.PaymentMethod, Calculation: pricing.Calculate(in), At: noon,
			}}}})
		}
		if _, err := p.store.Append(b.Context(), eventstore.Append{Writes: writes, Metadata: eventstore.Metadata{CorrelationID: "r", CausationID: "r", Actor: "guest"}, At: noon}); err != nil {
			b.Fatal(err)
		}
	}
	items := []change.Item{priceItem(1, 4_000, 3_000), priceItem(2, 4_000, 3_000), priceItem(3, 4_000, 3_000)}
	var first, again time.Duration
	for b.Loop() {
		effects := replay.NewEffects(p.store)
		for _, took := range []*time.Duration{&first, &again} {
			began := time.Now()
			e, err := effects.Measure(b.Context(), items, 365, noon.Add(time.Hour))
			if err != nil || e.Orders != orders {
				b.Fatalf("%d orders, %v", e.Orders, err)
			}
			*took += time.Since(began)
		}
	}
	b.ReportMetric(float64(first.Milliseconds())/float64(b.N), "ms/first")
	b.ReportMetric(float64(again.Milliseconds())/float64(b.N), "ms/again")
}
