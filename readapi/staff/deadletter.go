package staff

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/projections"
)

// ParkedEvent is which event a projection or policy could not handle.
type ParkedEvent struct {
	Projection string              `json:"projection"`
	Position   eventstore.Position `json:"position"`
	Stream     string              `json:"stream"`
	Version    eventstore.Version  `json:"version"`
	Type       string              `json:"type"`
}

func parkedEventOf(l feed.DeadLetter) ParkedEvent {
	return ParkedEvent{l.Consumer, l.Position, l.Stream, l.Version, l.Type}
}

// DeadLetter is an event that a projection or policy could not handle, and what went wrong.
type DeadLetter struct {
	ParkedEvent
	// Error is empty for an event that only waits behind another of its stream.
	Error    string    `json:"error"`
	Attempts int       `json:"attempts"`
	ParkedAt time.Time `json:"parked_at"`
	TriedAt  time.Time `json:"tried_at"`
	// Retry: somebody asked for another attempt, which has not been made yet.
	Retry bool `json:"retry"`
}

// DeadLetterOf shows a dead letter.
func DeadLetterOf(l feed.DeadLetter) DeadLetter {
	return DeadLetter{parkedEventOf(l), l.Error, l.Attempts, l.ParkedAt, l.TriedAt, l.Retry}
}

// DeadLetters lists the first dead letters of a projection or policy; an empty name: of all.
func (r *Reader) DeadLetters(ctx context.Context, projection string, limit int) ([]DeadLetter, error) {
	found, err := feed.ControlOf(r.store).FirstDeadLetters(ctx, projection, limit)
	if err != nil {
		return nil, err
	}
	views := make([]DeadLetter, len(found))
	for i, l := range found {
		views[i] = DeadLetterOf(l)
	}
	return views, nil
}

// OpenedDeadLetter is a dead letter with its event.
type OpenedDeadLetter struct {
	DeadLetter
	Event Event `json:"event"`
}

// DeadLetter opens a dead letter; without one the error is *feed.NoDeadLetter. Personal fields are masked unless they are
// asked for.
func (r *Reader) DeadLetter(ctx context.Context, projection string, position eventstore.Position, personal bool) (OpenedDeadLetter, error) {
	letter, err := feed.ControlOf(r.store).DeadLetter(ctx, projection, position)
	if err != nil {
		return OpenedDeadLetter{}, err
	}
	event, err := r.store.RecordedAt(ctx, position, personal)
	if err != nil {
		return OpenedDeadLetter{}, err
	}
	if event == nil {
		return OpenedDeadLetter{}, &feed.NoDeadLetter{Consumer: letter.Consumer, Position: position}
	}
	return OpenedDeadLetter{DeadLetterOf(letter), r.EventOf(event, personal)}, nil
}

// DeadLetterLine is a dead letter as the command line lists it.
type DeadLetterLine struct {
	ParkedEvent
	Attempts int       `json:"attempts"`
	ParkedAt time.Time `json:"parked_at"`
	// Error is empty for an event that only waits behind another of its stream.
	Error string `json:"error"`
}

// DeadLetterLineOf shows a dead letter in a list.
func DeadLetterLineOf(l feed.DeadLetter) DeadLetterLine {
	return DeadLetterLine{parkedEventOf(l), l.Attempts, l.ParkedAt, l.Error}
}

// DeadLetterLines lists all dead letters of a projection or policy; an empty name: of all.
func (r *Reader) DeadLetterLines(ctx context.Context, projection string) ([]DeadLetterLine, error) {
	found, err := feed.ControlOf(r.store).DeadLetters(ctx, projection)
	if err != nil {
		return nil, err
	}
	lines := make([]DeadLetterLine, len(found))
	for i, l := range found {
		lines[i] = DeadLetterLineOf(l)
	}
	return lines, nil
}

// Trial is what a retry of a dead letter would come to.
type Trial struct {
	Position eventstore.Position `json:"position"`
	Stream   string              `json:"stream"`
	Type     string              `json:"type"`
	// OK: it would be handled. One that would not even be tried, because an earlier event of its stream fails, has no Error.
	OK    bool   `json:"ok"`
	Error string `json:"error"`
}

// ErrOtherEdition: what this program would fold is not what the live read model is made from.
var ErrOtherEdition = errors.New("another edition of this projection is live: ask the program that runs it")

// DryRun tries a projection's dead letters, or those of the named streams, with what this program folds, in a transaction that
// is taken back. More: there are others that were not tried.
func (r *Reader) DryRun(ctx context.Context, projection string, streams []string) (trials []Trial, more bool, err error) {
	p, ok := projections.Named(projection)
	if !ok {
		return nil, false, &feed.UnknownConsumer{Name: projection}
	}
	models, err := r.builds.Models(ctx)
	if err != nil {
		return nil, false, err
	}
	for _, m := range models {
		if m.Projection == projection && m.Role == "live" && m.Fingerprint != p.Fingerprint() {
			return nil, false, ErrOtherEdition
		}
	}
	tried, more, err := feed.ControlOf(r.store).DryRun(ctx, projection, streams, func(ctx context.Context, tx pgx.Tx, events []eventstore.Event) error {
		return p.Apply(ctx, tx, events)
	})
	if err != nil {
		return nil, false, err
	}
	trials = make([]Trial, len(tried))
	for i, t := range tried {
		trials[i] = Trial{t.Position, t.Stream, t.Type, t.OK, t.Error}
	}
	return trials, more, nil
}
