package commands

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"shop/domain"
	"shop/eventstore"
	"shop/eventstore/feed"
)

// Log is what commands need of the event store.
type Log interface {
	Load(ctx context.Context, from ...eventstore.From) (map[string][]eventstore.Event, error)
	Append(ctx context.Context, together ...eventstore.Append) (eventstore.Appended, error)
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
	// Attempts is how often a command is decided before its *eventstore.VersionConflict is returned. Default 32.
	Attempts int
}

// Handler carries out commands: load, fold, decide, append once, and again when another was faster.
// It is safe for concurrent use.
type Handler struct {
	log      Log
	clock    func() time.Time
	newID    func() domain.ID
	attempts int
	memory   *memory
	// links are products by the links that requests named them by; they may have changed since.
	links *lru.Cache[string, domain.ID]
	queue batchQueue
}

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
	if o.Attempts <= 0 {
		o.Attempts = 32
	}
	h := &Handler{log: log, clock: o.Clock, newID: o.NewID, attempts: o.Attempts, memory: newMemory(o.Cached)}
	h.queue.Run, h.queue.Most = h.settle, maxTogether
	h.links, _ = lru.New[string, domain.ID](o.Cached) // fails only for sizes below 1
	return h
}

// Now is the time of the commands, to the microsecond, as the log keeps it.
func (h *Handler) Now() time.Time { return h.clock().UTC().Truncate(time.Microsecond) }

// Unit is one attempt at a command: the states it loaded and the events it decided. Deciding through a unit
// shows later decisions the earlier ones; nothing is written before the command's function returns nil.
type Unit struct {
	h       *Handler
	ctx     context.Context
	at      time.Time
	streams map[string]*loaded
	// Key, when set, is remembered with the append.
	Key *eventstore.Key
	// claims are taken with the append.
	claims []eventstore.Claim

	// base is what requests before it in the batch decided; nil outside of one.
	base *Unit
	// asks: nothing followed is good enough. followed: something followed was used.
	asks, followed bool
	// actual are versions that streams are known to have reached.
	actual map[string]eventstore.Version
	// decided: what may have failed is only the append.
	decided bool
	// registered are streams that memory knows to be loaded here, purges is its count from before.
	registered []string
	purges     int64
}

type loaded struct {
	ref     Ref
	version eventstore.Version
	state   any
	events  []eventstore.NewEvent
	// yields: what was decided ends the claims of the aggregate.
	yields bool
}

// claimant is an aggregate that may hold claims on quotas.
type claimant interface {
	// Claims says for whom; false when it holds none, or no more.
	Claims() (owner domain.ID, holds bool)
}

// At is the time of the command, the same in all its attempts.
func (u *Unit) At() time.Time { return u.at }

// Ref is a stream whose aggregate is known; Stream is the only kind.
type Ref interface {
	name() string
	isPrivate() bool
	initial() any
	fold(state any, events []eventstore.Event) (any, error)
}

// Stream ties a stream to the decider that folds it.
type Stream[C any, E domain.Event, S any] struct {
	Name    string
	Decider domain.Decider[C, E, S]
	// Private: one person's stream, of use to few commands.
	Private bool
}

func (s Stream[C, E, S]) name() string    { return s.Name }
func (s Stream[C, E, S]) isPrivate() bool { return s.Private }
func (s Stream[C, E, S]) initial() any    { return s.Decider.Initial }

func (s Stream[C, E, S]) fold(state any, events []eventstore.Event) (any, error) {
	folded := state.(S)
	for _, e := range events {
		event, ok := e.Data.(E)
		if !ok {
			return nil, fmt.Errorf("stream %s, version %d: a %T does not belong here", s.Name, e.Version, e.Data)
		}
		folded = s.Decider.Evolve(folded, event)
	}
	return folded, nil
}

// State is the aggregate as the unit sees it: what was loaded and what the unit decided since.
func (s Stream[C, E, S]) State(u *Unit) S { return u.of(s.Name).state.(S) }

// Exists says whether the stream has any event.
func (s Stream[C, E, S]) Exists(u *Unit) bool { return u.of(s.Name).version > 0 }

// Do lets the aggregate decide a command; its events join the unit's append.
func (s Stream[C, E, S]) Do(u *Unit, command C) error {
	l := u.of(s.Name)
	state := l.state.(S)
	events, err := s.Decider.Decide(command, state)
	if err != nil {
		return err
	}
	for _, e := range events {
		state = s.Decider.Evolve(state, e)
		l.events = append(l.events, eventstore.NewEvent{ID: u.h.newID(), Data: e})
	}
	if held, may := any(l.state).(claimant); may {
		_, before := held.Claims()
		_, after := any(state).(claimant).Claims()
		l.yields = l.yields && !after || before && !after
	}
	l.state = state
	return nil
}

func (u *Unit) of(stream string) *loaded {
	l, ok := u.streams[stream]
	if !ok {
		panic("commands: stream " + stream + " was used before it was loaded")
	}
	return l
}

// savepoint remembers streams as the unit sees them; calling it takes back what was decided about them since.
func (u *Unit) savepoint(refs ...Ref) (back func()) {
	were := make([]loaded, len(refs))
	for i, ref := range refs {
		were[i] = *u.of(ref.name())
	}
	return func() {
		for i, ref := range refs {
			*u.of(ref.name()) = were[i]
		}
	}
}

// Load brings the streams up to date in one query: of those in memory only what came after.
func (u *Unit) Load(refs ...Ref) error { return u.load(nil, refs) }

// Follow is Load that asks nothing about streams whose states this process follows, as long as it follows closely: they
// may be maxLag old, but never older than what the request's sender has seen. What is decided over them is safe, as the
// append expects their versions; what is only read may be that old.
func (u *Unit) Follow(refs ...Ref) error {
	if u.asks {
		return u.load(nil, refs)
	}
	return u.load(u.h.memory.sight.Load(), refs)
}

// load takes from memory what is fresh by a sight; nil: nothing is.
func (u *Unit) load(by *feed.Sight, refs []Ref) error {
	var fresh []*loaded
	for _, ref := range refs {
		name := ref.name()
		if _, ok := u.streams[name]; ok {
			continue
		}
		l := &loaded{ref: ref}
		u.streams[name] = l
		if u.base != nil {
			if ahead, ok := u.base.streams[name]; ok {
				l.state, l.version = ahead.state, ahead.version
				continue
			}
		}
		if known, ok := u.h.memory.of(ref).Get(name); ok {
			l.state, l.version = known.state, known.version
			if known.version >= u.actual[name] && upToDate(by, name, seenBy(u.ctx)) {
				u.followed = true
				continue
			}
		} else {
			l.state = ref.initial()
		}
		fresh = append(fresh, l)
	}
	if len(fresh) == 0 {
		return nil
	}
	from := make([]eventstore.From, len(fresh))
	names := make([]string, len(fresh))
	for i, l := range fresh {
		names[i] = l.ref.name()
		from[i] = eventstore.From{Stream: names[i], After: l.version}
	}
	u.register(names)
	news, err := u.h.log.Load(u.ctx, from...)
	if err != nil {
		return err // the log says what it was to load
	}
	for _, l := range fresh {
		events := news[l.ref.name()]
		if len(events) == 0 {
			continue
		}
		if l.state, err = l.ref.fold(l.state, events); err != nil {
			return err
		}
		l.version = events[len(events)-1].Version
		u.h.memory.keep(l.ref, l.state, l.version, u.purges)
	}
	return nil
}

// New makes a stream known that no event can be in yet, such as that of an id just made. It asks nothing.
func (u *Unit) New(ref Ref) {
	u.streams[ref.name()] = &loaded{ref: ref, state: ref.initial()}
	u.register([]string{ref.name()})
}

// register lets memory tell whether what is loaded now is overtaken before it is kept.
func (u *Unit) register(names []string) {
	u.h.memory.register(names)
	u.registered = append(u.registered, names...)
}

func (u *Unit) end() {
	if len(u.registered) > 0 {
		u.h.memory.release(u.registered)
	}
}

// Do carries out a command. Decide may run several times, also in another goroutine while Do waits, and must have no
// effect but on its unit; what it returns as an error is returned as it is and nothing is written. The answer is a
// position by which everything written is in the log, 0 when there was nothing to write.
//
// A command is busy when many others may want its streams at the same moment; those of this process are appended
// together.
func (h *Handler) Do(ctx context.Context, busy bool, decide func(u *Unit) error) (eventstore.Position, error) {
	at := h.Now()
	actual := map[string]eventstore.Version{}
	asks := false
	for attempt := 1; ; attempt++ {
		u := &Unit{h: h, ctx: ctx, at: at, streams: map[string]*loaded{}, actual: actual, asks: asks, purges: h.memory.purges.Load()}
		position, again, err := h.try(ctx, u, busy, decide)
		trace.SpanFromContext(ctx).SetAttributes(attribute.Int("shop.command.attempts", attempt))
		var conflict *eventstore.VersionConflict
		switch {
		case again:
			err = fmt.Errorf("decided %d times and always overtaken", attempt)
			asks = true
		case err == nil:
			return position, nil
		case errors.As(err, &conflict):
			if l := u.streams[conflict.Stream]; l != nil && conflict.Actual < l.version {
				h.memory.of(l.ref).Remove(conflict.Stream) // the log is not the one we remember
			}
			actual[conflict.Stream] = conflict.Actual
		case u.followed && !u.decided && ctx.Err() == nil:
			asks = true // the log may have what this process has not seen yet
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

// try is one attempt: decide, append what was decided.
func (h *Handler) try(ctx context.Context, u *Unit, busy bool, decide func(u *Unit) error) (_ eventstore.Position, again bool, err error) {
	defer u.end()
	if err := decide(u); err != nil {
		return 0, false, err
	}
	u.decided = true
	if busy && len(u.writes()) > 0 {
		return h.submit(ctx, u, decide)
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
	timer := time.NewTimer(rand.N(limit))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// writes are the streams the unit has events for, sorted.
func (u *Unit) writes() []string {
	var names []string
	for name, l := range u.streams {
		if len(l.events) > 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// appends is what the unit decided.
func (u *Unit) appends() eventstore.Append {
	names := u.writes()
	a := eventstore.Append{Metadata: metadata(u.ctx, u.h.newID), At: u.at, Key: u.Key, Writes: make([]eventstore.Write, len(names)), Claims: u.claims}
	for i, name := range names {
		l := u.streams[name]
		if l.yields {
			owner, _ := l.state.(claimant).Claims()
			a.Yields = append(a.Yields, owner)
		}
		a.Writes[i] = eventstore.Write{Stream: name, Expected: l.version, Events: l.events}
	}
	return a
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
	for _, name := range names {
		l := u.streams[name]
		h.memory.keep(l.ref, l.state, l.version+eventstore.Version(len(l.events)), u.purges)
	}
	return appended.Position, nil
}

// one carries out a command that concerns one stream.
func one[C any, E domain.Event, S any](ctx context.Context, h *Handler, stream Stream[C, E, S], command func(u *Unit) C) (eventstore.Position, error) {
	position, err := h.Do(ctx, false, func(u *Unit) error {
		if err := u.Load(stream); err != nil {
			return err
		}
		return stream.Do(u, command(u))
	})
	if err != nil {
		return 0, fmt.Errorf("change %s: %w", stream.Name, err)
	}
	return position, nil
}

// would says whether a command that concerns one stream would add anything, and adds nothing.
func would[C any, E domain.Event, S any](ctx context.Context, h *Handler, stream Stream[C, E, S], command func(u *Unit) C) (bool, error) {
	adds := false
	_, err := h.Do(ctx, false, func(u *Unit) error {
		if err := u.Load(stream); err != nil {
			return err
		}
		events, err := stream.Decider.Decide(command(u), stream.State(u))
		adds = len(events) > 0
		return err
	})
	return adds, err
}

// see folds one stream as it is now.
func see[C any, E domain.Event, S any](ctx context.Context, h *Handler, stream Stream[C, E, S]) (S, error) {
	var state S
	_, err := h.Do(ctx, false, func(u *Unit) error {
		if err := u.Load(stream); err != nil {
			return err
		}
		state = stream.State(u)
		return nil
	})
	return state, err
}
