package feed

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/google/uuid"

	"shop/eventstore"
)

// Sight is what an observer of the log is shown at a time.
type Sight struct {
	// Events came into the log since the sight before; those of a stream are in order and without holes. One that cannot
	// be decoded has no Data. They are shared: read, do not change.
	Events []eventstore.Event
	// Gap: there may be events that are not shown.
	Gap bool
	// Erased are persons whose fields must be forgotten in what was shown before; All: those of everybody, because an erasure may
	// have gone unheard.
	Erased []uuid.UUID
	All    bool
	// Head: every event up to here was shown, or lies in a gap. 0 in a sight that only tells of erasures.
	Head eventstore.Position
	// At: every append that was answered before has been shown, or lies in a gap; by the clock of this process. Zero: not
	// known, or as in the sight before.
	At time.Time
	// Ranges are Head and At of each range of slices: an append that hangs ages its own range alone. nil: those above hold
	// for all.
	Ranges *[eventstore.Ranges]Shown
}

// Shown is how far a part of the log was shown, as Head and At of a Sight.
type Shown struct {
	Head eventstore.Position
	At   time.Time
}

// Of says how far a stream was shown.
func (s *Sight) Of(stream string) (eventstore.Position, time.Time) {
	if s.Ranges == nil {
		return s.Head, s.At
	}
	seen := s.Ranges[eventstore.RangeOf(eventstore.SliceOf(stream))]
	return seen.Head, seen.At
}

// Observe lets f see the log as the feed's watcher does, within milliseconds of each commit: all events of all streams,
// once, from when the feed runs. What is missing from sight is told as a gap, and the first sight is one. An erasure is no gap:
// nothing is missing, but what was opened of the person must be forgotten. Calls come one
// after the other, also when there is nothing new, at least every 100 ms while the log can be read; f must return at once.
// Call it before Run.
func (f *Feed) Observe(see func(Sight)) {
	f.observers.mu.Lock()
	defer f.observers.mu.Unlock()
	f.observers.all = append(f.observers.all, see)
	f.opts.IdlePoll = min(f.opts.IdlePoll, maxUnseen)
	f.opts.Poll = min(f.opts.Poll, maxUnseen)
}

// maxUnseen is the longest pause between looks at the log when there are observers: they go by how fresh a sight is.
const maxUnseen = 100 * time.Millisecond

// observers are shown what the watcher reads. Their lock lets them and the recent events learn one thing after the other.
type observers struct {
	mu  sync.Mutex
	all []func(Sight)
}

// show tells the observers. The caller holds the lock.
func (o *observers) show(s Sight) {
	for _, see := range o.all {
		see(s)
	}
}

// show tells the observers.
func (f *Feed) show(s Sight) {
	f.observers.mu.Lock()
	defer f.observers.mu.Unlock()
	f.observers.show(s)
}

// pass puts what was read up to new heads before the consumers and the observers, unless a person was erased since
// erasures were counted: what was opened with a key that is gone now must not be kept, and is read again. forget waits for the
// same lock, and so comes after everything that was opened before it.
func (f *Feed) pass(found []eventstore.Event, stored []eventstore.Raw, reached eventstore.Heads, erasures int64) (passed bool) {
	f.observers.mu.Lock()
	defer f.observers.mu.Unlock()
	if f.source.Erasures() != erasures {
		return false
	}
	f.recent.add(found, stored, reached, f.needed())
	if len(f.observers.all) == 0 {
		return true
	}
	events := make([]eventstore.Event, len(found))
	for i := range found {
		if events[i] = found[i]; unreadable(&found[i]) != nil {
			events[i].Data = nil
		}
	}
	f.observers.show(Sight{Events: events, Head: reached.Least()})
	return true
}

// needed is, by range, the least place of the consumers that go by the recent events. The others read the table.
func (f *Feed) needed() eventstore.Heads {
	var needed eventstore.Heads
	consumers, complete := f.all(), f.recent.complete()
	for r, floor := range complete {
		least := eventstore.Position(math.MaxInt64)
		for _, c := range consumers {
			if at := eventstore.Position(c.parts[r].glance.at.Load()); at >= floor {
				least = min(least, at)
			}
		}
		if needed[r] = least; least == math.MaxInt64 {
			needed[r] = floor // they are all behind, and may come soon
		}
	}
	return needed
}

// leap passes events that are too many to show.
func (f *Feed) leap(to eventstore.Heads) {
	f.observers.mu.Lock()
	defer f.observers.mu.Unlock()
	f.recent.leap(to)
	f.observers.show(Sight{Gap: true, Head: to.Least()})
}

// forget empties the recent events whenever a person was erased: they may hold what the person's key opened.
func (f *Feed) forget(ctx context.Context) {
	erased, stop := f.source.Erased()
	defer stop()
	// Persons who were erased before are told too: commands may have read of them.
	for counted := int64(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-erased:
			s := Sight{}
			s.Erased, counted, s.All = f.source.ErasedSince(counted)
			f.forgetRecent(s)
		}
	}
}

// forgetRecent empties the recent events, which may hold what a person's key opened, and tells the observers of whom; consumers
// read the table.
func (f *Feed) forgetRecent(of Sight) {
	f.observers.mu.Lock()
	defer f.observers.mu.Unlock()
	f.recent.forget()
	f.observers.show(of)
}

// horizons tell since when a reader that has come to a position knows everything. A log that is being written to is
// never read to its end: where an append is in flight the safe head lies below its last position, so what counts is
// where the log ended earlier.
type horizons struct {
	ends []horizon
	at   time.Time
}

// horizon: at a moment, no event above last was visible.
type horizon struct {
	last eventstore.Position
	at   time.Time
}

// maxHorizons bounds what is remembered while an append hangs; without the later ones the sight only ages sooner.
const maxHorizons = 64

func (h *horizons) add(last eventstore.Position, at time.Time) {
	if len(h.ends) < maxHorizons {
		h.ends = append(h.ends, horizon{last, at})
	}
}

// reached is the latest moment whose end of the log is not above a position.
func (h *horizons) reached(p eventstore.Position) time.Time {
	n := 0
	for n < len(h.ends) && h.ends[n].last <= p {
		h.at = h.ends[n].at
		n++
	}
	h.ends = append(h.ends[:0], h.ends[n:]...)
	return h.at
}
