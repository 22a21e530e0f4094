package rules

import (
	"fmt"
	"slices"

	"shop/domain"
)

// Refusals of a change of rules; staff meet them, not shoppers.
var (
	// ErrMoved: somebody else changed the rules meanwhile.
	ErrMoved    = domain.Refuse("rules/moved", "The rules have changed meanwhile.")
	ErrTiers    = domain.Refuse("rules/tiers", "Tiers must ascend by sum, their percents must not fall.")
	ErrPercent  = domain.Refuse("rules/percent", "A percent must be between 0 and 100.")
	ErrSum      = domain.Refuse("rules/sum", "A sum must be between 0 and 1000000000 tenge.")
	ErrCity     = domain.Refuse("rules/city", "Every delivery city needs a name of its own, its spellings too.")
	ErrMaximum  = domain.Refuse("rules/max-per-order", "The most pieces per order must be between 1 and 1000.")
	ErrDeadline = domain.Refuse("rules/deadline", "A payment deadline must be between 1 minute and 30 days.")
	ErrNewDays  = domain.Refuse("rules/new-days", "Products count as new for 0 to 365 days.")
	ErrHour     = domain.Refuse("rules/same-day-until", "The hour for same-day delivery must be between 0 and 24.")
	ErrOpen     = domain.Refuse("rules/open-orders", "A bound on open orders must be between 0 (none) and 1000000.")
	ErrConfirm  = domain.Refuse("rules/cash-hours", "An order in cash is confirmed within 0 (no end) to 1000 working hours.")
	ErrMonths   = domain.Refuse("rules/guest-months", "Guests' data is kept for 1 to 120 months after their order ended, or 0 for ever.")
	ErrLowStock = domain.Refuse("rules/low-stock", "Few pieces are 0 to 1000000.")
	ErrReturn   = domain.Refuse("rules/return-days", "Goods may come back for 1 to 365 days after completion, or 0 for never.")
	ErrWork     = domain.Refuse("rules/working-hours", "Work begins at an hour from 0 and ends at a later one up to 24.")
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
		if c.Expected != 0 && c.Expected != s.Version {
			return nil, ErrMoved.With(fmt.Sprintf("The rules are at version %d, the change was made of version %d.", s.Version, c.Expected))
		}
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

// Check answers the refusal that forbids these rules, with the field that it is about; nil when they may be used.
func (r Rules) Check() error {
	for i, tier := range r.Tiers {
		field := fmt.Sprintf("tiers[%d]", i)
		if i > 0 && (tier.From <= r.Tiers[i-1].From || tier.Percent < r.Tiers[i-1].Percent) {
			return about(field, ErrTiers)
		}
		if badPercent(tier.Percent) {
			return about(field+".percent", ErrPercent)
		}
		if badSum(tier.From) {
			return about(field+".from", ErrSum)
		}
	}
	seen := map[string]bool{}
	for i, d := range r.Delivery {
		field := fmt.Sprintf("delivery[%d]", i)
		for _, name := range append([]string{d.City}, d.Aliases...) {
			if plain := plainCity(name); plain == "" || seen[plain] {
				return about(field+".city", ErrCity)
			}
			seen[plainCity(name)] = true
		}
		if badSum(d.Price) {
			return about(field+".price", ErrSum)
		}
		if badSum(d.FreeFrom) {
			return about(field+".free_from", ErrSum)
		}
	}
	switch {
	case badSum(r.MinimumSum):
		return about("minimum_sum", ErrSum)
	case badPercent(r.BonusSpendPercent):
		return about("bonus_spend_percent", ErrPercent)
	case badPercent(r.BonusEarnPercent):
		return about("bonus_earn_percent", ErrPercent)
	case r.MaxPerOrder < 1 || r.MaxPerOrder > 1000:
		return about("max_per_order", ErrMaximum)
	case badDeadline(r.CardMinutes):
		return about("card_minutes", ErrDeadline)
	case badDeadline(r.KaspiMinutes):
		return about("kaspi_minutes", ErrDeadline)
	case r.NewDays < 0 || r.NewDays > 365:
		return about("new_days", ErrNewDays)
	case r.SameDayUntil < 0 || r.SameDayUntil > 24:
		return about("same_day_until", ErrHour)
	case r.CashHours < 0 || r.CashHours > 1000:
		return about("cash_hours", ErrConfirm)
	case r.GuestMonths < 0 || r.GuestMonths > 120:
		return about("guest_months", ErrMonths)
	case badSum(r.HandConfirmAbove):
		return about("hand_confirm_above", ErrSum)
	case r.ReturnDays < 0 || r.ReturnDays > 365:
		return about("return_days", ErrReturn)
	case r.LowStock < 0 || r.LowStock > maxOpen:
		return about("low_stock", ErrLowStock)
	case r.OpensAt < 0 || r.OpensAt > 23:
		return about("opens_at", ErrWork)
	case r.ClosesAt <= r.OpensAt || r.ClosesAt > 24:
		return about("closes_at", ErrWork)
	}
	if err := r.checkApproval(); err != nil {
		return err
	}
	return r.checkOpen()
}

// maxOpen is the widest bound on open orders and their pieces.
const maxOpen = 1_000_000

func (r Rules) checkOpen() error {
	for _, bound := range []struct {
		field string
		most  int64
	}{
		{"guest_open_orders", r.GuestOpenOrders}, {"guest_open_pieces", r.GuestOpenPieces},
		{"customer_open_orders", r.CustomerOpenOrders}, {"customer_open_pieces", r.CustomerOpenPieces},
		{"network_open_orders", r.NetworkOpenOrders}, {"network_open_pieces", r.NetworkOpenPieces},
	} {
		if bound.most < 0 || bound.most > maxOpen {
			return about(bound.field, ErrOpen)
		}
	}
	return nil
}

// about is a refusal that says which field, by its name in JSON, it is about.
func about(field string, refusal *domain.Refusal) error {
	return refusal.With(field + ": " + refusal.Message)
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
		r.ReviewsModerated == other.ReviewsModerated &&
		r.GuestOpenOrders == other.GuestOpenOrders && r.GuestOpenPieces == other.GuestOpenPieces &&
		r.CustomerOpenOrders == other.CustomerOpenOrders && r.CustomerOpenPieces == other.CustomerOpenPieces &&
		r.NetworkOpenOrders == other.NetworkOpenOrders && r.NetworkOpenPieces == other.NetworkOpenPieces &&
		r.GuestMonths == other.GuestMonths && r.PromocodeProof == other.PromocodeProof &&
		r.HandConfirmAbove == other.HandConfirmAbove && r.ReturnDays == other.ReturnDays && r.LowStock == other.LowStock &&
		r.ApprovalPriceCut == other.ApprovalPriceCut && r.ApprovalProducts == other.ApprovalProducts &&
		r.ApprovalBelowCost == other.ApprovalBelowCost && r.ApprovalRules == other.ApprovalRules &&
		r.CashHours == other.CashHours && r.OpensAt == other.OpensAt && r.ClosesAt == other.ClosesAt
}

func (d CityDelivery) equal(other CityDelivery) bool {
	return d.City == other.City && d.Price == other.Price && d.FreeFrom == other.FreeFrom &&
		slices.Equal(d.Aliases, other.Aliases)
}
