package eventstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/migrations/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// happened is a plain event, named one that carries personal data, odd one that cannot be decoded.
type happened struct {
	N    int    `json:"n"`
	Note string `json:"note,omitempty"`
}

type named struct {
	Person uuid.UUID `json:"person"`
	Name   string    `json:"name"`
	Phones []string  `json:"phones"`
	City   string    `json:"city"`
	Note   string    `json:"note,omitempty"`
}

type odd struct{}

type codec struct{}

func (codec) Encode(data any) (Encoded, error) {
	payload, err := json.Marshal(data)
	e := Encoded{Schema: 1, Payload: payload}
	switch d := data.(type) {
	case happened:
		e.Type = "test.happened"
	case named:
		e.Type, e.Person, e.Sealed, e.NewPerson = "test.named", d.Person, []string{"name", "phones", "note"}, d.Note != "known"
	case odd:
		e.Type = "test.odd"
	default:
		err = fmt.Errorf("%T is no event", data)
	}
	return e, err
}

func (codec) Decode(typ string, _ int, payload []byte) (any, error) {
	switch typ {
	case "test.happened":
		var d happened
		err := json.Unmarshal(payload, &d)
		return d, err
	case "test.named":
		var d named
		err := json.Unmarshal(payload, &d)
		return d, err
	default:
		return nil, errors.New("event type " + typ + " is not known")
	}
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
