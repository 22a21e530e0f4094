package rules

import (
	"strings"
	"time"
	"unicode"

	"shop/domain"
)

// Default are the rules a new shop opens with.
func Default() Rules {
	return Rules{
		Tiers: []Tier{
			{From: 30_000, Percent: 5},
			{From: 50_000, Percent: 10},
			{From: 100_000, Percent: 15},
		},
		MinimumSum: 7_000,
		Delivery: []CityDelivery{{
			City:     "Алматы",
			Aliases:  []string{"Алма-Ата", "Almaty", "Alma-Ata"},
			Price:    1_900,
			FreeFrom: 15_000,
		}},
		MaxPerOrder:       99,
		BonusSpendPercent: 30,
		BonusEarnPercent:  3,
		CardMinutes:       30,
		KaspiMinutes:      24 * 60,
		NewDays:           30,
		SameDayUntil:      12,

		GuestOpenOrders: 5, GuestOpenPieces: 60,
		CustomerOpenOrders: 20, CustomerOpenPieces: 300,
		NetworkOpenOrders: 20, NetworkOpenPieces: 300,
		CashHours: 24, OpensAt: 10, ClosesAt: 19,
		GuestMonths: 24, HandConfirmAbove: 100_000, ReturnDays: 14, LowStock: 5,
	}
}

// TierFor is the discount tier of a TotalSum; the zero Tier when it reaches none.
func (r Rules) TierFor(total domain.Money) Tier {
	var reached Tier
	for _, tier := range r.Tiers {
		if total >= tier.From {
			reached = tier
		}
	}
	return reached
}

// DeliveryTo is what the shop's own delivery costs in a city, and whether it goes there. Case, ё, hyphens, spaces
// and a leading «г.» or «город» do not matter.
func (r Rules) DeliveryTo(city string) (CityDelivery, bool) {
	plain := plainCity(city)
	if plain == "" {
		return CityDelivery{}, false
	}
	for _, d := range r.Delivery {
		if plainCity(d.City) == plain {
			return d, true
		}
		for _, alias := range d.Aliases {
			if plainCity(alias) == plain {
				return d, true
			}
		}
	}
	return CityDelivery{}, false
}

// plainLetters writes е for ё.
var plainLetters = strings.NewReplacer("ё", "е", "е\u0308", "е")

// plainCity is the spelling by which cities are compared: lower case, е for ё (composed or not), words apart by one
// space, without the word for city.
func plainCity(name string) string {
	name = plainLetters.Replace(strings.ToLower(name))
	words := strings.FieldsFunc(name, func(c rune) bool {
		return unicode.IsSpace(c) || unicode.In(c, unicode.Dash) || c == '.'
	})
	if len(words) > 1 && (words[0] == "г" || words[0] == "город" || words[0] == "гор") {
		words = words[1:]
	}
	return strings.Join(words, " ")
}

// PayBefore is when a reservation made at this moment ends without money; zero when none is awaited.
func (r Rules) PayBefore(method domain.PaymentMethod, at time.Time) time.Time {
	switch method {
	case domain.Card:
		return at.Add(time.Duration(r.CardMinutes) * time.Minute)
	case domain.KaspiBill:
		return at.Add(time.Duration(r.KaspiMinutes) * time.Minute)
	case domain.Cash:
	}
	return time.Time{}
}

// ConfirmBefore is when a guest's order in cash that was made at this moment ends unless staff confirmed it; zero when no
// confirmation is awaited.
func (r Rules) ConfirmBefore(method domain.PaymentMethod, at time.Time) time.Time {
	if method != domain.Cash || r.CashHours <= 0 {
		return time.Time{}
	}
	return r.afterWork(at, time.Duration(r.CashHours)*time.Hour)
}

// afterWork is the moment by which so much working time has passed since at. Work that ends with a day ends at closing,
// not at the next opening.
func (r Rules) afterWork(at time.Time, work time.Duration) time.Time {
	day := time.Duration(r.ClosesAt-r.OpensAt) * time.Hour
	if day <= 0 {
		return at.Add(work) // no rules that Check lets pass
	}
	local := at.In(domain.Almaty)
	opens := time.Date(local.Year(), local.Month(), local.Day(), r.OpensAt, 0, 0, 0, domain.Almaty)
	// What is left of the day's work at this moment.
	left := day
	if local.After(opens) {
		left = max(0, opens.Add(day).Sub(local))
	}
	for left < work {
		work -= left
		opens, left = opens.AddDate(0, 0, 1), day
	}
	return opens.Add(day - left + work).UTC()
}
