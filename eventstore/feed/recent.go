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
	// stored are the events as they are in the log, in a feed that writes messages of them; nil in others.
	stored [eventstore.Ranges][]eventstore.Raw
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
	return all[r.above(rng, p):len(all):len(all)], r.heads[rng], false, r.changed[rng]
}

// asStored are the stored forms of the first n events above a position; nil: they are not all here.
func (r *recent) asStored(rng int, p eventstore.Position, n int) []eventstore.Raw {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := r.above(rng, p)
	if p < r.floors[rng] || len(r.stored[rng]) != len(r.events[rng]) || len(r.stored[rng]) < first+n {
		return nil
	}
	return r.stored[rng][first : first+n : first+n]
}

// above is the index of a range's first event above a position.
func (r *recent) above(rng int, p eventstore.Position) int {
	all := r.events[rng]
	low, high := 0, len(all)
	for low < high { // the first above p
		if middle := (low + high) / 2; all[middle].Position > p {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// soonGone says that a consumer at a place should go on: soon the events after it are no longer all here.
func (r *recent) soonGone(rng int, p eventstore.Position) bool {
	events, _, behind, _ := r.after(rng, p)
	return behind || len(events) > r.size/2
}

// complete are the places after which all events of a range are here.
func (r *recent) complete() eventstore.Heads {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.floors
}

// add appends what was read between the present heads and new ones, in order; stored is nil, or as long as events. needed is, by range,
// the place after which consumers still want what is here.
func (r *recent) add(events []eventstore.Event, stored []eventstore.Raw, to, needed eventstore.Heads) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if stored == nil {
		r.stored = [eventstore.Ranges][]eventstore.Raw{}
	}
	for i := range events {
		rng := eventstore.RangeOf(events[i].Slice)
		r.events[rng] = append(r.events[rng], events[i])
		if stored != nil {
			r.stored[rng] = append(r.stored[rng], stored[i])
		}
	}
	for rng := range to {
		r.trim(rng, needed[rng])
	}
	r.move(to)
}

// trim lets go of the oldest events of a range when there are many that nobody needs, or too many. An eighth stays at least: consumers
// that come from the table find their way in.
func (r *recent) trim(rng int, needed eventstore.Position) {
	n, least := len(r.events[rng]), r.size/8
	keep := min(r.size, max(least, n-r.above(rng, needed)))
	if n <= keep+max(keep/4, least) {
		return
	}
	r.floors[rng] = r.events[rng][n-keep-1].Position
	// A copy: consumers may still hold the old list.
	r.events[rng] = append(make([]eventstore.Event, 0, keep+keep/2), r.events[rng][n-keep:]...)
	if len(r.stored[rng]) == n {
		r.stored[rng] = append(make([]eventstore.Raw, 0, keep+keep/2), r.stored[rng][n-keep:]...)
	}
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
	r.stored = [eventstore.Ranges][]eventstore.Raw{}
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
