package rebuild

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"shop/domain/stock"
	"shop/eventstore"
	"shop/eventstore/registry"
	"shop/migrations/pgtest"
)

func TestShareOfTheTime(t *testing.T) {
	ms := time.Millisecond
	for _, c := range []struct {
		working, resting time.Duration
		want             float64
	}{
		{ms, 2 * ms, mostDuty}, {2 * ms, 2 * ms, mostDuty}, {3 * ms, 2 * ms, mostDuty}, {4 * ms, 2 * ms, toleratedSlowdown}, {3 * ms, ms, toleratedSlowdown / 2}, {time.Second, ms, leastDuty},
	} {
		if got := dutyFor(c.working, c.resting); got != c.want {
			t.Errorf("%s beside work, %s beside rest: %v, want %v", c.working, c.resting, got, c.want)
		}
	}
}

// One piece of work runs at a time, and each is followed by its rest.
func TestThrottledWorkTakesTurns(t *testing.T) {
	var limit throttle
	limit.set(0.25)
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
	if took := time.Since(start); running != pieces || took < 4*pieces*each {
		t.Errorf("%d pieces in %s", running, took)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := limit.run(ctx, func() error { return nil }); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if limit.busy.Load() != 0 {
		t.Errorf("%d pieces are said to run", limit.busy.Load())
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
	watch.Go(func() { limit.adjust(ctx, db, store) })
	defer watch.Wait()
	defer stop()
	until := func(want bool, meanwhile func()) {
		t.Helper()
		deadline := time.Now().Add(time.Minute)
		for {
			if _, throttled := limit.dutyCycle(); throttled == want {
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
