package staff

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/domain/order"
	"shop/eventstore"
	"shop/projections"
	"shop/projections/replay"
)

// Trail is a stream event by event.
type Trail struct {
	Stream string `json:"stream"`
	Steps  []Step `json:"steps"`
}

// Step is an event with what it made of its stream, and what else came of it.
type Step struct {
	Event
	State   json.RawMessage `json:"state"`
	Changes []replay.Change `json:"changes"`
	Effects []Effect        `json:"effects"`
	// Letters are those the event called for; sent ones for as long as it is remembered.
	Letters []Letter `json:"letters"`
	// Projections are the read models that fold the event.
	Projections []string `json:"projections"`
}

// Effect is another event of the same request.
type Effect struct {
	Position   eventstore.Position `json:"position"`
	Stream     string              `json:"stream"`
	Version    eventstore.Version  `json:"version"`
	Type       string              `json:"type"`
	RecordedAt time.Time           `json:"recorded_at"`
	Actor      string              `json:"actor"`
	// Caused: the event of the step is the cause; otherwise both come of the same request.
	Caused bool `json:"caused"`
}

// Letter is a letter to a customer. State is waiting, sent, dead or skipped.
type Letter struct {
	Kind  string `json:"kind"`
	State string `json:"state"`
	// SentAt is null before it is sent.
	SentAt *time.Time `json:"sent_at"`
}

// OrderTrail is what happened to an order, and how its price came about.
type OrderTrail struct {
	Number int64     `json:"number"`
	ID     uuid.UUID `json:"id"`
	Trail
	// TestPayment: the test bank was asked for money, and takes none.
	TestPayment bool           `json:"test_payment"`
	Price       *replay.Priced `json:"price"`
}

// testBank is how the log names the test bank, payments.TestBank: the read side imports no command.
const testBank = "sandbox"

// Trail follows a stream; ErrNothing without events. Personal fields are masked unless they are asked for.
func (r *Reader) Trail(ctx context.Context, stream string, personal bool, name Names) (Trail, error) {
	view, _, err := r.trail(ctx, stream, personal, name)
	return view, err
}

// OrderTrail follows an order, and prices it again; ErrNothing without events.
func (r *Reader) OrderTrail(ctx context.Context, number int64, id uuid.UUID, personal bool, name Names) (OrderTrail, error) {
	trail, steps, err := r.trail(ctx, order.Stream(id), personal, name)
	if err != nil {
		return OrderTrail{}, err
	}
	view := OrderTrail{Number: number, ID: id, Trail: trail}
	for _, s := range steps {
		if asked, ok := s.Event.Data.(order.PaymentRequested); ok && asked.Provider == testBank {
			view.TestPayment = true
		}
	}
	for _, s := range slices.Backward(steps) { // the last event that made a price
		var price replay.Priced
		switch e := s.Event.Data.(type) {
		case order.Placed:
			price, err = replay.Reprice(ctx, r.store, &e, s.Event.Position)
		case order.LinesChanged:
			price, err = replay.RepriceChanged(ctx, r.store, &e, s.Event.Position)
		default:
			continue
		}
		if err != nil {
			return OrderTrail{}, err
		}
		view.Price = &price
		break
	}
	return view, nil
}

func (r *Reader) trail(ctx context.Context, stream string, personal bool, name Names) (Trail, []replay.Step, error) {
	steps, err := replay.Trail(ctx, r.store, stream, personal)
	if err != nil {
		return Trail{}, nil, err
	}
	if len(steps) == 0 {
		return Trail{}, nil, ErrNothing
	}
	letters, err := r.lettersOf(ctx, steps)
	if err != nil {
		return Trail{}, nil, err
	}
	view := Trail{Stream: stream, Steps: make([]Step, len(steps))}
	for i, s := range steps {
		shown, err := r.decodedEventOf(s.Event, personal)
		if err != nil {
			return Trail{}, nil, err
		}
		shown.Actor = name(shown.Actor)
		step := Step{
			Event: shown, State: s.State, Changes: orEmpty(s.Changes), Effects: []Effect{},
			Letters: orEmpty(letters[s.Event.ID]), Projections: orEmpty(readBy()[s.Event.Type]),
		}
		for _, e := range s.Effects {
			step.Effects = append(step.Effects, Effect{
				e.Position, e.Stream, e.Version, e.Type, e.RecordedAt, name(e.Actor), e.Causation == s.Event.ID.String(),
			})
		}
		view.Steps[i] = step
	}
	return view, steps, nil
}

// readBy names the read models that fold events of a type, by types.
var readBy = sync.OnceValue(func() map[string][]string {
	names := map[string][]string{}
	for _, p := range projections.All() {
		for _, eventType := range p.Types() {
			names[eventType] = append(names[eventType], p.Name)
		}
	}
	return names
})

// lettersOf finds the letters that wait or were sent, by the event that called for them.
func (r *Reader) lettersOf(ctx context.Context, steps []replay.Step) (map[uuid.UUID][]Letter, error) {
	ids := make([]uuid.UUID, len(steps))
	for i, s := range steps {
		ids[i] = s.Event.ID
	}
	rows, err := r.db.Query(ctx, `SELECT id, kind, CASE WHEN skipped_at IS NOT NULL THEN 'skipped' WHEN dead_at IS NOT NULL THEN 'dead' ELSE 'waiting' END, NULL
		FROM mail_jobs WHERE id = ANY ($1) UNION ALL SELECT id, kind, 'sent', sent_at FROM mail_sent WHERE id = ANY ($1)`, ids)
	if err != nil {
		return nil, fmt.Errorf("look for letters: %w", err)
	}
	letters := map[uuid.UUID][]Letter{}
	var id uuid.UUID
	var l Letter
	_, err = pgx.ForEachRow(rows, []any{(*[16]byte)(&id), &l.Kind, &l.State, &l.SentAt}, func() error {
		letters[id] = append(letters[id], l)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for letters: %w", err)
	}
	return letters, nil
}
