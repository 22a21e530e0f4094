package feed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"shop/eventstore"
)

// errHandling marks what the consumer's own code answered.
var errHandling = errors.New("handler failed")

// apply handles a batch in a transaction with the move of the checkpoint.
func (p *partition) apply(ctx context.Context, b *Batch) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.epoch != b.epoch || !p.row.loaded || !p.row.held {
		return nil // read for a place the consumer is no longer at; it is read again
	}
	rate := p.rate.add(len(b.entries), time.Now())
	careful := len(b.Events) < len(b.entries)
	for i := range b.entries {
		careful = careful || p.row.parked[b.entries[i].Stream]
	}
	parked, err := p.row.parked, errApart
	if p.consumer.Together && !careful && len(b.entries) <= p.consumer.liveBatch() {
		err = p.applyTogether(ctx, b, rate)
	}
	if errors.Is(err, errApart) {
		careful = careful || errors.Is(err, errHandling) && !p.feed.transient(err)
		parked, err = p.applyAlone(ctx, b, rate, careful)
	}
	switch {
	case err == nil:
		p.row.position, p.row.rate, p.row.parked = b.UpTo, rate, parked
		p.writes++
		p.feed.publish(p, b.UpTo)
		p.consumer.committed(b.Events)
		p.glance.at.Store(int64(b.UpTo))
		p.consumer.moved.Wake()
		return nil
	case errors.Is(err, ErrMoved):
		p.unload()
		return nil
	case errors.Is(err, eventstore.ErrNewer): // the handler read a stream that a newer program writes
		p.consumer.giveUp(ctx, p.feed, err)
		return nil
	default:
		// Whether the commit came through is open; the row tells.
		p.unload()
		return fmt.Errorf("handle %d events of range %d for %s: %w", len(b.entries), p.number, p.consumer.Name, err)
	}
}

// applyAlone handles a batch in a transaction of its own. It returns the streams that are parked then.
func (p *partition) applyAlone(ctx context.Context, b *Batch, rate float32, careful bool) (parked map[string]bool, err error) {
	giveBack, err := p.consumer.slot(ctx, p.feed.slots)
	if err != nil {
		return nil, err
	}
	defer giveBack()
	move := []Move{p.move(b.UpTo, rate)}
	parked, err = p.row.parked, errHandling
	if !careful {
		err = p.transact(ctx, move, func(ctx context.Context, tx Tx) error { return p.handled(ctx, tx, b.Events) })
	}
	// A failure of the handler is looked into event by event, unless another attempt may do.
	if errors.Is(err, errHandling) && !p.feed.transient(err) {
		err = p.transact(ctx, move, func(ctx context.Context, tx Tx) error {
			var err error
			parked, err = p.handleCarefully(ctx, tx, b.entries)
			return err
		})
	}
	return parked, err
}

// transact moves checkpoints of the consumer and does work in one transaction.
func (p *partition) transact(ctx context.Context, moves []Move, work func(ctx context.Context, tx Tx) error) error {
	return p.feed.checkpoints.Transact(ctx, moves, func(ctx context.Context, tx Tx) error {
		if err := p.consumer.prepare(ctx, tx); err != nil {
			return err
		}
		return work(ctx, tx)
	})
}

// handled calls the consumer, its error marked.
func (p *partition) handled(ctx context.Context, tx Tx, events []eventstore.Event) error {
	if err := p.consumer.handle(ctx, tx, events); err != nil {
		return fmt.Errorf("%w: %w", errHandling, err)
	}
	return nil
}
