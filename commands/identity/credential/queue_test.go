package credential

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// TestQueueServesByLane: known devices go before unknown networks and those before suspects, each in their order.
func TestQueueServesByLane(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1)
		if err := q.enter(t.Context(), Unknown); err != nil {
			t.Fatal(err)
		}
		served := make(chan Lane, 6)
		for _, lane := range []Lane{Suspect, Unknown, Trusted, Suspect, Unknown, Trusted} {
			go func() {
				if err := q.enter(t.Context(), lane); err != nil {
					t.Error(err)
				}
				served <- lane
			}()
			synctest.Wait()
		}
		for _, want := range []Lane{Trusted, Trusted, Unknown, Unknown, Suspect, Suspect} {
			q.leave()
			synctest.Wait()
			if got := <-served; got != want {
				t.Errorf("lane %d was served, want %d", got, want)
			}
		}
	})
}

// TestQueueIsBounded: twenty wait, others are refused at once, and a known device takes the place of who guesses.
func TestQueueIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1)
		if err := q.enter(t.Context(), Unknown); err != nil {
			t.Fatal(err)
		}
		refused := make(chan error, maxWaiting)
		for range maxWaiting {
			go func() { refused <- q.enter(t.Context(), Unknown) }()
		}
		synctest.Wait()
		var busy *Busy
		if err := q.enter(t.Context(), Unknown); !errors.As(err, &busy) || busy.RetryAfter() <= 0 {
			t.Errorf("the twenty-first: %v", err)
		}
		in := make(chan error, 1)
		go func() { in <- q.enter(t.Context(), Trusted) }()
		synctest.Wait()
		if err := <-refused; !errors.As(err, &busy) {
			t.Errorf("who made place: %v", err)
		}
		q.leave()
		if err := <-in; err != nil {
			t.Errorf("the known device: %v", err)
		}
		for range maxWaiting - 1 {
			q.leave()
			if err := <-refused; err != nil {
				t.Error(err)
			}
		}
		q.leave()
		if q.free != 1 || len(q.waiting) != 0 {
			t.Errorf("%d slots are free, %d wait", q.free, len(q.waiting))
		}
	})
}

// TestQueueForgetsWhoLeft: a request that ends takes no slot with it.
func TestQueueForgetsWhoLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1)
		if err := q.enter(t.Context(), Unknown); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error)
		go func() { left <- q.enter(ctx, Unknown) }()
		synctest.Wait()
		cancel()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("who left: %v", err)
		}
		q.leave()
		if q.free != 1 || len(q.waiting) != 0 {
			t.Errorf("%d slots are free, %d wait", q.free, len(q.waiting))
		}
	})
}

// TestSuspectsAreFew: whatever the cores could do, guessers get few hashes a second.
func TestSuspectsAreFew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, passed := newQueue(4), 0
		for range 100 {
			if q.enter(t.Context(), Suspect) == nil {
				passed++
				q.leave()
			}
		}
		if passed != suspectBurst {
			t.Errorf("%d of 100 guesses were hashed at once, want %d", passed, suspectBurst)
		}
	})
}
