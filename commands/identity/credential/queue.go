package credential

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Lane is who waits for a password to be hashed. A higher lane goes first, and takes the place of a lower one when the queue
// is full.
type Lane int

const (
	// Suspect is a network that has sent wrong passwords. Suspects together get suspectRate hashes a second.
	Suspect Lane = iota
	// Unknown is a network of which nothing is known.
	Unknown
	// Trusted is a device that has signed in to the account, or somebody who has shown a session, a code or a link.
	Trusted
)

const (
	// maxWaiting is how many requests wait for a slot.
	maxWaiting = 20
	// suspectRate and suspectBurst are the hashes that suspects get, in a process.
	suspectRate, suspectBurst = 2, 20
)

// Busy: too many passwords are to be hashed. It is answered at once.
type Busy struct{ For time.Duration }

func (e *Busy) Error() string { return "too many passwords wait to be checked" }

// RetryAfter is when to come again.
func (e *Busy) RetryAfter() time.Duration { return e.For }

var errNoSlots = errors.New("a hasher needs a slot")

// Slots is how many passwords a process hashes at once: half of its cores, at least one.
func Slots() int { return max(1, runtime.GOMAXPROCS(0)/2) }

// queue gives slots to those who wait, by lane and then in their order.
type queue struct {
	mu      sync.Mutex
	free    int
	waiting []*waiter
	// suspects bounds what guessers can make the shop compute.
	suspects *rate.Limiter
}

// waiter waits for a slot; served gets nil with it, or *Busy.
type waiter struct {
	lane   Lane
	served chan error
}

func newQueue(slots int) *queue {
	if slots < 1 {
		panic(errNoSlots)
	}
	return &queue{free: slots, suspects: rate.NewLimiter(suspectRate, suspectBurst)}
}

// enter waits for a slot, which leave gives back. It refuses with *Busy, at once or when a higher lane takes the place.
func (q *queue) enter(ctx context.Context, lane Lane) error {
	q.mu.Lock()
	if lane == Suspect && !q.suspects.Allow() {
		q.mu.Unlock()
		return &Busy{For: time.Second}
	}
	if q.free > 0 {
		q.free--
		q.mu.Unlock()
		return nil
	}
	if len(q.waiting) == maxWaiting && !q.displace(lane) {
		q.mu.Unlock()
		return &Busy{For: time.Second}
	}
	w := &waiter{lane: lane, served: make(chan error, 1)}
	q.waiting = append(q.waiting, w)
	q.mu.Unlock()
	select {
	case err := <-w.served:
		return err
	case <-ctx.Done():
		q.abandon(w)
		return ctx.Err()
	}
}

// displace sends the last waiter of the lowest lane away, when that lane is lower than lane.
func (q *queue) displace(lane Lane) bool {
	at := len(q.waiting) - 1
	for i, w := range slices.Backward(q.waiting) {
		if w.lane < q.waiting[at].lane {
			at = i
		}
	}
	last := q.waiting[at]
	if last.lane >= lane {
		return false
	}
	q.waiting = slices.Delete(q.waiting, at, at+1)
	last.served <- &Busy{For: time.Second}
	return true
}

// abandon takes a waiter out whose request ended. A slot it was given meanwhile goes on.
func (q *queue) abandon(w *waiter) {
	q.mu.Lock()
	at := slices.Index(q.waiting, w)
	if at >= 0 {
		q.waiting = slices.Delete(q.waiting, at, at+1)
	}
	q.mu.Unlock()
	if at < 0 && <-w.served == nil {
		q.leave()
	}
}

// leave gives a slot to the first waiter of the highest lane.
func (q *queue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.free++
		return
	}
	first := slices.MaxFunc(q.waiting, func(a, b *waiter) int { return cmp.Compare(a.lane, b.lane) }) // the first of several
	q.waiting = slices.DeleteFunc(q.waiting, func(w *waiter) bool { return w == first })
	first.served <- nil
}
