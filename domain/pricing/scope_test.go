package pricing_test

import (
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"shop/domain"
	"shop/domain/pricing"
	"shop/domain/promocode"
	"shop/domain/rules"
)

var ofBrand = domain.Scope{Brands: []domain.ID{{15: 1}}}

// scoped is a basket of three lines, two of which are in the scope of the code.
func scoped(terms promocode.Terms) pricing.Input {
	line := func(n byte, price domain.Money, inScope bool) pricing.Line {
		return pricing.Line{ProductID: uuid.UUID{15: n}, Amount: 1, Price: price, DiscountedPrice: price, InScope: inScope}
	}
	terms.Scope = ofBrand
	return pricing.Input{
		Lines: []pricing.Line{line(1, 4_001, true), line(2, 6_000, true), line(3, 10_000, false)},
		Rules: rules.Default(), RulesVersion: 1, DeliveryType: domain.Pickup, Promocode: &pricing.Code{Code: "brand", Terms: terms},
	}
}

func TestACodeTakesItsDiscountOffTheGoodsInItsScope(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		terms     promocode.Terms
		off       [3]domain.Money
		percent   int64
		label     string
		noteStart string
	}{
		"percent": {promocode.Terms{Kind: promocode.Percent, Value: 10}, [3]domain.Money{400, 600, 0}, 0, "Промокод BRAND: 10\u00a0% на 2\u00a0товара", ""},
		"sum":     {promocode.Terms{Kind: promocode.Fixed, Value: 1_000}, [3]domain.Money{400, 600, 0}, 0, "Промокод BRAND: на 2\u00a0товара", ""},
		"all":     {promocode.Terms{Kind: promocode.Fixed, Value: 90_000}, [3]domain.Money{4_001, 6_000, 0}, 0, "Промокод BRAND: на 2\u00a0товара", ""},
		"cut": {promocode.Terms{Kind: promocode.Percent, Value: 50, MaxDiscount: 500}, [3]domain.Money{200, 300, 0}, 0,
			"Промокод BRAND: 50\u00a0% на 2\u00a0товара", "Не больше 500\u00a0₸ по этому промокоду"},
		"whole order": {promocode.Terms{Kind: promocode.Percent, Value: 10, MinSum: 20_001}, [3]domain.Money{400, 600, 0}, 0, "Промокод BRAND: 10\u00a0% на 2\u00a0товара", ""},
	} {
		got := pricing.Calculate(scoped(c.terms))
		for i, off := range c.off {
			if got.Lines[i].OrderDiscount != off {
				t.Errorf("%s: line %d gets %d off, want %d", name, i, got.Lines[i].OrderDiscount, off)
			}
		}
		step := got.Explanation[1]
		if got.OrderDiscount != c.percent || got.ScopedSum != 10_001 || got.PromocodeApplied != "BRAND" || step.Label != c.label || step.Note != c.noteStart {
			t.Errorf("%s: %+v, step %q, %q", name, got, step.Label, step.Note)
		}
	}
}

func TestACodeForOtherGoodsSaysSo(t *testing.T) {
	t.Parallel()
	in := scoped(promocode.Terms{Kind: promocode.Percent, Value: 10})
	in.Lines = in.Lines[2:]
	if got := pricing.Calculate(in); got.PromocodeError != "Промокод действует на другие товары" || got.DiscountedSum != 10_000 {
		t.Errorf("%+v", got)
	}
}

// The discount of the whole order competes with that of the code on its part: the one that takes more tenge off wins, alone.
func TestATierCompetesWithACodeByWhatBothTakeOff(t *testing.T) {
	t.Parallel()
	in := scoped(promocode.Terms{Kind: promocode.Percent, Value: 10})
	in.Lines[2].Price, in.Lines[2].DiscountedPrice = 24_000, 24_000 // 34 001 in all: the tier takes off 5 %
	got := pricing.Calculate(in)
	if got.PromocodeApplied != "" || got.TotalSum-got.DiscountedSum != 1_700 || got.OrderDiscount != 5 {
		t.Errorf("%+v", got)
	}
	if note := got.Explanation[1].Note; note != "Промокод BRAND дал бы 10\u00a0% (−1\u00a0000\u00a0₸) на 2\u00a0товара, скидка за сумму заказа выгоднее" {
		t.Errorf("note %q", note)
	}
	in.Promocode.Terms.Value = 20
	if got := pricing.Calculate(in); got.PromocodeApplied != "BRAND" || got.TotalSum-got.DiscountedSum != 2_000 || got.Lines[2].OrderDiscount != 0 {
		t.Errorf("%+v", got)
	}
}

// A code for some goods never takes off more than the same code for all, and no more than these goods cost.
func TestACodeForSomeGoodsTakesNoMoreOff(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := input().Draw(t, "input")
		if in.Promocode == nil {
			return
		}
		in.Manual, in.Rules.Tiers = domain.Manual{}, nil
		in.Promocode.Terms.Scope = ofBrand
		part := pricing.Calculate(in)
		whole := in
		code := *in.Promocode
		code.Terms.Scope = domain.Scope{}
		whole.Promocode = &code
		all := pricing.Calculate(whole)
		off := part.TotalSum - part.DiscountedSum
		if off > all.TotalSum-all.DiscountedSum || off > part.ScopedSum {
			t.Fatalf("takes %d off %d, for all %d", off, part.ScopedSum, all.TotalSum-all.DiscountedSum)
		}
		var sum domain.Money
		for _, l := range part.Lines {
			sum += l.OrderDiscount
			if l.Total < 0 || l.OrderDiscount > 0 && !l.InScope {
				t.Fatalf("line %+v", l)
			}
		}
		if sum != off {
			t.Fatalf("shares add up to %d of %d", sum, off)
		}
	})
}
