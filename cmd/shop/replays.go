package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"shop/commands"
	"shop/domain"
	"shop/domain/staff"
	"shop/eventstore"
	"shop/projections/replay"
)

// replayRoutes are how analysts try other rules on all of history; ops_openapi.yaml describes them.
func (o *ops) replayRoutes(r chi.Router, allowed guard) {
	add := func(method, path string, e endpoint) {
		r.Method(method, "/api/analytics/replays"+path, allowed(staff.SeeReports, e))
	}
	add("POST", "", o.askReplay)
	add("GET", "", o.listReplays)
	add("HEAD", "", o.listReplays)
	add("GET", "/{id}", o.showReplay)
	add("HEAD", "/{id}", o.showReplay)
	add("DELETE", "/{id}", o.cancelReplay)
}

// maxOverrides is the most bytes of rules to try; all of the default ones take 600.
const maxOverrides = 16 << 10

// replayView is a replay as pages see it.
type replayView struct {
	ID         string              `json:"id"`
	State      replay.State        `json:"state"`
	Error      string              `json:"error,omitempty"`
	Position   eventstore.Position `json:"position"`
	Rules      json.RawMessage     `json:"rules"`
	CreatedAt  time.Time           `json:"created_at"`
	CreatedBy  string              `json:"created_by"`
	FinishedAt *time.Time          `json:"finished_at,omitempty"`
	Progress   replayProgress      `json:"progress"`
}

type replayProgress struct {
	Stage string `json:"stage"`
	Done  int64  `json:"done"`
	Of    int64  `json:"of"`
}

func viewOfReplay(r *replay.Replay, name func(actor string) string) replayView {
	return replayView{
		ID: r.ID, State: r.State, Error: r.Error, Position: r.Position, Rules: r.Overrides, CreatedAt: r.CreatedAt, CreatedBy: name(r.CreatedBy),
		FinishedAt: timeOrNull(r.FinishedAt), Progress: replayProgress{r.Stage, r.Done, r.Of},
	}
}

// writeReplay answers with a replay and its report, null while there is none.
func (o *ops) writeReplay(w http.ResponseWriter, r *http.Request, status int, found *replay.Replay) {
	writeJSON(w, status, struct {
		replayView
		Report json.RawMessage `json:"report"`
	}{viewOfReplay(found, o.names(r.Context())), found.Report})
}

func (o *ops) askReplay(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Rules json.RawMessage      `json:"rules"`
		Until *eventstore.Position `json:"until"`
	}
	if err := staffBody(r, &asked); err != nil {
		return err
	}
	var overrides map[string]json.RawMessage
	switch {
	case len(asked.Rules) > maxOverrides:
		return wrongField("rules", fmt.Sprintf("Must be at most %d KiB.", maxOverrides>>10))
	case json.Unmarshal(asked.Rules, &overrides) != nil || overrides == nil:
		return wrongField("rules", "Must be an object with fields of the rules.")
	}
	var until eventstore.Position
	if asked.Until != nil {
		if until = *asked.Until; until < 1 {
			return wrongField("until", "Must be a number from 1.")
		}
	}
	now, at, err := o.replays.RulesAt(r.Context(), until)
	if err != nil {
		return err
	}
	if at < until {
		return wrongField("until", fmt.Sprintf("The log has come to position %d.", at))
	}
	tried, err := putRules(overrides, now)
	if err != nil {
		return wrongField("rules", err.Error())
	}
	var refusal *domain.Refusal
	if err := tried.Check(); errors.As(err, &refusal) {
		return wrongField("rules", refusal.Message)
	}
	found, fresh, err := o.replays.Ask(r.Context(), replay.Question{
		Rules: tried.Rules, Overrides: asked.Rules, Position: at, Actor: commands.OriginOf(r.Context()).Actor,
	})
	if errors.Is(err, replay.ErrQueueFull) {
		w.Header().Set("Retry-After", "10")
		return &staffRefusal{http.StatusTooManyRequests, "Too many replays wait. Try again in a while."}
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

func (o *ops) listReplays(w http.ResponseWriter, r *http.Request) error {
	found, err := o.replays.List(r.Context(), 50)
	if err != nil {
		return err
	}
	views, name := make([]replayView, len(found)), o.names(r.Context())
	for i := range found {
		views[i] = viewOfReplay(&found[i], name)
	}
	writeJSON(w, http.StatusOK, views)
	return nil
}

func (o *ops) showReplay(w http.ResponseWriter, r *http.Request) error {
	found, err := o.replays.Show(r.Context(), chi.URLParam(r, "id"))
	if err != nil {
		return err
	}
	o.writeReplay(w, r, http.StatusOK, &found)
	return nil
}

func (o *ops) cancelReplay(w http.ResponseWriter, r *http.Request) error {
	if err := o.replays.Cancel(r.Context(), chi.URLParam(r, "id")); err != nil {
		return err
	}
	return noContent(w)
}
