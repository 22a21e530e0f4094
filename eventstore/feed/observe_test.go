package feed

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/eventstore"
)

// sights notes what an observer is shown.
type sights struct {
	mu       sync.Mutex
	versions map[string][]eventstore.Version
	gaps     int
	head     eventstore.Position
	at       time.Time
	looks    int
	erased   []uuid.UUID
}

func (s *sights) persons() []uuid.UUID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.erased)
}

func (s *sights) see(seen Sight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.versions == nil {
		s.versions = map[string][]eventstore.Version{}
	}
	for _, e := range seen.Events {
		s.versions[e.Stream] = append(s.versions[e.Stream], e.Version)
	}
	if seen.Gap {
		s.gaps++
	}
	s.erased = append(s.erased, seen.Erased...)
	s.looks++
	s.head = max(s.head, seen.Head)
	if seen.At.After(s.at) {
		s.at = seen.At
	}
}

func (s *sights) now() (versions map[string][]eventstore.Version, gaps int, head eventstore.Position, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	versions = map[string][]eventstore.Version{}
	for stream, v := range s.versions {
		versions[stream] = slices.Clone(v)
	}
	return versions, s.gaps, s.head, s.at
}

// observe runs a feed for nothing but an observer.
func observe(t *testing.T, s *eventstore.Store) (*sights, *Feed) {
	t.Helper()
	seen := &sights{}
	f := New(s, Options{})
	f.Observe(seen.see)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("feed: %v", err)
		}
	})
	// Until it listens every gap may be one of the start.
	eventually(t, "listening", f.membership.listening.Load)
	from := time.Now()
	eventually(t, "looked", func() bool { _, _, _, at := seen.now(); return at.After(from) })
	return seen, f
}

func TestObserversSeeEverythingOnceInOrder(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	appendTo(t, s, "before", happened{N: 1})
	seen, _ := observe(t, s)
	_, gaps, _, _ := seen.now()
	if gaps == 0 {
		t.Error("what came before was not told as a gap")
	}
	var last eventstore.Position
	for range 20 {
		appendTo(t, s, "a", happened{N: 1})
		appendTo(t, s, "b", happened{N: 1}, happened{N: 2})
		last = appendTo(t, s, "c", happened{N: 1})
	}
	answered := time.Now()
	eventually(t, "so far", func() bool { _, _, head, at := seen.now(); return head >= last && at.After(answered) })
	versions, more, _, _ := seen.now()
	if more != gaps {
		t.Errorf("%d gaps while all was shown", more-gaps)
	}
	for stream, n := range map[string]int{"a": 20, "b": 40, "c": 20, "before": 0} {
		want := []eventstore.Version{}
		for v := range n {
			want = append(want, eventstore.Version(v+1))
		}
		if !slices.Equal(versions[stream], want) {
			t.Errorf("%s: shown %v", stream, versions[stream])
		}
	}
}

// TestAnErasureIsNoGap: observers hear who was erased, and miss nothing.
func TestAnErasureIsNoGap(t *testing.T) {
	t.Parallel()
	s, elsewhere := openStore(t), uuid.New()
	seen, _ := observe(t, s)
	_, gaps, _, _ := seen.now()
	persons := []uuid.UUID{uuid.New(), uuid.New()}
	for _, person := range persons {
		if err := s.ErasePerson(t.Context(), person); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Pool().Exec(t.Context(), "SELECT pg_notify($1, $2)", eventstore.ChannelErased, elsewhere.String()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "told", func() bool {
		erased := seen.persons()
		return slices.Contains(erased, persons[0]) && slices.Contains(erased, persons[1]) && slices.Contains(erased, elsewhere)
	})
	if _, more, _, _ := seen.now(); more != gaps {
		t.Errorf("%d gaps", more-gaps)
	}
}

func TestASightAgesWhileAnAppendHangs(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	seen, _ := observe(t, s)
	appendTo(t, s, "a", happened{N: 1})
	tx, err := s.Pool().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }()
	if _, err := tx.Exec(t.Context(), `SELECT eventstore.mark(ARRAY[0]), nextval('eventstore.position')`); err != nil {
		t.Fatal(err)
	}
	later := appendTo(t, s, "b", happened{N: 1})
	hung := time.Now()
	looked := func() int { seen.mu.Lock(); defer seen.mu.Unlock(); return seen.looks }
	before := looked()
	eventually(t, "looked", func() bool { return looked() > before+5 })
	// As long as the transaction may still put an event before later, nobody may believe to know all up to now.
	if _, _, head, at := seen.now(); at.After(hung) {
		t.Errorf("beside an append that hangs the sight, up to %d, is of %s after it", head, at.Sub(hung))
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	freed := time.Now()
	eventually(t, "fresh again", func() bool { _, _, head, at := seen.now(); return head >= later && at.After(freed) })
}

func TestHorizons(t *testing.T) {
	t.Parallel()
	start := time.Now()
	at := func(n int) time.Time { return start.Add(time.Duration(n) * time.Second) }
	var h horizons
	h.add(5, at(1))
	if got := h.reached(4); !got.IsZero() {
		t.Errorf("before the first end: %v", got)
	}
	h.add(9, at(2))
	h.add(9, at(3))
	for _, c := range []struct {
		position eventstore.Position
		want     time.Time
	}{{5, at(1)}, {8, at(1)}, {9, at(3)}, {9, at(3)}} {
		if got := h.reached(c.position); !got.Equal(c.want) {
			t.Errorf("at %d: %v, want %v", c.position, got.Sub(start), c.want.Sub(start))
		}
	}
	for n := range 10 * maxHorizons {
		h.add(eventstore.Position(10+n), at(4+n))
	}
	if len(h.ends) != maxHorizons || !h.reached(eventstore.Position(10+maxHorizons/2)).Equal(at(4+maxHorizons/2)) {
		t.Errorf("%d ends are kept, at %v", len(h.ends), h.at.Sub(start))
	}
}

// TestAnAppendThatHangsAgesItsOwnRangeAlone: what is shown of the other ranges stays complete and fresh, however much comes.
func TestAnAppendThatHangsAgesItsOwnRangeAlone(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	seen := &sights{}
	f := New(s, Options{Recent: 2})
	var last Sight
	f.Observe(func(s Sight) {
		seen.see(s)
		seen.mu.Lock()
		defer seen.mu.Unlock()
		if s.Ranges != nil {
			last = s
		}
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("feed: %v", err)
		}
	})
	eventually(t, "listening", f.membership.listening.Load)
	from := time.Now()
	eventually(t, "looked", func() bool { _, _, _, at := seen.now(); return at.After(from) })
	of := func(rng int) string {
		for i := 0; ; i++ {
			if stream := fmt.Sprint("stream-", i); eventstore.RangeOf(eventstore.SliceOf(stream)) == rng {
				return stream
			}
		}
	}
	held, free := of(0), of(1)
	tx, err := s.Pool().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }()
	if _, err := tx.Exec(t.Context(), `SELECT eventstore.mark(ARRAY[$1::int]), nextval('eventstore.position')`,
		eventstore.GroupOf(eventstore.SliceOf(held))); err != nil {
		t.Fatal(err)
	}
	appendTo(t, s, free, happened{N: -1}) // from here on the log ends above what hangs
	hangs := time.Now()
	_, gaps, _, _ := seen.now()
	fresh := func(stream string) (eventstore.Position, time.Time) {
		seen.mu.Lock()
		defer seen.mu.Unlock()
		return last.Of(stream)
	}
	for n := range 120 { // more than are kept in memory for all ranges together
		position := appendTo(t, s, free, happened{N: n})
		answered := time.Now()
		if n%20 == 0 {
			eventually(t, "shown", func() bool { head, at := fresh(free); return head >= position && at.After(answered) })
		}
	}
	if _, at := fresh(held); at.After(hangs) {
		t.Errorf("the range of the append that hangs is said to be known up to %s after it began to", at.Sub(hangs))
	}
	eventually(t, "all shown", func() bool { versions, _, _, _ := seen.now(); return len(versions[free]) == 121 })
	if _, more, _, _ := seen.now(); more != gaps {
		t.Errorf("%d gaps were told", more-gaps)
	}
}
