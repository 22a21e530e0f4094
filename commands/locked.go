package commands

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"shop/eventstore"
)

// wants is what a command is about, as far as its attempts have shown: what it locks when it was refused too often.
type wants struct {
	// refs are the streams that it wrote or asserted, by name.
	refs   map[string]Ref
	claims []eventstore.Claim
	key    *eventstore.Key
}

func (w *wants) add(u *Unit) {
	for name, l := range u.streams {
		if len(l.events) > 0 || l.asserted {
			w.refs[name] = l.ref
		}
	}
	w.claims, w.key = u.claims, u.Key
}

// contention remembers for a second which streams other processes were faster with. Commands of them decide under the lock
// at once: to be refused first costs more.
type contention struct {
	mu sync.Mutex
	// until is when a stream counts as quiet again.
	until map[string]time.Time
}

// quietAfter is how long a stream counts as contended after a conflict.
const quietAfter = time.Second

func (c *contention) mark(stream string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if c.until == nil || len(c.until) >= 1024 {
		kept := map[string]time.Time{}
		for name, until := range c.until {
			if until.After(now) && len(kept) < 512 {
				kept[name] = until
			}
		}
		c.until = kept
	}
	c.until[stream] = now.Add(quietAfter)
}

// of says whether a batch is to be decided under the lock, and which streams' turn it waits for.
func (c *contention) of(batch []*queued) (turns []string, locks bool) {
	locks = slices.ContainsFunc(batch, func(r *queued) bool { return r.In.locks })
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.until) == 0 {
		return nil, locks
	}
	now := time.Now()
	for _, r := range batch {
		for name := range r.In.wants.refs {
			if until, ok := c.until[name]; ok && until.After(now) {
				turns = append(turns, name)
			}
		}
	}
	return turns, locks || len(turns) > 0
}

// togetherLocked is together under the lock. Requests that come before the batch has its turn join it; those that repeat one of it
// are left, with the repeats that there were.
func (h *Handler) togetherLocked(batch, repeats []*queued, turns []string) (left []*queued) {
	if len(batch) == 0 {
		return repeats
	}
	join := func() (all []*request) {
		var again []*queued
		batch, again = partRepeats(append(batch, h.queue.Join(batch[0])...))
		repeats = append(repeats, again...)
		for _, r := range batch {
			all = append(all, r.In)
		}
		return all
	}
	// No request ends the append of the others; the store bounds it.
	answers, err := h.underLock(context.WithoutCancel(batch[0].Context()), turns, join)
	for i, r := range batch {
		if err != nil {
			r.Reply(outcome{}, err)
		} else {
			r.Reply(answers[i].outcome, answers[i].err)
		}
	}
	return repeats
}

// told is what a request is told.
type told struct {
	outcome
	err error
}

// underLock waits for the turn of streams, locks all that some requests want, decides them one after the other and appends what they
// decided. An error is about all of them.
func (h *Handler) underLock(ctx context.Context, turns []string, requests func() []*request) ([]told, error) {
	l := &lockedBatch{h: h, known: map[string]*loaded{}, since: h.memory.now()}
	defer func() { h.memory.release(l.names) }()
	results, err := h.log.AppendLocked(ctx, eventstore.Lock{Turns: turns, TurnWait: h.turnWait, Then: func() eventstore.Lock {
		l.requests = requests()
		return l.lock(ctx)
	}}, l.decide)
	if err != nil {
		return nil, err
	}
	for _, name := range l.names {
		known := l.known[name]
		h.memory.keep(known.ref, known.state, known.version, l.since)
	}
	for k, got := range results {
		answer := &l.told[l.of[k]]
		answer.outcome, answer.err = h.appended(l.units[k], got)
	}
	return l.told, nil
}

// lockedBatch are requests that are decided under the lock of all that they want.
type lockedBatch struct {
	h        *Handler
	requests []*request
	since    since
	// names are the streams that are locked, known what is remembered of them and then what is there.
	names []string
	known map[string]*loaded
	// told is what became of each request, units are of those that the last run of decide accepted, of says whose.
	told  []told
	units []*Unit
	of    []int
}

// lock is what the requests want, from where memory has it. Shared streams of which nothing is known are loaded before: they may be
// long, and the lock is short.
func (b *lockedBatch) lock(ctx context.Context) (lock eventstore.Lock) {
	b.told = make([]told, len(b.requests))
	for _, r := range b.requests {
		lock.Claims = append(lock.Claims, r.wants.claims...)
		for name, ref := range r.wants.refs {
			if b.known[name] == nil {
				b.known[name] = &loaded{ref: ref, state: ref.initial()}
				b.names = append(b.names, name)
			}
		}
	}
	b.h.memory.register(b.names)
	before := &Unit{h: b.h, ctx: ctx, streams: map[string]*loaded{}, since: b.since}
	defer before.end()
	var absent []Ref
	for _, name := range b.names {
		if ref := b.known[name].ref; !ref.isPrivate() && !b.h.memory.of(ref).Contains(name) {
			absent = append(absent, ref)
		}
	}
	loaded := before.load(nil, absent) == nil // under the lock everything is read that is not known
	for _, name := range b.names {
		known := b.known[name]
		if has, ok := b.h.memory.of(known.ref).Get(name); ok {
			known.state, known.version = has.state, has.version
		} else if has := before.streams[name]; has != nil && loaded {
			known.state, known.version = has.state, has.version
		}
		lock.Streams = append(lock.Streams, eventstore.From{Stream: name, After: known.version})
	}
	return lock
}

// decide runs under the lock; again, when the transaction was ended.
func (b *lockedBatch) decide(ctx context.Context, at eventstore.Locked) (appends []eventstore.Append) {
	b.units, b.of = nil, nil
	// A caller that goes must not end the transaction of the others.
	look := func(_ context.Context, from ...eventstore.From) (map[string][]eventstore.Event, error) {
		return at.Load(ctx, from...)
	}
	base := &Unit{h: b.h, streams: make(map[string]*loaded, len(b.names)), since: b.since}
	defer base.end()
	for _, name := range b.names {
		known := b.known[name]
		if events := at.Events[name]; len(events) > 0 && events[len(events)-1].Version > known.version {
			missing := slices.IndexFunc(events, func(e eventstore.Event) bool { return e.Version > known.version })
			state, err := known.ref.fold(known.state, events[missing:])
			if err != nil {
				b.all(err)
				return nil
			}
			known.state, known.version = state, events[len(events)-1].Version
			b.h.contended.mark(name)
		}
		base.streams[name] = &loaded{ref: known.ref, state: known.state, version: known.version}
	}
	for i, r := range b.requests {
		u := &Unit{h: b.h, ctx: r.ctx, at: r.unit.at, streams: map[string]*loaded{}, base: base, look: look, actual: r.unit.actual, since: b.since}
		b.told[i] = told{}
		if err := attempt(u, r.decide); err != nil {
			u.end()
			var panicked *errPanic
			if u.overUnwritten() && !errors.As(err, &panicked) {
				b.told[i].again = true
			} else {
				b.told[i].err = err
			}
			continue
		}
		r.wants.add(u)
		b.units, b.of = append(b.units, u), append(b.of, i)
		appends = append(appends, base.accept(u))
	}
	return appends
}

func (b *lockedBatch) all(err error) {
	for i := range b.told {
		b.told[i] = told{err: fmt.Errorf("decide under the lock: %w", err)}
	}
}

// overUnwritten says whether a unit saw what requests before it in the batch decided.
func (u *Unit) overUnwritten() bool {
	for _, l := range u.streams {
		if l.ahead {
			return true
		}
	}
	return false
}
