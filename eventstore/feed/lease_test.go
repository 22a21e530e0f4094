package feed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/quick"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/eventstore"
	"shop/eventstore/wake"
)

// another opens the store once more, as another process would.
func another(t testing.TB, s *eventstore.Store) *eventstore.Store {
	t.Helper()
	b := eventstore.Open(s.Pool(), codec{}, eventstore.Options{Logger: quiet})
	t.Cleanup(b.Close)
	return b
}

// holders counts the ranges of a consumer by their holder; "" for free ones.
func holders(t testing.TB, s *eventstore.Store, consumer string) map[string]int {
	t.Helper()
	all, err := ControlOf(s).Consumers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n := map[string]int{}
	for _, c := range all {
		if c.Name == consumer {
			for _, r := range c.Ranges {
				n[r.Holder]++
			}
		}
	}
	return n
}

func terms(t testing.TB, s *eventstore.Store, consumer string) (terms []int64) {
	t.Helper()
	if err := s.Pool().QueryRow(t.Context(), `SELECT array_agg(term ORDER BY range) FROM eventstore.checkpoints WHERE consumer = $1`, consumer).Scan(&terms); err != nil {
		t.Fatal(err)
	}
	return terms
}

// inOrder checks that every stream was handled once and in order, with so many events.
func inOrder(t testing.TB, s *eventstore.Store, consumer string, streams, events int) {
	t.Helper()
	got := versions(t, s, consumer)
	if len(got) != streams {
		t.Errorf("%d streams, want %d", len(got), streams)
	}
	for stream, v := range got {
		if len(v) != events {
			t.Errorf("%s: %d events handled, want %d: %v", stream, len(v), events, v)
			continue
		}
		for i := range v {
			if v[i] != int64(i+1) {
				t.Errorf("%s: %v", stream, v)
				break
			}
		}
	}
}

func TestBalance(t *testing.T) {
	t.Parallel()
	// Whatever processes come and go, and whoever holds what at first: after a few rounds everything is held, evenly, and rests.
	check := func(seed uint32) bool {
		names := []string{"catalog", "orders", "stock"}
		all := append(slices.Clone(names), "policies")
		n := int(seed%6) + 1
		live := make([]LiveProcess, n)
		for i := range live {
			live[i] = LiveProcess{Holder: fmt.Sprint("p", i), Can: all}
		}
		var shares []Share
		for i, name := range names {
			for r := range eventstore.Ranges {
				shares = append(shares, Share{Name: name, Number: r, Holder: []string{"", "gone", "p0", fmt.Sprint("p", int(seed>>4)%n)}[(int(seed)+i+r)%4]})
			}
		}
		shares = append(shares, Share{Name: "policies", Number: JobShare})
		moves := 1
		for round := 0; moves > 0; round++ {
			moves = 0
			for _, p := range live {
				take, yield := balance(p.Holder, live, shares)
				for i := range shares {
					for _, s := range take {
						if s == shares[i] {
							shares[i].Holder = p.Holder
						}
					}
					for _, s := range yield {
						if s == shares[i] {
							shares[i].Holder = ""
						}
					}
				}
				moves += len(take) + len(yield)
			}
			if round > 5 {
				return false
			}
		}
		held := map[string]int{}
		for _, s := range shares {
			held[s.Holder]++
		}
		for _, p := range live {
			if want := len(shares) / n; held[p.Holder] != want && held[p.Holder] != want+1 {
				t.Logf("%d processes, %d shares: %v", n, len(shares), held)
				return false
			}
		}
		return held[""] == 0 && held["gone"] == 0
	}
	if err := quick.Check(check, nil); err != nil {
		t.Error(err)
	}
	// One that cannot run a consumer gets none of it, and one that is not alive takes nothing.
	live := []LiveProcess{{Holder: "web"}, {Holder: "old", Can: []string{"stock"}}}
	shares := []Share{{Name: "orders", Number: 0}, {Name: "stock", Number: 0}, {Name: "stock", Number: 1, Holder: "web"}}
	for holder, want := range map[string]int{"web": 0, "old": 1, "stranger": 0} {
		if take, _ := balance(holder, live, shares); len(take) != want {
			t.Errorf("%s takes %v", holder, take)
		}
	}
}

// TestWorkMovesInOrder: processes come and go in an orderly way while events are appended; all is handled exactly once.
func TestWorkMovesInOrder(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	c := seen(t, s, "c")
	const streams, events = 40, 25
	var appended sync.WaitGroup
	var last atomic.Int64
	appended.Go(func() {
		for range events {
			for i := range streams {
				last.Store(int64(appendTo(t, s, fmt.Sprint("s-", i), happened{})))
			}
		}
	})
	a, stopA := run(t, s, Options{Page: 10}, c)
	eventually(t, "the first has everything", func() bool { return holders(t, s, "c")[a.Holder()] == eventstore.Ranges })

	b, stopB := run(t, another(t, s), Options{Page: 10}, c)
	eventually(t, "two share", func() bool { h := holders(t, s, "c"); return h[a.Holder()] == 2 && h[b.Holder()] == 2 })
	third, _ := run(t, another(t, s), Options{Page: 10}, c)
	eventually(t, "three share", func() bool {
		h := holders(t, s, "c")
		return h[a.Holder()] > 0 && h[b.Holder()] > 0 && h[third.Holder()] > 0 && h[""] == 0
	})
	before := terms(t, s, "c")
	for range 5 { // looks, as time would bring them
		for _, f := range []*Feed{a, b, third} {
			wake.Up(f.wakes.leases)
		}
		wake.Pause(t.Context(), 20*time.Millisecond)
	}
	if after := terms(t, s, "c"); !slices.Equal(after, before) {
		t.Errorf("terms went from %v to %v while nobody came or went", before, after)
	}

	stopA()
	// After a crash its leases would stay its own until they expire.
	if h := holders(t, s, "c"); h[a.Holder()] != 0 {
		t.Errorf("after an orderly stop it holds %d leases", h[a.Holder()])
	}
	eventually(t, "the first is replaced", func() bool { h := holders(t, s, "c"); return h[b.Holder()] == 2 && h[third.Holder()] == 2 })
	stopB()
	appended.Wait()
	waitFor(t, third, "c", eventstore.Position(last.Load()))
	inOrder(t, s, "c", streams, events)
	eventually(t, "the last has everything", func() bool { return holders(t, s, "c")[third.Holder()] == eventstore.Ranges })
}

// silence makes a feed look dead: it renews nothing and hears nothing, as a process that was stopped. Its handlers, if any
// run, go on when they are let.
func silence(t testing.TB, s *eventstore.Store, f *Feed) {
	t.Helper()
	if _, err := s.Pool().Exec(t.Context(), `CREATE OR REPLACE FUNCTION eventstore.refuse_renewal() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
		CREATE OR REPLACE TRIGGER refuse BEFORE INSERT OR UPDATE ON eventstore.processes FOR EACH ROW WHEN (NEW.holder = '`+f.Holder()+`')
		EXECUTE FUNCTION eventstore.refuse_renewal()`); err != nil {
		t.Fatal(err)
	}
}

// TestAWokenProcessWritesNothing: a process falls silent in the middle of a transaction and wakes up when its work is
// another's: what it was about to write is refused.
func TestAWokenProcessWritesNothing(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	c := seen(t, s, "c")
	handle := c.Handle
	stuck := c
	entered, woken := make(chan struct{}, eventstore.Ranges), make(chan struct{})
	wake := sync.OnceFunc(func() { close(woken) })
	var results sync.WaitGroup
	var wrote atomic.Int64
	var asleep atomic.Bool
	stuck.Handle = func(ctx context.Context, tx pgx.Tx, events []eventstore.Event) error {
		if !asleep.Load() {
			return handle(ctx, tx, events)
		}
		results.Add(1)
		defer results.Done()
		select {
		case entered <- struct{}{}:
		default:
		}
		<-woken // with the checkpoint's row locked
		err := handle(ctx, tx, events)
		if err == nil {
			wrote.Add(1)
		}
		return err
	}
	old, _ := run(t, s, Options{}, stuck)
	t.Cleanup(wake)
	var last eventstore.Position
	for i := range 8 {
		last = appendTo(t, s, fmt.Sprint("s-", i), happened{})
	}
	waitFor(t, old, "c", last)
	asleep.Store(true)
	for i := range 8 {
		last = appendTo(t, s, fmt.Sprint("s-", i), happened{})
	}
	<-entered
	before := terms(t, s, "c")
	silence(t, s, old)
	began := time.Now()

	fresh, _ := run(t, another(t, s), Options{}, c)
	waitFor(t, fresh, "c", last)
	t.Logf("work moved within %v of the last sign of life", time.Since(began))
	inOrder(t, s, "c", 8, 2)
	for r, term := range terms(t, s, "c") {
		if term <= before[r] {
			t.Errorf("range %d changed hands and its term went from %d to %d", r, before[r], term)
		}
	}
	wake()
	results.Wait()
	asleep.Store(false)
	// The woken one follows now, and does not say that it has come further than it can see.
	for i := range 8 {
		last = appendTo(t, s, fmt.Sprint("s-", i), happened{})
	}
	waitFor(t, old, "c", last)
	inOrder(t, s, "c", 8, 3)
	if wrote.Load() != 0 {
		t.Errorf("%d batches could be written after the lease was lost", wrote.Load())
	}
	if h := holders(t, s, "c"); h[fresh.Holder()] != eventstore.Ranges {
		t.Errorf("held by %v", h)
	}
	// With the term of before, the checkpoint cannot be moved.
	p := old.consumers.byName["c"].parts[0]
	p.mu.Lock()
	p.row.term--
	err := p.transact(ctx, []Move{p.move(p.row.position, 0)}, func(context.Context, Tx) error { return nil })
	p.row.term++
	p.mu.Unlock()
	if !errors.Is(err, ErrMoved) {
		t.Errorf("a former term: %v", err)
	}
}

// TestAPausedConsumerMoves: a pause is the consumer's, not the process's.
func TestAPausedConsumerMoves(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	c := seen(t, s, "c")
	a, stopA := run(t, s, Options{}, c)
	waitFor(t, a, "c", appendTo(t, s, "x", happened{}))
	if err := ControlOf(s).Pause(ctx, "c"); err != nil {
		t.Fatal(err)
	}
	last := appendTo(t, s, "x", happened{})
	b, _ := run(t, another(t, s), Options{}, c)
	eventually(t, "shared while paused", func() bool { h := holders(t, s, "c"); return h[a.Holder()] == 2 && h[b.Holder()] == 2 })
	stopA()
	eventually(t, "all the second's", func() bool { return holders(t, s, "c")[b.Holder()] == eventstore.Ranges })
	var paused *PausedConsumer
	if err := b.WaitFor(ctx, "c", last); !errors.As(err, &paused) {
		t.Errorf("waiting: %v", err)
	}
	if err := ControlOf(s).Resume(ctx, "c"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "resumed", func() bool { return b.WaitFor(ctx, "c", last) == nil })
	inOrder(t, s, "c", 1, 2)
}

// TestAFollowerSeesWhatOthersDid: a process that handles nothing hears, before those who wait go on, which events
// others handled, and passes what nobody wants by itself.
func TestAFollowerSeesWhatOthersDid(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	c := seen(t, s, "c", "test.happened")
	// Its checkpoint is saved when something wanted was handled, never for the rest.
	worker, _ := run(t, s, Options{Save: time.Hour, Roles: []string{"projectors"}}, c)
	waitFor(t, worker, "c", 0)

	var told, unclear atomic.Int64
	follower := New(another(t, s), Options{Roles: []string{"web"}})
	follower.Follow(Consumer{Name: "c", Types: c.Types, Committed: func(events []eventstore.Event) {
		told.Add(int64(len(events)))
		if events == nil {
			unclear.Add(1)
		}
	}})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- follower.Run(ctx) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	<-follower.Running()
	eventually(t, "two processes", func() bool {
		processes, err := ControlOf(s).Processes(t.Context())
		web := func(p Process) bool { return slices.Equal(p.Roles, []string{"web"}) } // whichever is known first
		return err == nil && len(processes) == 2 && slices.ContainsFunc(processes, web) && worker.membership.others.Load()
	})
	waitFor(t, follower, "c", appendTo(t, s, "x", happened{}))
	before, unknown := told.Load(), unclear.Load()
	var took []time.Duration
	for i := range 100 {
		stream := fmt.Sprint("s-", i%7)
		last := appendTo(t, s, stream, happened{})
		began := time.Now()
		waitFor(t, follower, "c", last)
		took = append(took, time.Since(began))
		if got := told.Load() - before; got != int64(i+1) {
			t.Fatalf("told of %d events when %d were handled", got, i+1)
		}
		if i%10 == 0 {
			waitFor(t, follower, "c", appendTo(t, s, "nobody's", named{Person: uuid.New()}))
		}
	}
	if unclear.Load() != unknown {
		t.Errorf("%d times it was not said what had changed", unclear.Load()-unknown)
	}
	slices.Sort(took)
	t.Logf("a follower saw what was appended after p50 %v, p99 %v", took[50], took[99])
	if h := holders(t, s, "c"); h[worker.Holder()] != eventstore.Ranges {
		t.Errorf("held by %v", h)
	}
}

// TestASingletonJobRunsInOneProcess: never two at once while all hear each other, and moved by a stop and by silence.
func TestASingletonJobRunsInOneProcess(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	var atWork, most atomic.Int64
	var at atomic.Pointer[Feed]
	start := func(s *eventstore.Store) (*Feed, func()) {
		f := New(s, Options{})
		f.AddJob("tick", func(ctx context.Context) {
			n := atWork.Add(1)
			most.Store(max(most.Load(), n))
			at.Store(f)
			<-ctx.Done()
			atWork.Add(-1)
		})
		return f, runFeed(t, f)
	}
	feeds, stops := map[*Feed]*eventstore.Store{}, map[*Feed]func(){}
	for range 3 {
		own := another(t, s)
		f, stop := start(own)
		feeds[f], stops[f] = own, stop
		eventually(t, "somebody works", func() bool { return atWork.Load() == 1 })
	}
	eventually(t, "all three are there", func() bool { p, err := ControlOf(s).Processes(t.Context()); return err == nil && len(p) == 3 })
	eventually(t, "somebody works", func() bool { return atWork.Load() == 1 && at.Load().held() == 1 })
	first := at.Load()
	stops[first]()
	delete(feeds, first)
	eventually(t, "it moved by a stop", func() bool { return atWork.Load() == 1 && at.Load() != first })
	if most.Load() != 1 {
		t.Errorf("%d were at work at once", most.Load())
	}
	second := at.Load()
	silence(t, s, second)
	began := time.Now()
	eventually(t, "it moved by silence", func() bool { return at.Load() != second && atWork.Load() == 1 })
	t.Logf("moved from a silent process within %v", time.Since(began))
}

// TestFeedStartsBesideALockedCheckpoint: a process that starts waits for nobody's transaction. It once did, holding what it
// had passed itself; the holder of the last row needed a connection, all of which waited for the rows before it.
func TestFeedStartsBesideALockedCheckpoint(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	a, b := seen(t, s, "a"), seen(t, s, "b")
	last := appendTo(t, s, "x", happened{})
	f, stop := run(t, s, Options{}, a, b)
	waitFor(t, f, "b", last)
	stop()
	tx, err := s.Pool().Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if _, err := tx.Exec(ctx, `SELECT FROM eventstore.checkpoints WHERE consumer = 'b' AND range = 3 FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	f, _ = run(t, s, Options{}, a, b)
	last = appendTo(t, s, "x", happened{})
	waitFor(t, f, "a", last)
}
