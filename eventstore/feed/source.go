package feed

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"shop/eventstore"
)

// Source is the log as the feed reads it. *eventstore.Store is one; another may be a copy of the log elsewhere.
//
//	what may happen                     what a Source guarantees
//	an append hangs in its transaction  heads stay before its positions; what lies at or below a head never changes
//	events are rolled back              their positions are holes; a head passes them
//	an event cannot be decoded          it is returned nevertheless, with an eventstore.Unreadable as its Data
//	a person is erased                  Erasures counts it before Erased wakes, and what is read after is without the fields
//	a wake-up is lost, or comes twice   nothing: the feed looks by itself as well
//	the Source cannot be reached        an error; the feed asks again, more and more slowly
type Source interface {
	// Heads are how far each range may be read, and where the log ends.
	Heads(ctx context.Context) (heads eventstore.Heads, end eventstore.Position, err error)
	// Between reads what lies above and up to places of each range, in the order of positions, at most limit events.
	Between(ctx context.Context, after, upTo eventstore.Heads, limit int) ([]eventstore.Event, error)
	// Inspect reads one range for one consumer, in the order of positions. UpTo is at or below the range's head.
	Inspect(ctx context.Context, q eventstore.Query) ([]eventstore.Event, error)
	// At reads the events at some positions, in the order of streams, and of positions within one.
	At(ctx context.Context, positions []eventstore.Position) ([]eventstore.Event, error)
	// Grown wakes when the log may have grown.
	Grown() (grown <-chan struct{}, stop func())
	// Erased wakes when a person was erased: what was read before must be forgotten.
	Erased() (erased <-chan struct{}, stop func())
	// Erasures counts those erasures.
	Erasures() int64
	// ErasedSince names the persons erased since Erasures was count, and answers what it is now; all: anybody may have been.
	ErasedSince(count int64) (persons []uuid.UUID, now int64, all bool)
}

// isNewer says that an event was written by a newer version of the program.
func isNewer(e eventstore.Event) bool { return errors.Is(unreadable(&e), eventstore.ErrNewer) }

// transient says that a failure was not the event's: another attempt may succeed, or a newer version of the program has to make it.
func (f *Feed) transient(err error) bool {
	return errors.Is(err, eventstore.ErrNewer) || f.checkpoints.Transient(err)
}

// unopened is the error of the first of some events whose personal fields wait for a key. It is no fault of the event: the
// consumer waits, and nothing becomes a dead letter.
func unopened(events []eventstore.Event) error {
	for i := range events {
		if err := unreadable(&events[i]); err != nil && eventstore.Unopened(err) {
			return err
		}
	}
	return nil
}

// unreadable is why an event cannot be decoded; nil: it can.
func unreadable(e *eventstore.Event) error {
	if u, ok := e.Data.(eventstore.Unreadable); ok {
		return u.Err
	}
	return nil
}
