package ops

import (
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"shop/domain/staff"
	"shop/eventstore"
	"shop/readapi/endpoint"
)

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
	view, err := o.reads.Log(r.Context(), q, may(r.Context(), staff.SeePersonal))
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, view)
	return nil
}
