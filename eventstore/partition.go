package eventstore

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// partition is one consumer's place in one range of slices.
type partition struct {
	feed     *Feed
	consumer *consumer
	number   int

	// at is the position come to, for those who only look.
	at atomic.Int64
	// changed is nudged when the steward changed something.
	changed chan struct{}
	// holding and halted are held and paused for those who only look.
	holding, halted atomic.Bool
	// yielding: other processes lack work, and this range shall be theirs.
	yielding atomic.Bool

	// mu guards what follows; holding it also means that nobody else writes the checkpoint's row in this process.
	mu sync.Mutex
	// loaded: the fields below are as the database has them.
	loaded bool
	// held: this process has the lease. Another's ranges are only followed.
	held bool
	// reached is how far the checkpoint of a followed range is known to have come.
	reached Position
	// epoch counts loads; what was read from the log for an earlier one is void.
	epoch int
	// saved and term are in the checkpoint's row.
	saved     Position
	term      int64
	savedRate float32
	paused    bool
	// parked are streams with dead letters; it may know too many, never too few. retry: an operator asks to try them.
	parked map[string]bool
	retry  bool
	// writes counts changes of the row, so that an older look at it is not taken for news.
	writes int
	rate   rate
}

func newPartition(f *Feed, c *consumer, number int) *partition {
	return &partition{feed: f, consumer: c, number: number, changed: make(chan struct{}, 1), parked: map[string]bool{}}
}

// scan is how many positions a catching-up consumer looks through at once, so that rare events do not hold its checkpoint back.
const scan = 100_000

// next waits for a batch. A batch has at least one event.
func (p *partition) next(ctx context.Context) (*Batch, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p.mu.Lock()
		ready, retry, epoch, at := p.loaded && !p.paused, p.retry, p.epoch, Position(p.at.Load())
		follows := p.loaded && !p.held
		p.mu.Unlock()
		if follows {
			grown := p.follow()
			select {
			case <-ctx.Done():
			case <-grown:
			case <-p.changed:
			}
			continue
		}
		if p.yielding.Load() {
			if err := p.release(ctx); err != nil {
				return nil, err
			}
		}
		if !ready {
			select {
			case <-ctx.Done():
			case <-p.changed:
			}
			continue
		}
		if retry {
			if err := p.retryParked(ctx); err != nil {
				return nil, err
			}
			continue
		}
		events, upTo, behind, changed := p.feed.ring.after(p.number, at)
		if behind {
			var err error
			if events, upTo, err = p.page(ctx, at, upTo); err != nil {
				return nil, err
			}
		}
		if upTo <= at {
			select {
			case <-ctx.Done():
			case <-changed:
			case <-p.changed:
			}
			continue
		}
		var wanted []decoded
		for i := range events {
			if p.consumer.wants(events[i].Type) {
				if wanted == nil { // most of what happens, most consumers do not want
					wanted = make([]decoded, 0, len(events)-i)
				}
				wanted = append(wanted, events[i])
			}
		}
		if len(wanted) == 0 {
			p.advance(at, upTo, epoch)
			continue
		}
		if p.consumer.Together && !behind && len(wanted) < convoyBatch && p.gathers(ctx) {
			continue
		}
		if len(wanted) > p.feed.opts.Page {
			wanted = wanted[:p.feed.opts.Page]
			upTo = wanted[len(wanted)-1].Position
		}
		b := &Batch{Consumer: p.consumer.Name, Range: p.number, After: at, UpTo: upTo, part: p, entries: wanted, epoch: epoch}
		b.Events = make([]Event, 0, len(wanted))
		for i := range wanted {
			if wanted[i].err == nil {
				b.Events = append(b.Events, wanted[i].Event)
			}
		}
		return b, nil
	}
}

// gathers waits while the consumer rests, and says whether there was a rest: there may be more to handle after it.
func (p *partition) gathers(ctx context.Context) bool {
	rest := p.consumer.convoy.rest()
	if rest <= 0 || p.consumer.awaited.Load() > 0 {
		return false
	}
	timer := time.NewTimer(rest)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-p.changed:
	}
	return true
}

// page reads the table for a consumer that the ring has left behind, up to a position that is safe.
func (p *partition) page(ctx context.Context, after, safe Position) ([]decoded, Position, error) {
	giveBack, err := p.consumer.slot(ctx, p.feed.slots)
	if err != nil {
		return nil, 0, err
	}
	defer giveBack()
	upTo := min(safe, after+scan)
	first := p.number * (Slices / Ranges)
	limit := p.feed.opts.Page
	events, err := p.feed.store.query(ctx, selectPage, int64(after), int64(upTo), first, first+Slices/Ranges-1, p.consumer.Types, limit)
	if err != nil {
		return nil, 0, fmt.Errorf("read the log after %d: %w", after, err)
	}
	if len(events) == limit {
		upTo = events[limit-1].Position
	}
	return events, upTo, nil
}

// advance moves past events nobody wants, in memory; the steward saves it.
func (p *partition) advance(from, to Position, epoch int) {
	p.mu.Lock()
	moved := p.epoch == epoch && p.loaded && Position(p.at.Load()) == from
	if moved {
		p.at.Store(int64(to))
	}
	p.mu.Unlock()
	if moved {
		p.consumer.moved.ring()
	}
}

// apply handles a batch in a transaction with the move of the checkpoint.
func (p *partition) apply(ctx context.Context, b *Batch) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.epoch != b.epoch || !p.loaded || !p.held {
		return nil // read for a place the consumer is no longer at; it is read again
	}
	rate := p.rate.add(len(b.entries), time.Now())
	careful := len(b.Events) < len(b.entries)
	for i := range b.entries {
		careful = careful || p.parked[b.entries[i].Stream]
	}
	parked, err := p.parked, errAlone
	if p.consumer.Together && !careful && len(b.entries) <= convoyBatch {
		err = p.consumer.convoy.travel(ctx, p.consumer, b, rate)
	}
	if errors.Is(err, errAlone) {
		careful = careful || errors.Is(err, errHandling) && !isTransient(err)
		parked, err = p.applyAlone(ctx, b, rate, careful)
	}
	switch {
	case err == nil:
		p.saved, p.savedRate, p.parked = b.UpTo, rate, parked
		p.writes++
		p.feed.tell(p, b.UpTo)
		p.consumer.committed(b.Events)
		p.at.Store(int64(b.UpTo))
		p.consumer.moved.ring()
		return nil
	case errors.Is(err, errElsewhere):
		p.unload()
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
	parked, err = p.parked, errHandling
	if !careful {
		err = p.transact(ctx, b.UpTo, rate, func(tx pgx.Tx) error { return p.handled(ctx, tx, b.Events) })
	}
	// A failure of the handler is looked into event by event, unless another attempt may do.
	if errors.Is(err, errHandling) && !isTransient(err) {
		err = p.transact(ctx, b.UpTo, rate, func(tx pgx.Tx) error {
			var err error
			parked, err = p.handleCarefully(ctx, tx, b.entries)
			return err
		})
	}
	return parked, err
}

var (
	// errElsewhere: the checkpoint is not where this process left it. Another process, a pause or a reset moved it.
	errElsewhere = errors.New("the checkpoint was moved elsewhere")
	// errHandling marks what the consumer's own code answered.
	errHandling = errors.New("handler failed")
)

// unload makes the partition wait until the steward has read its row again.
func (p *partition) unload() {
	p.loaded = false
	nudge(p.feed.control)
}

// moveCheckpoint is the compare-and-set that makes handling exactly once. It comes first in the transaction: its row
// lock keeps a second process from doing the same work only to throw it away.
const moveCheckpoint = `UPDATE eventstore.checkpoints SET position = $1, rate = $2, updated_at = now()
	WHERE consumer = $3 AND range = $4 AND position = $5 AND term = $6 AND NOT paused`

// transact moves the checkpoint and does work in one transaction. It does not wait for the disk: the checkpoint and
// what the handler wrote are lost or kept together, and what a crash takes is handled again.
func (p *partition) transact(ctx context.Context, to Position, rate float32, work func(pgx.Tx) error) error {
	return p.inTransaction(ctx, func(batch *pgx.Batch, moved *bool) {
		batch.Queue(moveCheckpoint, int64(to), rate, p.consumer.Name, p.number, int64(p.saved), p.term).Exec(func(tag pgconn.CommandTag) error {
			*moved = tag.RowsAffected() == 1
			return nil
		})
	}, work)
}

// inTransaction is transact for whatever move queues; that says whether all moved.
func (p *partition) inTransaction(ctx context.Context, move func(batch *pgx.Batch, moved *bool), work func(pgx.Tx) error) error {
	begin := &pgx.Batch{}
	begin.BeginTx(pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	begin.Queue("SET LOCAL synchronous_commit = off")
	var moved bool
	move(begin, &moved)
	conn, err := p.feed.store.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	results := conn.SendBatch(ctx, begin)
	tx := results.Tx()
	defer func() {
		// After a commit this does nothing; otherwise it must happen even though ctx may have ended.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = tx.Rollback(ctx)
	}()
	if err := results.Close(); err != nil {
		return err
	}
	if !moved {
		return errElsewhere
	}
	if p.consumer.Prepare != nil {
		if err := p.consumer.Prepare(ctx, tx); err != nil {
			return fmt.Errorf("prepare: %w", err)
		}
	}
	if err := work(tx); err != nil {
		if conn.Conn().IsClosed() {
			return lostError{err} // not the event's fault, whatever the handler made of it
		}
		return err
	}
	return tx.Commit(ctx)
}

// handled is handle, its error marked.
func (p *partition) handled(ctx context.Context, tx pgx.Tx, events []Event) error {
	if err := p.handle(ctx, tx, events); err != nil {
		return fmt.Errorf("%w: %w", errHandling, err)
	}
	return nil
}

// handle calls the consumer; its panic is an error like others.
func (p *partition) handle(ctx context.Context, tx pgx.Tx, events []Event) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return p.consumer.Handle(ctx, tx, events)
}

// isTransient says that the failure was not the event's: another attempt may succeed. A missing table or column is the
// program's fault, not the event's: a deployment has not finished, and must not park the whole log.
func isTransient(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || isLost(err) || isRetryable(err) {
		return true
	}
	code := state(err)
	// Connection, missing schema, rollback, names and rights, resources, intervention, system.
	return len(code) == 5 && slices.Contains([]string{"08", "3F", "40", "42", "53", "57", "58"}, code[:2])
}

// rate counts events over the last ten seconds.
type rate struct {
	buckets [10]float32
	last    int64 // Unix second of the newest bucket
}

// add counts n events now and returns the events a second.
func (r *rate) add(n int, now time.Time) float32 {
	second := now.Unix()
	for ; r.last < second; r.last++ {
		if second-r.last > int64(len(r.buckets)) {
			r.buckets = [10]float32{}
			r.last = second
			break
		}
		r.buckets[(r.last+1)%int64(len(r.buckets))] = 0
	}
	r.buckets[second%int64(len(r.buckets))] += float32(n)
	var sum float32
	for _, b := range r.buckets {
		sum += b
	}
	return sum / float32(len(r.buckets))
}
