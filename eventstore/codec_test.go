package eventstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"testing"

	"github.com/google/uuid"

	"shop/migrations/pgtest"
)

func TestMain(m *testing.M) {
	if url := os.Getenv(childFeed); url != "" {
		runChildFeed(url)
	}
	pgtest.Main(m)
}

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
		e.Type, e.Person, e.Sealed = "test.named", d.Person, []string{"name", "phones", "note"}
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
