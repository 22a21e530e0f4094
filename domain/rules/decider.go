package rules

import (
	"slices"

	"shop/domain"
)

// Refusals of a change of rules; staff meet them, not shoppers.
var (
	ErrTiers    = domain.Refuse("rules/tiers", "Tiers must ascend by sum, their percents must not fall.")
	ErrPercent  = domain.Refuse("rules/percent", "A percent must be between 0 and 100.")
	ErrSum      = domain.Refuse("rules/sum", "A sum must be between 0 and 1000000000 tenge.")
	ErrCity     = domain.Refuse("rules/city", "Every delivery city needs a name of its own, its spellings too.")
	ErrMaximum  = domain.Refuse("rules/max-per-order", "The most pieces per order must be between 1 and 1000.")
	ErrDeadline = domain.Refuse("rules/deadline", "A payment deadline must be between 1 minute and 30 days.")
	ErrNewDays  = domain.Refuse("rules/new-days", "Products count as new for 0 to 365 days.")
	ErrHour     = domain.Refuse("rules/same-day-until", "The hour for same-day delivery must be between 0 and 24.")
)

// State is the rules in force. Before the first event they are the default ones, as version 0.
type State struct {
	Version int64
	Rules   Rules
}

// Decider is the shop's rules.
var Decider = domain.Decider[Command, Event, State]{
	Initial: State{Rules: Default()},
	Decide:  decide,
	Evolve:  evolve,
}

func decide(command Command, s State) ([]Event, error) {
	switch c := command.(type) {
	case Change:
		if err := c.Rules.Check(); err != nil {
			return nil, err
		}
		// The first change is recorded even when it says the default: history must not depend on the program's version.
		if s.Version > 0 && s.Rules.Equal(c.Rules) {
			return nil, nil
		}
		return []Event{Changed{Version: s.Version + 1, Rules: c.Rules, At: c.At}}, nil
	}
	return nil, domain.UnknownCommand(command)
}

func evolve(s State, event Event) State {
	switch e := event.(type) {
	case Changed:
		s = State{Version: e.Version, Rules: e.Rules}
	}
	return s
}

// Check answers the refusal that forbids these rules, nil when they may be used.
func (r Rules) Check() error {
	for i, tier := range r.Tiers {
		if i > 0 && (tier.From <= r.Tiers[i-1].From || tier.Percent < r.Tiers[i-1].Percent) {
			return ErrTiers
		}
		if badPercent(tier.Percent) {
			return ErrPercent
		}
		if badSum(tier.From) {
			return ErrSum
		}
	}
	if badPercent(r.BonusSpendPercent) || badPercent(r.BonusEarnPercent) {
		return ErrPercent
	}
	if badSum(r.MinimumSum) {
		return ErrSum
	}
	seen := map[string]bool{}
	for _, d := range r.Delivery {
		for _, name := range append([]string{d.City}, d.Aliases...) {
			if plain := plainCity(name); plain == "" || seen[plain] {
				return ErrCity
			}
			seen[plainCity(name)] = true
		}
		if badSum(d.Price) || badSum(d.FreeFrom) {
			return ErrSum
		}
	}
	switch {
	case r.MaxPerOrder < 1 || r.MaxPerOrder > 1000:
		return ErrMaximum
	case badDeadline(r.CardMinutes) || badDeadline(r.KaspiMinutes):
		return ErrDeadline
	case r.NewDays < 0 || r.NewDays > 365:
		return ErrNewDays
	case r.SameDayUntil < 0 || r.SameDayUntil > 24:
		return ErrHour
	}
	return nil
}

func badPercent(percent int64) bool  { return percent < 0 || percent > 100 }
func badSum(sum domain.Money) bool   { return sum < 0 || sum > domain.MaxPrice }
func badDeadline(minutes int64) bool { return minutes < 1 || minutes > 30*24*60 }

// Equal says whether both rule the same; an empty list and none are the same.
func (r Rules) Equal(other Rules) bool {
	return slices.Equal(r.Tiers, other.Tiers) &&
		slices.EqualFunc(r.Delivery, other.Delivery, CityDelivery.equal) &&
		r.MinimumSum == other.MinimumSum &&
		r.MaxPerOrder == other.MaxPerOrder &&
		r.BonusSpendPercent == other.BonusSpendPercent &&
		r.BonusEarnPercent == other.BonusEarnPercent &&
		r.CardMinutes == other.CardMinutes &&
		r.KaspiMinutes == other.KaspiMinutes &&
		r.NewDays == other.NewDays &&
		r.SameDayUntil == other.SameDayUntil &&
		r.ReviewsModerated == other.ReviewsModerated
}

func (d CityDelivery) equal(other CityDelivery) bool {
	return d.City == other.City && d.Price == other.Price && d.FreeFrom == other.FreeFrom &&
		slices.Equal(d.Aliases, other.Aliases)
}
