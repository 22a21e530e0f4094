package demo

import (
	"slices"
	"time"

	"shop/domain"
	"shop/domain/promocode"
	"shop/domain/rules"
)

// Promocode is the demo's promo code: 10 % off a customer's first order.
const Promocode = "WELCOME10"

// Code is a promo code: issued, and perhaps revoked.
type Code struct {
	At    time.Time
	Code  string
	Terms promocode.Terms
	// Revoked is when it was; zero: never.
	Revoked time.Time

	// share is how many of a hundred orders that could use it do.
	share int
}

// live says whether the code may be used.
func (c Code) live(at time.Time) bool {
	return at.After(c.At) && (c.Revoked.IsZero() || at.Before(c.Revoked)) && !at.Before(c.Terms.ValidFrom) &&
		(c.Terms.ValidUntil.IsZero() || at.Before(c.Terms.ValidUntil))
}

// Rules are the rules of the shop from a time on.
type Rules struct {
	At    time.Time
	Rules rules.Rules
}

// legislate plans the rules, which end as every new shop's, and the promo codes.
func (p *planner) legislate() {
	opened := p.plan.Opened
	day := func(n int) time.Time { return opened.AddDate(0, 0, n).Add(time.Hour) }
	now := rules.Default()
	fewTiers, oldTiers := slices.Clone(now.Tiers[:2]), []rules.Tier{{From: 30_000, Percent: 3}, {From: 60_000, Percent: 7}}
	var said []rules.Rules
	for _, tiers := range [][]rules.Tier{oldTiers, oldTiers, fewTiers, now.Tiers} {
		r := rules.Default()
		r.Tiers = tiers
		said = append(said, r)
	}
	said[0].Delivery[0].Price, said[0].Delivery[0].FreeFrom = 2_500, 20_000
	for i := range 3 {
		said[i].BonusEarnPercent, said[i].BonusSpendPercent = 2, 20
	}
	for i, at := range []time.Time{opened, day(95), day(170), day(260)} {
		p.plan.Rules = append(p.plan.Rules, Rules{at, said[i]})
	}

	yearly := func(month time.Month, d int) time.Time {
		at := time.Date(opened.Year(), month, d, 0, 0, 0, 0, domain.Almaty)
		if at.Before(opened) {
			at = at.AddDate(1, 0, 0)
		}
		return at
	}
	winter, spring := yearly(time.December, 15), yearly(time.March, 1)
	p.plan.Codes = []Code{
		{At: opened, Code: Promocode, Terms: promocode.Terms{Kind: promocode.Percent, Value: 10, UsesPerUser: 1}},
		{At: winter, Code: "SNEG2000", share: 40, Terms: promocode.Terms{
			Kind: promocode.Fixed, Value: 2_000, MinSum: 20_000, ValidFrom: winter, ValidUntil: winter.AddDate(0, 0, 14), UsesPerUser: 1,
		}},
		{At: spring, Code: "8MARTA", share: 35, Terms: promocode.Terms{
			Kind: promocode.Percent, Value: 12, MinSum: 10_000, ValidFrom: spring, ValidUntil: spring.AddDate(0, 0, 8), UsesPerUser: 1,
		}},
		{At: day(140), Code: "BLOG15", share: 12, Terms: promocode.Terms{Kind: promocode.Percent, Value: 15, Uses: 60, UsesPerUser: 1}},
		{At: day(200), Revoked: day(206), Code: "LETO30", share: 30, Terms: promocode.Terms{Kind: promocode.Percent, Value: 30, UsesPerUser: 1}},
		{At: day(230), Code: "DALA1500", share: 8, Terms: promocode.Terms{Kind: promocode.Fixed, Value: 1_500, MinSum: 15_000, UsesPerUser: 1}},
	}
	slices.SortStableFunc(p.plan.Codes, func(a, b Code) int { return a.At.Compare(b.At) })
	p.used = map[string]map[int]bool{}
	for _, c := range p.plan.Codes {
		p.used[c.Code] = map[int]bool{}
	}
}

// code is the promo code that somebody has for an order worth a sum; empty: none.
func (p *planner) code(who int, at time.Time, sum domain.Money) string {
	for _, c := range p.plan.Codes {
		share := c.share
		if c.Code == Promocode && !p.ordered[who] {
			share = 30
		}
		used := p.used[c.Code]
		if !c.live(at) || sum < c.Terms.MinSum || used[who] || c.Terms.Uses > 0 && len(used) >= int(c.Terms.Uses) || !chance(p.r, share) {
			continue
		}
		used[who] = true
		return c.Code
	}
	return ""
}
