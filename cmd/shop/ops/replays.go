package ops

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/go-chi/chi/v5"

	"shop/commands"
	"shop/commands/importer/rulesfile"
	"shop/domain"
	"shop/domain/staff"
	"shop/eventstore"
	"shop/projections/replay"
	"shop/readapi/endpoint"
	"shop/readapi/sentences"
	reads "shop/readapi/staff"
)

// replayRoutes are how analysts try other rules on all of history; openapi.yaml describes them.
func (o *Ops) replayRoutes(r chi.Router, allowed endpoint.Guard) {
	add := func(method, path string, e endpoint.Endpoint) {
		r.Method(method, "/api/analytics/replays"+path, allowed(staff.SeeReports, e))
	}
	add("POST", "", o.askReplay)
	add("GET", "", o.listReplays)
	add("HEAD", "", o.listReplays)
	add("GET", "/{id}", o.showReplay)
	add("HEAD", "/{id}", o.showReplay)
	add("DELETE", "/{id}", o.cancelReplay)
}

// MaxOverrides is the most bytes of rules to try; all of the default ones take 600.
const MaxOverrides = 16 << 10

// writeReplay answers with a replay and its report, null while there is none.
func (o *Ops) writeReplay(w http.ResponseWriter, r *http.Request, status int, found *replay.Replay) {
	view := reads.ReportedReplayOf(found, o.names(r.Context()))
	view.Error = sentences.ForStaff(endpoint.Language(r), view.Error)
	endpoint.WriteJSON(w, status, view)
}

func (o *Ops) askReplay(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Rules json.RawMessage      `json:"rules"`
		Until *eventstore.Position `json:"until"`
	}
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	var overrides map[string]json.RawMessage
	switch {
	case len(asked.Rules) > MaxOverrides:
		return endpoint.WrongField("rules", fmt.Sprintf("Must be at most %d KiB.", MaxOverrides>>10))
	case json.Unmarshal(asked.Rules, &overrides) != nil || overrides == nil:
		return endpoint.WrongField("rules", "Must be an object with fields of the rules.")
	}
	var until eventstore.Position
	if asked.Until != nil {
		if until = *asked.Until; until < 1 {
			return endpoint.WrongField("until", "Must be a number from 1.")
		}
	}
	now, at, err := o.Replays.RulesAt(r.Context(), until)
	if err != nil {
		return err
	}
	if at < until {
		return endpoint.WrongField("until", fmt.Sprintf("The log has come to position %d.", at))
	}
	tried, err := rulesfile.Put(overrides, now)
	if err != nil {
		return endpoint.WrongField("rules", err.Error())
	}
	var refusal *domain.Refusal
	if err := tried.Check(); errors.As(err, &refusal) {
		return endpoint.WrongField("rules", refusal.Message)
	}
	found, fresh, err := o.Replays.Ask(r.Context(), replay.Question{
		Rules: tried.Rules, Overrides: asked.Rules, Position: at, Actor: commands.OriginOf(r.Context()).Actor,
	})
	if errors.Is(err, replay.ErrQueueFull) {
		w.Header().Set("Retry-After", "10")
		return endpoint.Refuse(http.StatusTooManyRequests, "Too many replays wait. Try again in a while.")
	}
	if err != nil {
		return err
	}
	status := http.StatusOK
	if fresh {
		status = http.StatusAccepted
	}
	o.writeReplay(w, r, status, &found)
	return nil
}

func (o *Ops) listReplays(w http.ResponseWriter, r *http.Request) error {
	found, err := o.Replays.List(r.Context(), 50)
	if err != nil {
		return err
	}
	views, name := make([]reads.Replay, len(found)), o.names(r.Context())
	for i := range found {
		views[i] = reads.ReplayOf(&found[i], name)
	}
	endpoint.WriteJSON(w, http.StatusOK, views)
	return nil
}

func (o *Ops) showReplay(w http.ResponseWriter, r *http.Request) error {
	found, err := o.Replays.Show(r.Context(), chi.URLParam(r, "id"))
	if err != nil {
		return err
	}
	o.writeReplay(w, r, http.StatusOK, &found)
	return nil
}

func (o *Ops) cancelReplay(w http.ResponseWriter, r *http.Request) error {
	if err := o.Replays.Cancel(r.Context(), chi.URLParam(r, "id")); err != nil {
		return err
	}
	return noContent(w)
}
