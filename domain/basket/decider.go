package basket

import "shop/domain"

// State is what the basket was last asked and answered. The zero value was never asked.
type State struct {
	Question    Question
	Calculation domain.Calculation
	// OrderID is the last order the basket became; zero when it never did.
	OrderID domain.ID

	asked bool // since the last checkout
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
	}
	return nil, domain.UnknownCommand(command)
}

func evolve(s State, event Event) State {
	switch e := event.(type) {
	case Priced:
		s.Question, s.Calculation, s.asked = e.Question, e.Calculation, true
	case CheckedOut:
		// The visitor keeps the cookie; what they ask next is about a new basket, even when it is the same.
		s.OrderID, s.asked = e.OrderID, false
	}
	return s
}
