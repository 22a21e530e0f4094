package feed

import (
	"sync"

	"shop/eventstore"
)

// recent holds the recent events of the log, decoded once for all consumers of the process, in one list per range.
type recent struct {
	size int

	mu sync.Mutex
	// heads: it has come so far; floors: it is complete above. A range's events lie in (floor, head].
	heads, floors eventstore.Heads
	events        [eventstore.Ranges][]eventstore.Event
	// changed is closed and replaced when the range's head moves.
	changed [eventstore.Ranges]chan struct{}
}

func newRecent(size int) *recent {
	r := &recent{size: size}
	for i := range r.changed {
		r.changed[i] = make(chan struct{})
	}
	return r
}

// after returns a range's events above a position and how far they reach; behind says that they are no longer all
// here, and how far the table may be read instead. changed is closed when there may be more.
func (r *recent) after(rng int, p eventstore.Position) (events []eventstore.Event, upTo eventstore.Position, behind bool, changed <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p < r.floors[rng] {
		return nil, r.heads[rng], true, r.changed[rng]
	}
	all := r.events[rng]
	low, high := 0, len(all)
	for low < high { // the first above p
		if middle := (low + high) / 2; all[middle].Position > p {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return all[low:len(all):len(all)], r.heads[rng], false, r.changed[rng]
}

// soonGone says that a consumer at a place should go on: soon the events after it are no longer all here.
func (r *recent) soonGone(rng int, p eventstore.Position) bool {
	events, _, behind, _ := r.after(rng, p)
	return behind || len(events) > r.size/2
}

// add appends what was read between the present heads and new ones, in order.
func (r *recent) add(events []eventstore.Event, to eventstore.Heads) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range events {
		rng := eventstore.RangeOf(events[i].Slice)
		r.events[rng] = append(r.events[rng], events[i])
	}
	for rng := range to {
		if n := len(r.events[rng]); n > r.size+r.size/4 {
			// A copy: consumers may still hold the old list.
			r.floors[rng] = r.events[rng][n-r.size-1].Position
			r.events[rng] = append(make([]eventstore.Event, 0, r.size+r.size/2), r.events[rng][n-r.size:]...)
		}
	}
	r.move(to)
}

// leap moves the heads without events: consumers read the table up to there.
func (r *recent) leap(to eventstore.Heads) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.move(to)
	r.empty()
}

// forget drops all events; consumers that have not had them read the table.
func (r *recent) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.empty()
}

func (r *recent) empty() {
	r.events = [eventstore.Ranges][]eventstore.Event{}
	r.floors = r.heads
}

func (r *recent) present() eventstore.Heads {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.heads
}

func (r *recent) move(to eventstore.Heads) {
	for rng := range to {
		if to[rng] > r.heads[rng] {
			r.heads[rng] = to[rng]
			close(r.changed[rng])
			r.changed[rng] = make(chan struct{})
		}
	}
}
