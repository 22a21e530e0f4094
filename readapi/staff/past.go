package staff

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/eventstore"
	"shop/projections/past"
)

// Past finds moments of the shop's past.
type Past struct {
	Store *eventstore.Store
	Pasts *past.Pasts
	Clock func() time.Time
}

// Then is the shop as it was at a position of the log.
type Then struct {
	Position eventstore.Position
	// Time is when the event of the position was recorded, or what was asked for.
	Time  time.Time
	store *eventstore.Store
	pasts *past.Pasts
}

var (
	// ErrNotYet: the moment is still to come, or the log has not come so far.
	ErrNotYet = errors.New("the moment is still to come")
	// ErrBeforeAll: the moment is before the first event.
	ErrBeforeAll = errors.New("the moment is before the shop's first event")
	// ErrLooking: others look at other moments. ErrTooMuch: too much happened up to the moment.
	ErrLooking, ErrTooMuch = past.ErrBusy, past.ErrTooMuch
)

// At is the shop at a moment of its past.
func (p Past) At(ctx context.Context, m Moment) (Then, error) {
	then := Then{Position: m.Position, Time: m.Time, store: p.Store, pasts: p.Pasts}
	head, err := p.Store.Head(ctx)
	if err != nil {
		return then, err
	}
	if m.Time.IsZero() {
		if m.Position > head {
			return then, ErrNotYet
		}
		err := p.Store.Pool().QueryRow(ctx, `SELECT recorded_at FROM eventstore.events WHERE position <= $1 ORDER BY position DESC LIMIT 1`, m.Position).Scan(&then.Time)
		if errors.Is(err, pgx.ErrNoRows) {
			return then, ErrBeforeAll
		}
		if err != nil {
			return then, fmt.Errorf("find the time of position %d: %w", m.Position, err)
		}
		return then, nil
	}
	if m.Time.After(p.Clock()) {
		return then, ErrNotYet
	}
	if then.Position, err = lastBefore(ctx, p.Store.Pool(), m.Time); err != nil {
		return then, err
	}
	if then.Position == 0 {
		return then, ErrBeforeAll
	}
	then.Position = min(then.Position, head)
	return then, nil
}

// Log is the log as it was.
func (t Then) Log() past.Log { return past.Log{Store: t.store, UpTo: t.Position} }

// See lets see read the read models as they were.
func (t Then) See(ctx context.Context, see func(ctx context.Context, shop Shop) error) error {
	return t.pasts.At(ctx, t.Position, func(ctx context.Context, db *past.DB) error { return see(ctx, Shop{DB: db, Then: &t}) })
}
