package staff

import (
	"context"
	"encoding/json"
	"time"

	"shop/eventstore"
	"shop/projections/rebuild"
)

// BuildStanding is what is built, and how far it has come.
type BuildStanding struct {
	ID         int64               `json:"id"`
	Projection string              `json:"projection"`
	Kind       rebuild.Kind        `json:"kind"`
	State      rebuild.State       `json:"state"`
	Phase      rebuild.Phase       `json:"phase"`
	Schema     string              `json:"schema"`
	Position   eventstore.Position `json:"position"`
	// Progress is the share of the log that is folded, from 0 to 1.
	Progress float64 `json:"progress"`
	Events   int64   `json:"events"`
}

func buildStandingOf(b rebuild.Build) BuildStanding {
	return BuildStanding{
		ID: b.ID, Projection: b.Projection, Kind: b.Kind, State: b.State, Phase: b.Phase, Schema: b.Schema, Position: b.Position,
		Progress: min(max(b.Progress, 0), 1), Events: b.Events,
	}
}

// Build is a build of a read model.
type Build struct {
	BuildStanding
	Rate            float64      `json:"rate"`
	ETASeconds      *float64     `json:"eta_seconds"`
	StartedAt       time.Time    `json:"started_at"`
	UpdatedAt       time.Time    `json:"updated_at"`
	FinishedAt      *time.Time   `json:"finished_at"`
	Holder          *string      `json:"holder"`
	Actor           string       `json:"actor"`
	Error           string       `json:"error"`
	SwapLockSeconds *float64     `json:"swap_lock_seconds"`
	Differences     *Differences `json:"differences"`
}

// Differences are what a build differs in from the live read model.
type Differences struct {
	Compared    int64        `json:"compared"`
	Missing     int64        `json:"missing"`
	Extra       int64        `json:"extra"`
	Changed     int64        `json:"changed"`
	NewColumns  []string     `json:"new_columns"`
	GoneColumns []string     `json:"gone_columns"`
	Sample      []Difference `json:"sample,omitzero"`
}

// Difference is a row that differs.
type Difference struct {
	Table   string `json:"table"`
	Key     string `json:"key"`
	Kind    string `json:"kind"`
	Columns []Cell `json:"columns"`
}

// Cell is a value of a row that differs, as it is and as it is built.
type Cell struct {
	Column string          `json:"column"`
	Live   json.RawMessage `json:"live"`
	Fresh  json.RawMessage `json:"fresh"`
}

// BuildOf shows a build, with the sample of its differences if wanted. Personal columns are masked for everybody:
// the comparison keeps no person's data.
func BuildOf(b rebuild.Build, sample bool) Build {
	v := Build{
		BuildStanding: buildStandingOf(b), Rate: b.Rate, ETASeconds: secondsOrNull(b.ETA),
		StartedAt: b.StartedAt, UpdatedAt: b.UpdatedAt, FinishedAt: timeOrNull(b.FinishedAt), Holder: textOrNull(b.Holder),
		Actor: b.Actor, Error: b.Error, SwapLockSeconds: secondsOrNull(b.LockTime),
	}
	if b.Report == nil {
		return v
	}
	v.Differences = &Differences{
		Compared: b.Report.Compared, Missing: b.Report.Missing, Extra: b.Report.Extra, Changed: b.Report.Changed,
		NewColumns: orEmpty(b.Report.NewColumns), GoneColumns: orEmpty(b.Report.GoneColumns),
	}
	if !sample {
		return v
	}
	v.Differences.Sample = make([]Difference, len(b.Report.Sample))
	for i, found := range b.Report.Sample {
		shown := Difference{Table: found.Table, Key: found.Key, Kind: found.Kind, Columns: make([]Cell, len(found.Columns))}
		for j, c := range found.Columns {
			shown.Columns[j] = Cell{c.Column, cellOf(c.Live, c.Personal), cellOf(c.Fresh, c.Personal)}
		}
		v.Differences.Sample[i] = shown
	}
	return v
}

// cellOf is a stored value as JSON: null without one, the mask for a personal one.
func cellOf(text string, personal bool) json.RawMessage {
	switch {
	case text == "":
		return json.RawMessage("null")
	case personal:
		return masked
	case json.Valid([]byte(text)):
		return json.RawMessage(text)
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		return json.RawMessage("null") // a string is never refused
	}
	return quoted
}

// Builds is builds, newest first.
type Builds struct {
	Builds []Build `json:"builds"`
}

// Builds lists builds without the samples of their differences.
func (r *Reader) Builds(ctx context.Context, f rebuild.Filter, name Names) (Builds, error) {
	found, err := r.builds.Builds(ctx, f)
	if err != nil {
		return Builds{}, err
	}
	view := Builds{Builds: make([]Build, len(found))}
	for i, b := range found {
		view.Builds[i] = BuildOf(b, false)
		view.Builds[i].Actor = name(b.Actor)
	}
	return view, nil
}

// BuildLine is a build as the command line lists it. It has the whole report of the comparison in place of Differences, and an
// empty Holder in place of null.
type BuildLine struct {
	BuildStanding
	StartedAt  time.Time       `json:"started_at"`
	FinishedAt *time.Time      `json:"finished_at"`
	Holder     string          `json:"holder"`
	Actor      string          `json:"actor"`
	Error      string          `json:"error"`
	Report     *rebuild.Report `json:"report"`
}

// BuildLineOf shows a build in a list.
func BuildLineOf(b rebuild.Build) BuildLine {
	return BuildLine{buildStandingOf(b), b.StartedAt, timeOrNull(b.FinishedAt), b.Holder, b.Actor, b.Error, b.Report}
}

// BuildLines lists builds, newest first.
func (r *Reader) BuildLines(ctx context.Context, f rebuild.Filter) ([]BuildLine, error) {
	found, err := r.builds.Builds(ctx, f)
	if err != nil {
		return nil, err
	}
	lines := make([]BuildLine, len(found))
	for i, b := range found {
		lines[i] = BuildLineOf(b)
	}
	return lines, nil
}

// RolledBack is the read model that a rollback brought back.
type RolledBack struct {
	Projection  string  `json:"projection"`
	Version     int     `json:"version"`
	TookSeconds float64 `json:"took_seconds"`
}

// RolledBackOf shows what a rollback did.
func RolledBackOf(b rebuild.RolledBack) RolledBack {
	return RolledBack{b.Projection, b.Version, b.Took.Seconds()}
}
