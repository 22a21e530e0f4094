package commands

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"shop/domain"
	"shop/eventstore"
)

// Ref is a stream whose aggregate is known; Stream is the only kind.
type Ref interface {
	name() string
	isPrivate() bool
	initial() any
	fold(state any, events []eventstore.Event) (any, error)
	// forget is what remains of a state once a person is erased; nil person: once anybody may be. false: nothing.
	forget(state any, person *domain.ID) (any, bool)
	isPersonal() bool
	// isOnly says that there is one such stream, so that a shop may remember that nothing was written to it yet.
	isOnly() bool
	// lacks says whether a state was a snapshot that is not enough any more.
	lacks(state any) bool
	// isSpent says whether commands that come soon have no use for a state.
	isSpent(state any) bool
	// shape names what snapshots are made of; empty: there are none. freeze answers false for a state of which none may be.
	shape() string
	freeze(state any) ([]byte, bool)
	thaw(frozen []byte) (any, error)
}

// Stream ties a stream to the decider that folds it.
type Stream[C any, E domain.Event, S any] struct {
	Name    string
	Decider domain.Decider[C, E, S]
	// Private: one person's stream, of use to few commands.
	Private bool
	// Only: there are few streams of the kind, such as that of the rules. That nothing was written to one yet is remembered too; of other
	// streams it is not, as anybody may ask for any number of them.
	Only bool
	// Forget is what remains of a state when a person is erased, as if it were folded after that; false: it is folded again. nil: a
	// private stream's is folded again, any other holds no personal fields.
	Forget func(state S, person domain.ID) (S, bool)
	// Spent says that a state is of no use to commands that come soon, and so is not kept in memory; nil: none is.
	Spent func(state S) bool
	// Snapshots are how states are written down; nil: they are not.
	Snapshots *Snapshots[S]
}

// Snapshots are how states of a stream that may grow long are written down, so that it is not read from its beginning. They hold no
// personal fields.
type Snapshots[S any] struct {
	// Shape changes with every change of the fold or of what is written down.
	Shape string
	// Freeze writes a state down; false: not this one. Thaw reads it.
	Freeze func(state S) ([]byte, bool)
	Thaw   func(frozen []byte) (S, error)
	// Lacks says whether a state that was a snapshot is not enough any more, because of later events; nil: it always is.
	Lacks func(state S) bool
}

// snapshots are those of a decider that writes states down as a D.
func snapshots[D, S any](name string, revision int, freeze func(S) (D, bool), thaw func(D) S, lacks func(S) bool) *Snapshots[S] {
	return &Snapshots[S]{
		Shape: fmt.Sprintf("%s/%d/%x", name, revision, sha256.Sum256([]byte(layout(reflect.TypeFor[D]()))))[:len(name)+20],
		Freeze: func(state S) ([]byte, bool) {
			written, may := freeze(state)
			if !may {
				return nil, false
			}
			frozen, err := json.Marshal(written)
			return frozen, err == nil
		},
		Thaw: func(frozen []byte) (S, error) {
			var written D
			if err := json.Unmarshal(frozen, &written); err != nil {
				var none S
				return none, err
			}
			return thaw(written), nil
		},
		Lacks: lacks,
	}
}

// layout is what a type is made of: its fields with their names in JSON and their types.
func layout(t reflect.Type) string {
	if t.Kind() != reflect.Struct || t.PkgPath() == "time" {
		return t.String()
	}
	var b strings.Builder
	for i := range t.NumField() {
		f := t.Field(i)
		fmt.Fprintf(&b, "%s %q %s;", f.Name, f.Tag, layout(f.Type))
	}
	return "{" + b.String() + "}"
}

func (s Stream[C, E, S]) name() string { return s.Name }

func (s Stream[C, E, S]) isPrivate() bool { return s.Private }

func (s Stream[C, E, S]) isOnly() bool { return s.Only }

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

func (s Stream[C, E, S]) forget(state any, person *domain.ID) (any, bool) {
	switch {
	case s.Forget == nil:
		return state, !s.Private
	case person == nil:
		return nil, false
	}
	return s.Forget(state.(S), *person)
}

func (s Stream[C, E, S]) isPersonal() bool { return s.Private || s.Forget != nil }

func (s Stream[C, E, S]) lacks(state any) bool {
	return s.Snapshots != nil && s.Snapshots.Lacks != nil && s.Snapshots.Lacks(state.(S))
}

func (s Stream[C, E, S]) isSpent(state any) bool { return s.Spent != nil && s.Spent(state.(S)) }

func (s Stream[C, E, S]) shape() string {
	if s.Snapshots == nil {
		return ""
	}
	return s.Snapshots.Shape
}

func (s Stream[C, E, S]) freeze(state any) ([]byte, bool) { return s.Snapshots.Freeze(state.(S)) }

func (s Stream[C, E, S]) thaw(frozen []byte) (any, error) { return s.Snapshots.Thaw(frozen) }

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
