package eventstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// convoyBatch is the largest batch that travels with others; a larger one is catching up and worth a transaction.
	convoyBatch = 128
	// convoyEvents is how many events travel together.
	convoyEvents = 512
	// A consumer rests restShare times as long as its last transaction took, at most longestRest.
	restShare   = 9
	longestRest = 100 * time.Millisecond
)

// convoy lets the live batches of a consumer's ranges meet. One transaction is in flight; batches that come meanwhile
// are handled together in the next. What a consumer costs the database then depends little on how many ranges there are,
// and the more is to do, the less each event costs. After a transaction the consumer rests in proportion to it, while
// events gather for the next, unless somebody waits: so a busy machine folds larger pages less often, and an idle one at
// once. The zero value is ready.
type convoy struct {
	mu      sync.Mutex
	waiting []*traveller
	moving  bool
	// rested is when the rest ends, in nanoseconds since 1970; 0: there was none.
	rested atomic.Int64
}

// rest is how long the consumer still rests; not positive: it does not.
func (c *convoy) rest() time.Duration { return time.Duration(c.rested.Load() - time.Now().UnixNano()) }

// traveller is a batch in the convoy. Its partition's lock is held by who waits for it.
type traveller struct {
	batch *Batch
	rate  float32
	// told is sent once: to lead the convoy, or what became of the batch.
	told chan outcome
}

type outcome struct {
	lead bool
	err  error
}

// errAlone: the batches could not be handled together, and nothing was done; each is to be tried by itself.
var errAlone = errors.New("the convoy broke up")

// travel handles a batch together with those of other ranges that are ready. It returns errAlone when that failed.
func (c *convoy) travel(ctx context.Context, consumer *consumer, b *Batch, rate float32) error {
	t := &traveller{batch: b, rate: rate, told: make(chan outcome, 1)}
	c.mu.Lock()
	c.waiting = append(c.waiting, t)
	lead := !c.moving
	c.moving = true
	c.mu.Unlock()
	if !lead {
		if told := <-t.told; !told.lead {
			return told.err
		}
	}
	giveBack, err := consumer.slot(ctx, b.part.feed.slots)
	group := c.depart()
	if err == nil {
		begun := time.Now()
		err = b.part.transactTogether(ctx, group)
		giveBack()
		now := time.Now()
		c.rested.Store(now.Add(min(restShare*now.Sub(begun), longestRest)).UnixNano())
	}
	c.mu.Lock()
	if len(c.waiting) > 0 {
		c.waiting[0].told <- outcome{lead: true}
	} else {
		c.moving = false
	}
	c.mu.Unlock()
	for _, other := range group {
		if other != t {
			other.told <- outcome{err: err}
		}
	}
	return err
}

// depart takes those who travel now: whoever leads is the first of them.
func (c *convoy) depart() []*traveller {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, events := 0, 0
	for n < len(c.waiting) && (n == 0 || events+len(c.waiting[n].batch.entries) <= convoyEvents) {
		events += len(c.waiting[n].batch.entries)
		n++
	}
	group := slices.Clone(c.waiting[:n])
	c.waiting = slices.Delete(c.waiting, 0, n)
	return group
}

// moveCheckpoints is moveCheckpoint for several ranges, locked in the order of the ranges.
const moveCheckpoints = `WITH held AS (
		SELECT c.range, u.upto, u.rate FROM eventstore.checkpoints c
		JOIN unnest($2::int[], $3::bigint[], $4::bigint[], $5::bigint[], $6::real[]) AS u (range, saved, term, upto, rate) ON c.range = u.range
		WHERE c.consumer = $1 AND c.position = u.saved AND c.term = u.term AND NOT c.paused ORDER BY c.range FOR UPDATE OF c)
	UPDATE eventstore.checkpoints c SET position = held.upto, rate = held.rate, updated_at = now() FROM held WHERE c.consumer = $1 AND c.range = held.range`

// transactTogether handles the batches of several ranges of one consumer in one transaction.
func (p *partition) transactTogether(ctx context.Context, group []*traveller) error {
	if len(group) == 1 {
		t := group[0]
		return aloneAfter(p.transact(ctx, t.batch.UpTo, t.rate, func(tx pgx.Tx) error { return p.handled(ctx, tx, t.batch.Events) }))
	}
	ranges, saved, terms, upTo, rates := make([]int, len(group)), make([]int64, len(group)), make([]int64, len(group)), make([]int64, len(group)), make([]float32, len(group))
	var events []Event
	for i, t := range group {
		of := t.batch.part
		ranges[i], saved[i], terms[i], upTo[i], rates[i] = of.number, int64(of.saved), of.term, int64(t.batch.UpTo), t.rate
		events = append(events, t.batch.Events...)
	}
	slices.SortFunc(events, func(a, b Event) int { return cmp.Compare(a.Position, b.Position) })
	move := func(batch *pgx.Batch, moved *bool) {
		batch.Queue(moveCheckpoints, p.consumer.Name, ranges, saved, terms, upTo, rates).Exec(func(tag pgconn.CommandTag) error {
			*moved = tag.RowsAffected() == int64(len(group))
			return nil
		})
	}
	return aloneAfter(p.inTransaction(ctx, move, func(tx pgx.Tx) error { return p.handled(ctx, tx, events) }))
}

// aloneAfter turns what may be one batch's fault, and does not concern the others, into errAlone.
func aloneAfter(err error) error {
	if errors.Is(err, errHandling) || errors.Is(err, errElsewhere) {
		return fmt.Errorf("%w: %w", errAlone, err)
	}
	return err
}
