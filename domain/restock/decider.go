package restock

import (
	"fmt"

	"shop/domain"
)

// Refusals of restock commands.
var (
	ErrAlreadySubscribed = domain.Refuse("restock/already-subscribed", "Вы уже подписаны")
	ErrInStock           = domain.Refuse("restock/in-stock", "Товар уже есть в наличии")
	// ErrNoCustomer: only customers with an account wait.
	ErrNoCustomer = domain.Refuse("restock/no-customer", "Зайдите в аккаунт, чтобы подписаться на обновление товара")
)

// State is a product's waiting list. The zero value is an empty one.
type State struct {
	ProductID domain.ID
	// Places counts the subscriptions there ever were.
	Places int64

	waiting domain.Map[domain.ID] // place → customer
	places  domain.Map[int64]     // customer → place
}

// Waiting is how many customers are on the list.
func (s State) Waiting() int { return s.waiting.Len() }

// IsSubscribed says whether a customer is on the list.
func (s State) IsSubscribed(customer domain.ID) bool {
	_, waits := s.places.Get(customer.String())
	return waits
}

// Decider is a product's waiting list.
var Decider = domain.Decider[Command, Event, State]{Decide: decide, Evolve: evolve}

func decide(command Command, s State) ([]Event, error) {
	switch c := command.(type) {
	case Subscribe:
		switch {
		case c.CustomerID == domain.ID{}:
			return nil, ErrNoCustomer
		case s.IsSubscribed(c.CustomerID):
			return nil, ErrAlreadySubscribed
		case c.Available > 0:
			return nil, ErrInStock
		}
		return []Event{Subscribed{ProductID: c.ProductID, CustomerID: c.CustomerID, Place: s.Places + 1, At: c.At}}, nil

	case Notify:
		if c.Available <= 0 {
			return nil, nil
		}
		var events []Event
		for _, customer := range s.waiting.All() {
			if c.Limit > 0 && len(events) == c.Limit {
				break
			}
			place, _ := s.places.Get(customer.String())
			events = append(events, Notified{ProductID: s.ProductID, CustomerID: customer, Place: place, At: c.At})
		}
		return events, nil

	case Unsubscribe:
		place, waits := s.places.Get(c.CustomerID.String())
		if !waits {
			return nil, nil
		}
		return []Event{Unsubscribed{ProductID: s.ProductID, CustomerID: c.CustomerID, Place: place, At: c.At}}, nil
	}
	return nil, domain.UnknownCommand(command)
}

func evolve(s State, event Event) State {
	switch e := event.(type) {
	case Subscribed:
		s.ProductID, s.Places = e.ProductID, e.Place
		s.waiting = s.waiting.With(key(e.Place), e.CustomerID)
		s.places = s.places.With(e.CustomerID.String(), e.Place)
	case Notified:
		s.waiting, s.places = s.waiting.Without(key(e.Place)), s.places.Without(e.CustomerID.String())
	case Unsubscribed:
		s.waiting, s.places = s.waiting.Without(key(e.Place)), s.places.Without(e.CustomerID.String())
	}
	return s
}

// key sorts as its place does.
func key(place int64) string { return fmt.Sprintf("%019d", place) }
