package ops

import (
	"net/http"
	"time"

	"shop/readapi/endpoint"
	"shop/readapi/sentences"
	"shop/readapi/staff/health"
)

func (o *Ops) showHealth(w http.ResponseWriter, r *http.Request) error {
	view, err := health.Of(r.Context(), o.store)
	if err != nil {
		return err
	}
	view.Statements.Reason = sentences.ForStaff(endpoint.Language(r), view.Statements.Reason)
	endpoint.WriteJSON(w, http.StatusOK, struct {
		health.Health
		Replicas []replica `json:"replicas"`
	}{view, o.replicas()})
	return nil
}

// replica is a read replica as the process that answers sees it.
type replica struct {
	Name  string    `json:"name"`
	In    bool      `json:"in"`
	Why   string    `json:"why"`
	Since time.Time `json:"since"`
	// BehindSeconds and BehindBytes are null when they are not known.
	BehindSeconds *float64 `json:"behind_seconds"`
	BehindBytes   *int64   `json:"behind_bytes"`
}

func (o *Ops) replicas() []replica {
	views := []replica{}
	for _, s := range o.Replicas.Statuses() {
		view := replica{Name: s.Name, In: s.In, Why: s.Why, Since: s.Since}
		if s.Behind >= 0 {
			seconds := s.Behind.Seconds()
			view.BehindSeconds, view.BehindBytes = &seconds, &s.BehindBytes
		}
		views = append(views, view)
	}
	return views
}
