package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/change"
	"shop/domain/pricing"
	"shop/domain/promocode"
	"shop/domain/rules"
)

// prices are a product's, as a change has them.
type prices struct {
	Price           domain.Money `json:"price"`
	DiscountedPrice domain.Money `json:"discounted_price"`
}

// terms are what a change sets, on one of its sides. What is in none of them is as it was on the day of an order.
type terms struct {
	rules    rules.Rules
	products map[domain.ID]prices
	// codes are promo codes with their terms; nil: the code is not there.
	codes map[string]*promocode.Terms
}

// sides are the terms before and after a change, over the rules in force.
func sides(items []change.Item, present rules.Rules) (was, would terms, err error) {
	was = terms{present, map[domain.ID]prices{}, map[string]*promocode.Terms{}}
	would = terms{present, map[domain.ID]prices{}, map[string]*promocode.Terms{}}
	found := false
	for _, item := range items {
		priced, err := was.put(item, item.Was)
		if err != nil {
			return was, would, fmt.Errorf("read what %s %s %s was: %w", item.Thing, item.ID, item.Field, err)
		}
		if _, err := would.put(item, item.Now); err != nil {
			return was, would, fmt.Errorf("read what %s %s %s is to be: %w", item.Thing, item.ID, item.Field, err)
		}
		found = found || priced
	}
	if !found {
		return was, would, change.ErrNoEffect
	}
	return was, would, would.rules.Check()
}

// put sets what an item has on a side; it says whether prices depend on such items.
func (t *terms) put(item change.Item, value json.RawMessage) (priced bool, err error) {
	switch {
	case item.Thing == "product" && item.Field == "prices":
		id, err := uuid.Parse(item.ID)
		if err != nil {
			return true, err
		}
		var p prices
		if err := json.Unmarshal(value, &p); err != nil {
			return true, err
		}
		t.products[id] = p
		return true, nil
	case item.Thing == "promocode" && item.Field == "terms":
		var code *promocode.Terms
		if err := json.Unmarshal(value, &code); err != nil {
			return true, err
		}
		t.codes[promocode.Normal(item.ID)] = code
		return true, nil
	case item.Thing == "rules":
		t.rules, err = withRule(t.rules, item.Field, value)
		return true, err
	}
	return false, nil
}

// withRule are rules with another value of one of them.
func withRule(r rules.Rules, name string, value json.RawMessage) (changed rules.Rules, err error) {
	text, err := json.Marshal(r)
	if err != nil {
		return r, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return r, err
	}
	members[name] = value
	if text, err = json.Marshal(members); err != nil {
		return r, err
	}
	return changed, json.Unmarshal(text, &changed)
}

// side prices orders on one side of a change.
type side struct {
	h     *History
	rules *rules.Rules
	// prices are those of products by their row, for all rows that the change names; codes by the row of their terms.
	prices map[uint32]prices
	codes  map[uint32]*promocode.Terms
	towns  []rules.CityDelivery
	served []bool
}

func (h *History) side(t *terms) *side {
	s := &side{
		h: h, rules: &t.rules, prices: map[uint32]prices{}, codes: map[uint32]*promocode.Terms{},
		towns: make([]rules.CityDelivery, len(h.cities)), served: make([]bool, len(h.cities)),
	}
	for i, name := range h.cities {
		s.towns[i], s.served[i] = t.rules.DeliveryTo(name)
	}
	for id, p := range t.products {
		if row, sold := h.product[id]; sold {
			s.prices[row] = p
		}
	}
	for code, t := range t.codes {
		for row := h.code[code]; row != 0; row = h.codes[row].before {
			s.codes[row] = t
		}
	}
	return s
}

// sided is an order on one side.
type sided struct {
	pricing.Totals
	total, scoped, productDiscounts domain.Money
}

// price prices an order with its lines. Those of the change have its prices, unless staff gave them theirs.
func (s *side) price(row *priced, lines []pricedLine, touched []bool, totals []domain.Money) (o sided) {
	for i, l := range lines {
		totals[i] = l.total
		if touched[l.product] && !l.byHand {
			p := s.prices[l.product]
			totals[i] = p.DiscountedPrice * int64(l.amount)
			o.productDiscounts += max(0, p.Price-p.DiscountedPrice) * int64(l.amount)
		}
		o.total += totals[i]
		if l.inScope {
			o.scoped += totals[i]
		}
	}
	sums := s.sums(row, &o)
	if row.code != 0 {
		var set bool
		if sums.Code, set = s.codes[row.code]; !set {
			sums.Code = &s.h.codes[row.code].Terms
		}
	}
	o.Totals = pricing.Reckon(s.rules, &sums)
	return o
}

// sums are what an order's totals depend on, but for its promo code.
func (s *side) sums(row *priced, o *sided) pricing.Sums {
	return pricing.Sums{
		TotalSum: o.total, ScopedSum: o.scoped, City: s.towns[row.city], Served: s.served[row.city],
		Pickup: row.marks&pickup != 0, Cash: row.marks&cash != 0, BonusBalance: row.bonus, SpendBonus: row.bonus, ManualPercent: int64(row.hand),
	}
}

// measuring sums up a part of a history on both sides.
type measuring struct {
	h          *History
	was, would *side
	from       uint32
	until      uint32
	// touched says of each product's row whether the change sets its price; same: rules are alike on both sides.
	touched []bool
	same    bool

	effect      change.Effect
	shares      []pricing.Share
	totals, own []domain.Money
}

// Effect prices the orders placed in a span without a change and with it: both sides by the rules in force but for what the change
// sets, so that nothing but the change makes a difference.
func (h *History) Effect(ctx context.Context, items []change.Item, from, until time.Time) (change.Effect, error) {
	was, would, err := sides(items, h.Rules)
	if err != nil {
		return change.Effect{}, err
	}
	before, after := h.side(&was), h.side(&would)
	touched := make([]bool, len(h.products))
	for row := range before.prices {
		touched[row] = true
	}
	same, err := Changes(was.rules, would.rules)
	if err != nil {
		return change.Effect{}, err
	}
	workers := max(1, min(runtime.GOMAXPROCS(0), len(h.orders)/1000))
	parts := make([]*measuring, workers)
	var group sync.WaitGroup
	for w := range workers {
		parts[w] = &measuring{
			h: h, was: before, would: after, from: seconds(from), until: seconds(until), touched: touched, same: len(same) == 0,
		}
		group.Go(func() {
			inLots(ctx, len(h.orders)*w/workers, len(h.orders)*(w+1)/workers, parts[w].measure, nil)
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return change.Effect{}, err
	}
	effect := change.Effect{From: from, Until: until, Position: int64(h.Position), Assumptions: slices.Clone(effectAssumptions)}
	for _, part := range parts {
		effect.Orders += part.effect.Orders
		effect.Touched += part.effect.Touched
		effect.Was.Merge(part.effect.Was)
		effect.Would.Merge(part.effect.Would)
	}
	effect.Was.Close()
	effect.Would.Close()
	return effect, nil
}

// effectAssumptions name what an effect takes for granted; the pages and the command line say them.
var effectAssumptions = []string{"same-baskets", "present-rules", "other-prices", "all-orders", "codes", "bonuses", "by-hand", "costs"}

// counted are the orders from one up to another that were placed in the days that are measured, with their lines.
func (m *measuring) counted(from, to int) iter.Seq2[*priced, []pricedLine] {
	return func(yield func(*priced, []pricedLine) bool) {
		for i := from; i < to; i++ {
			row := &m.h.orders[i]
			if row.marks&replaced != 0 || row.placed < m.from || row.placed > m.until {
				continue
			}
			var first uint32
			if i > 0 {
				first = m.h.orders[i-1].lines
			}
			if !yield(row, m.h.lines[first:row.lines]) {
				return
			}
		}
	}
}

// measure sums up the orders from one up to another.
func (m *measuring) measure(from, to int) {
	for row, lines := range m.counted(from, to) {
		m.effect.Orders++
		m.totals = slices.Grow(m.totals[:0], len(lines))[:len(lines)]
		was := m.was.price(row, lines, m.touched, m.totals)
		m.add(&m.effect.Was, m.was, row, lines, &was)
		if m.same && !m.sets(row, lines) {
			m.add(&m.effect.Would, m.was, row, lines, &was)
			continue
		}
		would := m.would.price(row, lines, m.touched, m.totals)
		m.add(&m.effect.Would, m.would, row, lines, &would)
		if was.TotalPaid != would.TotalPaid || was.DiscountedSum != would.DiscountedSum || was.Reason != would.Reason {
			m.effect.Touched++
		}
	}
}

// sets says whether the change sets a price or a promo code of an order.
func (m *measuring) sets(row *priced, lines []pricedLine) bool {
	if _, set := m.would.codes[row.code]; set && row.code != 0 {
		return true
	}
	return slices.ContainsFunc(lines, func(l pricedLine) bool { return m.touched[l.product] && !l.byHand })
}

// add counts an order on its side; m.totals are its lines there.
func (m *measuring) add(f *change.Figures, s *side, row *priced, lines []pricedLine, o *sided) {
	switch o.Reason {
	case "":
	case pricing.ReasonBelowMinimum:
		f.BelowMinimum++
		return
	case pricing.ReasonCashUnavailable:
		f.NoCash++
		return
	default:
		return
	}
	f.Orders++
	f.Goods += o.total
	f.ProductDiscounts += o.productDiscounts
	f.Discounts += o.Discount()
	f.Bonuses += o.BonusSpent
	f.Delivery += o.DeliveryPrice
	if row.marks&pickup == 0 && s.served[row.city] && o.DeliveryPrice == 0 {
		f.FreeDelivery++
	}
	if o.Tier.Percent > 0 {
		f.InTier++
	}
	m.margin(f, lines, o)
}

// margin counts the lines whose cost is known, each less its share of the order's discount.
func (m *measuring) margin(f *change.Figures, lines []pricedLine, o *sided) {
	known := false
	m.own = append(m.own[:0], m.totals...)
	for _, l := range lines {
		known = known || m.h.costs[l.product] > 0
	}
	if !known {
		return
	}
	if off := o.Discount(); off > 0 {
		m.shares = m.shares[:0]
		for i, l := range lines {
			m.shares = append(m.shares, pricing.Share{ProductID: m.h.products[l.product], Total: m.totals[i], Line: i})
		}
		pricing.Spread(off, o.total, m.shares)
		for _, s := range m.shares {
			m.own[s.Line] -= s.Off
		}
	}
	for i, l := range lines {
		if cost := m.h.costs[l.product]; cost > 0 {
			f.Costed += m.own[i]
			f.Cost += cost * int64(l.amount)
		}
	}
}
