package commands

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"shop/domain"
	"shop/eventstore"
	"shop/eventstore/feed"
)

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

	// base is what requests before it in the batch decided, and what is locked; nil outside of a batch.
	base *Unit
	// look asks the log on the connection that has the lock; nil: nothing is locked.
	look func(ctx context.Context, from ...eventstore.From) (map[string][]eventstore.Event, error)
	// asks: nothing followed is good enough. followed: something followed was used.
	asks, followed bool
	// actual are versions that streams are known to have reached.
	actual map[string]eventstore.Version
	// decided: all decisions were made, so only the append may have failed.
	decided bool
	// registered are streams that memory knows to be loaded here, since is what it had seen before.
	registered []string
	since      since
}

type loaded struct {
	ref     Ref
	version eventstore.Version
	state   any
	events  []eventstore.NewEvent
	// last is the id of the event of version, where it is needed.
	last uuid.UUID
	// yields: what was decided ends the claims of the aggregate.
	yields bool
	// asserted: the append is refused if the stream has moved, although nothing is written to it. ahead: requests before in the
	// batch decided events of it that are not written yet, which asserts it too.
	asserted, ahead bool
	// learned is when this process came to know the version, and asOf a time at which it was the stream's last: of states that were
	// followed. moment is the query that a state was asked for in, which all that came from it share.
	learned, asOf time.Time
	moment        *byte
}

// claimant is an aggregate that may hold claims on quotas.
type claimant interface {
	// Claims says for whom; false when it holds none, or no more.
	Claims() (owner domain.ID, holds bool)
}

// At is the time of the command, the same in all its attempts.
func (u *Unit) At() time.Time { return u.at }

func (u *Unit) of(stream string) *loaded {
	l, ok := u.streams[stream]
	if !ok {
		panic("commands: stream " + stream + " was used before it was loaded")
	}
	return l
}

// Decided counts the events that the unit decided so far.
func (u *Unit) Decided() (events int) {
	for _, l := range u.streams {
		events += len(l.events)
	}
	return events
}

// Savepoint remembers streams as the unit sees them; calling it takes back what was decided about them since.
func (u *Unit) Savepoint(refs ...Ref) (back func()) {
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

// Assert makes the append depend on streams that are only read: it is refused, and the command decides again, when one of them
// has moved since. They must be loaded.
func (u *Unit) Assert(refs ...Ref) {
	for _, ref := range refs {
		u.of(ref.name()).asserted = true
	}
}

// account refuses a customer whose account is closed, or is closed before what the unit decides is written: an erasure finds all
// that the customer did before it. Zero is nobody, and one whose account the log does not know is not looked at.
func (u *Unit) account(customer domain.ID) error {
	if customer == uuid.Nil {
		return nil
	}
	who := CustomerStream(customer)
	if err := u.Load(who); err != nil {
		return err
	}
	if !who.Exists(u) {
		return nil
	}
	if !who.State(u).Open() {
		return ErrSignedOut
	}
	u.Assert(who)
	return nil
}

// Follow is Load that asks nothing about streams whose states this process follows, as long as it follows closely: they
// may be maxLag old, but never older than what the request's sender has seen. What is decided over them is safe, as the
// append expects their versions; what is only read may be that old, unless it is asserted.
func (u *Unit) Follow(refs ...Ref) error {
	if u.asks {
		return u.load(nil, refs)
	}
	return u.load(u.h.memory.sight.Load(), refs)
}

// load takes from memory what is fresh by a sight; nil: nothing is.
func (u *Unit) load(by *feed.Sight, refs []Ref) error {
	var stale, absent []*loaded
	for _, ref := range refs {
		name := ref.name()
		if _, ok := u.streams[name]; ok {
			continue
		}
		l := &loaded{ref: ref}
		u.streams[name] = l
		if u.base != nil {
			if ahead, ok := u.base.streams[name]; ok {
				l.state, l.version, l.ahead = ahead.state, ahead.version, ahead.ahead
				l.learned, l.asOf, l.moment = ahead.learned, ahead.asOf, ahead.moment
				continue
			}
		}
		known, ok := u.h.memory.of(ref).Get(name)
		switch {
		case ok:
			l.state, l.version = known.state, known.version
			if known.version >= u.actual[name] && known.gaps == u.h.memory.gaps.Load() && upToDate(by, name, seenBy(u.ctx)) {
				u.followed = true
				_, l.asOf = by.Of(name)
				l.learned = known.learned
				continue
			}
		case !ref.isPrivate() && u.look == nil:
			absent = append(absent, l)
			continue
		default:
			l.state = ref.initial()
		}
		stale = append(stale, l)
	}
	if len(absent) > 0 {
		return u.loadShared(stale, absent)
	}
	return u.ask(stale)
}

// ask brings states up to date with the log, in one query.
func (u *Unit) ask(stale []*loaded) error {
	if len(stale) == 0 {
		return nil
	}
	u.register(stale)
	look := u.look
	if look == nil {
		look = u.h.log.Load
	}
	news, err := look(u.ctx, fromOf(stale)...)
	if err != nil {
		return err // the log says what it was to load
	}
	moment := new(byte)
	for _, l := range stale {
		if err := l.add(news[l.ref.name()]); err != nil {
			return err
		}
		l.moment = moment
		if l.ref.lacks(l.state) {
			if l.state, l.version, err = u.h.readWhole(u.ctx, l.ref); err != nil {
				return err
			}
		}
		if l.known() {
			u.h.memory.keep(l.ref, l.state, l.version, u.since)
		}
	}
	return nil
}

func fromOf(states []*loaded) []eventstore.From {
	from := make([]eventstore.From, len(states))
	for i, l := range states {
		from[i] = eventstore.From{Stream: l.ref.name(), After: l.version}
	}
	return from
}

// known says whether memory may keep what the log was found to have.
func (l *loaded) known() bool { return l.version > 0 || l.ref.isOnly() }

// add folds what came after a state.
func (l *loaded) add(events []eventstore.Event) (err error) {
	if len(events) == 0 {
		return nil
	}
	if l.state, err = l.ref.fold(l.state, events); err == nil {
		l.version = events[len(events)-1].Version
	}
	return err
}

// New makes a stream known that no event can be in yet, such as that of an id just made. It asks nothing.
func (u *Unit) New(ref Ref) {
	u.streams[ref.name()] = &loaded{ref: ref, state: ref.initial()}
	u.register([]*loaded{{ref: ref}})
}

// register lets memory tell whether what is loaded now is overtaken before it is kept.
func (u *Unit) register(states []*loaded) {
	names := namesOf(states)
	u.h.memory.register(names)
	u.registered = append(u.registered, names...)
}

func namesOf(states []*loaded) []string {
	names := make([]string, len(states))
	for i, l := range states {
		names[i] = l.ref.name()
	}
	return names
}

func (u *Unit) end() {
	if len(u.registered) > 0 {
		u.h.memory.release(u.registered)
	}
}

// writes are the streams the unit has events for, sorted.
func (u *Unit) writes() []string {
	return u.which(func(l *loaded) bool { return len(l.events) > 0 })
}

// named are the streams that the unit's append names: those it writes and those it asserts, sorted.
func (u *Unit) named() []string {
	return u.which(func(l *loaded) bool { return len(l.events) > 0 || l.asserted || l.ahead })
}

func (u *Unit) which(wanted func(l *loaded) bool) []string {
	var names []string
	for name, l := range u.streams {
		if wanted(l) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// keep remembers streams as the unit's append left them.
func (u *Unit) keep(streams []string) {
	for _, name := range streams {
		l := u.streams[name]
		version := l.version + eventstore.Version(len(l.events))
		u.h.memory.keep(l.ref, l.state, version, u.since)
		u.h.frozen.grown(l.ref, version)
	}
}

// appends is what the unit decided.
func (u *Unit) appends() eventstore.Append {
	names := u.named()
	a := eventstore.Append{Metadata: metadata(u.ctx, u.h.NewID), At: u.at, Key: u.Key, Writes: make([]eventstore.Write, len(names)), Claims: u.claims}
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
