package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/basket"
	"shop/domain/catalog"
	"shop/domain/order"
	"shop/domain/pricing"
	"shop/domain/rules"
	"shop/domain/stock"
	"shop/eventstore"
)

// history makes up a shop's past, the same for the same seed: goods are added and described once and priced now and
// then, baskets are priced two or three times, most become orders, and orders go their way over weeks while others
// come. Personal fields are sealed with a key per person as always.
type history struct {
	random *rand.Rand
	now    time.Time
	goods  []*good
	rules  rules.Rules
	number int64
	// open are the stories that go on; each takes one step at a time.
	open  []func() bool
	queue []eventstore.Write
	n     int
}

// good is a product with its stock.
type good struct {
	line             pricing.Line
	onHand, reserved int64
}

// openStories is how many baskets and orders are under way at once.
const openStories = 2000

// loadHistory appends at least n events.
func loadHistory(ctx context.Context, store *eventstore.Store, n int) error {
	h := &history{
		random: rand.New(rand.NewPCG(1, 2)), now: time.Date(2025, 1, 1, 6, 0, 0, 0, time.UTC),
		rules: rules.Default(), number: 100_000,
	}
	h.add(rules.Stream, rules.Changed{Version: 1, Rules: h.rules, At: h.now})
	for i := range 1000 {
		h.product(i)
	}
	for h.n < n {
		for len(h.open) < openStories {
			h.open = append(h.open, h.story())
		}
		i := h.random.IntN(len(h.open))
		h.now = h.now.Add(time.Duration(h.random.IntN(60_000)) * time.Millisecond)
		if !h.open[i]() {
			h.open[i] = h.open[len(h.open)-1]
			h.open = h.open[:len(h.open)-1]
		}
		if len(h.queue) >= 500 {
			if err := h.write(ctx, store); err != nil {
				return err
			}
		}
	}
	return h.write(ctx, store)
}

// write appends what is queued, all at once; the order within each stream stays.
func (h *history) write(ctx context.Context, store *eventstore.Store) error {
	var a eventstore.Append
	at := map[string]int{}
	for _, w := range h.queue {
		i, ok := at[w.Stream]
		if !ok {
			i = len(a.Writes)
			at[w.Stream] = i
			a.Writes = append(a.Writes, eventstore.Write{Stream: w.Stream, Expected: eventstore.AnyVersion})
		}
		a.Writes[i].Events = append(a.Writes[i].Events, w.Events...)
	}
	h.queue = h.queue[:0]
	a.At = h.now
	a.Metadata = eventstore.Metadata{CorrelationID: h.id().String(), Actor: "guest", Trace: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}
	_, err := store.Append(ctx, a)
	return err
}

func (h *history) add(stream string, e domain.Event) {
	h.queue = append(h.queue, eventstore.Write{Stream: stream, Events: []eventstore.NewEvent{{Data: e}}})
	h.n++
}

func (h *history) id() domain.ID {
	var id uuid.UUID
	for i := range id {
		id[i] = byte(h.random.Uint32())
	}
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return id
}

func (h *history) pick(of ...string) string { return of[h.random.IntN(len(of))] }

func (h *history) product(n int) {
	id, name := h.id(), h.pick("Крем для лица", "Шампунь", "Мыло ручной работы", "Бальзам для губ", "Масло для тела")+fmt.Sprintf(" «Серия %d»", n)
	price := domain.Money(900 + 100*h.random.IntN(120))
	g := &good{line: pricing.Line{
		ProductID: id, Article: fmt.Sprintf("KA-%05d", n), Name: name, Link: fmt.Sprintf("tovar-%d", n),
		Picture: fmt.Sprintf("/media/%s.webp", id), Price: price, DiscountedPrice: price * int64(8+h.random.IntN(3)) / 10,
	}}
	h.goods = append(h.goods, g)
	stream := catalog.ProductStream(id)
	h.add(stream, catalog.ProductAdded{ID: id, Article: g.line.Article, Link: g.line.Link, BrandID: h.id(), CategoryID: h.id(), At: h.now})
	h.add(stream, catalog.ProductDescribed{Text: catalog.ProductText{
		Name: name, Description: strings.Repeat("Мягко очищает и увлажняет кожу. ", 20), Composition: strings.Repeat("Aqua, Glycerin, Sodium Olivate, ", 12),
		Expires: "24 месяца", PackageSize: "150 мл", MadeIn: "Казахстан",
	}, At: h.now})
	h.add(stream, catalog.ProductPriced{Price: g.line.Price, DiscountedPrice: g.line.DiscountedPrice, At: h.now})
	h.receive(g)
}

func (h *history) receive(g *good) {
	g.onHand += 5000
	h.add(stock.Stream(g.line.ProductID), stock.Received{ProductID: g.line.ProductID, Quantity: 5000, OnHand: g.onHand, Reserved: g.reserved, Cause: stock.Cause{Kind: "receipt"}, At: h.now})
}

// story is a basket and the order it becomes. Each call tells one more step; false: that was the last.
func (h *history) story() func() bool {
	id, person, basketID := h.id(), h.id(), h.id()
	goods := make([]*good, 1+h.random.IntN(5))
	lines := make([]pricing.Line, len(goods))
	for i := range goods {
		goods[i] = h.goods[h.random.IntN(len(h.goods))]
		lines[i] = goods[i].line
		lines[i].Amount = 1 + h.random.Int64N(4)
	}
	input := pricing.Input{
		Lines: lines, Rules: h.rules, RulesVersion: 1, City: h.pick("Алматы", "Алматы", "Астана"), DeliveryType: domain.Delivery,
		PaymentMethod: domain.Card, At: h.now,
	}
	stream, payment := order.Stream(id), h.id().String()
	each := func(tell func(g *good, amount int64) domain.Event) {
		for i, g := range goods {
			h.add(stock.Stream(g.line.ProductID), tell(g, lines[i].Amount))
		}
	}
	price := func(n int) func() {
		return func() {
			asked := input
			asked.Lines = lines[:max(1, len(lines)*n/3)]
			h.add(basket.Stream(basketID), basket.Priced{BasketID: basketID, Question: basket.Question{City: input.City, DeliveryType: domain.Delivery, PaymentMethod: domain.Card}, Calculation: pricing.Calculate(asked), At: h.now})
		}
	}
	steps := []func(){price(1), price(2), price(3)}
	calculation := pricing.Calculate(input)
	if !calculation.CanCreateOrder || h.random.IntN(10) == 0 {
		return inTurn(steps)
	}
	cause := stock.Cause{Kind: "order", Ref: id.String()}
	release := func() {
		each(func(g *good, amount int64) domain.Event {
			g.reserved -= amount
			return stock.Released{ProductID: g.line.ProductID, OrderID: id, Quantity: amount, OnHand: g.onHand, Reserved: g.reserved, Cause: cause, At: h.now}
		})
	}
	steps = append(steps, func() {
		h.number++
		h.add(stream, order.Placed{
			ID: id, Number: h.number, BasketID: basketID, PersonID: person, City: input.City,
			Contact:      order.Contact{FirstName: h.pick("Айгерим", "Мария", "Данияр"), LastName: h.pick("Сейткали", "Иванова", "Ким"), Email: id.String()[:8] + "@example.com", Phone: "+77011234567"},
			Address:      order.Address{City: input.City, Street: "проспект Абая", House: "10", Floor: "3", Apartment: "15", Entrance: "2", Comment: "Домофон не работает, позвоните"},
			DeliveryType: domain.Delivery, PaymentMethod: domain.Card, Calculation: calculation,
			DeliveryDate: h.now.Format(time.DateOnly), PayBefore: h.now.Add(30 * time.Minute), At: h.now,
		})
		h.add(basket.Stream(basketID), basket.CheckedOut{BasketID: basketID, OrderID: id, At: h.now})
		each(func(g *good, amount int64) domain.Event {
			g.reserved += amount
			return stock.Reserved{ProductID: g.line.ProductID, OrderID: id, Quantity: amount, OnHand: g.onHand, Reserved: g.reserved, Cause: cause, At: h.now}
		})
		h.add(stream, order.PaymentRequested{PaymentID: payment, Provider: "sandbox", Attempt: 1, Amount: calculation.PayableNow, PayBefore: h.now.Add(30 * time.Minute), At: h.now})
	})
	switch h.random.IntN(10) {
	case 0:
		return inTurn(append(steps, func() { h.add(stream, order.PaymentExpired{At: h.now}); release() }))
	case 1:
		return inTurn(append(steps, func() {
			h.add(stream, order.Cancelled{By: "customer", Reason: "Передумал", At: h.now})
			release()
		}))
	}
	return inTurn(append(steps,
		func() {
			h.add(stream, order.Paid{PaymentID: payment, Amount: calculation.PayableNow, At: h.now})
			h.add(stream, order.Approved{At: h.now})
		},
		func() { h.add(stream, order.ProcessingStarted{At: h.now}) },
		func() {
			h.add(stream, order.Completed{At: h.now})
			each(func(g *good, amount int64) domain.Event {
				g.onHand, g.reserved = g.onHand-amount, g.reserved-amount
				return stock.Shipped{ProductID: g.line.ProductID, OrderID: id, Quantity: amount, OnHand: g.onHand, Reserved: g.reserved, Cause: cause, At: h.now}
			})
			for _, g := range goods {
				if g.onHand < 1000 {
					h.receive(g)
				}
			}
		}))
}

func inTurn(steps []func()) func() bool {
	return func() bool {
		steps[0]()
		steps = steps[1:]
		return len(steps) > 0
	}
}
