package rebuild

import (
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"shop/eventstore"
	"shop/eventstore/wake"
)

// throttle leaves the machine to appends while a fold runs. While the log grows, one piece of work runs at a time, and
// each is followed by a rest. How much rest is found by measuring: adjust times small commits of its own, which cost what
// a small append costs, while work runs and while it rests. The zero value is full speed.
type throttle struct {
	// dutyBits is the share of the time in which work may run, as the bits of a float64; 0: all of it.
	dutyBits atomic.Uint64
	// running is held by the piece of work that runs or rests.
	running sync.Mutex
	// busy counts the pieces of work that run now, pieces all there have been.
	busy, pieces atomic.Int64
}

const (
	// toleratedSlowdown is by which share commits may take longer while a fold runs.
	toleratedSlowdown = 0.04
	// firstDuty is the share before anything is measured. mostDuty leaves some rest, without which there would be nothing
	// to compare with. At 0.05 the 99th percentile of appends was at most a fifth higher beside a fold than alone.
	firstDuty, leastDuty, mostDuty = 0.05, 0.02, 0.05
	// probeEvery is the pause between two timed commits, growthEvery between two reads of the log's head.
	probeEvery  = 25 * time.Millisecond
	growthEvery = 100 * time.Millisecond
	// sampleLifetime is how long a timed commit counts, minSamples how many of each kind are needed.
	sampleLifetime, minSamples = 10 * time.Second, 15
	// growthCheck is how long a fold watches the log before it begins.
	growthCheck = 250 * time.Millisecond
	// fullSpeedAfter is for how long nothing must be appended before a fold runs at full speed.
	fullSpeedAfter = 3 * time.Second
	// throttledWindow is how many positions are read at once while throttled: a third of a millisecond of work, shorter than
	// an append, so that one append is hardly ever behind all of it.
	throttledWindow = 64
	// throttledCopy is how many bytes of rows are written at once while throttled.
	throttledCopy = 8 << 10
	// longestRest bounds the rest after a piece. Where the processors are busy a piece takes far longer than its work, and with rests as
	// much longer a fold would never end.
	longestRest = 10 * time.Millisecond
)

// dutyCycle returns the share of the time in which work may run. False: work runs at full speed.
func (t *throttle) dutyCycle() (share float64, throttled bool) {
	share = math.Float64frombits(t.dutyBits.Load())
	return share, share > 0
}

// run waits for its turn, runs a piece of work, and rests.
func (t *throttle) run(ctx context.Context, piece func() error) error {
	if _, throttled := t.dutyCycle(); !throttled {
		return piece()
	}
	t.running.Lock()
	defer t.running.Unlock()
	t.begin()
	start := time.Now()
	err := piece()
	t.end()
	if err != nil {
		return err
	}
	return t.rest(ctx, time.Since(start))
}

// restBetween rests in the middle of a piece of work.
func (t *throttle) restBetween(ctx context.Context, worked time.Duration) error {
	if _, throttled := t.dutyCycle(); !throttled {
		return nil
	}
	t.end()
	defer t.begin()
	return t.rest(ctx, worked)
}

func (t *throttle) begin() { t.pieces.Add(1); t.busy.Add(1) }
func (t *throttle) end()   { t.busy.Add(-1) }

func (t *throttle) rest(ctx context.Context, worked time.Duration) error {
	share, throttled := t.dutyCycle()
	if !throttled {
		return nil
	}
	if !wake.Pause(ctx, restAfter(worked, share)) {
		return ctx.Err()
	}
	return nil
}

// restAfter is the rest that leaves a piece of work that share of the time.
func restAfter(worked time.Duration, share float64) time.Duration {
	return min(longestRest, time.Duration(float64(worked)*(1/share-1)))
}

// logGrows watches the log for a moment and says whether it grows.
func (t *throttle) logGrows(ctx context.Context, store *eventstore.Store) (grows bool, err error) {
	before, err := store.Head(ctx)
	if err != nil {
		return false, err
	}
	if !wake.Pause(ctx, growthCheck) {
		return false, ctx.Err()
	}
	after, err := store.Head(ctx)
	return after > before, err
}

// adjust sets the share until ctx ends. When the database does not answer, the share stays as it is.
func (t *throttle) adjust(ctx context.Context, db *pgxpool.Pool, store *eventstore.Store) {
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	var head eventstore.Position
	var looked, grew time.Time
	if _, throttled := t.dutyCycle(); throttled {
		grew = time.Now()
	}
	var working, resting commitTimes
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := time.Now()
		if now.Sub(looked) >= growthEvery {
			at, err := store.Head(ctx)
			if err != nil {
				continue
			}
			if !looked.IsZero() && at > head {
				grew = now
			}
			head, looked = at, now
		}
		share, throttled := t.dutyCycle()
		if now.Sub(grew) > fullSpeedAfter {
			t.set(0)
			continue
		}
		if !throttled {
			share, working, resting = firstDuty, nil, nil
		}
		pieces, busy := t.pieces.Load(), t.busy.Load() > 0
		start := time.Now()
		// The commit of a transaction that has an id waits for the disk.
		if _, err := db.Exec(ctx, "SELECT pg_current_xact_id()"); err != nil {
			continue
		}
		next := commitTime{start, time.Since(start)}
		if busy || t.busy.Load() > 0 || t.pieces.Load() != pieces {
			working = append(working, next)
		} else {
			resting = append(resting, next)
		}
		working, resting = working.since(now.Add(-sampleLifetime)), resting.since(now.Add(-sampleLifetime))
		if len(working) >= minSamples && len(resting) >= minSamples {
			share = dutyFor(working.p90(), resting.p90())
		} else {
			share = min(firstDuty, share*1.01) // too few samples: work a little more
		}
		t.set(share)
	}
}

func (t *throttle) set(share float64) { t.dutyBits.Store(math.Float64bits(share)) }

// dutyFor is the share that fits: working and resting are how long slow commits take beside work and beside rest.
func dutyFor(working, resting time.Duration) float64 {
	excess := float64(working)/float64(resting) - 1
	if excess <= toleratedSlowdown/mostDuty {
		return mostDuty
	}
	return max(leastDuty, toleratedSlowdown/excess)
}

// commitTime is how long a commit took, and when.
type commitTime struct {
	at   time.Time
	took time.Duration
}

type commitTimes []commitTime

func (s commitTimes) since(at time.Time) commitTimes {
	for len(s) > 0 && s[0].at.Before(at) {
		s = s[1:]
	}
	return s
}

// p90 is the 90th percentile.
func (s commitTimes) p90() time.Duration {
	d := make([]time.Duration, len(s))
	for i := range s {
		d[i] = s[i].took
	}
	slices.Sort(d)
	return d[len(d)*9/10]
}
