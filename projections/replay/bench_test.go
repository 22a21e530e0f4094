package replay

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"time"

	"shop/domain"
	"shop/domain/basket"
	"shop/domain/order"
	"shop/domain/pricing"
	"shop/domain/promocode"
	"shop/domain/rules"
	"shop/eventstore"
)

// BenchmarkTry prices a history that is in memory under other rules: orders/s is the aim of 100 000 on two cores,
// bytes/order what an order takes.
func BenchmarkTry(b *testing.B) {
	const orders = 200_000
	h := newHistory()
	draw := rand.New(rand.NewPCG(1, 2))
	take := func(e eventstore.Event) {
		if err := h.learn(&e); err != nil {
			b.Fatal(err)
		}
	}
	var head eventstore.Position
	learn := func(data domain.Event) {
		head++
		take(eventstore.Event{Position: head, Data: data})
	}
	learn(rules.Changed{Version: 1, Rules: rules.Default()})
	learn(promocode.Issued{Code: "TEN", Terms: promocode.Terms{Kind: promocode.Percent, Value: 10}})
	cities := []string{"Алматы", "Астана", "Шымкент", ""}
	at := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	for range orders {
		in := pricing.Input{
			Rules: rules.Default(), RulesVersion: 1, City: cities[draw.IntN(len(cities))], DeliveryType: domain.Delivery, PaymentMethod: domain.Card,
		}
		for range 1 + draw.IntN(4) {
			var product domain.ID
			binary.BigEndian.PutUint16(product[:], uint16(draw.IntN(1000)))
			price := 500 + draw.Int64N(12_000)
			in.Lines = append(in.Lines, pricing.Line{ProductID: product, Amount: 1 + draw.Int64N(3), Price: price, DiscountedPrice: price})
		}
		if draw.IntN(5) == 0 {
			in.Promocode = &pricing.Code{Code: "TEN", Terms: promocode.Terms{Kind: promocode.Percent, Value: 10}}
		}
		at = at.Add(2 * time.Minute)
		c := pricing.Calculate(in)
		learn(order.Placed{City: in.City, DeliveryType: in.DeliveryType, PaymentMethod: in.PaymentMethod, Calculation: c, At: at})
		if draw.IntN(2) == 0 {
			var id domain.ID
			binary.BigEndian.PutUint64(id[:], draw.Uint64())
			take(eventstore.Event{Stream: basket.Stream(id), Type: pricedType, Position: head + 1})
			learn(basket.Priced{BasketID: id, Calculation: c, At: at})
		}
	}
	tried := rules.Default()
	tried.Tiers = []rules.Tier{{From: 20_000, Percent: 7}, {From: 60_000, Percent: 12}}
	for b.Loop() {
		if _, err := h.Try(b.Context(), tried, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(orders)*float64(b.N)/b.Elapsed().Seconds(), "orders/s")
	b.ReportMetric(float64(h.Bytes())/orders, "bytes/order")
}
