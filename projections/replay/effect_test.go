package replay_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/change"
	"shop/domain/order"
	"shop/domain/pricing"
	"shop/domain/promocode"
	"shop/domain/rules"
	"shop/projections/replay"
)

func item(thing, id, field string, was, now any) change.Item {
	before, _ := json.Marshal(was)
	after, _ := json.Marshal(now)
	return change.Item{Thing: thing, ID: id, Field: field, Was: before, Now: after}
}

func priceItem(n byte, was, now int64) change.Item {
	return item("product", id(n).String(), "prices", map[string]int64{"price": was, "discounted_price": was}, map[string]int64{"price": was, "discounted_price": now})
}

func (p *past) effect(items ...change.Item) change.Effect {
	p.t.Helper()
	e, err := replay.NewEffects(p.store).Measure(p.t.Context(), items, 30, noon.Add(time.Hour))
	if err != nil {
		p.t.Fatal(err)
	}
	return e
}

func TestEffectOfASale(t *testing.T) {
	t.Parallel()
	p := openMarch(t)
	p.given(catalog.ProductStream(id(1)), catalog.ProductCosted{ID: id(1), Cost: 4_000, At: noon})
	p.placed(card(line(1, 2, 9_000)))                    // 18 000, free delivery; 14 400 with the sale, delivery 1 900
	p.placed(card(line(1, 1, 8_500), line(2, 1, 1_000))) // 10 000 at today's price; 8 200 with the sale
	p.placed(card(line(1, 1, 7_000)))                    // 9 000 at today's price; 7 200 with the sale
	p.placed(card(line(2, 4, 10_000)))                   // nothing of the sale, 5 % off
	p.placed(card(line(1, 5, 9_000)), func(o *order.Placed) { o.At = noon.AddDate(0, 0, -31) })
	p.placed(card(line(1, 5, 9_000)), func(o *order.Placed) { o.At = noon.Add(2 * time.Hour) })

	e := p.effect(priceItem(1, 9_000, 7_200))
	was := change.Figures{
		Orders: 4, Goods: 77_000, Discounts: 2_000, Delivery: 3_800, Revenue: 78_800, Average: 19_700, FreeDelivery: 2, InTier: 1,
		Costed: 36_000, Cost: 16_000, Margin: 20_000,
	}
	would := change.Figures{
		Orders: 4, Goods: 69_800, ProductDiscounts: 7_200, Discounts: 2_000, Delivery: 5_700, Revenue: 73_500, Average: 18_375, FreeDelivery: 1, InTier: 1,
		Costed: 28_800, Cost: 16_000, Margin: 12_800,
	}
	if e.Was != was || e.Would != would || e.Orders != 4 || e.Touched != 3 || e.Days != 30 {
		t.Errorf("got  %+v\nwant %+v\n     %+v", e, was, would)
	}
	if e.Position == 0 || len(e.Assumptions) == 0 || e.WithoutCosts().Would.Margin != 0 {
		t.Errorf("got %+v", e)
	}
	if e := p.effect(priceItem(1, 9_000, 5_000)); e.Would.BelowMinimum != 2 || e.Would.Orders != 2 {
		t.Errorf("below the minimum: %+v", e.Would)
	}
}

// TestEffectOfRulesAndPromocodes: rules, and the terms of a code, make the same difference as they would have made.
func TestEffectOfRulesAndPromocodes(t *testing.T) {
	t.Parallel()
	p := openMarch(t)
	ten := promocode.Terms{Kind: promocode.Percent, Value: 10}
	p.given(promocode.Stream("TEN"), promocode.Issued{Code: "TEN", Terms: ten, At: noon})
	in := card(line(1, 1, 20_000))
	in.Promocode = &pricing.Code{Code: "TEN", Terms: ten}
	p.placed(in)
	p.placed(card(line(1, 1, 8_000)))

	r := rules.Default()
	if e := p.effect(item("rules", "rules", "minimum_sum", r.MinimumSum, 9_000)); e.Would.BelowMinimum != 1 || e.Touched != 1 || e.Was.Orders != 2 {
		t.Errorf("a higher minimum: %+v", e)
	}
	if e := p.effect(item("rules", "rules", "tiers", r.Tiers, []rules.Tier{{From: 10_000, Percent: 20}})); e.Would.InTier != 1 || e.Would.Discounts != 4_000 || e.Was.Discounts != 2_000 {
		t.Errorf("another tier: %+v", e)
	}
	if e := p.effect(item("promocode", "TEN", "terms", ten, nil)); e.Was.Discounts != 2_000 || e.Would.Discounts != 0 || e.Touched != 1 {
		t.Errorf("without the code: %+v", e)
	}
	effects := replay.NewEffects(p.store)
	if _, err := effects.Measure(t.Context(), []change.Item{item("product", id(1).String(), "name", "a", "b")}, 30, noon); !errors.Is(err, change.ErrNoEffect) {
		t.Errorf("a name: %v", err)
	}
	if _, err := effects.Measure(t.Context(), []change.Item{priceItem(1, 1, 2)}, 31, noon); !errors.Is(err, change.ErrDays) {
		t.Errorf("31 days: %v", err)
	}
	if _, err := effects.Measure(t.Context(), []change.Item{item("rules", "rules", "minimum_sum", 1, -5)}, 30, noon); err == nil {
		t.Error("rules that no shop can have were tried")
	}
}

// TestALineWithAPriceByHandKeepsIt: a sale does not change what staff agreed on.
func TestALineWithAPriceByHandKeepsIt(t *testing.T) {
	t.Parallel()
	p := openMarch(t)
	o := p.placed(card(line(1, 1, 9_000)))
	c := pricing.Calculate(card(line(1, 2, 8_000)))
	p.given(order.Stream(o.ID), order.LinesChanged{
		Number: o.Number, City: o.City, DeliveryType: o.DeliveryType, PaymentMethod: o.PaymentMethod, Calculation: c, PlacedAt: o.At, At: noon,
		ByHand: []order.HandPrice{{ProductID: id(1), Price: 8_000}},
	})
	if e := p.effect(priceItem(1, 9_000, 7_000)); e.Touched != 0 || e.Was.Goods != 16_000 || e.Was != e.Would {
		t.Errorf("got %+v", e)
	}
}

// TestEffectIsWhatPricingSays draws orders and a change: a change of nothing has no effect at all, and any other has the one that comes
// out when each order is priced alone.
func TestEffectIsWhatPricingSays(t *testing.T) {
	t.Parallel()
	p := openMarch(t)
	codes := map[string]promocode.Terms{"A": {Kind: promocode.Percent, Value: 12, MinSum: 9_000}, "B": {Kind: promocode.Fixed, Value: 3_333}}
	for code, t := range codes {
		p.given(promocode.Stream(code), promocode.Issued{Code: code, Terms: t, At: noon})
	}
	p.given(catalog.ProductStream(id(2)), catalog.ProductCosted{ID: id(2), Cost: 700, At: noon})
	var orders []pricing.Input
	rapid.Check(t, func(rt *rapid.T) {
		if len(orders) > 150 {
			return
		}
		in := card(line(1, rapid.Int64Range(1, 9).Draw(rt, "pieces"), rapid.Int64Range(1, 20_000).Draw(rt, "price")),
			line(2, rapid.Int64Range(1, 3).Draw(rt, "more"), rapid.Int64Range(1, 20_000).Draw(rt, "other price")))
		in.City = rapid.SampledFrom([]string{"", "Алматы", "Астана", "г. Астана"}).Draw(rt, "city")
		in.DeliveryType = rapid.SampledFrom([]domain.DeliveryType{domain.Delivery, domain.Pickup}).Draw(rt, "delivery")
		in.PaymentMethod = rapid.SampledFrom([]domain.PaymentMethod{domain.Card, domain.Cash}).Draw(rt, "payment")
		in.BonusBalance, in.SpendBonus = rapid.Int64Range(0, 5_000).Draw(rt, "balance"), -1
		in.Manual.Percent = rapid.SampledFrom([]int64{0, 0, 7}).Draw(rt, "by hand")
		if code := rapid.SampledFrom([]string{"", "A", "B"}).Draw(rt, "code"); code != "" {
			in.Promocode = &pricing.Code{Code: code, Terms: codes[code]}
		}
		if c := pricing.Calculate(in); c.PromocodeApplied == "" {
			in.Promocode = nil
		}
		was := p.placed(in).Calculation
		in.BonusBalance, in.SpendBonus, in.Manual = was.BonusSpent, was.BonusSpent, was.Manual
		orders = append(orders, in)
	})
	present := rules.Default()
	for name, c := range map[string]struct {
		items []change.Item
		was   func(*pricing.Input)
		would func(*pricing.Input)
	}{
		"prices": {[]change.Item{priceItem(2, 8_000, 6_400)}, priceOf(8_000), priceOf(6_400)},
		"prices and rules": {
			[]change.Item{priceItem(2, 8_000, 9_900), item("rules", "rules", "minimum_sum", present.MinimumSum, 20_000), item("rules", "rules", "bonus_spend_percent", present.BonusSpendPercent, 5)},
			priceOf(8_000), func(in *pricing.Input) {
				priceOf(9_900)(in)
				in.Rules.MinimumSum, in.Rules.BonusSpendPercent = 20_000, 5
			},
		},
		"a code": {
			[]change.Item{item("promocode", "A", "terms", codes["A"], promocode.Terms{Kind: promocode.Percent, Value: 30})}, func(*pricing.Input) {},
			func(in *pricing.Input) {
				if in.Promocode != nil && in.Promocode.Code == "A" {
					in.Promocode = &pricing.Code{Code: "A", Terms: promocode.Terms{Kind: promocode.Percent, Value: 30}}
				}
			},
		},
	} {
		e := p.effect(c.items...)
		if was, would := added(orders, c.was), added(orders, c.would); e.Was != was || e.Would != would {
			t.Errorf("%s\ngot  %+v\n     %+v\nwant %+v\n     %+v", name, e.Was, e.Would, was, would)
		}
		still := make([]change.Item, len(c.items))
		for i, item := range c.items {
			item.Now = item.Was
			still[i] = item
		}
		if e := p.effect(still...); e.Touched != 0 || e.Was != e.Would {
			t.Errorf("%s that stay: %d touched, %+v, %+v", name, e.Touched, e.Was, e.Would)
		}
	}
}

// priceOf gives product 2 a price to pay in an order.
func priceOf(price domain.Money) func(*pricing.Input) {
	return func(in *pricing.Input) { in.Lines[1].Price, in.Lines[1].DiscountedPrice = 8_000, price }
}

// added are the sums of orders as pricing calculates each.
func added(orders []pricing.Input, with func(*pricing.Input)) (f change.Figures) {
	for _, in := range orders {
		in.Lines = append([]pricing.Line{}, in.Lines...)
		with(&in)
		c := pricing.Calculate(in)
		switch c.Reason {
		case pricing.ReasonBelowMinimum:
			f.BelowMinimum++
			continue
		case pricing.ReasonCashUnavailable:
			f.NoCash++
			continue
		}
		f.Orders++
		f.Goods += c.TotalSum
		f.Discounts += c.TotalSum - c.DiscountedSum
		f.Bonuses += c.BonusSpent
		f.Delivery += c.DeliveryPrice
		if in.Rules.TierFor(c.TotalSum).Percent > 0 {
			f.InTier++
		}
		if in.DeliveryType != domain.Pickup && c.IsDeliveryCalculated && c.DeliveryPrice == 0 {
			f.FreeDelivery++
		}
		if l := in.Lines[1]; l.Price == 8_000 && l.DiscountedPrice < l.Price {
			f.ProductDiscounts += (l.Price - l.DiscountedPrice) * l.Amount
		}
		f.Costed += c.Lines[1].Total
		f.Cost += 700 * c.Lines[1].Amount
	}
	f.Close()
	return f
}
