package basket

import (
	"time"

	"shop/domain"
)

// State is what the basket was last asked and answered. The zero value was never asked.
type State struct {
	Question    Question
	Calculation domain.Calculation
	// OrderID is the last order the basket became; zero when it never did.
	OrderID domain.ID
	// Since is when something in it was first priced, after the last order; zero: nothing was.
	Since time.Time

	asked   bool // since the last checkout
	refused CheckoutRefused
	// hour is when the present hour of recording began, recorded how many pricings and refusals it has.
	hour     time.Time
	recorded int
}

// full: the hour of a moment has as many pricings and refusals as may be recorded.
func (s State) full(at time.Time, most int) bool {
	return most > 0 && s.recorded >= most && at.Sub(s.hour) < time.Hour
}

// record counts a pricing or a refusal.
func (s State) record(at time.Time) State {
	if at.Sub(s.hour) >= time.Hour {
		s.hour, s.recorded = at, 0
	}
	s.recorded++
	return s
}

// Decider is a visitor's basket.
var Decider = domain.Decider[Command, Event, State]{Decide: decide, Evolve: evolve}

func decide(command Command, s State) ([]Event, error) {
	switch c := command.(type) {
	case Price:
		if s.full(c.At, c.Most) || s.asked && s.Question == c.Question && s.Calculation.Equal(c.Calculation) {
			return nil, nil
		}
		return []Event{Priced{BasketID: c.BasketID, Question: c.Question, Calculation: c.Calculation, At: c.At}}, nil
	case CheckOut:
		if s.OrderID == c.OrderID {
			return nil, nil
		}
		return []Event{CheckedOut{BasketID: c.BasketID, OrderID: c.OrderID, At: c.At}}, nil
	case RefuseCheckout:
		refused := CheckoutRefused{BasketID: c.BasketID, Question: c.Question, Reason: c.Reason, TotalSum: c.TotalSum, TotalPaid: c.TotalPaid, At: c.At}
		again := refused
		again.At = s.refused.At
		if s.Since.IsZero() || s.full(c.At, c.Most) || again == s.refused {
			return nil, nil
		}
		return []Event{refused}, nil
	}
	return nil, domain.UnknownCommand(command)
}

func evolve(s State, event Event) State {
	switch e := event.(type) {
	case Priced:
		s = s.record(e.At)
		s.Question, s.Calculation, s.asked, s.refused = e.Question, e.Calculation, true, CheckoutRefused{}
		if s.Since.IsZero() && len(e.Calculation.Lines) > 0 {
			s.Since = e.At
		}
	case CheckoutRefused:
		s = s.record(e.At)
		s.refused = e
	case CheckedOut:
		// The visitor keeps the cookie; what they ask next is about a new basket, even when it is the same.
		s.OrderID, s.asked, s.refused, s.Since = e.OrderID, false, CheckoutRefused{}, time.Time{}
	}
	return s
}
