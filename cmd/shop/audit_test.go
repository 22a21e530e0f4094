package main

import (
	"encoding/json"
	"time"

	"shop/cmd/shop/app"
	"shop/cmd/shop/shoptest"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/stock"
	"shop/eventstore"
	reads "shop/readapi/staff"
)

// audit reads the whole log and holds against each other what must add up: positions and versions, each order's
// money, each product's pieces, and what the read models and operators are told of them.
func (p program) audit() {
	p.t.Helper()
	ctx := p.t.Context()
	s, err := app.OpenShop(ctx, p.config(), shoptest.Quiet, time.Now)
	if err != nil {
		p.t.Fatal(err)
	}
	defer s.Close(ctx)
	events, err := s.Store.Read(ctx, eventstore.Query{Range: -1})
	if err != nil {
		p.t.Fatal(err)
	}

	versions := map[string]eventstore.Version{}
	ids := make(map[domain.ID]bool, len(events))
	levels := map[string]*level{}
	orders := map[int64]bool{}
	var last eventstore.Position
	for _, e := range events {
		if e.Position <= last || e.Version != versions[e.Stream]+1 || ids[e.ID] {
			p.t.Errorf("event %s: position %d after %d, version %d after %d, seen before: %t", e.ID, e.Position, last, e.Version, versions[e.Stream], ids[e.ID])
		}
		last, versions[e.Stream], ids[e.ID] = e.Position, e.Version, true
		switch data := e.Data.(type) {
		case order.Placed:
			if orders[data.Number] {
				p.t.Errorf("order number %d was given twice", data.Number)
			}
			orders[data.Number] = true
			p.addsUp(data)
		case stock.Event:
			if levels[e.Stream] == nil {
				levels[e.Stream] = new(level)
			}
			levels[e.Stream].move(data)
		}
	}
	for stream, l := range levels {
		if l.wrong != "" {
			p.t.Errorf("%s: %s", stream, l.wrong)
		}
	}

	var shown []reads.StockLine
	if err := json.Unmarshal([]byte(p.ok("stock", "list", "--limit", "1000000", "--format", "json")), &shown); err != nil || len(shown) != len(levels) {
		p.t.Errorf("%d stocks are shown of %d, %v", len(shown), len(levels), err)
	}
	for _, line := range shown {
		if l := levels[stock.Stream(line.ProductID)]; l == nil || l.onHand != line.OnHand || l.reserved != line.Reserved {
			p.t.Errorf("stock of %s is shown as %d on hand and %d reserved, the log says %+v", line.Article, line.OnHand, line.Reserved, l)
		}
	}
	if known := p.numbersOf(); len(known) != len(orders) {
		p.t.Errorf("%d orders are shown of %d", len(known), len(orders))
	}
}

// addsUp checks an order's money to the tenge.
func (p program) addsUp(o order.Placed) {
	p.t.Helper()
	c := o.Calculation
	var steps, goods, discounts, lines domain.Money
	for _, s := range c.Explanation {
		steps += s.Amount
	}
	for _, l := range c.Lines {
		goods += l.DiscountedPrice * l.Amount
		discounts += l.OrderDiscount
		lines += l.Total
	}
	if steps != c.TotalPaid || goods != c.TotalSum || c.TotalSum-discounts != c.DiscountedSum || lines != c.DiscountedSum ||
		c.DiscountedSum-c.BonusSpent+c.DeliveryPrice != c.TotalPaid || c.PayableNow+c.PayableOnDelivery != c.TotalPaid {
		p.t.Errorf("order %d does not add up: %+v", o.Number, c)
	}
}

// level is a product's pieces, counted from the movements alone.
type level struct {
	onHand, reserved int64
	wrong            string
}

func (l *level) move(e stock.Event) {
	var onHand, reserved int64
	switch e := e.(type) {
	case stock.Received:
		l.onHand += e.Quantity
		onHand, reserved = e.OnHand, e.Reserved
	case stock.Adjusted:
		l.onHand += e.Quantity
		onHand, reserved = e.OnHand, e.Reserved
	case stock.Reserved:
		if l.reserved += e.Quantity; l.reserved > l.onHand {
			l.wrong = "oversold"
		}
		onHand, reserved = e.OnHand, e.Reserved
	case stock.Released:
		l.reserved -= e.Quantity
		onHand, reserved = e.OnHand, e.Reserved
	case stock.Shipped:
		l.onHand -= e.Quantity
		l.reserved -= e.Quantity
		onHand, reserved = e.OnHand, e.Reserved
	case stock.Replenished, stock.Depleted:
		return
	}
	if l.onHand != onHand || l.reserved != reserved || l.onHand < 0 || l.reserved < 0 {
		l.wrong = "an event says other pieces than the movements add up to"
	}
}
