package commands

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"shop/domain"
	"shop/eventstore"
	"shop/eventstore/feed"
)

// maxLag is how old followed states may be; a process whose view of the log is older asks the log.
const maxLag = 250 * time.Millisecond

// memory keeps aggregates folded, and follows the log: Observe brings each state that is in it up to date, so that a
// command may start from there without asking. It promises that a state in it is never behind what Observe was shown since the
// last gap; one from before a gap is where asking begins. How far behind the log that is, sight tells. An erasure takes out what is
// private to the person.
type memory struct {
	mu sync.Mutex
	// shared are aggregates that everyone uses, private those of one person.
	shared, private *lru.Cache[string, folded]
	// loading are streams being asked for: what Observe is shown of them meanwhile, the answer may lack.
	loading map[string]*loading
	// gaps counts gaps, erasures counts erasures: see since.
	gaps, erasures atomic.Int64
	// sight is the last report of how fresh the memory is; nil: no feed shows it the log.
	sight atomic.Pointer[feed.Sight]
}

// folded is an aggregate as of a version. States are values: nobody changes one that is here.
type folded struct {
	ref     Ref
	state   any
	version eventstore.Version
	// gaps is how many there had been when the state was known to be all of the log: after another one the log is asked what came
	// since.
	gaps int64
	// learned is when this process came to know the version.
	learned time.Time
}

// since is what had happened before something was read.
type since struct{ gaps, erasures int64 }

func (m *memory) now() since { return since{gaps: m.gaps.Load(), erasures: m.erasures.Load()} }

// loading is a stream some units are asking for.
type loading struct {
	units int
	shown eventstore.Version
}

func newMemory(size int) *memory {
	m := &memory{loading: map[string]*loading{}}
	m.shared, _ = lru.New[string, folded](size) // fails only for sizes below 1
	m.private, _ = lru.New[string, folded](max(1, size/4))
	return m
}

func (m *memory) of(ref Ref) *lru.Cache[string, folded] {
	if ref.isPrivate() {
		return m.private
	}
	return m.shared
}

// observe is shown the log by a feed.
func (m *memory) observe(s feed.Sight) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s.Gap {
		m.gaps.Add(1)
	}
	if s.All {
		m.forget(nil)
	}
	for i := range s.Erased {
		m.forget(&s.Erased[i])
	}
	for _, e := range s.Events {
		if l := m.loading[e.Stream]; l != nil {
			l.shown = max(l.shown, e.Version)
		}
		for _, cache := range []*lru.Cache[string, folded]{m.shared, m.private} {
			known, ok := cache.Peek(e.Stream)
			if !ok || e.Version <= known.version {
				continue
			}
			state, err := any(nil), error(nil)
			if e.Version == known.version+1 && e.Data != nil {
				state, err = known.ref.fold(known.state, []eventstore.Event{e})
			}
			if state == nil || err != nil || known.ref.lacks(state) || known.ref.isSpent(state) {
				cache.Remove(e.Stream) // the next command loads it from the log, and gets the error
				continue
			}
			// Not used, only brought up to date: the cache keeps its order where it can. It is the event after those that are in the
			// state, so a gap had none of the stream.
			cache.Add(e.Stream, folded{known.ref, state, e.Version, m.gaps.Load(), time.Now()})
		}
	}
	if !s.At.IsZero() || s.Ranges != nil {
		m.sight.Store(&s)
	}
}

// forget takes a person out of all states; nil: everybody, because anybody may have been erased. The caller holds the lock.
func (m *memory) forget(person *domain.ID) {
	m.erasures.Add(1)
	for _, cache := range []*lru.Cache[string, folded]{m.shared, m.private} {
		for _, name := range cache.Keys() {
			known, ok := cache.Peek(name)
			if !ok || !known.ref.isPersonal() {
				continue
			}
			state, keeps := known.ref.forget(known.state, person)
			if !keeps {
				cache.Remove(name)
				continue
			}
			cache.Add(name, folded{known.ref, state, known.version, known.gaps, known.learned}) // from the least used, so that the order stays
		}
	}
}

// upToDate says whether what is here of a stream may stand for the log, by a sight that was taken before the state was read:
// the stream's range was looked at within maxLag, and as far as the position.
func upToDate(by *feed.Sight, stream string, position eventstore.Position) bool {
	if by == nil {
		return false
	}
	head, at := by.Of(stream)
	return head >= position && time.Since(at) <= maxLag
}

// register notes that a unit is about to ask for streams; it leaves with release.
func (m *memory) register(names []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, name := range names {
		l := m.loading[name]
		if l == nil {
			l = &loading{}
			m.loading[name] = l
		}
		l.units++
	}
}

func (m *memory) release(names []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, name := range names {
		if l := m.loading[name]; l.units == 1 {
			delete(m.loading, name)
		} else {
			l.units--
		}
	}
}

// keep remembers a state that a unit loaded or wrote, unless something newer was shown since: an older version in memory
// has not been overtaken, or it would not be there, and without one the registration tells.
func (m *memory) keep(ref Ref, state any, version eventstore.Version, from since) {
	m.mu.Lock()
	defer m.mu.Unlock()
	cache, name := m.of(ref), ref.name()
	if ref.isPersonal() && from.erasures != m.erasures.Load() {
		return
	}
	known, ok := cache.Peek(name)
	switch {
	case ref.lacks(state), ref.isSpent(state):
		if ok && known.version <= version {
			cache.Remove(name)
		}
	case ok:
		learned := known.learned
		if known.version < version {
			learned = time.Now()
		}
		if known.version < version || known.version == version && known.gaps < from.gaps {
			cache.Add(name, folded{ref, state, version, from.gaps, learned})
		}
	default:
		if l := m.loading[name]; l != nil && l.shown <= version {
			cache.Add(name, folded{ref, state, version, from.gaps, time.Now()})
		}
	}
}

// begin remembers that a stream is empty, that of an id which was made just now and told to nobody yet.
func (m *memory) begin(ref Ref) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.of(ref).Add(ref.name(), folded{ref, ref.initial(), 0, m.gaps.Load(), time.Now()})
}

// Observe keeps the states that the handler remembers up to date; a feed calls it with what comes into the log.
func (h *Handler) Observe(s feed.Sight) { h.memory.observe(s) }

type seenKey struct{}

// WithSeen lets the commands under ctx know up to which position their sender has seen the log.
func WithSeen(ctx context.Context, position eventstore.Position) context.Context {
	return context.WithValue(ctx, seenKey{}, position)
}

func seenBy(ctx context.Context) eventstore.Position {
	position, _ := ctx.Value(seenKey{}).(eventstore.Position)
	return position
}
