package rules_test

import (
	"strings"
	"testing"
	"time"

	"shop/domain"
	"shop/domain/rules"
	"shop/domain/spec"
)

var noon = time.Date(2026, 3, 2, 7, 0, 0, 0, time.UTC) // in Almaty

// changed are the default rules with a change.
func changed(change func(*rules.Rules)) rules.Rules {
	r := rules.Default()
	change(&r)
	return r
}

func TestRulesAreVersioned(t *testing.T) {
	t.Parallel()
	other := changed(func(r *rules.Rules) { r.MinimumSum = 8_000 })
	v1 := rules.Changed{Version: 1, Rules: rules.Default(), At: noon}
	v2 := rules.Changed{Version: 2, Rules: other, At: noon}

	// The first change is recorded even when it says the default.
	spec.For(t, rules.Decider).When(rules.Change{Rules: rules.Default(), At: noon}).Then(v1)
	spec.For(t, rules.Decider).Given(v1).When(rules.Change{Rules: rules.Default(), At: noon}).Nothing()
	spec.For(t, rules.Decider).Given(v1).When(rules.Change{Rules: other, At: noon}).Then(v2)
	spec.For(t, rules.Decider).Given(v1, v2).When(rules.Change{Rules: rules.Default(), At: noon}).
		Then(rules.Changed{Version: 3, Rules: rules.Default(), At: noon})
	if s := spec.For(t, rules.Decider).State(); s.Version != 0 || !s.Rules.Equal(rules.Default()) {
		t.Errorf("before the first event: %+v", s)
	}
}

func TestEveryFieldMakesADifference(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*rules.Rules){
		"tiers":         func(r *rules.Rules) { r.Tiers = r.Tiers[:2] },
		"minimum":       func(r *rules.Rules) { r.MinimumSum++ },
		"cities":        func(r *rules.Rules) { r.Delivery = nil },
		"city":          func(r *rules.Rules) { r.Delivery[0].City = "Астана" },
		"aliases":       func(r *rules.Rules) { r.Delivery[0].Aliases = nil },
		"price":         func(r *rules.Rules) { r.Delivery[0].Price++ },
		"free from":     func(r *rules.Rules) { r.Delivery[0].FreeFrom++ },
		"max per order": func(r *rules.Rules) { r.MaxPerOrder++ },
		"bonus spend":   func(r *rules.Rules) { r.BonusSpendPercent++ },
		"bonus earn":    func(r *rules.Rules) { r.BonusEarnPercent++ },
		"card minutes":  func(r *rules.Rules) { r.CardMinutes++ },
		"kaspi minutes": func(r *rules.Rules) { r.KaspiMinutes++ },
		"new days":      func(r *rules.Rules) { r.NewDays++ },
		"same day":      func(r *rules.Rules) { r.SameDayUntil++ },
		"moderation":    func(r *rules.Rules) { r.ReviewsModerated = true },

		"guest's orders":    func(r *rules.Rules) { r.GuestOpenOrders++ },
		"guest's pieces":    func(r *rules.Rules) { r.GuestOpenPieces = 0 },
		"customer's orders": func(r *rules.Rules) { r.CustomerOpenOrders++ },
		"customer's pieces": func(r *rules.Rules) { r.CustomerOpenPieces++ },
		"network's orders":  func(r *rules.Rules) { r.NetworkOpenOrders++ },
		"network's pieces":  func(r *rules.Rules) { r.NetworkOpenPieces++ },
		"cash hours":        func(r *rules.Rules) { r.CashHours = 0 },
		"guest's months":    func(r *rules.Rules) { r.GuestMonths = 0 },
		"two for money":     func(r *rules.Rules) { r.HandConfirmAbove = 0 },
		"days to return":    func(r *rules.Rules) { r.ReturnDays = 0 },
		"far cuts":          func(r *rules.Rules) { r.ApprovalPriceCut = 30 },
		"many products":     func(r *rules.Rules) { r.ApprovalProducts = 100 },
		"below cost":        func(r *rules.Rules) { r.ApprovalBelowCost = true },
		"rules by two":      func(r *rules.Rules) { r.ApprovalRules = true },
		"low stock":         func(r *rules.Rules) { r.LowStock = 0 },
		"proof for codes":   func(r *rules.Rules) { r.PromocodeProof = true },
		"opening":           func(r *rules.Rules) { r.OpensAt-- },
		"closing":           func(r *rules.Rules) { r.ClosesAt++ },
	} {
		other := changed(change)
		if rules.Default().Equal(other) {
			t.Errorf("other %s are equal", name)
		}
		if err := other.Check(); err != nil {
			t.Errorf("other %s are refused: %v", name, err)
		}
	}
	none := changed(func(r *rules.Rules) { r.Tiers = nil })
	if !none.Equal(changed(func(r *rules.Rules) { r.Tiers = []rules.Tier{} })) {
		t.Error("no tiers and nil tiers differ")
	}
}

func TestRulesThatAreRefused(t *testing.T) {
	t.Parallel()
	city := rules.CityDelivery{City: "Астана", Price: 2_500, FreeFrom: 20_000}
	for _, c := range []struct {
		want   error
		field  string
		change func(*rules.Rules)
	}{
		{rules.ErrTiers, "tiers[1]", func(r *rules.Rules) { r.Tiers[1].From = 30_000 }},
		{rules.ErrTiers, "tiers[2]", func(r *rules.Rules) { r.Tiers[2].Percent = 9 }},
		{rules.ErrPercent, "tiers[2].percent", func(r *rules.Rules) { r.Tiers[2].Percent = 101 }},
		{rules.ErrPercent, "tiers[0].percent", func(r *rules.Rules) { r.Tiers[0].Percent = -1 }},
		{rules.ErrSum, "tiers[0].from", func(r *rules.Rules) { r.Tiers[0].From = -1 }},
		{rules.ErrPercent, "bonus_spend_percent", func(r *rules.Rules) { r.BonusSpendPercent = 101 }},
		{rules.ErrPercent, "bonus_earn_percent", func(r *rules.Rules) { r.BonusEarnPercent = -1 }},
		{rules.ErrSum, "minimum_sum", func(r *rules.Rules) { r.MinimumSum = -1 }},
		{rules.ErrSum, "minimum_sum", func(r *rules.Rules) { r.MinimumSum = domain.MaxPrice + 1 }},
		{rules.ErrSum, "delivery[0].price", func(r *rules.Rules) { r.Delivery[0].Price = -1 }},
		{rules.ErrSum, "delivery[0].free_from", func(r *rules.Rules) { r.Delivery[0].FreeFrom = -1 }},
		{rules.ErrCity, "delivery[0].city", func(r *rules.Rules) { r.Delivery[0].City = " " }},
		{rules.ErrCity, "delivery[2].city", func(r *rules.Rules) { r.Delivery = append(r.Delivery, city, city) }},
		{rules.ErrCity, "delivery[1].city", func(r *rules.Rules) {
			city.Aliases = []string{"алма ата"}
			r.Delivery = append(r.Delivery, city)
		}},
		{rules.ErrMaximum, "max_per_order", func(r *rules.Rules) { r.MaxPerOrder = 0 }},
		{rules.ErrMaximum, "max_per_order", func(r *rules.Rules) { r.MaxPerOrder = 1_001 }},
		{rules.ErrDeadline, "card_minutes", func(r *rules.Rules) { r.CardMinutes = 0 }},
		{rules.ErrDeadline, "kaspi_minutes", func(r *rules.Rules) { r.KaspiMinutes = 50_000 }},
		{rules.ErrNewDays, "new_days", func(r *rules.Rules) { r.NewDays = -1 }},
		{rules.ErrHour, "same_day_until", func(r *rules.Rules) { r.SameDayUntil = 25 }},
		{rules.ErrOpen, "guest_open_orders", func(r *rules.Rules) { r.GuestOpenOrders = -1 }},
		{rules.ErrOpen, "guest_open_pieces", func(r *rules.Rules) { r.GuestOpenPieces = -1 }},
		{rules.ErrOpen, "customer_open_orders", func(r *rules.Rules) { r.CustomerOpenOrders = 1_000_001 }},
		{rules.ErrOpen, "customer_open_pieces", func(r *rules.Rules) { r.CustomerOpenPieces = -1 }},
		{rules.ErrOpen, "network_open_orders", func(r *rules.Rules) { r.NetworkOpenOrders = -1 }},
		{rules.ErrOpen, "network_open_pieces", func(r *rules.Rules) { r.NetworkOpenPieces = -1 }},
		{rules.ErrConfirm, "cash_hours", func(r *rules.Rules) { r.CashHours = -1 }},
		{rules.ErrConfirm, "cash_hours", func(r *rules.Rules) { r.CashHours = 1_001 }},
		{rules.ErrMonths, "guest_months", func(r *rules.Rules) { r.GuestMonths = -1 }},
		{rules.ErrMonths, "guest_months", func(r *rules.Rules) { r.GuestMonths = 121 }},
		{rules.ErrSum, "hand_confirm_above", func(r *rules.Rules) { r.HandConfirmAbove = -1 }},
		{rules.ErrReturn, "return_days", func(r *rules.Rules) { r.ReturnDays = -1 }},
		{rules.ErrReturn, "return_days", func(r *rules.Rules) { r.ReturnDays = 366 }},
		{rules.ErrLowStock, "low_stock", func(r *rules.Rules) { r.LowStock = -1 }},
		{rules.ErrPercent, "approval_price_cut", func(r *rules.Rules) { r.ApprovalPriceCut = 101 }},
		{rules.ErrApproval, "approval_products", func(r *rules.Rules) { r.ApprovalProducts = -1 }},
		{rules.ErrApproval, "approval_products", func(r *rules.Rules) { r.ApprovalProducts = 20_001 }},
		{rules.ErrLowStock, "low_stock", func(r *rules.Rules) { r.LowStock = 1_000_001 }},
		{rules.ErrWork, "opens_at", func(r *rules.Rules) { r.OpensAt = -1 }},
		{rules.ErrWork, "closes_at", func(r *rules.Rules) { r.ClosesAt = 10 }},
		{rules.ErrWork, "closes_at", func(r *rules.Rules) { r.ClosesAt = 25 }},
	} {
		spec.For(t, rules.Decider).When(rules.Change{Rules: changed(c.change)}).Refused(c.want)
		if err := changed(c.change).Check(); !strings.Contains(err.Error(), ": "+c.field+": ") {
			t.Errorf("%v does not name %s", err, c.field)
		}
	}
}

func TestAChangeMadeOfAnotherVersionIsRefused(t *testing.T) {
	t.Parallel()
	less := changed(func(r *rules.Rules) { r.MinimumSum = 5_000 })
	second := rules.Changed{Version: 2, Rules: rules.Default()}
	given := spec.For(t, rules.Decider).Given(rules.Changed{Version: 1, Rules: rules.Default()}, second)
	given.When(rules.Change{Rules: less, Expected: 1}).Refused(rules.ErrMoved)
	given.When(rules.Change{Rules: less, Expected: 3}).Refused(rules.ErrMoved)
	given.When(rules.Change{Rules: less, Expected: 2, At: noon}).Then(rules.Changed{Version: 3, Rules: less, At: noon})
}

func TestRulesAtTheirBounds(t *testing.T) {
	t.Parallel()
	for _, change := range []func(*rules.Rules){
		func(r *rules.Rules) {
			*r = rules.Rules{MaxPerOrder: 1, CardMinutes: 1, KaspiMinutes: 1, ClosesAt: 1, Tiers: []rules.Tier{{}}, Delivery: []rules.CityDelivery{{City: "Астана"}}}
		},
		func(r *rules.Rules) {
			*r = rules.Rules{
				Tiers:      []rules.Tier{{From: 1, Percent: 100}, {From: domain.MaxPrice, Percent: 100}},
				MinimumSum: domain.MaxPrice, MaxPerOrder: 1_000, BonusSpendPercent: 100, BonusEarnPercent: 100,
				CardMinutes: 43_200, KaspiMinutes: 43_200, NewDays: 365, SameDayUntil: 24,
				GuestOpenOrders: 1_000_000, GuestOpenPieces: 1_000_000, CustomerOpenOrders: 1_000_000, CustomerOpenPieces: 1_000_000,
				NetworkOpenOrders: 1_000_000, NetworkOpenPieces: 1_000_000, CashHours: 1_000, OpensAt: 23, ClosesAt: 24,
				GuestMonths: 120, PromocodeProof: true, HandConfirmAbove: domain.MaxPrice, ReturnDays: 365, LowStock: 1_000_000,
				ApprovalPriceCut: 100, ApprovalProducts: 20_000, ApprovalBelowCost: true, ApprovalRules: true,
			}
		},
	} {
		if err := changed(change).Check(); err != nil {
			t.Error(err)
		}
	}
}

func TestDeliveryTo(t *testing.T) {
	t.Parallel()
	r := changed(func(r *rules.Rules) {
		r.Delivery = append(r.Delivery, rules.CityDelivery{City: "Щёлково", Price: 3_000})
	})
	for city, want := range map[string]string{
		"Алматы": "Алматы", "алматы": "Алматы", "  АЛМАТЫ ": "Алматы", "г. Алматы": "Алматы", "г.Алматы": "Алматы",
		"Г Алматы": "Алматы", "город Алматы": "Алматы", "Алма-Ата": "Алматы", "алма – ата": "Алматы", "Алма Ата": "Алматы",
		"г.\u00a0Алма-Ата": "Алматы", "Almaty": "Алматы",
		"Щёлково": "Щёлково", "щелково": "Щёлково", "Ще\u0308лково": "Щёлково",
		"": "", " ": "", "г.": "", "город": "", "Астана": "", "Алматы 2": "", "Алматинская область": "", "Алм": "",
	} {
		got, served := r.DeliveryTo(city)
		if got.City != want || served != (want != "") {
			t.Errorf("DeliveryTo(%q) = %q, %v, want %q", city, got.City, served, want)
		}
	}
}

func TestTierFor(t *testing.T) {
	t.Parallel()
	for total, percent := range map[domain.Money]int64{
		-1: 0, 0: 0, 29_999: 0, 30_000: 5, 49_999: 5, 50_000: 10, 99_999: 10, 100_000: 15, 1 << 60: 15,
	} {
		if got := rules.Default().TierFor(total).Percent; got != percent {
			t.Errorf("%d: %d %%, want %d %%", total, got, percent)
		}
	}
}

func TestPayBefore(t *testing.T) {
	t.Parallel()
	for method, want := range map[domain.PaymentMethod]time.Time{
		domain.Card: noon.Add(30 * time.Minute), domain.KaspiBill: noon.Add(24 * time.Hour), domain.Cash: {},
	} {
		if got := rules.Default().PayBefore(method, noon); !got.Equal(want) {
			t.Errorf("%s: %s, want %s", method, got, want)
		}
	}
}

func TestConfirmBefore(t *testing.T) {
	t.Parallel()
	almaty := time.FixedZone("", 5*60*60)
	at := func(day, hour, minute, second int) time.Time {
		return time.Date(2026, 3, day, hour, minute, second, 0, almaty)
	}
	// Nine hours a day: 24 are two days and six hours, on Sundays too.
	for _, c := range []struct{ from, want time.Time }{
		{at(2, 10, 0, 0), at(4, 16, 0, 0)},
		{at(2, 9, 59, 59), at(4, 16, 0, 0)},
		{at(2, 0, 0, 0), at(4, 16, 0, 0)},
		{at(2, 12, 30, 15), at(4, 18, 30, 15)},
		{at(2, 13, 0, 0), at(4, 19, 0, 0)}, // at closing, not at the next opening
		{at(2, 13, 0, 1), at(5, 10, 0, 1)},
		{at(2, 18, 59, 59), at(5, 15, 59, 59)},
		{at(2, 19, 0, 0), at(5, 16, 0, 0)},
		{at(2, 23, 59, 59), at(5, 16, 0, 0)},
		{at(31, 20, 0, 0), time.Date(2026, 4, 3, 16, 0, 0, 0, almaty)},
		// The hours are Almaty's, wherever the clock that was read stands.
		{time.Date(2026, 3, 2, 5, 0, 0, 0, time.UTC), at(4, 16, 0, 0)},
		{time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC), at(4, 16, 0, 0)},
	} {
		if got := rules.Default().ConfirmBefore(domain.Cash, c.from); !got.Equal(c.want) {
			t.Errorf("%s: %s, want %s", c.from, got.In(almaty), c.want)
		}
	}
	for name, r := range map[string]struct {
		rules  rules.Rules
		method domain.PaymentMethod
		want   time.Time
	}{
		"a card":        {rules.Default(), domain.Card, time.Time{}},
		"a bill":        {rules.Default(), domain.KaspiBill, time.Time{}},
		"for ever":      {changed(func(r *rules.Rules) { r.CashHours = 0 }), domain.Cash, time.Time{}},
		"day and night": {changed(func(r *rules.Rules) { r.OpensAt, r.ClosesAt = 0, 24 }), domain.Cash, at(3, 12, 30, 0)},
		"one hour":      {changed(func(r *rules.Rules) { r.CashHours = 1 }), domain.Cash, at(2, 13, 30, 0)},
	} {
		if got := r.rules.ConfirmBefore(r.method, at(2, 12, 30, 0)); !got.Equal(r.want) {
			t.Errorf("%s: %s, want %s", name, got, r.want)
		}
	}
}
