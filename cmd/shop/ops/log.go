package ops

import (
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"shop/domain/staff"
	"shop/eventstore"
	"shop/eventstore/registry"
	"shop/readapi/endpoint"
)

// EventView is an event as it is recorded.
type EventView struct {
	Position    eventstore.Position `json:"position"`
	ID          uuid.UUID           `json:"id"`
	Stream      string              `json:"stream"`
	Version     eventstore.Version  `json:"version"`
	Type        string              `json:"type"`
	Schema      int                 `json:"schema"`
	RecordedAt  time.Time           `json:"recorded_at"`
	Actor       string              `json:"actor"`
	Correlation string              `json:"correlation"`
	Causation   string              `json:"causation"`
	Trace       string              `json:"trace"`
	Data        json.RawMessage     `json:"data"`
	Erased      bool                `json:"erased"`
	Error       string              `json:"error,omitempty"`
}

// masked stands for a personal value that the role does not see, gone for one of an erased person.
var (
	masked = json.RawMessage(`"•••"`)
	gone   = json.RawMessage(`"erased"`)
)

// ViewOfEvent shows an event. Which fields are personal is known from their seal, and from the registry for an event
// that was recorded before they were.
func ViewOfEvent(known *registry.Registry, e *eventstore.Recorded, personal bool) EventView {
	v := EventView{
		Position: e.Position, ID: e.ID, Stream: e.Stream, Version: e.Version, Type: e.Type, Schema: e.Schema, RecordedAt: e.RecordedAt,
		Actor: e.Metadata.Actor, Correlation: e.Metadata.CorrelationID, Causation: e.Metadata.CausationID, Trace: e.Metadata.Trace,
		Erased: e.Erased, Data: e.Payload,
	}
	if e.Unreadable != nil {
		v.Error = e.Unreadable.Error()
	}
	var open []string
	if !personal {
		open = known.Personal(e.Type)
	}
	if len(e.Closed) == 0 && len(open) == 0 {
		return v
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(e.Payload, &fields) != nil || fields == nil {
		fields = map[string]json.RawMessage{} // no object has no fields that could be told apart
	}
	for _, name := range open {
		if _, there := fields[name]; there {
			fields[name] = masked
		}
	}
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

// FilterLength is the most characters of a filter.
const FilterLength = 300

// searchIn reads the log's filters.
func searchIn(query url.Values) (eventstore.Search, error) {
	for _, name := range []string{"stream", "type", "actor", "trace"} {
		if len(query.Get(name)) > FilterLength || strings.ContainsRune(query.Get(name), 0) {
			return eventstore.Search{}, endpoint.WrongField(name, "Is too long, or no text.")
		}
	}
	q := eventstore.Search{Stream: query.Get("stream"), Actor: query.Get("actor"), Trace: query.Get("trace")}
	for typ := range strings.SplitSeq(query.Get("type"), ",") {
		if typ = strings.TrimSpace(typ); typ != "" && !slices.Contains(q.Types, typ) {
			q.Types = append(q.Types, typ)
		}
	}
	return q, nil
}

func (o *Ops) listEvents(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	q, err := searchIn(query)
	if err != nil {
		return err
	}
	before, err := numberIn(query, "before", 0, 1, math.MaxInt64)
	if err != nil {
		return err
	}
	after, err := numberIn(query, "after", 0, 0, math.MaxInt64)
	if err != nil {
		return err
	}
	limit, err := numberIn(query, "limit", 50, 1, 200)
	if err != nil {
		return err
	}
	q.Before, q.After, q.Limit = eventstore.Position(before), eventstore.Position(after), int(limit)
	personal := may(r.Context(), staff.SeePersonal)
	found, next, err := o.store.Browse(r.Context(), q, personal)
	if err != nil {
		return err
	}
	head, err := o.store.Head(r.Context())
	if err != nil {
		return err
	}
	view := struct {
		Head   eventstore.Position  `json:"head"`
		Events []EventView          `json:"events"`
		Next   *eventstore.Position `json:"next"`
	}{Head: head, Events: make([]EventView, len(found))}
	for i := range found {
		view.Events[i] = ViewOfEvent(o.events, &found[i], personal)
	}
	if next != 0 {
		view.Next = &next
	}
	endpoint.WriteJSON(w, http.StatusOK, view)
	return nil
}
