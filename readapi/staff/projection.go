package staff

import (
	"context"
	"time"

	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/projections"
	"shop/projections/rebuild"
)

// Standing is where a projection or policy stands in the log. Lag counts the events that it has still to handle, LagSeconds is
// the age of the oldest of them, Rate is events a second lately.
type Standing struct {
	State       feed.ConsumerState  `json:"state"`
	Position    eventstore.Position `json:"position"`
	Head        eventstore.Position `json:"head"`
	Lag         int64               `json:"lag"`
	LagSeconds  float64             `json:"lag_seconds"`
	Rate        float64             `json:"rate"`
	DeadLetters int64               `json:"dead_letters"`
}

func standingOf(c feed.ConsumerStatus) Standing {
	return Standing{c.State, c.Position, c.Head, c.Lag, c.LagTime.Seconds(), c.Rate, c.DeadLetters}
}

// Range is where a projection stands in a range of slices. Holder is null when no process folds it.
type Range struct {
	Range    int                 `json:"range"`
	Position eventstore.Position `json:"position"`
	Holder   *string             `json:"holder"`
	Term     int64               `json:"term"`
}

func rangesOf(c feed.ConsumerStatus) []Range {
	views := make([]Range, len(c.Ranges))
	for i, at := range c.Ranges {
		views[i] = Range{at.Range, at.Position, textOrNull(at.Holder), at.Term}
	}
	return views
}

// Kind says what reads the log.
type Kind string

const (
	// ReadModel can be rebuilt; Policy acts on what happens, and what it did stays done.
	ReadModel Kind = "read model"
	Policy    Kind = "policy"
)

func kindOf(consumer string) Kind {
	if _, ok := projections.Named(consumer); ok {
		return ReadModel
	}
	return Policy
}

// Projection is a projection or policy with its read model and what is being built to replace it.
type Projection struct {
	Name    string `json:"name"`
	Kind    Kind   `json:"kind"`
	Version int    `json:"version"`
	Standing
	UpdatedAt *time.Time `json:"updated_at"`
	Ranges    []Range    `json:"ranges"`
	Previous  *Previous  `json:"previous"`
	Build     *Build     `json:"build"`
}

// ProjectionOf shows where a projection or policy stands, without its read model and its build.
func ProjectionOf(c feed.ConsumerStatus) Projection {
	p := Projection{Name: c.Name, Kind: kindOf(c.Name), Standing: standingOf(c), UpdatedAt: timeOrNull(c.UpdatedAt), Ranges: rangesOf(c)}
	if known, ok := projections.Named(c.Name); ok {
		p.Version = known.Version
	}
	return p
}

// Previous is the read model that was replaced last.
type Previous struct {
	Version    int       `json:"version"`
	ReplacedAt time.Time `json:"replaced_at"`
}

// Projections is all projections and policies at a moment.
type Projections struct {
	At          time.Time           `json:"at"`
	Head        eventstore.Position `json:"head"`
	Projections []Projection        `json:"projections"`
}

// DeadLetters counts those of all projections and policies.
func (p Projections) DeadLetters() (count int64) {
	for _, one := range p.Projections {
		count += one.DeadLetters
	}
	return count
}

// Projections looks at everything that reads the log.
func (r *Reader) Projections(ctx context.Context) (Projections, error) {
	view := Projections{At: time.Now().UTC(), Projections: []Projection{}}
	consumers, err := feed.ControlOf(r.store).Consumers(ctx)
	if err != nil {
		return view, err
	}
	builds, err := r.builds.Builds(ctx, rebuild.Filter{Unfinished: true})
	if err != nil {
		return view, err
	}
	models, err := r.builds.Models(ctx)
	if err != nil {
		return view, err
	}
	for _, c := range consumers {
		p := ProjectionOf(c)
		view.Head = c.Head
		for _, m := range models {
			switch {
			case m.Projection != c.Name:
			case m.Role == "live":
				p.Version = m.Version
			case m.Role == "previous":
				p.Previous = &Previous{m.Version, m.ReplacedAt}
			}
		}
		// Newest first, so that of several the one begun first is shown: a rebuild rather than what waits behind it.
		for _, b := range builds {
			if b.Projection == c.Name {
				shown := BuildOf(b, false)
				p.Build = &shown
			}
		}
		view.Projections = append(view.Projections, p)
	}
	if len(consumers) == 0 {
		view.Head, err = r.store.Head(ctx)
	}
	return view, err
}

// ProjectionLine is a projection or policy as the command line lists it.
type ProjectionLine struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
	Standing
	Ranges []Range `json:"ranges"`
}

// ProjectionLineOf shows a projection or policy in a list.
func ProjectionLineOf(c feed.ConsumerStatus) ProjectionLine {
	return ProjectionLine{c.Name, kindOf(c.Name), standingOf(c), rangesOf(c)}
}

// ProjectionLines lists everything that reads the log, by name.
func (r *Reader) ProjectionLines(ctx context.Context) ([]ProjectionLine, error) {
	consumers, err := feed.ControlOf(r.store).Consumers(ctx)
	if err != nil {
		return nil, err
	}
	lines := make([]ProjectionLine, len(consumers))
	for i, c := range consumers {
		lines[i] = ProjectionLineOf(c)
	}
	return lines, nil
}
