package replay

import (
	"context"
	"math"
	"slices"
	"time"

	"shop/domain/change"
	"shop/eventstore"
)

const (
	// The orders that effects are made of are kept for keepEffects after the last one, if they take at most keepOrders bytes.
	keepOrders, keepEffects = 128 << 20, 5 * time.Minute
)

// Effects measures what changes would do, one after the other. What it read of the log it keeps for a while, for the next question.
type Effects struct {
	store *eventstore.Store
	// turn holds the history; whoever has taken it out is at work.
	turn chan *History
	// quiet forgets the history; only whoever has the turn sets it.
	quiet *time.Timer
}

// NewEffects reads orders from a store.
func NewEffects(store *eventstore.Store) *Effects {
	e := &Effects{store: store, turn: make(chan *History, 1)}
	e.turn <- nil
	return e
}

// Measure prices the orders placed in the days before a time without a change and with it.
func (e *Effects) Measure(ctx context.Context, items []change.Item, days int, at time.Time) (change.Effect, error) {
	return e.measure(ctx, days, func(h *History) (change.Effect, error) { return h.Effect(ctx, items, at.AddDate(0, 0, -days), at) })
}

// measure brings the history up to date for a question of so many days.
func (e *Effects) measure(ctx context.Context, days int, ask func(*History) (change.Effect, error)) (effect change.Effect, err error) {
	if !slices.Contains(change.EffectDays, days) {
		return effect, change.ErrDays
	}
	var h *History
	select {
	case h = <-e.turn:
	case <-ctx.Done():
		return effect, ctx.Err()
	}
	defer func() { e.turn <- h }()
	if e.quiet != nil {
		e.quiet.Stop()
	}
	if h == nil {
		h = newHistory()
		h.ordersOnly = true
	}
	if err := h.ReadOn(ctx, e.store, 0, func(float64) {}); err != nil {
		if ctx.Err() == nil {
			h = nil
		}
		return effect, err
	}
	effect, err = ask(h)
	effect.Days = days
	if h.Bytes() > keepOrders {
		h = nil
		return effect, err
	}
	e.quiet = time.AfterFunc(keepEffects, e.forget)
	return effect, err
}

// forget lets go of the history, unless somebody is at work with it.
func (e *Effects) forget() {
	select {
	case <-e.turn:
		e.turn <- nil
	default:
	}
}

func seconds(at time.Time) uint32 { return uint32(min(max(at.Unix(), 0), math.MaxUint32)) }
