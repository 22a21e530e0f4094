package eventstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

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

func TestAFailingEventLeavesItsConvoyAlone(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	c := newConvoyed(t, s)
	streams := streamsOfRanges()
	c.fail = streams[2]
	f, _ := run(t, s, FeedOptions{}, c.Consumer)
	appendTo(t, s, streams[0], happened{})
	<-c.entered
	var last Position
	for _, r := range []int{1, 2, 3} {
		last = appendTo(t, s, streams[r], happened{})
	}
	handed(t, f, 3)
	close(c.release)
	waitFor(t, f, "convoyed", last)

	got := versions(t, s, "convoyed")
	for r, stream := range streams {
		want := []int64{1}
		if r == 2 {
			want = nil
		}
		if !slices.Equal(got[stream], want) {
			t.Errorf("%s was handled as %v, want %v", stream, got[stream], want)
		}
	}
	letters, err := s.DeadLetters(t.Context(), "convoyed")
	if err != nil || len(letters) != 1 || letters[0].Stream != streams[2] {
		t.Errorf("parked: %v, %v; want the failing event only", letters, err)
	}
}

func TestARangeThatWasTakenLeavesItsConvoy(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	c := newConvoyed(t, s)
	f, _ := run(t, s, FeedOptions{}, c.Consumer)
	streams := streamsOfRanges()
	appendTo(t, s, streams[0], happened{})
	<-c.entered
	var last Position
	for _, r := range []int{1, 2, 3} {
		last = appendTo(t, s, streams[r], happened{})
	}
	handed(t, f, 3)
	// As another process would do that took the range over: it has handled the event, and its term is higher.
	if _, err := s.pool.Exec(t.Context(), `UPDATE eventstore.checkpoints SET position = $1, term = term + 1 WHERE consumer = 'convoyed' AND range = 2`, int64(last)); err != nil {
		t.Fatal(err)
	}
	close(c.release)
	waitFor(t, f, "convoyed", last)

	got := versions(t, s, "convoyed")
	for r, stream := range streams {
		want := []int64{1}
		if r == 2 {
			want = nil
		}
		if !slices.Equal(got[stream], want) {
			t.Errorf("%s was handled as %v, want %v", stream, got[stream], want)
		}
	}
}
