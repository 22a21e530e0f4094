package pricing

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"

	"shop/domain"
	"shop/domain/promocode"
	"shop/domain/rules"
)

// Sums is a basket reduced to what its totals depend on. Who prices a whole history keeps baskets like this: without
// lines, names and spellings of cities.
type Sums struct {
	// TotalSum is Σ discounted price × amount.
	TotalSum domain.Money
	// ScopedSum is the part of TotalSum that a code with a scope is for.
	ScopedSum domain.Money
	// Empty: there are no lines.
	Empty bool
	// Code are the terms of a promo code that may be used but for its least sum; nil: none.
	Code *promocode.Terms
	// City is what delivery costs where the basket goes; Served is false where the shop has no delivery of its own.
	City   rules.CityDelivery
	Served bool
	// Pickup and Cash are the delivery type and the payment method that make a difference.
	Pickup, Cash bool
	// BonusBalance and SpendBonus mean what they mean in Input.
	BonusBalance, SpendBonus domain.Money
	// ManualPercent is what staff take off by hand, 0 to 100.
	ManualPercent int64
}

// Totals are the sums of a Calculation, and the two discounts that competed.
type Totals struct {
	// Tier is the one TotalSum reaches; zero when it reaches none.
	Tier rules.Tier
	// ByTier and ByCode are what each discount would take off. The better for the customer is taken; at a tie the tier
	// wins, and the customer keeps the code.
	ByTier, ByCode domain.Money
	// ByHand is what staff took off after the better of the two.
	ByHand        domain.Money
	DiscountedSum domain.Money
	BonusSpent    domain.Money
	// BonusLimited: the shop's limit is why not more bonuses were spent.
	BonusLimited  bool
	DeliveryPrice domain.Money
	TotalPaid     domain.Money
	MissingSum    domain.Money
	// Reason is empty when an order can be made.
	Reason string
}

// Discount is all that was taken off the order: the better of tier and promo code, and what staff gave by hand.
func (t *Totals) Discount() domain.Money { return t.better() + t.ByHand }

// better is the discount that won.
func (t *Totals) better() domain.Money { return max(t.ByTier, t.ByCode) }

// CodeWins says whether the discount is the promo code's.
func (t *Totals) CodeWins() bool { return t.ByCode > t.ByTier }

// Reckon is the arithmetic of every price: Calculate explains what it answers. It allocates nothing.
func Reckon(r *rules.Rules, s *Sums) Totals {
	t := Totals{Tier: r.TierFor(s.TotalSum)}
	t.ByTier = clamp(domain.PercentOf(s.TotalSum, t.Tier.Percent), s.TotalSum)
	if s.Code != nil && s.TotalSum >= s.Code.MinSum {
		sum := s.inScope()
		t.ByCode = clamp(s.Code.Discount(sum), sum)
	}
	t.DiscountedSum = s.TotalSum - t.better()
	t.ByHand = clamp(domain.PercentOf(t.DiscountedSum, clamp(s.ManualPercent, 100)), t.DiscountedSum)
	t.DiscountedSum -= t.ByHand
	t.BonusSpent, t.BonusLimited = spendBonus(r, s, t.DiscountedSum)
	if !s.Empty && !s.Pickup && s.Served && t.DiscountedSum < s.City.FreeFrom {
		t.DeliveryPrice = s.City.Price
	}
	t.TotalPaid = t.DiscountedSum - t.BonusSpent + t.DeliveryPrice
	t.MissingSum = max(0, r.MinimumSum-s.TotalSum)
	switch {
	case s.Empty:
		t.Reason = ReasonEmpty
	case t.MissingSum > 0:
		t.Reason = ReasonBelowMinimum
	case s.Cash && !s.Served && !s.Pickup:
		t.Reason = ReasonCashUnavailable
	}
	return t
}

// inScope is the sum of the goods that the code is for.
func (s *Sums) inScope() domain.Money {
	if s.Code.Everything() {
		return s.TotalSum
	}
	return min(s.ScopedSum, s.TotalSum)
}

// spendBonus is how many bonuses pay for goods worth sum, and whether the shop's limit is why not more.
func spendBonus(r *rules.Rules, s *Sums, sum domain.Money) (spent domain.Money, limited bool) {
	wanted := max(0, s.BonusBalance)
	if s.SpendBonus != -1 {
		wanted = min(wanted, max(0, s.SpendBonus))
	}
	// PercentOf rounds half up; a limit must not be passed by half a tenge.
	limit := sum/100*r.BonusSpendPercent + sum%100*r.BonusSpendPercent/100
	return min(wanted, limit), wanted > limit
}

// Share is a line's part in the order's discount.
type Share struct {
	ProductID domain.ID
	// Total is the line's, before the discount; Off is what Spread gives it.
	Total, Off domain.Money
	// Line is the caller's: Spread may change the order of shares.
	Line int

	lost uint64
}

// Spread gives each line its share of a discount by the largest remainder: every line its whole part, and
// the tenges left over one by one to the lines that lost most to rounding.
func Spread(off, total domain.Money, shares []Share) {
	if off == 0 {
		return
	}
	left := off
	for i := range shares {
		// off × line ÷ total in 128 bits; the quotient is at most the line's total, because off is at most total.
		hi, lo := bits.Mul64(uint64(off), uint64(shares[i].Total))
		part, lost := bits.Div64(hi, lo, uint64(total))
		shares[i].Off, shares[i].lost = int64(part), lost
		left -= int64(part)
	}
	if left == 0 {
		return
	}
	// Ties go by facts of the line, never by its place: the order of lines must not matter.
	slices.SortStableFunc(shares, func(a, b Share) int {
		return cmp.Or(
			cmp.Compare(b.lost, a.lost),
			cmp.Compare(b.Total, a.Total),
			bytes.Compare(a.ProductID[:], b.ProductID[:]),
		)
	})
	for i := range left {
		shares[i].Off++
	}
}
