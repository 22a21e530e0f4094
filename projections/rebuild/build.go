package rebuild

import (
	"errors"
	"fmt"
	"time"

	"shop/eventstore"
)

// Kind is what a build is for.
type Kind string

const (
	// Rebuild ends by replacing the live read model.
	Rebuild Kind = "rebuild"
	// Verify folds afresh, compares with the live read model at one position, and leaves nothing behind.
	Verify Kind = "verify"
	// AsOf makes a read model as it was at a position; it stays until it is dropped.
	AsOf Kind = "as-of"
)

// State is how a build stands.
type State string

const (
	// Waiting is for a process to take it.
	Waiting State = "waiting"
	Running State = "running"
	Paused  State = "paused"
	// Ready is folded and compared, and waits for Swap or Cancel.
	Ready State = "ready"
	// Swapping is about to replace the live read model.
	Swapping State = "swapping"
	// Done, Failed and Cancelled are final.
	Done      State = "done"
	Failed    State = "failed"
	Cancelled State = "cancelled"
)

// Final says that the build has ended.
func (s State) Final() bool { return s == Done || s == Failed || s == Cancelled }

// Phase is what a build does or did last.
type Phase string

const (
	Folding    Phase = "fold"
	Indexing   Phase = "index"
	CatchingUp Phase = "catch-up"
	Comparing  Phase = "verify"
	Exchanging Phase = "swap"
)

// BuildOptions say what to build. The zero value is a rebuild that waits for Swap.
type BuildOptions struct {
	// Kind defaults to Rebuild.
	Kind Kind
	// AutoSwap lets a rebuild replace the live read model by itself when it is equal to it, or is made from another
	// definition. Without, it always waits for Swap.
	AutoSwap bool
	// AcceptDifferences lets AutoSwap swap whatever the comparison found.
	AcceptDifferences bool
	// Position is the last one to fold, for AsOf; 0: the log's head, or what Time says.
	Position eventstore.Position
	// Time is for AsOf: the log up to the last event that was recorded at or before it. Zero: none.
	Time time.Time
	// Schema to make, for AsOf. Default NAME_at_POSITION.
	Schema string
	// Actor is who asked for it.
	Actor string
}

// Build is a build as everybody sees it.
type Build struct {
	ID         int64
	Projection string
	Kind       Kind
	// Version is that of the definition it is built from, Fingerprint what changes with it.
	Version     int
	Fingerprint string
	Schema      string
	State       State
	Phase       Phase
	AutoSwap    bool
	// Position is the last one to fold, as far as it is known.
	Position eventstore.Position
	// AsOf is the time that was asked for; zero: none.
	AsOf time.Time
	// Progress is the share of the log that is folded, from 0 to 1; Events counts what was folded, Rate is events a second lately.
	Progress float64
	Events   int64
	Rate     float64
	// ETA is how long folding will still take; negative: not known.
	ETA       time.Duration
	Actor     string
	StartedAt time.Time
	UpdatedAt time.Time
	// FinishedAt is zero until the build is final.
	FinishedAt time.Time
	// Holder is the process at work; empty: none.
	Holder string
	// Error says why it failed.
	Error string
	// LockTime is how long readers could have waited for the swap; negative: there was none yet.
	LockTime time.Duration
	// Report is what the comparison found; nil before it. Builds leaves out its sample, Build does not.
	Report *Report
}

// Report is a comparison of the live read model with one folded afresh, at one position.
type Report struct {
	// Position is the least over the ranges that was compared at.
	Position eventstore.Position `json:"position"`
	// Compared counts rows of both sides together, each key once. Missing are keys that only the fresh one has, Extra those
	// only the live one has, Changed those whose common columns differ.
	Compared int64 `json:"compared"`
	Missing  int64 `json:"missing"`
	Extra    int64 `json:"extra"`
	Changed  int64 `json:"changed"`
	// Columns are those (and tables) that only one side has, as table or table.column; they are not compared.
	NewColumns  []string `json:"new_columns,omitempty"`
	GoneColumns []string `json:"gone_columns,omitempty"`
	// Sample holds the first differences, at most a hundred.
	Sample []Difference `json:"sample,omitempty"`
}

// Equal says that no row differs.
func (r *Report) Equal() bool { return r.Missing+r.Extra+r.Changed == 0 }

// Difference is a row that is not the same on both sides. Kind is missing, extra or changed.
type Difference struct {
	Table   string             `json:"table"`
	Key     string             `json:"key"`
	Kind    string             `json:"kind"`
	Columns []ColumnDifference `json:"columns,omitempty"`
}

// ColumnDifference holds both values as JSON. Those of personal columns are masked before they are stored: reports
// outlive the erasure of a person.
type ColumnDifference struct {
	Column   string `json:"column"`
	Live     string `json:"live"`
	Fresh    string `json:"fresh"`
	Personal bool   `json:"personal,omitempty"`
}

// Model is a schema that holds a read model.
type Model struct {
	Schema, Projection string
	// Role is live, previous or as-of.
	Role        string
	Version     int
	Fingerprint string
	// Position is where it stood when it was replaced (the least over the ranges), or what an as-of model shows; 0 for a live one.
	Position eventstore.Position
	// AsOf is the time an as-of model was asked for; zero: none.
	AsOf   time.Time
	MadeAt time.Time
	// ReplacedAt is when a previous one was replaced.
	ReplacedAt time.Time
}

// Filter chooses builds; the zero value is all of them.
type Filter struct {
	// Projection is a name; empty: all.
	Projection string
	// Unfinished leaves out final ones.
	Unfinished bool
	// Limit is the most builds wanted; 0: all.
	Limit int
}

// RolledBack is what Rollback did.
type RolledBack struct {
	Projection string
	// Version is that of the read model that is live again.
	Version int
	// Took is the time from the call to the swap, LockTime the part of it in which readers could have waited.
	Took, LockTime time.Duration
}

var (
	// ErrNeverRan: the projection has no checkpoints yet, so there is nothing to rebuild or to compare with.
	ErrNeverRan = errors.New("the projection has never run")
	// ErrNoPrevious: no read model is kept that one could go back to.
	ErrNoPrevious = errors.New("no previous read model is kept")
	// ErrNoBuild: there is no build by this number.
	ErrNoBuild = errors.New("there is no such build")
	// ErrNoModel: there is no as-of read model in a schema of this name.
	ErrNoModel = errors.New("there is no such read model")
)

// Unbuildable: an option does not fit the log or the schemas there are.
type Unbuildable struct {
	// Option is position, time or schema.
	Option, Reason string
}

func (e *Unbuildable) Error() string { return e.Reason }

// Unfinished: the schema is being built already.
type Unfinished struct{ Build Build }

func (e *Unfinished) Error() string {
	return fmt.Sprintf("build %d of %s into schema %s is not finished (%s): wait for it or cancel it", e.Build.ID, e.Build.Projection, e.Build.Schema, e.Build.State)
}

// Refused: the build is not in a state for what was asked.
type Refused struct {
	Build Build
	// Asked is pause, resume, cancel or swap.
	Asked string
}

func (e *Refused) Error() string {
	return fmt.Sprintf("build %d of %s cannot %s: it is %s", e.Build.ID, e.Build.Projection, e.Asked, e.Build.State)
}
