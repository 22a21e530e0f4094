package commands

import (
	"fmt"

	"shop/domain"
	"shop/eventstore"
)

// Ref is a stream whose aggregate is known; Stream is the only kind.
type Ref interface {
	name() string
	isPrivate() bool
	initial() any
	fold(state any, events []eventstore.Event) (any, error)
}

// Stream ties a stream to the decider that folds it.
type Stream[C any, E domain.Event, S any] struct {
	Name    string
	Decider domain.Decider[C, E, S]
	// Private: one person's stream, of use to few commands.
	Private bool
}

func (s Stream[C, E, S]) name() string { return s.Name }

func (s Stream[C, E, S]) isPrivate() bool { return s.Private }

func (s Stream[C, E, S]) initial() any { return s.Decider.Initial }

func (s Stream[C, E, S]) fold(state any, events []eventstore.Event) (any, error) {
	folded := state.(S)
	for _, e := range events {
		event, ok := e.Data.(E)
		if !ok {
			return nil, fmt.Errorf("stream %s, version %d: a %T does not belong here", s.Name, e.Version, e.Data)
		}
		folded = s.Decider.Evolve(folded, event)
	}
	return folded, nil
}

// State is the aggregate as the unit sees it: what was loaded and what the unit decided since.
func (s Stream[C, E, S]) State(u *Unit) S { return u.of(s.Name).state.(S) }

// Version is how many events the stream had when it was loaded.
func (s Stream[C, E, S]) Version(u *Unit) eventstore.Version { return u.of(s.Name).version }

// Exists says whether the stream has any event.
func (s Stream[C, E, S]) Exists(u *Unit) bool { return u.of(s.Name).version > 0 }

// Do lets the aggregate decide a command; its events join the unit's append.
func (s Stream[C, E, S]) Do(u *Unit, command C) error {
	l := u.of(s.Name)
	state := l.state.(S)
	events, err := s.Decider.Decide(command, state)
	if err != nil {
		return err
	}
	for _, e := range events {
		state = s.Decider.Evolve(state, e)
		l.events = append(l.events, eventstore.NewEvent{ID: u.h.NewID(), Data: e})
	}
	if held, may := any(l.state).(claimant); may {
		_, before := held.Claims()
		_, after := any(state).(claimant).Claims()
		l.yields = l.yields && !after || before && !after
	}
	l.state = state
	return nil
}
