package commands

import (
	"context"
	"sync"

	"github.com/google/uuid"

	"shop/eventstore"
)

// loads are those of shared streams that this process does not know yet. A hundred commands that want a stream at once load it
// once: the first begins, the others wait for it. A load ends early only when nobody waits for it any more, so that a stream too
// long for the patience of one request is read to its end by all of them.
type loads struct {
	mu sync.Mutex
	of map[string]*load
}

// load is one query for streams. It has the context of the one that began it, without its end.
type load struct {
	ended  chan struct{}
	cancel context.CancelFunc
	// waiting counts the units that want it.
	waiting int
	states  []*loaded
	err     error
}

// join finds the loads that are under way for streams, and answers those states that nobody loads yet.
func (ls *loads) join(absent []*loaded) (under map[*load]bool, rest []*loaded) {
	under = map[*load]bool{}
	for _, l := range absent {
		switch its := ls.of[l.ref.name()]; {
		case its == nil:
			rest = append(rest, l)
		case !under[its]:
			under[its] = true
			its.waiting++
		}
	}
	return under, rest
}

// leave is one unit less that waits.
func (ls *loads) leave(its *load) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if its.waiting--; its.waiting == 0 {
		its.cancel()
		ls.remove(its)
	}
}

// remove lets the next unit begin a load of its own. The caller holds the lock.
func (ls *loads) remove(its *load) {
	for _, l := range its.states {
		if name := l.ref.name(); ls.of[name] == its {
			delete(ls.of, name)
		}
	}
}

// begin starts a load for one unit, and answers it. Of its states others may join shared ones. The caller holds the lock.
func (h *Handler) begin(ctx context.Context, shared, alone []*loaded) *load {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	its := &load{ended: make(chan struct{}), cancel: cancel, waiting: 1}
	for i, l := range append(shared[:len(shared):len(shared)], alone...) {
		its.states = append(its.states, &loaded{ref: l.ref, state: l.state, version: l.version})
		if i < len(shared) {
			its.states[i].state = l.ref.initial()
			h.loads.of[l.ref.name()] = its
		}
	}
	before, names := h.memory.now(), namesOf(its.states)
	h.memory.register(names)
	go func() { // it belongs to the units that wait, and ends with the last of them
		defer cancel()
		its.err = h.read(ctx, its.states)
		for _, l := range its.states {
			if its.err == nil && l.known() {
				h.memory.keep(l.ref, l.state, l.version, before)
			}
		}
		h.memory.release(names)
		h.loads.mu.Lock()
		h.loads.remove(its)
		h.loads.mu.Unlock()
		close(its.ended)
	}()
	return its
}

// loadShared brings states up to date when of some, which are shared, nothing is known. What another unit has begun to load is
// asked for again, from where that ends: it may have begun before what this unit must know.
func (u *Unit) loadShared(stale, absent []*loaded) error {
	h := u.h
	u.register(absent)
	h.loads.mu.Lock()
	if h.loads.of == nil {
		h.loads.of = map[string]*load{}
	}
	under, rest := h.loads.join(absent)
	var own *load
	if len(rest) > 0 {
		u.register(stale)
		own = h.begin(u.ctx, rest, stale)
		under[own] = true
	}
	h.loads.mu.Unlock()
	got := map[string]*loaded{}
	var failed error
	for its := range under {
		select {
		case <-its.ended:
		case <-u.ctx.Done():
			failed = u.ctx.Err()
		}
		if failed == nil {
			failed = its.err
		}
		if failed == nil {
			for _, l := range its.states {
				got[l.ref.name()] = l
			}
		}
		h.loads.leave(its)
	}
	if failed != nil {
		return failed
	}
	again := []*loaded{}
	mine := map[*loaded]bool{}
	if own != nil {
		for _, l := range own.states {
			mine[l] = true
		}
	}
	for _, l := range append(stale[:len(stale):len(stale)], absent...) {
		its := got[l.ref.name()]
		if its != nil {
			l.state, l.version, l.moment = its.state, its.version, its.moment
		}
		if !mine[its] {
			again = append(again, l)
		}
	}
	return u.ask(again)
}

// page is how many events of a long stream are in memory at once.
const page = 4096

// read brings states up to date with the log: those of which nothing is known from their snapshots, if there are any, and long
// streams page by page.
func (h *Handler) read(ctx context.Context, states []*loaded) error {
	lengths, err := h.frozen.find(ctx, states)
	if err != nil {
		return err
	}
	last := map[*loaded]uuid.UUID{}
	var short []*loaded
	from := make(map[*loaded]eventstore.Version, len(states))
	for _, l := range states {
		from[l] = l.version
		if lengths[l.ref.name()]-l.version <= page {
			short = append(short, l)
			continue
		}
		if last[l], err = h.readPages(ctx, l); err != nil {
			return err
		}
	}
	if len(short) > 0 {
		news, err := h.log.Load(ctx, fromOf(short)...)
		if err != nil {
			return err // the log says what it was to load
		}
		moment := new(byte)
		for _, l := range short {
			l.moment = moment
			events := news[l.ref.name()]
			if err := l.add(events); err != nil {
				return err
			}
			if len(events) > 0 {
				last[l] = events[len(events)-1].ID
			}
		}
	}
	for _, l := range states {
		if l.ref.lacks(l.state) {
			l.state, l.version, from[l] = l.ref.initial(), 0, 0
			if last[l], err = h.readPages(ctx, l); err != nil {
				return err
			}
		}
		h.frozen.offer(l, from[l], last[l])
	}
	return nil
}

// readPages folds a long stream, and answers the id of its last event.
func (h *Handler) readPages(ctx context.Context, l *loaded) (last uuid.UUID, err error) {
	for {
		events, err := h.log.Stream(ctx, l.ref.name(), l.version, page)
		if err != nil {
			return last, err
		}
		if err := l.add(events); err != nil {
			return last, err
		}
		if len(events) > 0 {
			last = events[len(events)-1].ID
		}
		if len(events) < page {
			return last, nil
		}
	}
}

// readWhole folds a stream from its first event, whatever snapshots there are.
func (h *Handler) readWhole(ctx context.Context, ref Ref) (any, eventstore.Version, error) {
	l := &loaded{ref: ref, state: ref.initial()}
	_, err := h.readPages(ctx, l)
	return l.state, l.version, err
}
