package edge

import (
	"fmt"
	"testing"
	"time"
)

func one(key string) []limitKey { return []limitKey{{key, 1}} }

func TestBucketsRefillSteadily(t *testing.T) {
	t.Parallel()
	b := newBuckets(2, 3, 10)
	at := b.began
	for i, want := range []time.Duration{0, 0, 0, time.Second / 2, time.Second / 2} {
		if wait := b.take(at, one("a")); wait != want {
			t.Errorf("token %d: wait %s, want %s", i, wait, want)
		}
	}
	if wait := b.take(at.Add(time.Second/2), one("a")); wait != 0 {
		t.Errorf("after half a second: wait %s", wait)
	}
	b.giveBack(one("a"))
	if wait := b.take(at.Add(time.Second/2), one("a")); wait != 0 {
		t.Errorf("a token that was given back: wait %s", wait)
	}
	if wait := b.take(at.Add(time.Hour), one("a")); wait != 0 {
		t.Errorf("after an hour: wait %s", wait)
	}
}

// TestBucketsRememberWhoIsOverTheLimit: no walk through other keys frees a key, and it takes no memory.
func TestBucketsRememberWhoIsOverTheLimit(t *testing.T) {
	t.Parallel()
	b := newBuckets(0.1, 5, 100)
	at := b.began
	for b.take(at, one("guesser")) == 0 {
	}
	passed := 0
	for i := range 100_000 {
		if b.take(at, one(fmt.Sprint("walker ", i))) == 0 {
			passed++
		}
		if i%1000 == 0 && b.take(at, one("guesser")) == 0 {
			t.Fatalf("after %d other keys the limit is forgotten", i)
		}
	}
	if len(b.rows) != 100 || len(b.queue) != 100 {
		t.Errorf("%d rows, %d in the queue", len(b.rows), len(b.queue))
	}
	if most := 5 * 100; passed > most {
		t.Errorf("%d came through, more than the %d of the table", passed, most)
	}
	// Once the buckets are full again, others come in.
	if wait := b.take(at.Add(time.Minute), one("somebody")); wait != 0 {
		t.Errorf("a minute later: wait %s", wait)
	}
}

// TestBucketsOfAWalk: keys that are walked through again and again get no more than they would alone.
func TestBucketsOfAWalk(t *testing.T) {
	t.Parallel()
	b := newBuckets(0.001, 1, 64)
	passed := 0
	for range 10 {
		for key := range 256 {
			if b.take(b.began, one(fmt.Sprint(key))) == 0 {
				passed++
			}
		}
	}
	if passed > 256 {
		t.Errorf("256 keys came through %d times", passed)
	}
}

func TestWiderNetworksHaveWiderLimits(t *testing.T) {
	t.Parallel()
	b := newBuckets(0.1, 2, 100)
	passed := 0
	for i := range 50 {
		if b.take(b.began, []limitKey{{fmt.Sprint("narrow ", i), 1}, {"wide", 8}}) == 0 {
			passed++
		}
	}
	if passed != 16 {
		t.Errorf("%d came through one wide network, want 16", passed)
	}
}
