package eventstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// streamsOfRanges are streams of different ranges, one of each.
func streamsOfRanges() (streams [Ranges]string) {
	for i, left := 0, Ranges; left > 0; i++ {
		name := fmt.Sprintf("item-%d", i)
		if r := RangeOf(SliceOf(name)); streams[r] == "" {
			streams[r] = name
			left--
		}
	}
	return streams
}

// convoyed is a consumer that notes events, and whose first batch waits until it is released.
type convoyed struct {
	Consumer
	mu      sync.Mutex
	batches [][]string
	entered chan struct{}
	release chan struct{}
	// fail is the stream whose events cannot be handled.
	fail string
}

func newConvoyed(t *testing.T, s *Store) *convoyed {
	c := &convoyed{Consumer: seen(t, s, "convoyed"), entered: make(chan struct{}), release: make(chan struct{})}
	note := c.Handle
	enter := sync.OnceFunc(func() {
		close(c.entered)
		<-c.release
	})
	c.Handle = func(ctx context.Context, tx pgx.Tx, events []Event) error {
		enter()
		var streams []string
		for _, e := range events {
			if e.Stream == c.fail {
				return errors.New("this event cannot be handled")
			}
			streams = append(streams, e.Stream)
		}
		c.mu.Lock()
		c.batches = append(c.batches, streams)
		c.mu.Unlock()
		return note(ctx, tx, events)
	}
	return c
}

// handed waits until so many batches stand in the consumer's convoy.
func handed(t *testing.T, f *Feed, n int) {
	t.Helper()
	c := &f.consumers["convoyed"].convoy
	eventually(t, fmt.Sprintf("stood %d batches in the convoy", n), func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.waiting) == n
	})
}

func TestBatchesOfSeveralRangesTravelTogether(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	c := newConvoyed(t, s)
	f, _ := run(t, s, FeedOptions{}, c.Consumer)
	streams := streamsOfRanges()
	appendTo(t, s, streams[0], happened{})
	<-c.entered
	var last Position
	for _, r := range []int{3, 1, 2} {
		last = appendTo(t, s, streams[r], happened{})
	}
	handed(t, f, 3)
	convoy := &f.consumers["convoyed"].convoy
	convoy.mu.Lock()
	slices.Reverse(convoy.waiting) // whoever came first
	convoy.mu.Unlock()
	close(c.release)
	waitFor(t, f, "convoyed", last)

	want := [][]string{{streams[0]}, {streams[3], streams[1], streams[2]}}
	if !slices.EqualFunc(c.batches, want, slices.Equal) {
		t.Errorf("handled %v, want %v: those that came meanwhile together, by position", c.batches, want)
	}
	for stream, got := range versions(t, s, "convoyed") {
		if !slices.Equal(got, []int64{1}) {
			t.Errorf("%s was handled as %v, want once", stream, got)
		}
	}
}

// convoyOf appends an event to each range, holds up the first until the others stand in the convoy, has something done
// then, and tells of the streams whose event was handled once, by their ranges.
func convoyOf(t *testing.T, s *Store, c *convoyed, meanwhile func(last Position)) (handled [Ranges]bool) {
	t.Helper()
	f, _ := run(t, s, FeedOptions{}, c.Consumer)
	streams := streamsOfRanges()
	last := appendTo(t, s, streams[0], happened{})
	<-c.entered
	for _, stream := range streams[1:] {
		last = appendTo(t, s, stream, happened{})
	}
	handed(t, f, Ranges-1)
	meanwhile(last)
	close(c.release)
	waitFor(t, f, "convoyed", last)
	got := versions(t, s, "convoyed")
	for r, stream := range streams {
		handled[r] = slices.Equal(got[stream], []int64{1})
		if len(got[stream]) > 1 {
			t.Errorf("%s was handled as %v", stream, got[stream])
		}
	}
	return handled
}

func TestAFailingEventLeavesItsConvoyAlone(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	c := newConvoyed(t, s)
	c.fail = streamsOfRanges()[2]
	if got, want := convoyOf(t, s, c, func(Position) {}), [Ranges]bool{true, true, false, true}; got != want {
		t.Errorf("handled by range: %v, want %v", got, want)
	}
	letters, err := s.DeadLetters(t.Context(), "convoyed")
	if err != nil || len(letters) != 1 || letters[0].Stream != c.fail {
		t.Errorf("parked: %v, %v; want the failing event only", letters, err)
	}
}

func TestARangeThatWasTakenLeavesItsConvoy(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	got := convoyOf(t, s, newConvoyed(t, s), func(last Position) {
		// As another process would do that took the range over: it has handled the event, and its term is higher.
		const take = `UPDATE eventstore.checkpoints SET position = $1, term = term + 1 WHERE consumer = 'convoyed' AND range = 2`
		if _, err := s.pool.Exec(t.Context(), take, int64(last)); err != nil {
			t.Fatal(err)
		}
	})
	if want := [Ranges]bool{true, true, false, true}; got != want {
		t.Errorf("handled by range: %v, want %v", got, want)
	}
}

func TestAConsumerRestsUntilSomebodyWaits(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	c := newConvoyed(t, s)
	close(c.release)
	f, _ := run(t, s, FeedOptions{}, c.Consumer)
	stream := streamsOfRanges()[1]
	waitFor(t, f, "convoyed", appendTo(t, s, stream, happened{}))
	f.consumers["convoyed"].convoy.rested.Store(time.Now().Add(time.Hour).UnixNano())
	var last Position
	for range 3 {
		last = appendTo(t, s, stream, happened{})
		eventually(t, "saw the event", func() bool { return f.ring.present().least() >= last })
	}
	waitFor(t, f, "convoyed", last)

	want := [][]string{{stream}, {stream, stream, stream}}
	if !slices.EqualFunc(c.batches, want, slices.Equal) {
		t.Errorf("handled %v, want %v: those that came during the rest together, when they were waited for", c.batches, want)
	}
}

func TestARestEnds(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	c := newConvoyed(t, s)
	close(c.release)
	f, _ := run(t, s, FeedOptions{}, c.Consumer)
	stream := streamsOfRanges()[1]
	waitFor(t, f, "convoyed", appendTo(t, s, stream, happened{}))
	f.consumers["convoyed"].convoy.rested.Store(time.Now().Add(longestRest).UnixNano())
	last := appendTo(t, s, stream, happened{})
	eventually(t, "handled the event without being waited for", func() bool { return f.Position("convoyed") >= last })
}
