package feed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"shop/eventstore"
	"shop/eventstore/coalesce"
)

// The live batches of a consumer's ranges share transactions (Consumer.Together): one is in flight, and the batches that
// come meanwhile are handled together in the next. What a consumer costs the database then depends little on how many
// ranges there are, and the more is to do, the less each event costs.
//
// Its own, beside coalesce.Group: the rest after a transaction, and the way out of a shared transaction that failed, on
// which each batch is handled by itself.
const (
	// liveBatch is the largest batch that shares; a larger one is catching up and worth a transaction. That of a consumer with
	// a Rest of its own is restedBatch, because seconds of a busy log are not yet a log to catch up with.
	liveBatch   = 128
	restedBatch = 2048
	// maxTogether is how many events share a transaction, restedTogether how many of a consumer with a Rest of its own.
	maxTogether    = 512
	restedTogether = 4 * restedBatch
)

// liveBatch is the largest batch of the consumer that shares a transaction.
func (c *consumer) liveBatch() int {
	if c.Rest > 0 {
		return restedBatch
	}
	return liveBatch
}

// maxTogether is how many events of the consumer share a transaction.
func (c *consumer) maxTogether() int {
	if c.Rest > 0 {
		return restedTogether
	}
	return maxTogether
}

// member is a batch that shares a transaction. Its partition's lock is held by the goroutine that waits for it.
type member struct {
	batch *Batch
	rate  float32
}

func (m *member) size() int { return len(m.batch.entries) }

// errApart: the batches could not be handled together, and nothing was done; each is to be tried by itself.
var errApart = errors.New("the batches could not be handled together")

// applyTogether handles a batch with those of other ranges that are ready. It returns errApart when that failed.
func (p *partition) applyTogether(ctx context.Context, b *Batch, rate float32) error {
	_, err := p.consumer.together.Finish(ctx, &member{batch: b, rate: rate})
	return err
}

// runTogether handles the batches of several ranges, in the context of the first.
func (c *consumer) runTogether(calls []*coalesce.Call[*member, struct{}]) {
	ctx, first := calls[0].Context(), calls[0].In.batch.part
	giveBack, err := c.slot(ctx, first.feed.slots)
	if err == nil {
		begun := time.Now()
		err = first.transactTogether(ctx, calls)
		giveBack()
		c.rest.after(time.Since(begun), c.Rest)
	}
	for _, call := range calls {
		call.Reply(struct{}{}, err)
	}
}

// transactTogether handles the batches of one consumer in one transaction.
func (p *partition) transactTogether(ctx context.Context, calls []*coalesce.Call[*member, struct{}]) error {
	moves, batches := make([]Move, len(calls)), make([]*Batch, len(calls))
	for i, call := range calls {
		batches[i] = call.In.batch
		moves[i] = batches[i].part.move(batches[i].UpTo, call.In.rate)
	}
	events := eventsOf(batches)
	err := p.transact(ctx, moves, func(ctx context.Context, tx Tx) error { return p.handled(ctx, tx, events) })
	// What may be one batch's fault does not concern the others.
	if errors.Is(err, errHandling) || errors.Is(err, ErrMoved) {
		return fmt.Errorf("%w: %w", errApart, err)
	}
	return err
}

// eventsOf are the events of batches, by position.
func eventsOf(batches []*Batch) []eventstore.Event {
	if len(batches) == 1 {
		return batches[0].Events
	}
	var events []eventstore.Event
	for _, b := range batches {
		events = append(events, b.Events...)
	}
	slices.SortFunc(events, func(a, b eventstore.Event) int { return cmp.Compare(a.Position, b.Position) })
	return events
}

const (
	// A consumer rests restShare times as long as its last transaction took, at most longestRest; at least Consumer.Rest.
	restShare   = 9
	longestRest = 100 * time.Millisecond
)

// rest is the pause of a consumer between transactions, in proportion to the last one, while events gather for the next:
// so a busy machine folds larger pages less often, and an idle one at once. The zero value is no rest.
type rest struct {
	until atomic.Int64 // nanoseconds since 1970
}

func (r *rest) after(transaction, least time.Duration) {
	r.until.Store(time.Now().Add(max(min(restShare*transaction, longestRest), least)).UnixNano())
}

// left is how long the consumer still rests; not positive: it does not.
func (r *rest) left() time.Duration { return time.Duration(r.until.Load() - time.Now().UnixNano()) }
