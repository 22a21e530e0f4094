package feed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/eventstore"
)

// streamsOfRanges are streams of different ranges, one of each.
func streamsOfRanges() (streams [eventstore.Ranges]string) {
	for i, left := 0, eventstore.Ranges; left > 0; i++ {
		name := fmt.Sprintf("item-%d", i)
		if r := eventstore.RangeOf(eventstore.SliceOf(name)); streams[r] == "" {
			streams[r] = name
			left--
		}
	}
	return streams
}

// sharing is a consumer that notes events, and whose first batch waits until it is released.
type sharing struct {
	Consumer
	mu      sync.Mutex
	batches [][]string
	entered chan struct{}
	release chan struct{}
	// fail is the stream whose events cannot be handled.
	fail string
}

func newSharing(t *testing.T, s *eventstore.Store) *sharing {
	c := &sharing{Consumer: seen(t, s, "shared"), entered: make(chan struct{}), release: make(chan struct{})}
	note := c.Handle
	enter := sync.OnceFunc(func() {
		close(c.entered)
		<-c.release
	})
	c.Handle = func(ctx context.Context, tx pgx.Tx, events []eventstore.Event) error {
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

// handed waits until so many batches wait to share a transaction.
func handed(t *testing.T, f *Feed, n int) {
	t.Helper()
	eventually(t, fmt.Sprintf("waited %d batches", n), func() bool { return f.consumer("shared").together.Waiting() == n })
}

func TestBatchesOfSeveralRangesShareATransaction(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	c := newSharing(t, s)
	f, _ := run(t, s, Options{}, c.Consumer)
	streams := streamsOfRanges()
	appendTo(t, s, streams[0], happened{})
	<-c.entered
	var last eventstore.Position
	for _, r := range []int{3, 1, 2} {
		last = appendTo(t, s, streams[r], happened{})
	}
	handed(t, f, 3)
	close(c.release)
	waitFor(t, f, "shared", last)

	want := [][]string{{streams[0]}, {streams[3], streams[1], streams[2]}}
	if !slices.EqualFunc(c.batches, want, slices.Equal) {
		t.Errorf("handled %v, want %v: those that came meanwhile together, by position", c.batches, want)
	}
	for stream, got := range versions(t, s, "shared") {
		if !slices.Equal(got, []int64{1}) {
			t.Errorf("%s was handled as %v, want once", stream, got)
		}
	}
}

// shareOne appends an event to each range, holds up the first until the others wait behind it, has something done
// then, and tells of the streams whose event was handled once, by their ranges.
func shareOne(t *testing.T, s *eventstore.Store, c *sharing, meanwhile func(last eventstore.Position)) (handled [eventstore.Ranges]bool) {
	t.Helper()
	f, _ := run(t, s, Options{}, c.Consumer)
	streams := streamsOfRanges()
	last := appendTo(t, s, streams[0], happened{})
	<-c.entered
	for _, stream := range streams[1:] {
		last = appendTo(t, s, stream, happened{})
	}
	handed(t, f, eventstore.Ranges-1)
	meanwhile(last)
	close(c.release)
	waitFor(t, f, "shared", last)
	got := versions(t, s, "shared")
	for r, stream := range streams {
		handled[r] = slices.Equal(got[stream], []int64{1})
		if len(got[stream]) > 1 {
			t.Errorf("%s was handled as %v", stream, got[stream])
		}
	}
	return handled
}

func TestAFailingEventHarmsNoOtherBatch(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	c := newSharing(t, s)
	c.fail = streamsOfRanges()[2]
	if got, want := shareOne(t, s, c, func(eventstore.Position) {}), [eventstore.Ranges]bool{true, true, false, true}; got != want {
		t.Errorf("handled by range: %v, want %v", got, want)
	}
	letters, err := ControlOf(s).DeadLetters(t.Context(), "shared")
	if err != nil || len(letters) != 1 || letters[0].Stream != c.fail {
		t.Errorf("parked: %v, %v; want the failing event only", letters, err)
	}
}

func TestARangeThatWasTakenHarmsNoOtherBatch(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	got := shareOne(t, s, newSharing(t, s), func(last eventstore.Position) {
		// As another process would do that took the range over: it has handled the event, and its term is higher.
		const take = `UPDATE eventstore.checkpoints SET position = $1, term = term + 1 WHERE consumer = 'shared' AND range = 2`
		if _, err := s.Pool().Exec(t.Context(), take, int64(last)); err != nil {
			t.Fatal(err)
		}
	})
	if want := [eventstore.Ranges]bool{true, true, false, true}; got != want {
		t.Errorf("handled by range: %v, want %v", got, want)
	}
}

func TestAConsumerRestsUntilSomebodyWaits(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	c := newSharing(t, s)
	close(c.release)
	f, _ := run(t, s, Options{}, c.Consumer)
	stream := streamsOfRanges()[1]
	waitFor(t, f, "shared", appendTo(t, s, stream, happened{}))
	f.consumer("shared").rest.until.Store(time.Now().Add(time.Hour).UnixNano())
	var last eventstore.Position
	for range 3 {
		last = appendTo(t, s, stream, happened{})
		eventually(t, "saw the event", func() bool { return f.recent.present().Least() >= last })
	}
	waitFor(t, f, "shared", last)

	want := [][]string{{stream}, {stream, stream, stream}}
	if !slices.EqualFunc(c.batches, want, slices.Equal) {
		t.Errorf("handled %v, want %v: those that came during the rest together, when they were waited for", c.batches, want)
	}
}

func TestAConsumerWithARestOfItsOwnGathersEventsBetweenTransactions(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	c := newSharing(t, s)
	close(c.release)
	c.Rest = time.Hour
	f, _ := run(t, s, Options{}, c.Consumer)
	streams := streamsOfRanges()
	waitFor(t, f, "shared", appendTo(t, s, streams[0], happened{}))
	var last eventstore.Position
	for range liveBatch + 1 { // more than consumers without a rest gather
		last = appendTo(t, s, streams[1], happened{})
	}
	eventually(t, "saw the events", func() bool { return f.recent.present().Least() >= last })
	c.mu.Lock()
	before := len(c.batches)
	c.mu.Unlock()
	if before != 1 {
		t.Errorf("handled %d batches while it rests, want the first alone", before)
	}
	waitFor(t, f, "shared", last)
	if len(c.batches) != 2 || len(c.batches[1]) != liveBatch+1 {
		t.Errorf("handled %d batches, want the first, and all other events in a second when somebody waited", len(c.batches))
	}
}

func TestARestEndsBeforeRecentEventsAreGone(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	c := newSharing(t, s)
	close(c.release)
	c.Rest = time.Hour
	f, _ := run(t, s, Options{Recent: 16}, c.Consumer)
	streams := streamsOfRanges()
	waitFor(t, f, "shared", appendTo(t, s, streams[0], happened{}))
	var ninth, last eventstore.Position
	for range 9 {
		ninth = appendTo(t, s, streams[1], happened{})
	}
	eventually(t, "handled the events without being waited for", func() bool { return f.Position("shared") >= ninth })
	for range 8 {
		last = appendTo(t, s, streams[1], happened{})
	}
	eventually(t, "saw the events", func() bool { return f.recent.present().Least() >= last })
	time.Sleep(2 * longestRest) // nothing happens, however long
	if at := f.Position("shared"); at >= last {
		t.Errorf("handled events up to %d while it rests, with half of the recent events free", at)
	}
}

func TestARestEnds(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	c := newSharing(t, s)
	close(c.release)
	f, _ := run(t, s, Options{}, c.Consumer)
	stream := streamsOfRanges()[1]
	waitFor(t, f, "shared", appendTo(t, s, stream, happened{}))
	f.consumer("shared").rest.until.Store(time.Now().Add(longestRest).UnixNano())
	last := appendTo(t, s, stream, happened{})
	eventually(t, "handled the event without being waited for", func() bool { return f.Position("shared") >= last })
}

func TestEventsOfSeveralBatchesAreOrderedByPosition(t *testing.T) {
	t.Parallel()
	at := func(positions ...eventstore.Position) *Batch {
		b := &Batch{}
		for _, p := range positions {
			b.Events = append(b.Events, eventstore.Event{Position: p})
		}
		return b
	}
	batches := []*Batch{at(2, 5, 9), at(1, 6), at(3)}
	var got []eventstore.Position
	for _, e := range eventsOf(batches) {
		got = append(got, e.Position)
	}
	if want := []eventstore.Position{1, 2, 3, 5, 6, 9}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if batches[0].Events[0].Position != 2 || len(batches[0].Events) != 3 {
		t.Error("a batch lost its events")
	}
}
