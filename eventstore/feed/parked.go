package feed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"shop/eventstore"
	"shop/eventstore/wake"
)

// handleCarefully handles events so that those that fail are parked, together with the later ones of their streams, and
// all others are handled. It returns the streams with dead letters.
func (p *partition) handleCarefully(ctx context.Context, tx Tx, events []eventstore.Event) (map[string]bool, error) {
	streams, err := tx.Parked(ctx, p.place())
	if err != nil {
		return nil, err
	}
	h := halving{partition: p, parked: make(map[string]bool, len(streams))}
	for _, stream := range streams {
		h.parked[stream] = true
	}
	if err := h.handle(ctx, tx, events); err != nil {
		return nil, err
	}
	if len(h.letters) > 0 {
		if err := tx.Park(ctx, p.place(), h.letters); err != nil {
			return nil, err
		}
		p.feed.tel.parked(ctx, p.consumer.Name, len(h.letters))
	}
	return h.parked, nil
}

// halving finds the events that fail.
type halving struct {
	*partition
	// parked are the streams with dead letters, letters the new ones.
	parked  map[string]bool
	letters []Letter
}

// handle handles events at once if that works, else by halves, down to the one that fails.
func (h *halving) handle(ctx context.Context, tx Tx, events []eventstore.Event) error {
	live := make([]eventstore.Event, 0, len(events))
	var failed error
	for i := range events {
		e := &events[i]
		if h.parked[e.Stream] {
			h.letters = append(h.letters, Letter{Position: e.Position, Stream: e.Stream})
			continue
		}
		live = append(live, *e)
		if err := unreadable(e); err != nil {
			failed = err
		}
	}
	if len(live) == 0 {
		return nil
	}
	if failed == nil {
		if failed = h.consumer.attempt(ctx, tx, live); failed == nil {
			return nil
		}
		if h.feed.transient(failed) {
			return failed
		}
	}
	if len(live) == 1 {
		h.park(&live[0], failed)
		return nil
	}
	middle := len(live) / 2
	if err := h.handle(ctx, tx, live[:middle]); err != nil {
		return err
	}
	return h.handle(ctx, tx, live[middle:])
}

func (h *halving) park(e *eventstore.Event, failed error) {
	h.feed.log.Error("event parked as dead letter", "consumer", h.consumer.Name, "position", e.Position, "stream", e.Stream,
		"version", e.Version, "type", e.Type, "error", failed)
	h.parked[e.Stream] = true
	h.letters = append(h.letters, Letter{Position: e.Position, Stream: e.Stream, Error: failed.Error()})
}

// retryAtOnce is how many parked events one transaction tries.
const retryAtOnce = 500

// retryParked makes the attempts that were asked for.
func (p *partition) retryParked(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.row.loaded || !p.row.held || !p.row.retry {
		return nil
	}
	giveBack, err := p.consumer.slot(ctx, p.feed.slots)
	if err != nil {
		return err
	}
	defer giveBack()
	// The handler is not cut off when the feed stops; its transaction is short.
	ctx = p.feed.life.handling
	positions, err := p.feed.checkpoints.Retries(ctx, p.place(), retryAtOnce)
	var found []eventstore.Event
	if err == nil && len(positions) > 0 {
		found, err = p.feed.source.At(ctx, positions)
	}
	if err != nil {
		return fmt.Errorf("read dead letters of %s: %w", p.consumer.Name, err)
	}
	// The checkpoint stays; moving it to where it is takes its lock and checks that the range is still ours.
	stay := []Move{p.move(p.row.position, p.rate.add(0, time.Now()))}
	err = p.transact(ctx, stay, func(ctx context.Context, tx Tx) error {
		// An operator may have skipped some since they were read.
		still, err := tx.StillParked(ctx, p.place(), positions)
		if err != nil {
			return err
		}
		return p.retryAll(ctx, tx, slices.DeleteFunc(found, func(e eventstore.Event) bool { return !slices.Contains(still, e.Position) }))
	})
	if err != nil {
		p.unload()
		if errors.Is(err, ErrMoved) {
			return nil
		}
		return fmt.Errorf("retry dead letters of %s: %w", p.consumer.Name, err)
	}
	p.row.retry = len(positions) == retryAtOnce
	p.writes++
	p.consumer.committed(nil)
	wake.Up(p.feed.wakes.coordinator) // what is still parked
	return nil
}

// retryAll tries parked events, stream by stream, and keeps what came of it.
func (p *partition) retryAll(ctx context.Context, tx Tx, found []eventstore.Event) error {
	var s Settlement
	for stream := range byStream(found) {
		ok, why, err := retryStream(ctx, tx, p.consumer.Consumer, p.feed.checkpoints.Transient, stream)
		if err != nil {
			return err
		}
		for i := range stream[:ok] {
			s.Done = append(s.Done, stream[i].Position)
		}
		if why != nil {
			s.Failed = append(s.Failed, Letter{Position: stream[ok].Position, Stream: stream[ok].Stream, Error: why.Error()})
		} else {
			s.Mended = append(s.Mended, stream[0].Stream)
		}
	}
	return tx.Settle(ctx, p.consumer.Name, s)
}

// byStream yields the events of each stream; those of one stand together.
func byStream(events []eventstore.Event) func(yield func([]eventstore.Event) bool) {
	return func(yield func([]eventstore.Event) bool) {
		for start, end := 0, 0; start < len(events); start = end {
			for end < len(events) && events[end].Stream == events[start].Stream {
				end++
			}
			if !yield(events[start:end]) {
				return
			}
		}
	}
}

// retryStream handles a stream's parked events in order, up to the first that fails; it says how many it handled.
func retryStream(ctx context.Context, tx Tx, c Consumer, transient func(error) bool, events []eventstore.Event) (ok int, why, err error) {
	for ; ok < len(events); ok++ {
		if why = unreadable(&events[ok]); why == nil {
			why = c.attempt(ctx, tx, events[ok:ok+1])
		}
		if why != nil && transient(why) {
			return ok, nil, why
		}
		if why != nil {
			return ok, why, nil
		}
	}
	return ok, nil, nil
}
