package ops

import (
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"shop/commands/identity/signin"
	"shop/eventstore"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

// stepUp says with an answer whether persons in it are masked only until the second factor is shown again.
type stepUp struct {
	StepUp bool `json:"step_up"`
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
	persons, again := signin.Looks(r.Context(), "log", uuid.Nil)
	view, err := o.reads.Log(r.Context(), q, persons)
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, struct {
		reads.Log
		stepUp
	}{view, stepUp{again}})
	return nil
}
