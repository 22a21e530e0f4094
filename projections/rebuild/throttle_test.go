package rebuild

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"shop/domain/stock"
	"shop/eventstore"
	"shop/eventstore/registry"
	"shop/migrations/pgtest"
	"shop/projections"
)

func TestRestAfterAPiece(t *testing.T) {
	for worked, want := range map[time.Duration]time.Duration{0: 0, 100 * time.Microsecond: 1900 * time.Microsecond, 10 * time.Millisecond: longestRest} {
		if got := restAfter(worked); got != want {
			t.Errorf("after %s: %s, want %s", worked, got, want)
		}
	}
}

// One piece of work runs at a time, and each is followed by its rest.
func TestThrottledWorkTakesTurns(t *testing.T) {
	var limit throttle
	limit.on.Store(true)
	var group sync.WaitGroup
	var running int
	start := time.Now()
	const pieces, each = 6, 5 * time.Millisecond
	for range pieces {
		group.Go(func() {
			err := limit.run(t.Context(), func() error {
				running++ // no lock: the race detector would tell of two at once
				time.Sleep(each)
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if took := time.Since(start); running != pieces || took < pieces*(each+longestRest) {
		t.Errorf("%d pieces in %s", running, took)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := limit.run(ctx, func() error { return nil }); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A fold is throttled while the log grows and takes everything when it has stopped.
func TestThrottleFollowsTheLog(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t)
	store := eventstore.Open(db, registry.New(), eventstore.Options{})
	t.Cleanup(store.Close)
	ctx, stop := context.WithCancel(t.Context())
	var limit throttle
	var watch sync.WaitGroup
	watch.Go(func() { limit.follow(ctx, store) })
	defer watch.Wait()
	defer stop()
	until := func(want bool, meanwhile func()) {
		t.Helper()
		deadline := time.Now().Add(time.Minute)
		for {
			if limit.on.Load() == want {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("throttled is not %v", want)
			}
			meanwhile()
			time.Sleep(5 * time.Millisecond)
		}
	}
	n := 0
	until(true, func() {
		n++
		_, err := store.Append(t.Context(), eventstore.Append{Writes: []eventstore.Write{{
			Stream: fmt.Sprint("stock-", n), Events: []eventstore.NewEvent{{Data: stock.Received{ProductID: id(1), OnHand: 1, At: noon}}},
		}}})
		if err != nil {
			t.Fatal(err)
		}
	})
	until(false, func() {})
}

// A scan at full speed ends with the batch during which the log began to grow, and the next one goes on from there in small pieces.
func TestAScanEndsOnceTheLogGrows(t *testing.T) {
	t.Parallel()
	l := makePast(t, 1)
	var limit throttle
	batches := 0
	task := l.filling(t, projections.Stock())
	task.waitWhilePaused = func(context.Context) error {
		if batches++; batches == 2 {
			limit.on.Store(true)
		}
		return nil
	}
	worker := &foldWorker{in: make(chan workerBatch, l.head)}
	reads := dispatcher{task: task, workers: []*foldWorker{worker}, throttle: &limit}
	builder := Builder{DB: l.db, Store: l.store, window: 10}
	if err := reads.scan(t.Context(), &builder, 0); err != nil || reads.reached != 20 || batches != 2 {
		t.Fatalf("after %d batches the scan is at %d: %v", batches, reads.reached, err)
	}
	if err := reads.scan(t.Context(), &builder, reads.reached); err != nil || reads.reached != 30 || batches != 3 {
		t.Errorf("after %d batches the next scan is at %d: %v", batches, reads.reached, err)
	}
}

// Rows go to the database in small pieces while the log grows.
func TestThrottledRowsAreSentInPieces(t *testing.T) {
	for throttled, want := range map[bool]int{false: 64 << 10, true: throttledCopy} {
		var limit throttle
		limit.on.Store(throttled)
		in := &copyReader{ctx: t.Context(), throttle: &limit, out: make([]byte, 64<<10), ended: true}
		if n, err := in.Read(make([]byte, 64<<10)); n != want || err != nil {
			t.Errorf("throttled %v: %d bytes in a piece, want %d: %v", throttled, n, want, err)
		}
	}
}

// A build beside a log that grows faster than it folds with rests goes on without them.
func TestABuildThatLosesGroundHurries(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before, behind eventstore.Position
		want           bool
	}{{math.MaxInt64, 3_000_000, false}, {3_000_000, 1_500_000, false}, {3_000_000, 1_500_001, true}, {20_000, 90_000, true}} {
		if got := losesGround(c.before, c.behind); got != c.want {
			t.Errorf("behind by %d, then by %d: %v, want %v", c.before, c.behind, got, c.want)
		}
	}
}
