package replay_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"shop/domain"
	"shop/domain/basket"
	"shop/domain/catalog"
	"shop/domain/order"
	"shop/domain/pricing"
	"shop/domain/promocode"
	"shop/domain/rules"
	"shop/eventstore"
	"shop/projections/replay"
)

func (p *past) history() *replay.History {
	p.t.Helper()
	h, err := replay.Read(p.t.Context(), p.store, 0, unseen)
	if err != nil {
		p.t.Fatal(err)
	}
	return h
}

func (p *past) tried(r rules.Rules) *replay.Report {
	p.t.Helper()
	report, err := p.history().Try(p.t.Context(), r, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return report
}

// stricter are rules with a higher minimum, a lower first tier and no delivery of the shop's own.
func stricter() rules.Rules {
	r := rules.Default()
	r.MinimumSum = 10_000
	r.Tiers = []rules.Tier{{From: 20_000, Percent: 10}}
	r.Delivery = nil
	return r
}

// openMarch is a log with products 1 in Лицо and 2 in Дом, and the default rules.
func openMarch(t *testing.T) *past {
	p := openPast(t)
	p.given(rules.Stream, rules.Changed{Version: 1, Rules: rules.Default(), At: noon})
	for n, name := range map[byte]string{11: "Лицо", 12: "Дом"} {
		p.given(catalog.CategoryStream(id(n)), catalog.CategoryAdded{ID: id(n), Category: catalog.Category{Name: "?"}, At: noon},
			catalog.CategoryChanged{Category: catalog.Category{Name: name}, At: noon})
		p.given(catalog.ProductStream(id(n-10)), catalog.ProductAdded{ID: id(n - 10), CategoryID: id(11), At: noon},
			catalog.ProductMoved{CategoryID: id(n), At: noon})
	}
	return p
}

func TestHistoryUnderOtherRules(t *testing.T) {
	t.Parallel()
	p := openMarch(t)
	april := noon.AddDate(0, 1, 0)
	account := func(n byte, at time.Time) func(*order.Placed) {
		return func(o *order.Placed) { o.CustomerID, o.At = id(n), at }
	}
	p.placed(card(line(1, 1, 8_000)), account(31, noon))                      // 8 000 + 1 900; below the new minimum
	p.placed(card(line(1, 1, 9_000), line(2, 1, 12_001)), account(31, april)) // 21 001, free delivery; 10 % now
	p.placed(inCity("г. Алма-Ата", card(line(2, 4, 10_000))))                 // 40 000, 5 %; 10 % now
	p.placed(inCash(card(line(2, 1, 10_000))))                                // no cash without delivery

	got := p.tried(stricter())
	want := replay.Row{
		Was:          replay.Figures{Orders: 4, Goods: 79_001, Discounts: 2_000, Delivery: 3_800, Revenue: 80_801, Average: 20_200},
		Would:        replay.Figures{Orders: 2, Goods: 61_001, Discounts: 6_100, Revenue: 54_901, Average: 27_450},
		Change:       replay.Figures{Orders: -2, Goods: -18_000, Discounts: 4_100, Delivery: -3_800, Revenue: -25_900, Average: 7_250},
		BelowMinimum: 1, NoCash: 1, Lost: 21_800, TierUp: 2,
	}
	if got.Total != want {
		t.Errorf("got  %+v\nwant %+v", got.Total, want)
	}
	for name, c := range map[string]struct {
		rows []replay.Row
		want string
	}{
		"months":     {got.ByMonth, "2026-03 3 59800 36000; 2026-04 1 21001 18901; "},
		"categories": {got.ByCategory, "Дом 3 60001 46801; Лицо 2 17000 8100; "},
		"cities":     {got.ByCity, "Алматы 4 80801 54901; "},
		"customers":  {got.ByCustomer, "new 1 9900 0; returning 1 21001 18901; guest 2 49900 36000; "},
	} {
		if text := rowsText(c.rows); text != c.want {
			t.Errorf("%s: got %s, want %s", name, text, c.want)
		}
	}
	var fields []string
	for _, c := range got.Changes {
		fields = append(fields, c.Field)
	}
	if len(fields) != 6 || fields[0] != "delivery" {
		t.Errorf("changes: %v", fields)
	}
	again, err := p.history().Try(t.Context(), stricter(), nil)
	if err != nil || again.ID != got.ID || again.Total != got.Total {
		t.Errorf("again: %v, %v", again, err)
	}
}

func TestBasketsLeftBehindUnderOtherRules(t *testing.T) {
	t.Parallel()
	p := openMarch(t)
	priced := func(n byte, in pricing.Input, reason string) {
		c := pricing.Calculate(in)
		if reason != "" {
			c.CanCreateOrder, c.Reason = false, reason
		}
		q := basket.Question{City: in.City, DeliveryType: in.DeliveryType, PaymentMethod: in.PaymentMethod}
		p.given(basket.Stream(id(n)), basket.Priced{BasketID: id(n), Question: q, Calculation: c, At: noon})
	}
	priced(41, card(line(1, 1, 50_000)), "")
	priced(41, card(line(1, 1, 5_000)), "") // as it was last priced
	priced(42, card(line(1, 1, 30_000)), pricing.ReasonOutOfStock)
	priced(43, card(line(1, 1, 30_000)), "")
	p.given(basket.Stream(id(43)), basket.CheckedOut{BasketID: id(43), OrderID: id(51), At: noon})
	priced(44, card(line(1, 1, 8_000)), "")

	looser := rules.Default()
	looser.MinimumSum = 3_000
	want := replay.Baskets{Baskets: 3, Unavailable: 1, Could: 1, CouldSum: 8_000, Would: 2, WouldSum: 13_000}
	if got := p.tried(looser).Baskets; got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestUnderTheRulesOfTheirDayNothingChanges draws orders and rules: what is kept of an order is enough to price it as
// Calculate does.
func TestUnderTheRulesOfTheirDayNothingChanges(t *testing.T) {
	t.Parallel()
	p := openMarch(t)
	terms := []promocode.Terms{{Kind: promocode.Percent, Value: 12, MinSum: 9_000}, {Kind: promocode.Fixed, Value: 3_333}}
	p.given(promocode.Stream("A"), promocode.Issued{Code: "A", Terms: terms[0], At: noon})
	p.given(promocode.Stream("B"), promocode.Issued{Code: "B", Terms: terms[1], At: noon})
	tried := stricter()
	tried.Delivery = []rules.CityDelivery{{City: "Астана", Price: 777, FreeFrom: 40_000}}
	tried.BonusSpendPercent = 7
	var want, lost replay.Figures
	rapid.Check(t, func(rt *rapid.T) {
		if p.next > 100_150 {
			return // enough orders
		}
		in := card(line(1, rapid.Int64Range(1, 9).Draw(rt, "pieces"), rapid.Int64Range(1, 20_000).Draw(rt, "price")),
			line(2, rapid.Int64Range(1, 3).Draw(rt, "more"), rapid.Int64Range(1, 20_000).Draw(rt, "other price")))
		in.City = rapid.SampledFrom([]string{"", "Алматы", "Астана", "г. Астана", "Тараз"}).Draw(rt, "city")
		in.DeliveryType = rapid.SampledFrom([]domain.DeliveryType{domain.Delivery, domain.Pickup}).Draw(rt, "delivery")
		in.PaymentMethod = rapid.SampledFrom([]domain.PaymentMethod{domain.Card, domain.Cash}).Draw(rt, "payment")
		in.BonusBalance, in.SpendBonus = rapid.Int64Range(0, 5_000).Draw(rt, "balance"), -1
		if i := rapid.IntRange(-1, 1).Draw(rt, "code"); i >= 0 {
			in.Promocode = &pricing.Code{Code: string(rune('A' + i)), Terms: terms[i]}
		}
		if pricing.Calculate(in).PromocodeError != "" {
			in.Promocode = nil // no order is placed with a code that brings nothing
		}
		was := p.placed(in).Calculation
		if was.PromocodeApplied == "" {
			in.Promocode = nil // the order does not tell of a code that lost
		}
		in.Rules, in.BonusBalance, in.SpendBonus = tried, was.BonusSpent, was.BonusSpent
		switch is := pricing.Calculate(in); is.Reason {
		case "":
			want.Orders++
			want.Goods += is.TotalSum
			want.Discounts += is.TotalSum - is.DiscountedSum
			want.Bonuses += is.BonusSpent
			want.Delivery += is.DeliveryPrice
			want.Revenue += is.TotalPaid
		default:
			lost.Orders++
			lost.Revenue += was.TotalPaid
		}
	})
	want.Average = want.Revenue / want.Orders
	got := p.tried(tried)
	if got.Total.Would != want || got.Total.Lost != lost.Revenue || got.Total.BelowMinimum+got.Total.NoCash != lost.Orders {
		t.Errorf("got  %+v\nwant %+v, lost %+v", got.Total, want, lost)
	}
	for name, rows := range map[string][]replay.Row{"month": got.ByMonth, "city": got.ByCity, "customer": got.ByCustomer, "category": got.ByCategory} {
		var was, would domain.Money
		for _, r := range rows {
			was += r.Was.Goods - r.Was.Discounts
			would += r.Would.Goods - r.Would.Discounts
		}
		if was != got.Total.Was.Goods-got.Total.Was.Discounts || would != want.Goods-want.Discounts {
			t.Errorf("by %s: was %d, would be %d, want %d and %d", name, was, would, got.Total.Was.Goods-got.Total.Was.Discounts, want.Goods-want.Discounts)
		}
	}
	if proof := p.proof(0); proof.Different != 0 || proof.Orders == 0 {
		t.Errorf("%d of %d orders come out otherwise", proof.Different, proof.Orders)
	}
}

func TestTryRefusesAndStops(t *testing.T) {
	t.Parallel()
	p := openMarch(t)
	p.placed(card(line(1, 1, 8_000)))
	bad := rules.Default()
	bad.MinimumSum = -1
	if _, err := p.history().Try(t.Context(), bad, nil); !errors.Is(err, rules.ErrSum) {
		t.Errorf("got %v", err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := p.history().Try(stopped, rules.Default(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	reading, stop := context.WithCancel(t.Context())
	_, err := replay.Read(reading, p.store, 0, func(float64) { stop() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestReadingOnIsReadingAnew: a history that was read when the log was shorter, and in pieces, comes to the same report.
func TestReadingOnIsReadingAnew(t *testing.T) {
	t.Parallel()
	p := openMarch(t)
	p.leaves(41, card(line(1, 1, 50_000)), noon)
	p.leaves(42, card(line(1, 1, 60_000)), noon)
	p.placed(card(line(1, 1, 8_000)), func(o *order.Placed) { o.CustomerID = id(31) })
	h := p.history()
	before, err := h.Try(t.Context(), stricter(), nil)
	if err != nil {
		t.Fatal(err)
	}

	p.given(basket.Stream(id(41)), basket.CheckedOut{BasketID: id(41), OrderID: id(51), At: noon})
	p.leaves(43, card(line(2, 1, 70_000)), noon) // takes the row of 41
	p.leaves(42, card(line(2, 1, 9_000)), noon)
	p.placed(card(line(2, 1, 30_000)), func(o *order.Placed) { o.CustomerID = id(31) })
	p.interrupted(h, h.Position+1)
	p.interrupted(h, 0)
	if _, err := h.Try(t.Context(), stricter(), nil); err == nil {
		t.Error("baskets that were not read were priced")
	}
	p.readOn(h)
	got, err := h.Try(t.Context(), stricter(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := p.tried(stricter()); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got.Baskets.Baskets != 2 || got.Total.Was.Orders != before.Total.Was.Orders+1 {
		t.Errorf("got %+v", got)
	}
}

// TestTheFirstMonthIsThatOfTheFirstBasket, also of one that was priced again and ordered.
func TestTheFirstMonthIsThatOfTheFirstBasket(t *testing.T) {
	t.Parallel()
	p := openMarch(t)
	january, february := noon.AddDate(0, -2, 0), noon.AddDate(0, -1, 0)
	p.leaves(41, card(line(1, 1, 50_000)), february)
	h := p.history()
	p.leaves(41, card(line(1, 1, 60_000)), noon)
	p.given(basket.Stream(id(41)), basket.CheckedOut{BasketID: id(41), OrderID: id(51), At: noon})
	p.placed(card(line(1, 1, 8_000)), func(o *order.Placed) { o.At = january })
	p.placed(card(line(1, 1, 9_000)))
	p.readOn(h)
	for name, h := range map[string]*replay.History{"in one go": p.history(), "in two": h} {
		report, err := h.Try(t.Context(), rules.Default(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := rowsText(report.ByMonth); got != "2026-02 1 9900 9900; 2026-03 1 10900 10900; " {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

// leaves prices a basket.
func (p *past) leaves(n byte, in pricing.Input, at time.Time) {
	q := basket.Question{City: in.City, DeliveryType: in.DeliveryType, PaymentMethod: in.PaymentMethod}
	if in.Promocode != nil {
		q.Promocode = in.Promocode.Code
	}
	p.given(basket.Stream(id(n)), basket.Priced{BasketID: id(n), Question: q, Calculation: pricing.Calculate(in), At: at})
}

func (p *past) readOn(h *replay.History) {
	p.t.Helper()
	if err := h.ReadOn(p.t.Context(), p.store, 0, unseen); err != nil {
		p.t.Fatal(err)
	}
}

// interrupted reads on and is stopped before the prices of baskets are read.
func (p *past) interrupted(h *replay.History, upTo eventstore.Position) {
	p.t.Helper()
	stopped, stop := context.WithCancel(p.t.Context())
	if err := h.ReadOn(stopped, p.store, upTo, func(float64) { stop() }); !errors.Is(err, context.Canceled) {
		p.t.Fatalf("got %v", err)
	}
}

// TestProgressTellsOfAllReading: neither the log nor the prices of baskets left behind are done before they are, and no
// lot of pricing is told before it is priced.
func TestProgressTellsOfAllReading(t *testing.T) {
	t.Parallel()
	p := openMarch(t)
	for n := range byte(5) {
		p.leaves(41+n, card(line(1, 1, 50_000)), noon)
	}
	p.placed(card(line(1, 1, 8_000)))
	var told []float64
	h, err := replay.Read(t.Context(), p.store, 0, func(share float64) { told = append(told, share) })
	if err != nil {
		t.Fatal(err)
	}
	if len(told) < 3 || told[len(told)-1] != 1 || !slices.IsSorted(told) {
		t.Errorf("told %v", told)
	}
	if before := told[:len(told)-2]; slices.Max(before) >= .9 {
		t.Errorf("told %v before the prices of baskets were read", before)
	}
	p.leaves(51, card(line(1, 1, 50_000)), noon)
	told = nil
	if err := h.ReadOn(t.Context(), p.store, 0, func(share float64) { told = append(told, share) }); err != nil {
		t.Fatal(err)
	}
	if len(told) < 3 || told[0] >= .9 || told[len(told)-1] != 1 || !slices.IsSorted(told) {
		t.Errorf("reading on told %v", told)
	}
	var priced atomic.Int64
	if _, err := h.Try(t.Context(), stricter(), func(rows int) { priced.Add(int64(rows)) }); err != nil || priced.Load() != 7 {
		t.Errorf("%d orders and baskets priced, %v", priced.Load(), err)
	}
}

func rowsText(rows []replay.Row) string {
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "%s %d %d %d; ", r.Name, r.Was.Orders, r.Was.Revenue, r.Would.Revenue)
	}
	return b.String()
}

func inCity(city string, in pricing.Input) pricing.Input {
	in.City = city
	return in
}

func inCash(in pricing.Input) pricing.Input {
	in.PaymentMethod = domain.Cash
	return in
}

// TestHowALogIsReadDoesNotMatter draws baskets that are priced, priced again with promo codes whose terms change, and
// ordered: in one go, position by position and interrupted, the history is the one the last pricings tell of.
func TestHowALogIsReadDoesNotMatter(t *testing.T) {
	t.Parallel()
	p := openMarch(t)
	draw := rand.New(rand.NewPCG(5, 6))
	steps, stopped := p.history(), p.history()
	left, terms := map[byte]pricing.Input{}, map[string]promocode.Terms{}
	for n := range 120 {
		switch basketID := byte(41 + draw.IntN(9)); draw.IntN(8) {
		case 0:
			code := string(rune('A' + draw.IntN(2)))
			terms[code] = promocode.Terms{Kind: promocode.Percent, Value: 11 + draw.Int64N(40)}
			p.given(promocode.Stream(code), promocode.Issued{Code: code, Terms: terms[code], At: noon})
		case 1:
			p.given(basket.Stream(id(basketID)), basket.CheckedOut{BasketID: id(basketID), OrderID: id(51), At: noon})
			delete(left, basketID)
		case 2:
			p.placed(card(line(1, 1, 8_000)))
		default:
			in := card(line(1, 1, 1_000*(1+draw.Int64N(60))))
			if of, known := terms["A"]; known && draw.IntN(2) == 0 {
				in.Promocode = &pricing.Code{Code: "A", Terms: of}
			}
			p.leaves(basketID, in, noon)
			left[basketID] = in
		}
		p.readOn(steps)
		if n%20 == 19 {
			p.interrupted(stopped, 0)
		}
	}
	p.readOn(stopped)
	tried := stricter()
	could := replay.Baskets{Baskets: int64(len(left))}
	for _, in := range left {
		if c := pricing.Calculate(in); c.Reason == "" {
			could.Could++
			could.CouldSum += c.DiscountedSum
		}
		in.Rules = tried
		if c := pricing.Calculate(in); c.Reason == "" {
			could.Would++
			could.WouldSum += c.DiscountedSum
		}
	}
	want := p.tried(tried)
	if want.Baskets != could || could.Would == 0 {
		t.Errorf("got %+v, want %+v", want.Baskets, could)
	}
	for name, h := range map[string]*replay.History{"step by step": steps, "interrupted": stopped} {
		got, err := h.Try(t.Context(), tried, nil)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v\nwant %+v", name, got, err, want)
		}
	}
}
