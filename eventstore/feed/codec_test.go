package feed

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"testing"
	"time"

	"shop/eventstore"
	"shop/eventstore/testevents"
	"shop/eventstore/wake"
	"shop/migrations/pgtest"
)

func TestMain(m *testing.M) {
	if url := os.Getenv(childFeed); url != "" {
		runChildFeed(url)
	}
	pgtest.Main(m)
}

// Events of the tests, and their codec.
type (
	happened = testevents.Happened
	named    = testevents.Named
	odd      = testevents.Odd
	codec    struct{}
)

func (codec) Encode(data any) (eventstore.Encoded, error) {
	e, err := testevents.Encode(data)
	return eventstore.Encoded(e), err
}

func (codec) Decode(typ string, _ int, payload []byte) (any, error) {
	return testevents.Decode(typ, payload)
}

// quiet is a logger for tests that fail on purpose.
var quiet = slog.New(slog.DiscardHandler)

// openStore is a store on a database of its own.
func openStore(t testing.TB) *eventstore.Store {
	t.Helper()
	s := eventstore.Open(pgtest.Open(t), codec{}, eventstore.Options{Logger: quiet})
	t.Cleanup(s.Close)
	return s
}

// some are n plain events.
func some(n int) []eventstore.NewEvent {
	events := make([]eventstore.NewEvent, n)
	for i := range events {
		events[i].Data = happened{N: i + 1}
	}
	return events
}

// to writes one plain event to a stream.
func to(stream string, expected eventstore.Version) eventstore.Append {
	return eventstore.Append{Writes: []eventstore.Write{{Stream: stream, Expected: expected, Events: some(1)}}}
}

func mustAppend(t testing.TB, s *eventstore.Store, a eventstore.Append) eventstore.Appended {
	t.Helper()
	got, err := s.Append(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func appendTo(t testing.TB, s *eventstore.Store, stream string, events ...any) eventstore.Position {
	t.Helper()
	w := eventstore.Write{Stream: stream, Expected: eventstore.AnyVersion}
	for _, e := range events {
		w.Events = append(w.Events, eventstore.NewEvent{Data: e})
	}
	return mustAppend(t, s, eventstore.Append{Writes: []eventstore.Write{w}}).Position
}

// eventually is for what another goroutine makes true without a signal a test could wait for.
func eventually(t testing.TB, what string, true func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for !true() {
		if !wake.Pause(ctx, 5*time.Millisecond) {
			t.Fatal("never " + what)
		}
	}
}

func isConflict(err error) bool {
	var conflict *eventstore.VersionConflict
	return errors.As(err, &conflict)
}
