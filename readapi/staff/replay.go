package staff

import (
	"encoding/json"
	"time"

	"shop/eventstore"
	"shop/projections/replay"
)

// Replay is a history under other rules.
type Replay struct {
	ID         string              `json:"id"`
	State      replay.State        `json:"state"`
	Error      string              `json:"error,omitempty"`
	Position   eventstore.Position `json:"position"`
	Rules      json.RawMessage     `json:"rules"`
	CreatedAt  time.Time           `json:"created_at"`
	CreatedBy  string              `json:"created_by"`
	FinishedAt *time.Time          `json:"finished_at,omitempty"`
	Progress   ReplayProgress      `json:"progress"`
}

// ReplayProgress is how far a replay has come: Done of Of in its Stage.
type ReplayProgress struct {
	Stage string `json:"stage"`
	Done  int64  `json:"done"`
	Of    int64  `json:"of"`
}

// ReplayOf shows a replay.
func ReplayOf(r *replay.Replay, name Names) Replay {
	return Replay{
		ID: r.ID, State: r.State, Error: r.Error, Position: r.Position, Rules: r.Overrides, CreatedAt: r.CreatedAt, CreatedBy: name(r.CreatedBy),
		FinishedAt: timeOrNull(r.FinishedAt), Progress: ReplayProgress{r.Stage, r.Done, r.Of},
	}
}

// ReportedReplay is a replay with its report, null while there is none.
type ReportedReplay struct {
	Replay
	Report json.RawMessage `json:"report"`
}

// ReportedReplayOf shows a replay with its report.
func ReportedReplayOf(r *replay.Replay, name Names) ReportedReplay {
	return ReportedReplay{ReplayOf(r, name), r.Report}
}
