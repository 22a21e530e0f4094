package staff

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"shop/domain"
	"shop/eventstore"
)

// EventKind is where an event stands in its stream, and how its data are to be read.
type EventKind struct {
	Stream  string             `json:"stream"`
	Version eventstore.Version `json:"version"`
	Type    string             `json:"type"`
	Schema  int                `json:"schema"`
}

// Event is an event as it is recorded.
type Event struct {
	Position eventstore.Position `json:"position"`
	ID       uuid.UUID           `json:"id"`
	EventKind
	RecordedAt  time.Time       `json:"recorded_at"`
	Actor       string          `json:"actor"`
	Correlation string          `json:"correlation"`
	Causation   string          `json:"causation"`
	Trace       string          `json:"trace"`
	Data        json.RawMessage `json:"data"`
	Erased      bool            `json:"erased"`
	// Error says why this program cannot decode the event.
	Error string `json:"error,omitempty"`
}

// What stands for a personal value: masked where the reader may not see it, gone where the person is erased, hidden where the
// command line was not asked for it.
var (
	masked = json.RawMessage(`"•••"`)
	gone   = json.RawMessage(`"erased"`)
	hidden = json.RawMessage(`"(personal)"`)
)

// EventOf shows an event. Which fields are personal is known from their seal, and from the registry for an event
// that was recorded before they were.
func (r *Reader) EventOf(e *eventstore.Recorded, personal bool) Event {
	v := Event{
		Position: e.Position, ID: e.ID, EventKind: EventKind{e.Stream, e.Version, e.Type, e.Schema}, RecordedAt: e.RecordedAt,
		Actor: e.Metadata.Actor, Correlation: e.Metadata.CorrelationID, Causation: e.Metadata.CausationID, Trace: e.Metadata.Trace,
		Erased: e.Erased, Data: e.Payload,
	}
	if e.Unreadable != nil {
		v.Error = e.Unreadable.Error()
	}
	var open []string
	if !personal {
		open = r.events.Personal(e.Type)
	}
	if len(e.Closed) == 0 && len(open) == 0 {
		return v
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(e.Payload, &fields) != nil || fields == nil {
		fields = map[string]json.RawMessage{} // no object has no fields that could be told apart
	}
	replace(fields, open, masked)
	for _, name := range e.Closed {
		if fields[name] = masked; e.Erased {
			fields[name] = gone
		}
	}
	encoded, err := json.Marshal(fields)
	if err != nil {
		encoded = []byte("{}")
	}
	v.Data = encoded
	return v
}

// replace puts a value in place of those of the named fields that are there.
func replace(fields map[string]json.RawMessage, names []string, by json.RawMessage) {
	for _, name := range names {
		if _, there := fields[name]; there {
			fields[name] = by
		}
	}
}

// decodedEventOf is EventOf for an event in the schema of today.
func (r *Reader) decodedEventOf(e eventstore.Event, personal bool) (Event, error) {
	text, err := json.Marshal(e.Data)
	if err != nil {
		return Event{}, fmt.Errorf("show event %d: %w", e.Position, err)
	}
	recorded := eventstore.Recorded{
		ID: e.ID, Stream: e.Stream, Version: e.Version, Position: e.Position, Type: e.Type, Schema: e.Schema, RecordedAt: e.RecordedAt,
		Metadata: e.Metadata, Payload: text, Erased: e.Erased,
	}
	if e.Erased {
		recorded.Closed = r.events.Personal(e.Type)
	}
	return r.EventOf(&recorded, personal), nil
}

// Log is a page of the log, newest first.
type Log struct {
	Head   eventstore.Position `json:"head"`
	Events []Event             `json:"events"`
	// Next is what to go on before; null at the end.
	Next *eventstore.Position `json:"next"`
}

// Log searches the log. Personal fields are masked unless they are asked for.
func (r *Reader) Log(ctx context.Context, q eventstore.Search, personal bool) (Log, error) {
	found, next, err := r.store.Browse(ctx, q, personal)
	if err != nil {
		return Log{}, err
	}
	head, err := r.store.Head(ctx)
	if err != nil {
		return Log{}, err
	}
	view := Log{Head: head, Events: make([]Event, len(found))}
	for i := range found {
		view.Events[i] = r.EventOf(&found[i], personal)
	}
	if next != 0 {
		view.Next = &next
	}
	return view, nil
}

// EventLine is an event as the command line shows it: decoded, in the schema of today, with its metadata as they are stored.
type EventLine struct {
	Position eventstore.Position `json:"position"`
	EventKind
	ID         uuid.UUID           `json:"id"`
	RecordedAt time.Time           `json:"recorded_at"`
	Metadata   eventstore.Metadata `json:"metadata"`
	Erased     bool                `json:"erased,omitempty"`
	Data       json.RawMessage     `json:"data"`
	// Error says why the data stand here as they are stored: they cannot be decoded.
	Error string `json:"error,omitempty"`
}

// EventLineOf shows an event, its personal fields hidden unless they are asked for.
func EventLineOf(e eventstore.Event, personal bool) (EventLine, error) {
	line := EventLine{
		Position: e.Position, EventKind: EventKind{e.Stream, e.Version, e.Type, e.Schema}, ID: e.ID,
		RecordedAt: e.RecordedAt, Metadata: e.Metadata, Erased: e.Erased,
	}
	if broken, ok := e.Data.(eventstore.Unreadable); ok {
		line.Data, line.Error = broken.Stored, broken.Err.Error()
		return line, nil
	}
	var err error
	if line.Data, err = payload(e.Data, personal); err != nil {
		return EventLine{}, fmt.Errorf("show event %s: %w", e.ID, err)
	}
	return line, nil
}

// payload is an event's data as JSON, personal fields hidden unless they are asked for.
func payload(data any, personal bool) (json.RawMessage, error) {
	encoded, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	owner, ok := data.(domain.HasPersonal)
	if personal || !ok {
		return encoded, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(encoded, &fields); err != nil {
		return nil, err
	}
	replace(fields, owner.Personal().Fields, hidden)
	return json.Marshal(fields)
}
