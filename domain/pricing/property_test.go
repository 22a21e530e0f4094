package pricing_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"shop/domain"
	"shop/domain/pricing"
	"shop/domain/promocode"
	"shop/domain/rules"
)

// money draws ordinary prices, sums near the shop's bounds, and nonsense.
func money() *rapid.Generator[domain.Money] {
	return rapid.OneOf(
		rapid.Int64Range(1, 60_000),
		rapid.SampledFrom([]domain.Money{0, 6_999, 7_000, 14_999, 15_000, 29_999, 30_000, 49_999, 50_000, 99_999, 100_000}),
		rapid.SampledFrom([]domain.Money{-1, math.MinInt64, math.MaxInt64, domain.MaxPrice}),
	)
}

func lines() *rapid.Generator[[]pricing.Line] {
	line := rapid.Custom(func(t *rapid.T) pricing.Line {
		id := uuid.UUID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id"))
		price := money().Draw(t, "price")
		discounted := price
		if rapid.Bool().Draw(t, "reduced") {
			discounted = money().Draw(t, "discounted")
		}
		amount := rapid.OneOf(rapid.Int64Range(1, 99), rapid.SampledFrom([]int64{0, -5, math.MaxInt64})).Draw(t, "amount")
		return pricing.Line{ProductID: id, Amount: amount, Price: price, DiscountedPrice: discounted}
	})
	return rapid.SliceOfNDistinct(line, 0, 8, func(l pricing.Line) domain.ID { return l.ProductID })
}

func input() *rapid.Generator[pricing.Input] {
	return rapid.Custom(func(t *rapid.T) pricing.Input {
		in := pricing.Input{
			Lines:         lines().Draw(t, "lines"),
			Rules:         shopRules().Draw(t, "rules"),
			RulesVersion:  rapid.Int64Range(1, 9).Draw(t, "version"),
			City:          rapid.SampledFrom([]string{"", "Алматы", "г. Алма-Ата", "Астана"}).Draw(t, "city"),
			DeliveryType:  rapid.SampledFrom([]domain.DeliveryType{domain.Delivery, domain.Pickup}).Draw(t, "delivery"),
			PaymentMethod: rapid.SampledFrom([]domain.PaymentMethod{"", domain.Card, domain.KaspiBill, domain.Cash}).Draw(t, "payment"),
			BonusBalance:  money().Draw(t, "balance"),
			SpendBonus:    rapid.OneOf(rapid.Just(int64(-1)), rapid.Just(int64(0)), money()).Draw(t, "spend"),
			Manual:        domain.Manual{Percent: rapid.SampledFrom([]int64{0, 0, 1, 7, 30, 100, -4, math.MaxInt64}).Draw(t, "by hand"), Reason: "regular"},
		}
		if rapid.Bool().Draw(t, "has code") {
			terms := promocode.Terms{Kind: promocode.Percent, Value: rapid.Int64Range(1, 100).Draw(t, "percent")}
			if rapid.Bool().Draw(t, "fixed") {
				terms = promocode.Terms{Kind: promocode.Fixed, Value: rapid.Int64Range(1, 200_000).Draw(t, "sum")}
			}
			terms.MinSum = rapid.SampledFrom([]domain.Money{0, 10_000}).Draw(t, "min sum")
			if terms.Kind == promocode.Percent {
				terms.MaxDiscount = rapid.SampledFrom([]domain.Money{0, 0, 1, 5_000}).Draw(t, "most")
			}
			if rapid.Bool().Draw(t, "scoped") {
				terms.Brands = []domain.ID{{15: 1}}
				for i := range in.Lines {
					in.Lines[i].InScope = rapid.Bool().Draw(t, "in scope")
				}
			}
			in.Promocode = &pricing.Code{
				Code: "CODE", Terms: terms,
				Problem: rapid.SampledFrom([]string{"", "", "Промокод не найден"}).Draw(t, "problem"),
			}
		}
		return in
	})
}

// shopRules draws the default rules, and rules that staff might make of them.
func shopRules() *rapid.Generator[rules.Rules] {
	return rapid.Custom(func(t *rapid.T) rules.Rules {
		r := rules.Default()
		if rapid.Bool().Draw(t, "default") {
			return r
		}
		r.Tiers = nil
		from, percent := domain.Money(-1), int64(0)
		for range rapid.IntRange(0, 4).Draw(t, "tiers") {
			from += rapid.Int64Range(1, 60_000).Draw(t, "from")
			percent += rapid.Int64Range(0, 25).Draw(t, "percent")
			r.Tiers = append(r.Tiers, rules.Tier{From: from, Percent: percent})
		}
		r.BonusSpendPercent = rapid.Int64Range(0, 100).Draw(t, "bonus percent")
		r.Delivery[0].Price = rapid.Int64Range(0, 5_000).Draw(t, "delivery price")
		r.Delivery[0].FreeFrom = rapid.Int64Range(0, 40_000).Draw(t, "free from")
		return r
	})
}

func TestSumsAddUpAndNothingIsNegative(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := input().Draw(t, "input")
		if err := in.Rules.Check(); err != nil {
			t.Fatalf("the test's rules are refused: %v", err)
		}
		c := pricing.Calculate(in)

		var steps domain.Money
		for i, s := range c.Explanation {
			steps += s.Amount
			if steps < 0 {
				t.Fatalf("after step %d the sum is %d", i, steps)
			}
		}
		if steps != c.TotalPaid {
			t.Fatalf("steps add up to %d, total paid is %d", steps, c.TotalPaid)
		}
		if c.PayableNow+c.PayableOnDelivery != c.TotalPaid {
			t.Fatalf("%d now and %d on delivery are not %d", c.PayableNow, c.PayableOnDelivery, c.TotalPaid)
		}
		if c.DiscountedSum-c.BonusSpent+c.DeliveryPrice != c.TotalPaid {
			t.Fatalf("%d − %d + %d is not %d", c.DiscountedSum, c.BonusSpent, c.DeliveryPrice, c.TotalPaid)
		}
		for name, sum := range map[string]domain.Money{
			"list sum": c.ListSum, "total sum": c.TotalSum, "discounted sum": c.DiscountedSum, "bonus": c.BonusSpent,
			"delivery": c.DeliveryPrice, "total paid": c.TotalPaid, "now": c.PayableNow, "on delivery": c.PayableOnDelivery,
			"missing": c.MissingSum,
		} {
			if sum < 0 {
				t.Fatalf("%s is %d", name, sum)
			}
		}
		if c.TotalSum > c.ListSum || c.DiscountedSum > c.TotalSum {
			t.Fatalf("a discount raised a sum: %d, %d, %d", c.ListSum, c.TotalSum, c.DiscountedSum)
		}
		if c.BonusSpent*100 > c.DiscountedSum*in.Rules.BonusSpendPercent || c.BonusSpent > max(0, in.BonusBalance) {
			t.Fatalf("%d bonuses of %d for %d", c.BonusSpent, in.BonusBalance, c.DiscountedSum)
		}

		var lines domain.Money
		for _, l := range c.Lines {
			lines += l.Total
			if l.Total < 0 || l.OrderDiscount < 0 || l.Total != l.DiscountedPrice*l.Amount-l.OrderDiscount {
				t.Fatalf("line %+v does not add up", l)
			}
			// A share is the exact one, rounded up or down; of a code for some goods, lines outside get none.
			scoped := in.Promocode != nil && c.PromocodeApplied != "" && !in.Promocode.Terms.Everything()
			if scoped && !l.InScope && c.Manual.Amount == 0 && l.OrderDiscount != 0 {
				t.Fatalf("line %+v is out of scope", l)
			}
			if exact := float64(c.TotalSum-c.DiscountedSum) * float64(l.DiscountedPrice*l.Amount) / float64(max(1, c.TotalSum)); !scoped && c.TotalSum < 1<<40 &&
				math.Abs(exact-float64(l.OrderDiscount)) >= 1.001 {
				t.Fatalf("share %d is far from %f", l.OrderDiscount, exact)
			}
		}
		if lines != c.DiscountedSum {
			t.Fatalf("lines add up to %d, discounted sum is %d", lines, c.DiscountedSum)
		}
		if c.CanCreateOrder != (c.Reason == "") {
			t.Fatalf("can create %v, reason %q", c.CanCreateOrder, c.Reason)
		}
	})
}

func TestTheSameBasketHasTheSamePrice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := input().Draw(t, "input")
		if a, b := pricing.Calculate(in), pricing.Calculate(in); !reflect.DeepEqual(a, b) {
			t.Fatalf("two answers:\n%+v\n%+v", a, b)
		}
	})
}

func TestTheOrderOfLinesDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := input().Draw(t, "input")
		shuffled := in
		shuffled.Lines = rapid.Permutation(in.Lines).Draw(t, "shuffled")
		a, b := pricing.Calculate(in), pricing.Calculate(shuffled)

		byProduct := map[domain.ID]domain.PricedLine{}
		for _, l := range b.Lines {
			byProduct[l.ProductID] = l
		}
		for i, l := range a.Lines {
			if byProduct[l.ProductID] != l {
				t.Fatalf("line %d: %+v and %+v", i, l, byProduct[l.ProductID])
			}
		}
		a.Lines, b.Lines = nil, nil
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("two answers:\n%+v\n%+v", a, b)
		}
	})
}

func TestMoreGoodsNeverLowerTheListTotal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := input().Draw(t, "input")
		before := pricing.Calculate(in)
		more := in
		more.Lines = append([]pricing.Line(nil), in.Lines...)
		if len(more.Lines) > 0 && rapid.Bool().Draw(t, "one more piece") {
			i := rapid.IntRange(0, len(more.Lines)-1).Draw(t, "of line")
			if more.Lines[i].Amount < math.MaxInt64 {
				more.Lines[i].Amount++
			}
		} else {
			more.Lines = append(more.Lines, lines().Draw(t, "more")...)
		}
		after := pricing.Calculate(more)
		if after.TotalSum < before.TotalSum || after.ListSum < before.ListSum {
			t.Fatalf("total fell from %d to %d, list sum from %d to %d", before.TotalSum, after.TotalSum, before.ListSum, after.ListSum)
		}
	})
}

func TestTheBetterDiscountWins(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := input().Draw(t, "input")
		got := pricing.Calculate(in)
		withoutCode := in
		withoutCode.Promocode = nil
		withoutTiers := in
		withoutTiers.Rules.Tiers = nil
		best := min(pricing.Calculate(withoutCode).DiscountedSum, pricing.Calculate(withoutTiers).DiscountedSum)
		if got.DiscountedSum != best {
			t.Fatalf("pays %d, could pay %d", got.DiscountedSum, best)
		}
	})
}
