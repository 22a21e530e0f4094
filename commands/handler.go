package commands

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"shop/domain"
	"shop/eventstore"
	"shop/eventstore/snapshot"
	"shop/eventstore/wake"
)

// Log is what commands need of the event store.
type Log interface {
	Load(ctx context.Context, from ...eventstore.From) (map[string][]eventstore.Event, error)
	Stream(ctx context.Context, stream string, after eventstore.Version, limit int) ([]eventstore.Event, error)
	Append(ctx context.Context, together ...eventstore.Append) (eventstore.Appended, error)
	AppendEach(ctx context.Context, appends ...eventstore.Append) []eventstore.Result
	AppendLocked(ctx context.Context, lock eventstore.Lock, decide func(ctx context.Context, at eventstore.Locked) []eventstore.Append) ([]eventstore.Result, error)
	Recall(ctx context.Context, scope, key string) (eventstore.Key, bool, error)
}

// Options set up a Handler. The zero value is ready for production.
type Options struct {
	// Clock tells the time of commands. Default time.Now.
	Clock func() time.Time
	// NewID makes identifiers. Default UUIDv7.
	NewID func() domain.ID
	// Cached is how many aggregates that everyone uses (products, stocks, rules, promo codes) are kept folded in
	// memory. Default 16384. A quarter as many of the others (baskets, orders) are kept beside them.
	Cached int
	// Snapshots keep states of long streams. nil: streams are read from the beginning.
	Snapshots *snapshot.Store
	// FreezeEvery is how many events a stream grows by before its state is written down again. Default 1000.
	FreezeEvery int
	// Attempts is how often a command is decided before its *eventstore.VersionConflict is returned. Default 32.
	Attempts int
	// TurnWait is how long orders of a product that other processes sell too wait for their turn, before they go on without. Default 200ms.
	TurnWait time.Duration
}

// Handler carries out commands: load, fold, decide, append once, and again when another was faster.
// It is safe for concurrent use.
type Handler struct {
	log      Log
	clock    func() time.Time
	newID    func() domain.ID
	attempts int
	turnWait time.Duration
	memory   *memory
	loads    loads
	frozen   *frozen
	// links are products by the links that requests named them by; they may have changed since.
	links *lru.Cache[string, domain.ID]
	queue batchQueue
	// contended are streams that other processes write too.
	contended contention
}

// patience is how often a command is refused by others before it decides under the lock, where nobody can be faster.
const patience = 2

// New makes a handler of the log's commands.
func New(log Log, o Options) *Handler {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.NewID == nil {
		o.NewID = func() domain.ID { return uuid.Must(uuid.NewV7()) }
	}
	if o.Cached <= 0 {
		o.Cached = 16384
	}
	if o.FreezeEvery <= 0 {
		o.FreezeEvery = freezeEvery
	}
	if o.Attempts <= 0 {
		o.Attempts = 32
	}
	if o.TurnWait <= 0 {
		o.TurnWait = 200 * time.Millisecond
	}
	h := &Handler{log: log, clock: o.Clock, newID: o.NewID, attempts: o.Attempts, turnWait: o.TurnWait, memory: newMemory(o.Cached), frozen: newFrozen(o.Snapshots, eventstore.Version(o.FreezeEvery))}
	h.queue.Run, h.queue.Most = h.settle, maxTogether
	h.links, _ = lru.New[string, domain.ID](o.Cached) // fails only for sizes below 1
	return h
}

// NewID makes an identifier.
func (h *Handler) NewID() domain.ID { return h.newID() }

// Now is the time of the commands, to the microsecond, as the log keeps it.
func (h *Handler) Now() time.Time { return h.clock().UTC().Truncate(time.Microsecond) }

// Events are all events of some streams, by stream.
func (h *Handler) Events(ctx context.Context, of ...eventstore.From) (map[string][]eventstore.Event, error) {
	return h.log.Load(ctx, of...)
}

// Do carries out a command. Decide may run several times, also in another goroutine while Do waits, and must have no
// effect but on its unit; what it returns as an error is returned as it is and nothing is written. The answer is a
// position by which everything written is in the log, 0 when there was nothing to write.
//
// A command is busy when many others may want its streams at the same moment; those of this process are appended
// together. One that was refused by others twice decides under the lock of its streams.
func (h *Handler) Do(ctx context.Context, busy bool, decide func(u *Unit) error) (eventstore.Position, error) {
	at := h.Now()
	actual, wants := map[string]eventstore.Version{}, wants{refs: map[string]Ref{}}
	asks, again, refusals := false, false, 0
	for attempt := 1; ; attempt++ {
		u := &Unit{h: h, ctx: ctx, at: at, streams: map[string]*loaded{}, actual: actual, asks: asks, since: h.memory.now()}
		// One that was refused over what was not written yet asks the log first.
		r := &request{unit: u, ctx: ctx, decide: decide, locks: refusals >= patience && !again && len(wants.refs) > 0, wants: &wants}
		var position eventstore.Position
		var err error
		position, again, err = h.try(ctx, r, busy)
		trace.SpanFromContext(ctx).SetAttributes(attribute.Int("shop.command.attempts", attempt), attribute.Bool("shop.command.locked", r.locks))
		var conflict *eventstore.VersionConflict
		switch {
		case again:
			err = fmt.Errorf("decided %d times and always overtaken: %w", attempt, &eventstore.VersionConflict{})
			asks = true
		case err == nil:
			return position, nil
		case errors.As(err, &conflict):
			if l := u.streams[conflict.Stream]; l != nil && conflict.Actual < l.version {
				h.memory.of(l.ref).Remove(conflict.Stream) // the log is not the one we remember
			}
			actual[conflict.Stream] = max(conflict.Actual, 0)
			refusals++
		case u.followed && !u.decided && ctx.Err() == nil:
			asks = true // the log may hold events that this process has not seen yet
			continue
		default:
			return 0, err
		}
		if attempt >= h.attempts {
			return 0, err
		}
		if err := pause(ctx, attempt); err != nil {
			return 0, err
		}
	}
}

// try is one attempt: decide, append what was decided; under the lock in the other order.
func (h *Handler) try(ctx context.Context, r *request, busy bool) (_ eventstore.Position, again bool, err error) {
	u := r.unit
	defer u.end()
	if r.locks {
		if busy {
			return h.submit(ctx, r)
		}
		answers, err := h.underLock(ctx, nil, func() []*request { return []*request{r} })
		if err != nil {
			return 0, false, err
		}
		return h.told(answers[0].outcome, answers[0].err)
	}
	if err := r.decide(u); err != nil {
		return 0, false, err
	}
	u.decided = true
	if len(u.writes()) > 0 {
		r.wants.add(u)
		if busy {
			return h.submit(ctx, r)
		}
	}
	position, err := h.append(ctx, u)
	return position, false, err
}

// pause spreads those who met: not at all at first, then up to 2 ms.
func pause(ctx context.Context, attempt int) error {
	if attempt == 1 {
		return ctx.Err()
	}
	limit := min(time.Duration(1)<<attempt*10*time.Microsecond, 2*time.Millisecond)
	if !wake.Pause(ctx, rand.N(limit)) {
		return ctx.Err()
	}
	return nil
}

func (h *Handler) append(ctx context.Context, u *Unit) (eventstore.Position, error) {
	names := u.writes()
	if len(names) == 0 {
		return 0, nil
	}
	appended, err := h.log.Append(ctx, u.appends())
	if err != nil {
		return 0, fmt.Errorf("append to %d streams: %w", len(names), err)
	}
	u.keep(names)
	return appended.Position, nil
}
