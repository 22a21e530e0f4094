package projections

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"shop/domain"
	"shop/domain/basket"
	"shop/domain/order"
	"shop/domain/pricing"
)

// cart is the basket of these tests, bought the order it becomes.
var cart, bought = id(61), id(71)

// filled is a pricing of two soaps for Almaty.
func filled(total domain.Money, reason string) basket.Priced {
	return basket.Priced{
		BasketID: cart, At: noon, Question: basket.Question{City: "Алматы", DeliveryType: domain.Delivery, PaymentMethod: domain.Card},
		Calculation: domain.Calculation{
			Lines: []domain.PricedLine{{ProductID: soap, Amount: 2}}, TotalPaid: total, IsDeliveryCalculated: true,
			Reason: reason, CanCreateOrder: reason == "",
		},
	}
}

func refusal(reason string) basket.CheckoutRefused {
	return basket.CheckoutRefused{BasketID: cart, Reason: reason, TotalPaid: 800, At: noon}
}

func TestABasketCountsAtItsFurthestStepWithItsLastReason(t *testing.T) {
	t.Parallel()
	elsewhere, badCode, nothing, later := filled(900, ""), filled(900, ""), filled(0, pricing.ReasonEmpty), filled(700, "")
	elsewhere.Question.City, elsewhere.Calculation.IsDeliveryCalculated = "Астана", false
	badCode.Calculation.PromocodeError = "Промокод закончился"
	nothing.Calculation.Lines = nil
	later.At = noon.Add(24 * time.Hour)
	gone := basket.CheckedOut{BasketID: cart, OrderID: bought, At: noon}
	for name, c := range map[string]struct {
		events []domain.Event
		want   string // step, reason, money; empty: no row
	}{
		"below the minimum":          {[]domain.Event{filled(500, pricing.ReasonBelowMinimum)}, "1 below_minimum 500"},
		"out of stock":               {[]domain.Event{filled(500, pricing.ReasonOutOfStock)}, "1 out_of_stock 500"},
		"too few":                    {[]domain.Event{filled(500, pricing.ReasonNotEnoughStock)}, "1 out_of_stock 500"},
		"orderable":                  {[]domain.Event{filled(500, pricing.ReasonBelowMinimum), filled(900, "")}, "2  900"},
		"orderable, then too small":  {[]domain.Event{filled(900, ""), filled(500, pricing.ReasonBelowMinimum)}, "2 below_minimum 500"},
		"delivery unknown":           {[]domain.Event{elsewhere}, "2 delivery_unknown 900"},
		"bad promo code":             {[]domain.Event{badCode}, "2 promo_invalid 900"},
		"tried":                      {[]domain.Event{filled(900, ""), refusal("below_minimum")}, "3 below_minimum 800"},
		"tried twice":                {[]domain.Event{filled(900, ""), refusal("below_minimum"), refusal("promo_invalid")}, "3 promo_invalid 800"},
		"tried, too few":             {[]domain.Event{filled(900, ""), refusal("not_enough_stock")}, "3 out_of_stock 800"},
		"tried, then priced":         {[]domain.Event{filled(900, ""), refusal("promo_invalid"), filled(700, "")}, "3  700"},
		"emptied":                    {[]domain.Event{filled(900, ""), nothing}, "2 emptied 900"},
		"nothing in it":              {[]domain.Event{nothing}, ""},
		"refused with nothing in it": {[]domain.Event{nothing, refusal("below_minimum")}, ""},
		"ordered":                    {[]domain.Event{filled(900, ""), gone}, ""},
		"ordered, then a new one":    {[]domain.Event{filled(900, ""), gone, filled(500, pricing.ReasonBelowMinimum)}, "1 below_minimum 500"},
		"priced again the day after": {[]domain.Event{filled(900, ""), later}, "2  700"},
	} {
		b, ok := folded(t, funnelBaskets, basket.Stream(cart), c.events...)
		got := fmt.Sprint(int(b.Step), " ", b.Reason, " ", b.Money)
		if !ok {
			got = ""
		}
		if got != c.want || ok && (b.ID != cart || b.Day != "2026-03-02") {
			t.Errorf("%s: %q on %s, want %q", name, got, b.Day, c.want)
		}
	}
}

func TestAnOrderCountsWhereItsBasketBegan(t *testing.T) {
	t.Parallel()
	placed := order.Placed{
		ID: bought, BasketID: cart, BasketSince: time.Date(2026, 2, 27, 20, 0, 0, 0, time.UTC), City: "Алматы", PaymentMethod: domain.Card, At: noon,
		Calculation: domain.Calculation{TotalPaid: 900, RulesVersion: 1},
	}
	asks, fails, pays := order.PaymentRequested{PaymentID: "p1", Attempt: 1}, order.PaymentFailed{PaymentID: "p1"}, order.Paid{PaymentID: "p1", Amount: 900}
	for name, c := range map[string]struct {
		then []domain.Event
		want string // step, reason, captured
	}{
		"placed":             {nil, "4  0"},
		"asked to pay":       {[]domain.Event{asks}, "4  0"},
		"refused":            {[]domain.Event{asks, fails}, "4 payment_refused 0"},
		"tried again":        {[]domain.Event{asks, fails, asks}, "4  0"},
		"expired":            {[]domain.Event{asks, order.PaymentExpired{}}, "4 expired 0"},
		"cancelled":          {[]domain.Event{asks, order.Cancelled{}}, "4 cancelled 0"},
		"refused, cancelled": {[]domain.Event{asks, fails, order.Cancelled{}}, "4 payment_refused 0"},
		"paid":               {[]domain.Event{asks, pays}, "5  900"},
		"paid a part":        {[]domain.Event{asks, order.Paid{PaymentID: "p1", Amount: 899}}, "4  899"},
		"retried and paid":   {[]domain.Event{asks, fails, asks, fails, asks, pays}, "5  900"},
		"paid late":          {[]domain.Event{asks, order.PaymentExpired{}, pays}, "5  900"},
		"paid, cancelled":    {[]domain.Event{asks, pays, order.Cancelled{}, order.Refunded{PaymentID: "p1", Amount: 900}}, "5 cancelled 0"},
		"completed":          {[]domain.Event{asks, pays, order.Completed{}}, "6  900"},
		"in cash":            {[]domain.Event{order.Paid{PaymentID: order.CashPaymentID, Amount: 900}, order.Completed{}}, "6  900"},
		"a part back":        {[]domain.Event{asks, pays, order.Completed{}, order.Refunded{PaymentID: "p1", Amount: 400}}, "6  500"},
		"all of it back":     {[]domain.Event{asks, pays, order.Completed{}, order.Refunded{PaymentID: "p1", Amount: 900}}, "6 refunded 0"},
		"paid twice":         {[]domain.Event{asks, pays, order.Paid{PaymentID: "p2", Amount: 900}, order.Refunded{PaymentID: "p2", Amount: 900, Excess: true}}, "5  900"},
	} {
		o, ok := folded(t, funnelOrders, order.Stream(bought), append([]domain.Event{placed}, c.then...)...)
		if got := fmt.Sprint(int(o.Step), " ", o.Reason, " ", o.Captured); !ok || got != c.want || o.Money != 900 || o.Day != "2026-02-28" || o.City != "Алматы" {
			t.Errorf("%s: %q on %s, want %q", name, got, o.Day, c.want)
		}
	}
	old, free := placed, placed
	old.BasketSince, free.BasketID = time.Time{}, domain.ID{}
	if o, ok := folded(t, funnelOrders, order.Stream(bought), old); !ok || o.Day != "2026-03-02" {
		t.Errorf("an order whose basket's day is not known counts on %s", o.Day)
	}
	if _, ok := folded(t, funnelOrders, order.Stream(bought), free, pays); ok {
		t.Error("an order of no basket counts")
	}
}

// Whatever visitors do, each basket with something in it is one row: left, or an order.
func TestRowsOfTheFunnelAreBaskets(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 7))
	for range 300 {
		var of basket.State
		var b FunnelBasket
		var o FunnelOrder
		open, baskets, rows := false, 0, 0
		tell := func(data basket.Event) {
			of = basket.Decider.Evolve(of, data)
			if open = foldFunnelBasket("", &b, event(basket.Stream(cart), data)); !open {
				b = FunnelBasket{}
			}
		}
		for range 1 + random.IntN(12) {
			fresh := of.Since.IsZero()
			switch random.IntN(4) {
			case 0:
				tell(refusal("price_changed"))
			case 1:
				if !fresh {
					placed := order.Placed{ID: bought, BasketID: cart, BasketSince: of.Since, At: noon}
					tell(basket.CheckedOut{BasketID: cart, OrderID: bought, At: noon})
					o = FunnelOrder{}
					if foldFunnelOrder("", &o, event(order.Stream(bought), placed)) {
						rows++
					}
				}
			default:
				p := filled(900, []string{"", pricing.ReasonBelowMinimum, pricing.ReasonOutOfStock}[random.IntN(3)])
				if random.IntN(4) == 0 {
					p.Calculation.Lines = nil
				} else if fresh {
					baskets++
				}
				tell(p)
			}
			if left := map[bool]int{true: 1}[open]; rows+left != baskets {
				t.Fatalf("%d baskets are %d orders and %d left", baskets, rows, left)
			}
		}
	}
}
