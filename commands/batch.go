package commands

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"shop/eventstore"
	"shop/eventstore/coalesce"
	"shop/eventstore/traceparent"
)

// maxTogether is how many commands are appended at once.
const maxTogether = 64

// batchQueue lets commands of this process that may want the same streams share an append. One append is in flight;
// commands that come meanwhile are decided one after the other, each over what the ones before it decided, and appended
// together: one transaction, of which each gets what is its own. So a hundred orders for one product are neither refused by
// each other's versions nor written one by one. The queue promises nothing: the expected versions of the append are what
// keeps the log right. A command that another process was faster than is refused, with those that were decided over it,
// and decides again; the others are written. Where processes meet again and again, the batch waits for its turn, takes along
// what comes meanwhile, and decides under the lock (locked.go).
//
// Its own, beside the group: a repeat of a request in the batch waits for the append after, which a group knows nothing
// of; and a panic of a decision concerns that command alone.
type batchQueue = coalesce.Group[*request, outcome]

// request is a command in the queue.
type request struct {
	// unit was decided over states that may be old by now; under the lock it is not decided before.
	unit   *Unit
	ctx    context.Context
	decide func(u *Unit) error
	// locks: it was refused too often. wants are what it is about.
	locks bool
	wants *wants
}

type queued = coalesce.Call[*request, outcome]

// outcome is what became of a request. again: nothing was written, and it should decide anew, asking the log.
type outcome struct {
	position eventstore.Position
	again    bool
}

// errPanic carries a panic of a command's decision to the command.
type errPanic struct {
	cause any
	stack []byte
}

func (e *errPanic) Error() string { return fmt.Sprintf("panic: %v\n%s", e.cause, e.stack) }

// submit appends what a request's unit decided together with what other commands do.
func (h *Handler) submit(ctx context.Context, r *request) (position eventstore.Position, again bool, err error) {
	// The decision may be running when ctx ends, and uses what is the caller's.
	got, err := h.queue.Finish(ctx, r)
	return h.told(got, err)
}

// told is an outcome as its command is told it.
func (h *Handler) told(got outcome, err error) (position eventstore.Position, again bool, _ error) {
	var panicked *errPanic
	if errors.As(err, &panicked) {
		panic(panicked) // where it belongs: in the goroutine of its request
	}
	return got.position, got.again, err
}

// settle decides and appends a batch of the queue.
func (h *Handler) settle(batch []*queued) {
	for len(batch) > 0 {
		now, repeats := partRepeats(batch)
		if turns, locks := h.contended.of(now); locks {
			repeats = h.togetherLocked(now, repeats, turns)
		} else {
			h.together(now)
		}
		batch = repeats
	}
}

// partRepeats takes out of a batch the repeats of requests that are in it: they cannot be in the same append as the request
// that they repeat, whose answer will be theirs. Those whose callers are gone leave.
func partRepeats(batch []*queued) (now, repeats []*queued) {
	keys := map[[2]string]bool{}
	for _, r := range batch {
		if err := r.Context().Err(); err != nil {
			r.Reply(outcome{}, err)
			continue
		}
		if key := r.In.wants.key; key != nil {
			id := [2]string{key.Scope, key.Key}
			if keys[id] {
				repeats = append(repeats, r)
				continue
			}
			keys[id] = true
		}
		now = append(now, r)
	}
	return now, repeats
}

// together decides and appends requests.
func (h *Handler) together(batch []*queued) {
	base := &Unit{h: h, streams: map[string]*loaded{}, since: h.memory.now()}
	defer base.end()
	var (
		accepted []*queued
		units    []*Unit
		appends  []eventstore.Append
		refused  []*queued
	)
	for _, r := range batch {
		u := r.In.unit
		if base.outdates(u) {
			u = &Unit{h: h, ctx: r.Context(), at: u.at, streams: map[string]*loaded{}, base: base, actual: u.actual, since: base.since}
			if err := attempt(u, r.In.decide); err != nil {
				u.end()
				var panicked *errPanic
				if errors.As(err, &panicked) {
					r.Reply(outcome{}, err)
				} else {
					refused = append(refused, r) // by states of which some are not written yet
				}
				continue
			}
			r.In.wants.add(u)
		}
		accepted, units = append(accepted, r), append(units, u)
		appends = append(appends, base.accept(u))
	}
	if len(accepted) > 0 {
		// No request ends the append of the others; the store bounds it.
		for i, got := range h.log.AppendEach(context.WithoutCancel(accepted[0].Context()), appends...) {
			out, err := h.appended(units[i], got)
			accepted[i].Reply(out, err)
		}
	}
	// Only when the accepted ones are written, the refused find the log as it refused them.
	for _, r := range refused {
		r.Reply(outcome{again: true}, nil)
	}
}

// accept adds what a unit decided to what the next ones of the batch are decided over.
func (u *Unit) accept(next *Unit) eventstore.Append {
	if next.base == u {
		u.registered = append(u.registered, next.registered...)
	}
	for name, l := range next.streams {
		u.streams[name] = &loaded{
			ref: l.ref, state: l.state, version: l.version + eventstore.Version(len(l.events)), ahead: l.ahead || len(l.events) > 0,
			learned: l.learned, asOf: l.asOf, moment: l.moment,
		}
	}
	a := next.appends()
	a.Metadata.Trace = traceparent.Of(next.ctx)
	return a
}

// appended is what became of a unit in its batch. What was written is remembered.
func (h *Handler) appended(u *Unit, got eventstore.Result) (outcome, error) {
	var conflict *eventstore.VersionConflict
	if errors.As(got.Err, &conflict) {
		h.contended.mark(conflict.Stream)
	}
	names := u.writes()
	if got.Err != nil {
		return outcome{}, fmt.Errorf("append to %d streams: %w", len(names), got.Err)
	}
	u.keep(names)
	return outcome{position: got.Appended.Position}, nil
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
