package rebuild

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"shop/eventstore"
	"shop/eventstore/wake"
)

// throttle leaves the machine to appends while a fold runs. While the log grows, one small piece of work runs at a time, and
// each is followed by a rest. The zero value is full speed.
type throttle struct {
	// on: the log grows.
	on atomic.Bool
	// running is held by the piece of work that runs or rests.
	running sync.Mutex
}

const (
	// restPerWork is how much longer than a piece of work its rest is. At 19 the fold works a twentieth of the time, and the 99th
	// percentile of appends was about a fifth higher beside it than alone.
	restPerWork = 19
	// longestRest bounds the rest after a piece. Where the processors are busy a piece takes far longer than its work, and with rests as
	// much longer a fold would never end.
	longestRest = 10 * time.Millisecond
	// growthEvery is the pause between two reads of the log's head.
	growthEvery = 100 * time.Millisecond
	// growthCheck is how long a fold watches the log before it begins.
	growthCheck = 250 * time.Millisecond
	// fullSpeedAfter is for how long nothing must be appended before a fold runs at full speed.
	fullSpeedAfter = 3 * time.Second
	// throttledWindow is how many positions are read at once while throttled: a third of a millisecond of work, shorter than
	// an append, so that one append is hardly ever behind all of it.
	throttledWindow = 64
	// throttledCopy is how many bytes of rows are written at once while throttled.
	throttledCopy = 8 << 10
)

// run waits for its turn, runs a piece of work, and rests.
func (t *throttle) run(ctx context.Context, piece func() error) error {
	if !t.on.Load() {
		return piece()
	}
	t.running.Lock()
	defer t.running.Unlock()
	start := time.Now()
	if err := piece(); err != nil {
		return err
	}
	return t.rest(ctx, time.Since(start))
}

// rest waits after work that took so long, unless the fold runs at full speed.
func (t *throttle) rest(ctx context.Context, worked time.Duration) error {
	if t.on.Load() && !wake.Pause(ctx, restAfter(worked)) {
		return ctx.Err()
	}
	return nil
}

func restAfter(worked time.Duration) time.Duration { return min(longestRest, worked*restPerWork) }

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

// follow turns the throttle on while the log grows, until ctx ends. When the database does not answer, it stays as it is.
func (t *throttle) follow(ctx context.Context, store *eventstore.Store) {
	tick := time.NewTicker(growthEvery)
	defer tick.Stop()
	var head eventstore.Position
	var grew time.Time
	if t.on.Load() {
		grew = time.Now()
	}
	for known := false; ; {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			at, err := store.Head(ctx)
			if err != nil {
				continue
			}
			if known && at > head {
				grew = now
			}
			head, known = at, true
			t.on.Store(now.Sub(grew) <= fullSpeedAfter)
		}
	}
}
