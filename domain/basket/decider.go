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
}

// Decider is a visitor's basket.
var Decider = domain.Decider[Command, Event, State]{Decide: decide, Evolve: evolve}

func decide(command Command, s State) ([]Event, error) {
	switch c := command.(type) {
	case Price:
		if s.asked && s.Question == c.Question && s.Calculation.Equal(c.Calculation) {
			return nil, nil
		}
		return []Event{Priced{BasketID: c.BasketID, Question: c.Question, Calculation: c.Calculation, At: c.At}}, nil
	case CheckOut:
		if s.OrderID == c.OrderID {
			return nil, nil
		}
		return []Event{CheckedOut{BasketID: c.BasketID, OrderID: c.OrderID, At: c.At}}, nil
	case RefuseCheckout:
		refused := CheckoutRefused(c)
		again := refused
		again.At = s.refused.At
		if s.Since.IsZero() || again == s.refused {
			return nil, nil
		}
		return []Event{refused}, nil
	}
	return nil, domain.UnknownCommand(command)
}

func evolve(s State, event Event) State {
	switch e := event.(type) {
	case Priced:
		s.Question, s.Calculation, s.asked, s.refused = e.Question, e.Calculation, true, CheckoutRefused{}
		if s.Since.IsZero() && len(e.Calculation.Lines) > 0 {
			s.Since = e.At
		}
	case CheckoutRefused:
		s.refused = e
	case CheckedOut:
		// The visitor keeps the cookie; what they ask next is about a new basket, even when it is the same.
		s.OrderID, s.asked, s.refused, s.Since = e.OrderID, false, CheckoutRefused{}, time.Time{}
	}
	return s
}
