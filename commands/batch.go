package commands

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"shop/eventstore"
)

// maxTogether is how many commands the lane appends at once.
const maxTogether = 64

// lane lets commands of this process that may want the same streams meet. One append is in flight; those that come
// meanwhile are decided one after the other, each over what the ones before it decided, and appended together: one
// transaction, all or none. So a hundred orders for one product are neither refused by each other's versions nor written
// one by one. The lane promises nothing: the expected versions of the append are what keeps the log right, and when it
// is refused everybody decides again.
// The zero value is ready.
type lane struct {
	mu      sync.Mutex
	waiting []*passenger
	running bool
}

// passenger is a command in the lane. Its unit was decided over states that may be old by now.
type passenger struct {
	ctx    context.Context
	unit   *Unit
	decide func(u *Unit) error
	// taken is set by whoever comes first: the lane, or the command that gives up.
	taken atomic.Bool
	done  chan arrival
}

// arrival is what became of a passenger. again: nothing was written, and it should decide anew, asking the log.
type arrival struct {
	position eventstore.Position
	again    bool
	err      error
}

// errPanic carries a panic of a command's decision to the command.
type errPanic struct {
	cause any
	stack []byte
}

func (e *errPanic) Error() string { return fmt.Sprintf("panic: %v\n%s", e.cause, e.stack) }

// ride appends what a unit decided together with what others do.
func (h *Handler) ride(ctx context.Context, u *Unit, decide func(u *Unit) error) (position eventstore.Position, again bool, err error) {
	p := &passenger{ctx: ctx, unit: u, decide: decide, done: make(chan arrival, 1)}
	l := &h.lane
	l.mu.Lock()
	l.waiting = append(l.waiting, p)
	if !l.running {
		l.running = true
		go h.drive()
	}
	l.mu.Unlock()
	var got arrival
	select {
	case got = <-p.done:
	case <-ctx.Done():
		if p.taken.CompareAndSwap(false, true) {
			return 0, false, ctx.Err()
		}
		got = <-p.done // its decision may be running, and the append ends by itself
	}
	var panicked *errPanic
	if errors.As(got.err, &panicked) {
		panic(panicked) // where it belongs: in the goroutine of its request
	}
	return got.position, got.again, got.err
}

// drive runs the lane until nobody waits.
func (h *Handler) drive() {
	l := &h.lane
	for {
		l.mu.Lock()
		all := l.waiting
		if len(all) == 0 {
			l.running = false
			l.mu.Unlock()
			return
		}
		n := min(len(all), maxTogether)
		l.waiting = append([]*passenger(nil), all[n:]...)
		l.mu.Unlock()
		if rest := h.together(all[:n]); len(rest) > 0 {
			l.mu.Lock()
			l.waiting = append(rest, l.waiting...)
			l.mu.Unlock()
		}
	}
}

// together decides and appends for some passengers. Those it returns cannot be in the same append as another.
func (h *Handler) together(passengers []*passenger) (rest []*passenger) {
	base := &Unit{h: h, streams: map[string]*loaded{}, purges: h.memory.purges.Load()}
	defer base.end()
	keys := map[[2]string]bool{}
	var (
		aboard  []*passenger
		appends []eventstore.Append
		refused []*passenger
	)
	for _, p := range passengers {
		if key := p.unit.Key; key != nil && keys[[2]string{key.Scope, key.Key}] {
			rest = append(rest, p) // a twin: the other's answer will be its own
			continue
		}
		if !p.taken.CompareAndSwap(false, true) {
			continue
		}
		u := p.unit
		if base.outdates(u) {
			u = &Unit{h: h, ctx: p.ctx, at: u.at, streams: map[string]*loaded{}, base: base, actual: u.actual, purges: base.purges}
			if err := attempt(u, p.decide); err != nil {
				u.end()
				var panicked *errPanic
				if errors.As(err, &panicked) {
					p.done <- arrival{err: err}
				} else {
					refused = append(refused, p) // by states of which some are not written yet
				}
				continue
			}
			base.registered = append(base.registered, u.registered...)
		}
		if u.Key != nil {
			keys[[2]string{u.Key.Scope, u.Key.Key}] = true
		}
		aboard = append(aboard, p)
		a := u.appends()
		a.Metadata.Trace = eventstore.TraceOf(p.ctx)
		appends = append(appends, a)
		for name, l := range u.streams {
			base.streams[name] = &loaded{ref: l.ref, state: l.state, version: l.version + eventstore.Version(len(l.events))}
		}
	}
	defer func() {
		// When those aboard are written: only then the refused find the log as it refused them.
		for _, p := range refused {
			p.done <- arrival{again: true}
		}
	}()
	if len(aboard) == 0 {
		return rest
	}
	// Nobody's request ends the append of the others; the store bounds it.
	appended, err := h.log.Append(context.WithoutCancel(aboard[0].ctx), appends...)
	if err == nil {
		for _, a := range appends {
			for _, w := range a.Writes {
				l := base.streams[w.Stream]
				h.memory.keep(l.ref, l.state, l.version, base.purges)
			}
		}
	}
	var used *eventstore.KeyUsed
	for _, p := range aboard {
		a := arrival{position: appended.Position, err: err}
		if errors.As(err, &used) && !p.uses(used.Key) {
			a = arrival{again: true} // it was another's key
		}
		p.done <- a
	}
	return rest
}

func (p *passenger) uses(key eventstore.Key) bool {
	own := p.unit.Key
	return own != nil && own.Scope == key.Scope && own.Key == key.Key
}

// attempt is decide, with a panic for an error.
func attempt(u *Unit, decide func(u *Unit) error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &errPanic{cause, debug.Stack()}
		}
	}()
	return decide(u)
}

// outdates says whether a unit was decided over other states than it would be now.
func (u *Unit) outdates(other *Unit) bool {
	for name, l := range other.streams {
		if mine, ok := u.streams[name]; ok {
			if mine.version != l.version {
				return true
			}
		} else if known, ok := u.h.memory.of(l.ref).Peek(name); ok && known.version != l.version {
			return true
		}
	}
	return false
}
