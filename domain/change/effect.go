package change

import (
	"slices"
	"time"

	"shop/domain"
)

// Refusals of effects.
var (
	ErrDays     = domain.Refuse("change/days", "An effect is of the last 30, 90 or 365 days.")
	ErrNoEffect = domain.Refuse("change/no-effect", "The change sets no prices, rules or promo codes, so it has no effect on prices.")
)

// EffectDays are the spans that an effect may be of.
var EffectDays = []int{30, 90, 365}

// mostMeasured is how many effects a change keeps in all.
const mostMeasured = 30

// Figures are sums over orders, in tenge. Orders that could not be made are in none of them but BelowMinimum and NoCash.
type Figures struct {
	Orders int64 `json:"orders"`
	// Goods are the goods before the order's discount. ProductDiscounts is what the products of the change cost less than their
	// list price; it is off Goods already.
	Goods            domain.Money `json:"goods"`
	ProductDiscounts domain.Money `json:"product_discounts"`
	// Discounts, Bonuses and Delivery are what comes off and on; Revenue is Goods − Discounts − Bonuses + Delivery, Average
	// that of one order, rounded down.
	Discounts domain.Money `json:"discounts"`
	Bonuses   domain.Money `json:"bonuses"`
	Delivery  domain.Money `json:"delivery"`
	Revenue   domain.Money `json:"revenue"`
	Average   domain.Money `json:"average"`
	// BelowMinimum and NoCash count orders that could not be made: below the minimum sum, or in cash where the shop does not deliver.
	BelowMinimum int64 `json:"below_minimum"`
	NoCash       int64 `json:"no_cash"`
	// FreeDelivery counts orders that the shop delivers for nothing, InTier those with a discount for their sum.
	FreeDelivery int64 `json:"free_delivery"`
	InTier       int64 `json:"in_tier"`
	// Costed are the goods after discounts whose cost is known, Cost is that cost, and Margin the difference.
	Costed domain.Money `json:"costed"`
	Cost   domain.Money `json:"cost"`
	Margin domain.Money `json:"margin"`
}

// Merge adds other sums; Close makes those that follow from others.
func (f *Figures) Merge(other Figures) {
	f.Orders += other.Orders
	f.Goods += other.Goods
	f.ProductDiscounts += other.ProductDiscounts
	f.Discounts += other.Discounts
	f.Bonuses += other.Bonuses
	f.Delivery += other.Delivery
	f.BelowMinimum += other.BelowMinimum
	f.NoCash += other.NoCash
	f.FreeDelivery += other.FreeDelivery
	f.InTier += other.InTier
	f.Costed += other.Costed
	f.Cost += other.Cost
}

// Close makes the sums that follow from the others.
func (f *Figures) Close() {
	f.Revenue = f.Goods - f.Discounts - f.Bonuses + f.Delivery
	f.Margin = f.Costed - f.Cost
	if f.Average = 0; f.Orders > 0 {
		f.Average = f.Revenue / f.Orders
	}
}

// Effect is what the orders of some days would have come to with a change, beside the same orders without it.
type Effect struct {
	Days int `json:"days"`
	// From and Until bound when the orders were placed; Position is where in the log the answer was made.
	From     time.Time `json:"from"`
	Until    time.Time `json:"until"`
	Position int64     `json:"position"`
	// Orders were placed then; Touched of them come to other sums.
	Orders  int64   `json:"orders"`
	Touched int64   `json:"touched"`
	Was     Figures `json:"was"`
	Would   Figures `json:"would"`
	// Assumptions name what the figures take for granted.
	Assumptions []string `json:"assumptions"`
}

// WithoutCosts is the effect for those who may not see what goods cost.
func (e Effect) WithoutCosts() Effect {
	for _, f := range []*Figures{&e.Was, &e.Would} {
		f.Costed, f.Cost, f.Margin = 0, 0, 0
	}
	return e
}

// EffectMeasured keeps an effect as somebody was shown it before the change was decided.
type EffectMeasured struct {
	By     string    `json:"by"`
	Effect Effect    `json:"effect"`
	At     time.Time `json:"at"`
}

// Measure keeps an effect that somebody was shown. Once the change is applied, or over, it keeps none.
type Measure struct {
	By     string
	Effect Effect
	At     time.Time
}

func (EffectMeasured) EventType() string { return "change.effect-measured" }
func (EffectMeasured) isEvent()          {}
func (Measure) isCommand()               {}

func (c Measure) decide(s State) ([]Event, error) {
	if !slices.Contains(EffectDays, c.Effect.Days) {
		return nil, ErrDays
	}
	if s.Status != Waiting && s.Status != Planned || s.Measured >= mostMeasured {
		return nil, nil
	}
	for _, kept := range s.Effects {
		if kept.Effect.Days == c.Effect.Days && kept.Effect.Position == c.Effect.Position {
			return nil, nil
		}
	}
	return []Event{EffectMeasured(c)}, nil
}

// measured keeps the last effect of each span.
func (s State) measured(e EffectMeasured) State {
	s.Measured++
	others := slices.DeleteFunc(slices.Clone(s.Effects), func(kept EffectMeasured) bool { return kept.Effect.Days == e.Effect.Days })
	s.Effects = append(others, e)
	slices.SortFunc(s.Effects, func(a, b EffectMeasured) int { return a.Effect.Days - b.Effect.Days })
	return s
}
