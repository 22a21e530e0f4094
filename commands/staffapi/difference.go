package staffapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"shop/domain/staff"
	"shop/eventstore"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

// momentOf reads a moment of the address: a position, a time (RFC 3339), or nothing, which is now.
func momentOf(r *http.Request, name string) (m reads.Moment, err error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return m, nil
	}
	if position, err := strconv.ParseInt(text, 10, 64); err == nil && position > 0 {
		return reads.Moment{Position: eventstore.Position(position)}, nil
	}
	if m.Time, err = time.Parse(time.RFC3339, text); err != nil {
		return m, endpoint.WrongField(name, "Время или позиция журнала не читается")
	}
	return m, nil
}

// difference is GET /api/staff/history/?part=prices&from=&to=: what differs between two moments, and who and which change made it so.
func (s *Changes) difference(w http.ResponseWriter, r *http.Request) error {
	part := r.URL.Query().Get("part")
	if !slices.Contains(reads.DifferenceParts, part) {
		return endpoint.WrongField("part", "Must be one of "+strings.Join(reads.DifferenceParts, ", ")+".")
	}
	from, err := momentOf(r, "from")
	if err != nil {
		return err
	}
	if from == (reads.Moment{}) {
		return endpoint.WrongField("from", "Укажите, с какого момента сравнивать")
	}
	to, err := momentOf(r, "to")
	if err != nil {
		return err
	}
	if !to.Time.IsZero() && from.Time.After(to.Time) || to.Position > 0 && from.Position > to.Position {
		return endpoint.WrongField("to", "Второй момент раньше первого")
	}
	found, err := s.History.Compare(r.Context(), part, from, to, may(r.Context(), staff.SeeCosts), reads.Names(s.Accounts.Names(r.Context(), s.Log)))
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	endpoint.WriteJSON(w, http.StatusOK, found)
	return nil
}
