package domain

import "fmt"

// Event is a fact that an aggregate recorded. Its type's name in the log never changes once stored.
type Event interface {
	// EventType is the stored name, such as "order.placed".
	EventType() string
}

// Decider is an aggregate as three pure values (after Jérémie Chassaing's "Functional Event Sourcing Decider").
type Decider[C any, E Event, S any] struct {
	// Initial is the state before the first event.
	Initial S
	// Decide answers a command with the events it adds, nil when there is nothing to add, or a *Refusal.
	Decide func(command C, state S) ([]E, error)
	// Evolve folds one event into the state. It cannot fail: history is fact.
	Evolve func(state S, event E) S
}

// Fold evolves state by events in order.
func (d Decider[C, E, S]) Fold(state S, events ...E) S {
	for _, e := range events {
		state = d.Evolve(state, e)
	}
	return state
}

// UnknownCommand is the error of a decider that was given a command it forgot: a mistake in the program, no refusal.
func UnknownCommand(command any) error { return fmt.Errorf("no decision about command %T", command) }

// Personal says which top-level JSON fields of an event's payload belong to one person. The event store seals
// them under that person's key; the zero value seals nothing.
type Personal struct {
	// Person owns the key; a guest's order has a person of its own.
	Person ID
	// Fields are JSON names in the payload.
	Fields []string
	// New: the event may be the first about the person, and makes the key. Without it the person has to have one.
	New bool
}

// HasPersonal is implemented by events that carry personal data.
type HasPersonal interface {
	Event
	Personal() Personal
}
