package commands

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"shop/eventstore"
	"shop/eventstore/coalesce"
)

// maxTogether is how many commands are appended at once.
const maxTogether = 64

// batchQueue lets commands of this process that may want the same streams share an append. One append is in flight;
// commands that come meanwhile are decided one after the other, each over what the ones before it decided, and appended
// together: one transaction, all or none. So a hundred orders for one product are neither refused by each other's
// versions nor written one by one. The queue promises nothing: the expected versions of the append are what keeps the log
// right, and when it is refused every command decides again.
//
// Its own, beside the group: a repeat of a request in the batch waits for the append after, which a group knows nothing
// of; and a panic of a decision concerns that command alone.
type batchQueue = coalesce.Group[*request, outcome]

// request is a command in the queue. Its unit was decided over states that may be old by now.
type request struct {
	unit   *Unit
	decide func(u *Unit) error
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

// submit appends what a unit decided together with what other commands do.
func (h *Handler) submit(ctx context.Context, u *Unit, decide func(u *Unit) error) (position eventstore.Position, again bool, err error) {
	// The decision may be running when ctx ends, and uses what is the caller's.
	got, err := h.queue.Finish(ctx, &request{unit: u, decide: decide})
	var panicked *errPanic
	if errors.As(err, &panicked) {
		panic(panicked) // where it belongs: in the goroutine of its request
	}
	return got.position, got.again, err
}

// settle decides and appends a batch of the queue.
func (h *Handler) settle(batch []*queued) {
	for len(batch) > 0 {
		batch = h.together(batch)
	}
}

// together decides and appends requests. It returns the repeats: they cannot be in the same append as the request that
// they repeat, whose answer will be theirs.
func (h *Handler) together(batch []*queued) (repeats []*queued) {
	base := &Unit{h: h, streams: map[string]*loaded{}, purges: h.memory.purges.Load()}
	defer base.end()
	keys := map[[2]string]bool{}
	var (
		accepted []*queued
		appends  []eventstore.Append
		refused  []*queued
	)
	for _, r := range batch {
		u := r.In.unit
		if u.Key != nil && keys[[2]string{u.Key.Scope, u.Key.Key}] {
			repeats = append(repeats, r)
			continue
		}
		if err := r.Context().Err(); err != nil {
			r.Reply(outcome{}, err)
			continue
		}
		if base.outdates(u) {
			u = &Unit{h: h, ctx: r.Context(), at: u.at, streams: map[string]*loaded{}, base: base, actual: u.actual, purges: base.purges}
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
			base.registered = append(base.registered, u.registered...)
		}
		if u.Key != nil {
			keys[[2]string{u.Key.Scope, u.Key.Key}] = true
		}
		accepted = append(accepted, r)
		a := u.appends()
		a.Metadata.Trace = eventstore.TraceOf(r.Context())
		appends = append(appends, a)
		for name, l := range u.streams {
			base.streams[name] = &loaded{ref: l.ref, state: l.state, version: l.version + eventstore.Version(len(l.events))}
		}
	}
	h.appendAll(accepted, appends, base)
	// Only when the accepted ones are written, the refused find the log as it refused them.
	for _, r := range refused {
		r.Reply(outcome{again: true}, nil)
	}
	return repeats
}

// appendAll writes the requests' appends together and answers them. base holds the states that they lead to.
func (h *Handler) appendAll(requests []*queued, appends []eventstore.Append, base *Unit) {
	if len(requests) == 0 {
		return
	}
	// No request ends the append of the others; the store bounds it.
	appended, err := h.log.Append(context.WithoutCancel(requests[0].Context()), appends...)
	if err == nil {
		for _, a := range appends {
			for _, w := range a.Writes {
				l := base.streams[w.Stream]
				h.memory.keep(l.ref, l.state, l.version, base.purges)
			}
		}
	}
	for _, r := range requests {
		if r.In.blameless(err) {
			r.Reply(outcome{again: true}, nil)
		} else {
			r.Reply(outcome{position: appended.Position}, err)
		}
	}
}

// blameless says whether an append failed by another request's key or claim.
func (r *request) blameless(err error) bool {
	var used *eventstore.KeyUsed
	var full *eventstore.QuotaFull
	return errors.As(err, &used) && !r.uses(used.Key) || errors.As(err, &full) && !r.claims(full)
}

func (r *request) uses(key eventstore.Key) bool {
	own := r.unit.Key
	return own != nil && own.Scope == key.Scope && own.Key == key.Key
}

// claims says whether a claim that did not fit is the request's.
func (r *request) claims(full *eventstore.QuotaFull) bool {
	return slices.ContainsFunc(r.unit.claims, func(c eventstore.Claim) bool {
		_, its := full.Of(c.Owner)
		return its
	})
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
