package eventstore

import "sync"

// ring holds the recent events of the log, decoded once for all consumers of the process, in one list per range.
type ring struct {
	size int

	mu sync.Mutex
	// heads: the ring has come so far; floors: it is complete above. A range's events lie in (floor, head].
	heads, floors heads
	events        [Ranges][]decoded
	// changed is closed and replaced when the range's head moves.
	changed [Ranges]chan struct{}
}

func newRing(size int) *ring {
	r := &ring{size: size}
	for i := range r.changed {
		r.changed[i] = make(chan struct{})
	}
	return r
}

// after returns a range's events above a position and how far they reach; behind says that the ring no longer has them
// all, and how far the table may be read instead. changed is closed when there may be more.
func (r *ring) after(rng int, p Position) (events []decoded, upTo Position, behind bool, changed <-chan struct{}) {
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

// add appends what was read between the present heads and new ones, in order.
func (r *ring) add(events []decoded, to heads) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range events {
		rng := RangeOf(events[i].Slice)
		r.events[rng] = append(r.events[rng], events[i])
	}
	for rng := range to {
		if n := len(r.events[rng]); n > 2*r.size {
			// A copy: consumers may still hold the old list.
			r.floors[rng] = r.events[rng][n-r.size-1].Position
			r.events[rng] = append(make([]decoded, 0, 2*r.size), r.events[rng][n-r.size:]...)
		}
	}
	r.move(to)
}

// skip moves the heads without events: consumers read the table up to there.
func (r *ring) leap(to heads) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.move(to)
	r.empty()
}

// forget drops all events; consumers that have not had them read the table.
func (r *ring) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.empty()
}

func (r *ring) empty() {
	r.events = [Ranges][]decoded{}
	r.floors = r.heads
}

func (r *ring) present() heads {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.heads
}

func (r *ring) move(to heads) {
	for rng := range to {
		if to[rng] > r.heads[rng] {
			r.heads[rng] = to[rng]
			close(r.changed[rng])
			r.changed[rng] = make(chan struct{})
		}
	}
}
