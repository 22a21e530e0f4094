package pricing_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/pricing"
	"shop/domain/promocode"
	"shop/domain/rules"
)

// product is a line whose identifier follows from its name.
func product(name string, amount int64, price, discounted domain.Money) pricing.Line {
	return pricing.Line{
		ProductID: uuid.NewSHA1(uuid.NameSpaceOID, []byte(name)), Name: name, Article: name, Link: name,
		Amount: amount, Price: price, DiscountedPrice: discounted,
	}
}

// basket is an order for Алматы, paid by card, under the default rules.
func basket(lines ...pricing.Line) pricing.Input {
	return pricing.Input{
		Lines: lines, Rules: rules.Default(), RulesVersion: 7,
		City: "Алматы", DeliveryType: domain.Delivery, PaymentMethod: domain.Card,
	}
}

func with(in pricing.Input, change func(*pricing.Input)) pricing.Input {
	change(&in)
	return in
}

func percentCode(percent int64) *pricing.Code {
	return &pricing.Code{Code: "welcome10", Terms: promocode.Terms{Kind: promocode.Percent, Value: percent}}
}

func fixedCode(sum, min domain.Money) *pricing.Code {
	return &pricing.Code{Code: " gift ", Terms: promocode.Terms{Kind: promocode.Fixed, Value: sum, MinSum: min}}
}

// TestExplanation pins the texts that shoppers read. Texts are written with plain spaces here and compared with
// the no-break ones in their places.
func TestExplanation(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   pricing.Input
		want []string // code | label | amount | note
	}{
		"small basket pays delivery and hears what is missing": {
			in: basket(product("soap", 2, 5_000, 4_500)),
			want: []string{
				"list_prices | Товары по обычным ценам | 10 000 ₸ |",
				"product_discounts | Скидки на товары | −1 000 ₸ |",
				"delivery | Доставка, Алматы | 1 900 ₸ | Бесплатно от 15 000 ₸, не хватает 6 000 ₸",
			},
		},
		"free delivery": {
			in: basket(product("soap", 3, 5_000, 5_000)),
			want: []string{
				"list_prices | Товары по обычным ценам | 15 000 ₸ |",
				"delivery | Доставка, Алматы | 0 ₸ | Бесплатно от 15 000 ₸",
			},
		},
		"cash: delivery goes to the courier": {
			in: with(basket(product("soap", 2, 5_000, 5_000)), func(in *pricing.Input) { in.PaymentMethod = domain.Cash }),
			want: []string{
				"list_prices | Товары по обычным ценам | 10 000 ₸ |",
				"delivery | Доставка, Алматы | 1 900 ₸ | Оплачивается курьеру. Бесплатно от 15 000 ₸, не хватает 5 000 ₸",
			},
		},
		"pickup": {
			in: with(basket(product("soap", 2, 5_000, 5_000)), func(in *pricing.Input) { in.DeliveryType = domain.Pickup }),
			want: []string{
				"list_prices | Товары по обычным ценам | 10 000 ₸ |",
				"delivery | Самовывоз | 0 ₸ |",
			},
		},
		"another city": {
			in: with(basket(product("soap", 2, 5_000, 5_000)), func(in *pricing.Input) { in.City = "Астана" }),
			want: []string{
				"list_prices | Товары по обычным ценам | 10 000 ₸ |",
				"delivery | Доставка курьерской компанией | 0 ₸ | Рассчитывается отдельно и оплачивается курьеру",
			},
		},
		"no city yet": {
			in: with(basket(product("soap", 2, 5_000, 5_000)), func(in *pricing.Input) { in.City = "" }),
			want: []string{
				"list_prices | Товары по обычным ценам | 10 000 ₸ |",
				"delivery | Доставка | 0 ₸ | Укажите город, чтобы рассчитать доставку",
			},
		},
		"tier alone": {
			in: basket(product("cream", 1, 30_000, 30_000)),
			want: []string{
				"list_prices | Товары по обычным ценам | 30 000 ₸ |",
				"tier_discount | Скидка 5 % за заказ от 30 000 ₸ | −1 500 ₸ |",
				"delivery | Доставка, Алматы | 0 ₸ | Бесплатно от 15 000 ₸",
			},
		},
		"promo code alone": {
			in: with(basket(product("cream", 1, 20_000, 20_000)), func(in *pricing.Input) { in.Promocode = percentCode(10) }),
			want: []string{
				"list_prices | Товары по обычным ценам | 20 000 ₸ |",
				"promocode | Промокод WELCOME10, скидка 10 % | −2 000 ₸ |",
				"delivery | Доставка, Алматы | 0 ₸ | Бесплатно от 15 000 ₸",
			},
		},
		"promo code beats tier": {
			in: with(basket(product("cream", 1, 30_000, 30_000)), func(in *pricing.Input) { in.Promocode = percentCode(10) }),
			want: []string{
				"list_prices | Товары по обычным ценам | 30 000 ₸ |",
				"promocode | Промокод WELCOME10, скидка 10 % | −3 000 ₸ | Скидка за сумму заказа дала бы 5 % (−1 500 ₸), промокод выгоднее",
				"delivery | Доставка, Алматы | 0 ₸ | Бесплатно от 15 000 ₸",
			},
		},
		"tier beats promo code": {
			in: with(basket(product("cream", 1, 100_000, 100_000)), func(in *pricing.Input) { in.Promocode = percentCode(10) }),
			want: []string{
				"list_prices | Товары по обычным ценам | 100 000 ₸ |",
				"tier_discount | Скидка 15 % за заказ от 100 000 ₸ | −15 000 ₸ | Промокод WELCOME10 дал бы 10 % (−10 000 ₸), скидка за сумму заказа выгоднее",
				"delivery | Доставка, Алматы | 0 ₸ | Бесплатно от 15 000 ₸",
			},
		},
		"tier beats fixed code": {
			in: with(basket(product("cream", 1, 50_000, 50_000)), func(in *pricing.Input) { in.Promocode = fixedCode(2_000, 0) }),
			want: []string{
				"list_prices | Товары по обычным ценам | 50 000 ₸ |",
				"tier_discount | Скидка 10 % за заказ от 50 000 ₸ | −5 000 ₸ | Промокод GIFT дал бы −2 000 ₸, скидка за сумму заказа выгоднее",
				"delivery | Доставка, Алматы | 0 ₸ | Бесплатно от 15 000 ₸",
			},
		},
		"a tie leaves the code to the customer": {
			in: with(basket(product("cream", 1, 50_000, 50_000)), func(in *pricing.Input) { in.Promocode = percentCode(10) }),
			want: []string{
				"list_prices | Товары по обычным ценам | 50 000 ₸ |",
				"tier_discount | Скидка 10 % за заказ от 50 000 ₸ | −5 000 ₸ | Промокод WELCOME10 дал бы столько же (−5 000 ₸) и остаётся неиспользованным",
				"delivery | Доставка, Алматы | 0 ₸ | Бесплатно от 15 000 ₸",
			},
		},
		"fixed code takes all, and the delivery is no longer free": {
			in: with(basket(product("cream", 1, 20_000, 20_000)), func(in *pricing.Input) { in.Promocode = fixedCode(25_000, 0) }),
			want: []string{
				"list_prices | Товары по обычным ценам | 20 000 ₸ |",
				"promocode | Промокод GIFT | −20 000 ₸ |",
				"delivery | Доставка, Алматы | 1 900 ₸ | Бесплатно от 15 000 ₸, не хватает 15 000 ₸",
			},
		},
		"bonuses up to the limit": {
			in: with(basket(product("cream", 1, 10_005, 10_005)), func(in *pricing.Input) { in.BonusBalance, in.SpendBonus = 9_000, -1 }),
			want: []string{
				"list_prices | Товары по обычным ценам | 10 005 ₸ |",
				"bonus | Оплата бонусами | −3 001 ₸ | Бонусами можно оплатить не больше 30 % стоимости товаров",
				"delivery | Доставка, Алматы | 1 900 ₸ | Бесплатно от 15 000 ₸, не хватает 4 995 ₸",
			},
		},
		"as many bonuses as asked for": {
			in: with(basket(product("cream", 1, 15_000, 15_000)), func(in *pricing.Input) { in.BonusBalance, in.SpendBonus = 9_000, 500 }),
			want: []string{
				"list_prices | Товары по обычным ценам | 15 000 ₸ |",
				"bonus | Оплата бонусами | −500 ₸ |",
				"delivery | Доставка, Алматы | 0 ₸ | Бесплатно от 15 000 ₸",
			},
		},
		"exactly the limit of bonuses needs no note": {
			in: with(basket(product("cream", 1, 10_000, 10_000)), func(in *pricing.Input) { in.BonusBalance, in.SpendBonus = 3_000, -1 }),
			want: []string{
				"list_prices | Товары по обычным ценам | 10 000 ₸ |",
				"bonus | Оплата бонусами | −3 000 ₸ |",
				"delivery | Доставка, Алматы | 1 900 ₸ | Бесплатно от 15 000 ₸, не хватает 5 000 ₸",
			},
		},
		"a city with free delivery": {
			in: with(basket(product("cream", 1, 7_000, 7_000)), func(in *pricing.Input) { in.Rules.Delivery[0].FreeFrom = 0 }),
			want: []string{
				"list_prices | Товары по обычным ценам | 7 000 ₸ |",
				"delivery | Доставка, Алматы | 0 ₸ | Бесплатно",
			},
		},
		"empty": {
			in:   basket(),
			want: []string{"list_prices | Товары по обычным ценам | 0 ₸ |"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, s := range pricing.Calculate(c.in).Explanation {
				row := s.Code + " | " + s.Label + " | " + domain.Tenge(s.Amount) + " | " + s.Note
				got = append(got, strings.TrimRight(strings.ReplaceAll(row, "\u00a0", " "), " "))
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func TestNumbersInTextsDoNotBreak(t *testing.T) {
	t.Parallel()
	in := basket(product("cream", 1, 100_000, 100_000))
	in.Promocode = percentCode(10)
	got := pricing.Calculate(in).Explanation[1].Note
	want := "Промокод WELCOME10 дал бы 10\u00a0% (−10\u00a0000\u00a0₸), скидка за сумму заказа выгоднее"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTierBounds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		total, discounted domain.Money
		percent           int64
	}{
		{29_999, 29_999, 0}, {30_000, 28_500, 5}, {49_999, 47_499, 5}, {50_000, 45_000, 10},
		{99_999, 89_999, 10}, {100_000, 85_000, 15},
		{30_010, 28_509, 5}, // 1 500.5 off rounds up
	} {
		got := pricing.Calculate(basket(product("cream", 1, c.total, c.total)))
		if got.TotalSum != c.total || got.OrderDiscount != c.percent || got.DiscountedSum != c.discounted {
			t.Errorf("total %d: %d %% to %d, want %d %% to %d", c.total, got.OrderDiscount, got.DiscountedSum, c.percent, c.discounted)
		}
	}
}

func TestFreeDeliveryCountsAfterTheDiscount(t *testing.T) {
	t.Parallel()
	in := basket(product("cream", 1, 15_500, 15_500))
	if got := pricing.Calculate(in).DeliveryPrice; got != 0 {
		t.Errorf("15 500: delivery %d, want 0", got)
	}
	in.Promocode = percentCode(10)
	if got := pricing.Calculate(in).DeliveryPrice; got != 1_900 {
		t.Errorf("15 500 less 10 %%: delivery %d, want 1900", got)
	}
}

func TestWhoIsPaidWhen(t *testing.T) {
	t.Parallel()
	for method, want := range map[domain.PaymentMethod][2]domain.Money{
		"":               {11_900, 0},
		domain.Card:      {11_900, 0},
		domain.KaspiBill: {11_900, 0},
		domain.Cash:      {0, 11_900},
	} {
		in := basket(product("cream", 1, 10_000, 10_000))
		in.PaymentMethod = method
		got := pricing.Calculate(in)
		if got.PayableNow != want[0] || got.PayableOnDelivery != want[1] {
			t.Errorf("%q: now %d, on delivery %d, want %v", method, got.PayableNow, got.PayableOnDelivery, want)
		}
	}
}

func TestReasons(t *testing.T) {
	t.Parallel()
	cash := func(in *pricing.Input) { in.PaymentMethod = domain.Cash }
	for name, c := range map[string]struct {
		in      pricing.Input
		reason  string
		missing domain.Money
	}{
		"empty":         {basket(), "empty", 7_000},
		"below minimum": {basket(product("soap", 1, 6_999, 6_999)), "below_minimum", 1},
		"minimum":       {basket(product("soap", 1, 7_000, 7_000)), "", 0},
		"minimum counts before the order's discount": {
			with(basket(product("soap", 1, 7_000, 7_000)), func(in *pricing.Input) { in.Promocode = percentCode(50) }), "", 0,
		},
		"cash in Almaty":          {with(basket(product("soap", 1, 7_000, 7_000)), cash), "", 0},
		"cash elsewhere":          {with(with(basket(product("soap", 1, 7_000, 7_000)), cash), func(in *pricing.Input) { in.City = "Астана" }), "cash_unavailable", 0},
		"cash at pickup":          {with(with(basket(product("soap", 1, 7_000, 7_000)), cash), func(in *pricing.Input) { in.DeliveryType = domain.Pickup }), "", 0},
		"cash at pickup, no city": {with(with(basket(product("soap", 1, 7_000, 7_000)), cash), func(in *pricing.Input) { in.DeliveryType, in.City = domain.Pickup, "" }), "", 0},
		"cash but little":         {with(with(basket(product("soap", 1, 100, 100)), cash), func(in *pricing.Input) { in.City = "" }), "below_minimum", 6_900},
	} {
		got := pricing.Calculate(c.in)
		if got.Reason != c.reason || got.CanCreateOrder != (c.reason == "") || got.MissingSum != c.missing {
			t.Errorf("%s: reason %q, can %v, missing %d, want %q, missing %d", name, got.Reason, got.CanCreateOrder, got.MissingSum, c.reason, c.missing)
		}
	}
}

func TestPromocodeErrors(t *testing.T) {
	t.Parallel()
	in := basket(product("soap", 1, 8_000, 8_000))
	in.Promocode = fixedCode(1_000, 10_000)
	got := pricing.Calculate(in)
	if want := "Промокод действует при заказе от 10\u00a0000\u00a0₸, не хватает 2\u00a0000\u00a0₸"; got.PromocodeError != want || got.DiscountedSum != 8_000 || got.PromocodeApplied != "" {
		t.Errorf("below the code's minimum: %q, %d, applied %q", got.PromocodeError, got.DiscountedSum, got.PromocodeApplied)
	}
	in.Promocode = &pricing.Code{Code: "OLD", Problem: "Срок действия промокода истёк", Terms: promocode.Terms{Kind: promocode.Percent, Value: 50}}
	got = pricing.Calculate(in)
	if got.PromocodeError != "Срок действия промокода истёк" || got.DiscountedSum != 8_000 {
		t.Errorf("expired code: %q, %d", got.PromocodeError, got.DiscountedSum)
	}
	in.Promocode = fixedCode(1_000, 8_000)
	got = pricing.Calculate(in)
	if got.PromocodeError != "" || got.DiscountedSum != 7_000 || got.PromocodeApplied != "GIFT" || got.OrderDiscount != 0 {
		t.Errorf("fixed code: error %q, %d, applied %q, percent %d", got.PromocodeError, got.DiscountedSum, got.PromocodeApplied, got.OrderDiscount)
	}
}

func TestDiscountIsSpreadByLargestRemainder(t *testing.T) {
	t.Parallel()
	// 10 % of 10 is 1: the shares are 0.3, 0.3 and 0.4, so the last line gets the tenge.
	in := basket(product("a", 1, 3, 3), product("b", 1, 3, 3), product("c", 1, 4, 4))
	in.Promocode = percentCode(10)
	var shares []domain.Money
	for _, l := range pricing.Calculate(in).Lines {
		shares = append(shares, l.OrderDiscount)
	}
	if want := []domain.Money{0, 0, 1}; !reflect.DeepEqual(shares, want) {
		t.Errorf("shares %v, want %v", shares, want)
	}
}

// TestADiscountByHandComesAfterTheOthers: it competes with none, is explained, and total and lines still add up.
func TestADiscountByHandComesAfterTheOthers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		percent, amount int64
		total           domain.Money
	}{{0, 0, 54_000}, {10, 5_400, 48_600}, {100, 54_000, 0}, {400, 54_000, 0}, {-5, 0, 54_000}} {
		got := pricing.Calculate(pricing.Input{
			Rules: rules.Default(), RulesVersion: 1, DeliveryType: domain.Pickup, PaymentMethod: domain.Cash,
			Lines:  []pricing.Line{{ProductID: uuid.UUID{1}, Amount: 1, Price: 40_000, DiscountedPrice: 40_000}, {ProductID: uuid.UUID{2}, Amount: 1, Price: 20_000, DiscountedPrice: 20_000}},
			Manual: domain.Manual{Percent: c.percent, Reason: "apology"},
		})
		var steps, lines domain.Money
		var note string
		for _, s := range got.Explanation {
			steps += s.Amount
			if s.Code == "manual_discount" {
				note = s.Label + ": " + s.Note
			}
		}
		for _, l := range got.Lines {
			lines += l.Total
		}
		if got.TotalPaid != c.total || steps != c.total || lines != c.total || got.Manual.Amount != c.amount || got.OrderDiscount != 10 {
			t.Errorf("%d %%: %+v", c.percent, got)
		}
		if c.percent == 10 && note != "Скидка менеджера 10\u00a0%: извинение магазина" {
			t.Errorf("explained as %q", note)
		}
	}
}
