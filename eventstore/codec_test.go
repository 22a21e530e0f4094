package eventstore

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"shop/eventstore/testevents"
	"shop/migrations/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// Events of the tests, and their codec.
type (
	happened = testevents.Happened
	named    = testevents.Named
	odd      = testevents.Odd
	codec    struct{}
)

func (codec) Encode(data any) (Encoded, error) {
	e, err := testevents.Encode(data)
	return Encoded(e), err
}

func (codec) Decode(typ string, _ int, payload []byte) (any, error) {
	return testevents.Decode(typ, payload)
}

// quiet is a logger for tests that fail on purpose.
var quiet = slog.New(slog.DiscardHandler)

// openStore is a store on a database of its own.
func openStore(t testing.TB) *Store {
	t.Helper()
	s := Open(pgtest.Open(t), codec{}, Options{Logger: quiet})
	t.Cleanup(s.Close)
	return s
}

// some are n plain events.
func some(n int) []NewEvent {
	events := make([]NewEvent, n)
	for i := range events {
		events[i].Data = happened{N: i + 1}
	}
	return events
}

// to writes one plain event to a stream.
func to(stream string, expected Version) Append {
	return Append{Writes: []Write{{Stream: stream, Expected: expected, Events: some(1)}}}
}

func mustAppend(t testing.TB, s *Store, a Append) Appended {
	t.Helper()
	got, err := s.Append(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func appendTo(t testing.TB, s *Store, stream string, events ...any) Position {
	t.Helper()
	w := Write{Stream: stream, Expected: AnyVersion}
	for _, e := range events {
		w.Events = append(w.Events, NewEvent{Data: e})
	}
	return mustAppend(t, s, Append{Writes: []Write{w}}).Position
}

// eventually is for what another goroutine makes true without a signal a test could wait for.
func eventually(t testing.TB, what string, true func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for !true() {
		select {
		case <-ctx.Done():
			t.Fatal("never " + what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}
