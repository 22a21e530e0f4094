package feed_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/eventstore/feed/memory"
)

// The behaviour that consumers rely on, over both implementations of Source and Checkpoints.

// world is a log with its checkpoints.
type world interface {
	// process is a feed of a process of its own.
	process(o feed.Options) *feed.Feed
	// noting is a consumer that notes each event, after decide has had its say.
	noting(name string, decide func(context.Context, []eventstore.Event) error) feed.Consumer
	// noted are the versions of the events that a consumer noted, per stream in the order of noting.
	noted(name string) map[string][]int64
	// add appends events of a type to a stream.
	add(stream, typ string, n int) eventstore.Position
	pause(name string) error
	resume(name string) error
	retry(name string) error
	skipDeadLetter(name string, p eventstore.Position) error
	// parked are the positions of a consumer's dead letters.
	parked(name string) []eventstore.Position
	// take gives a range to a process that does not live.
	take(name string, inRange int)
}

const (
	plain = "test.happened"
	other = "test.named"
)

// inBothWorlds runs a test over PostgreSQL and in memory.
func inBothWorlds(t *testing.T, test func(t *testing.T, w world)) {
	t.Parallel()
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, &inPostgres{t: t, store: feed.OpenStore(t)})
	})
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		l := &memory.Log{}
		test(t, &inMemory{t: t, log: l, tables: memory.Open(l)})
	})
}

type inPostgres struct {
	t     *testing.T
	store *eventstore.Store
}

func (w *inPostgres) process(o feed.Options) *feed.Feed { return feed.New(w.store, o) }

func (w *inPostgres) noting(name string, decide func(context.Context, []eventstore.Event) error) feed.Consumer {
	c := feed.Seen(w.t, w.store, name)
	note := c.Handle
	c.Handle = func(ctx context.Context, tx pgx.Tx, events []eventstore.Event) error {
		if err := decide(ctx, events); err != nil {
			return err
		}
		return note(ctx, tx, events)
	}
	return c
}

func (w *inPostgres) noted(name string) map[string][]int64 {
	return feed.Versions(w.t, w.store, name)
}

func (w *inPostgres) add(stream, typ string, n int) eventstore.Position {
	var event any = feed.Happened{}
	if typ == other {
		event = feed.Named{Person: uuid.New()}
	}
	return feed.AppendTo(w.t, w.store, stream, slices.Repeat([]any{event}, n)...)
}

func (w *inPostgres) pause(name string) error {
	return feed.ControlOf(w.store).Pause(w.t.Context(), name)
}

func (w *inPostgres) resume(name string) error {
	return feed.ControlOf(w.store).Resume(w.t.Context(), name)
}

func (w *inPostgres) retry(name string) error {
	_, err := feed.ControlOf(w.store).Retry(w.t.Context(), name)
	return err
}

func (w *inPostgres) skipDeadLetter(name string, p eventstore.Position) error {
	return feed.ControlOf(w.store).Skip(w.t.Context(), name, p, "a test")
}

func (w *inPostgres) parked(name string) (positions []eventstore.Position) {
	letters, err := feed.ControlOf(w.store).DeadLetters(w.t.Context(), name)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, l := range letters {
		positions = append(positions, l.Position)
	}
	return positions
}

func (w *inPostgres) take(name string, inRange int) {
	if _, err := w.store.Pool().Exec(w.t.Context(), `UPDATE eventstore.checkpoints SET holder = 'gone', term = term + 1
		WHERE consumer = $1 AND range = $2`, name, inRange); err != nil {
		w.t.Fatal(err)
	}
}

type inMemory struct {
	t      *testing.T
	log    *memory.Log
	tables *memory.Tables
}

// typed is an event of a type.
type typed string

func (e typed) EventType() string { return string(e) }

func (w *inMemory) process(o feed.Options) *feed.Feed {
	o.Logger = slog.New(slog.DiscardHandler)
	return feed.Over(w.log, w.tables, o)
}

func (w *inMemory) noting(name string, decide func(context.Context, []eventstore.Event) error) feed.Consumer {
	return feed.Consumer{Name: name, Together: true, HandleIn: func(ctx context.Context, tx feed.Tx, events []eventstore.Event) error {
		if err := decide(ctx, events); err != nil {
			return err
		}
		for _, e := range events {
			tx.(*memory.Tx).Write(name, e)
		}
		return nil
	}}
}

func (w *inMemory) noted(name string) map[string][]int64 {
	got := map[string][]int64{}
	for _, value := range w.tables.Written(name) {
		e := value.(eventstore.Event)
		got[e.Stream] = append(got[e.Stream], int64(e.Version))
	}
	return got
}

func (w *inMemory) add(stream, typ string, n int) eventstore.Position {
	return w.log.Append(stream, slices.Repeat([]any{typed(typ)}, n)...)
}

func (w *inMemory) pause(name string) error  { return w.tables.Pause(w.t.Context(), name) }
func (w *inMemory) resume(name string) error { return w.tables.Resume(w.t.Context(), name) }
func (w *inMemory) retry(name string) error  { return w.tables.Retry(w.t.Context(), name) }
func (w *inMemory) skipDeadLetter(name string, p eventstore.Position) error {
	return w.tables.Skip(w.t.Context(), name, p)
}

func (w *inMemory) parked(name string) (positions []eventstore.Position) {
	for _, l := range w.tables.DeadLetters(name) {
		positions = append(positions, l.Position)
	}
	return positions
}

func (w *inMemory) take(name string, inRange int) {
	w.tables.Take(feed.Place{Consumer: name, Range: inRange}, "gone")
}

// always lets a consumer note everything.
func always(context.Context, []eventstore.Event) error { return nil }

// running runs a feed and returns how to stop it; the test's end does in any case.
func running(t *testing.T, f *feed.Feed) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() { _ = stop() })
	select {
	case <-f.Running():
	case <-time.After(time.Minute):
		t.Fatal("the feed does not run")
	}
	return stop
}

func reach(t *testing.T, f *feed.Feed, consumer string, p eventstore.Position) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := f.WaitFor(ctx, consumer, p); err != nil {
		t.Fatalf("%s did not come to %d: %v", consumer, p, err)
	}
}

// want compares the versions noted of a stream with 1 to n.
func want(t *testing.T, w world, consumer, stream string, n int) {
	t.Helper()
	var versions []int64
	for v := range n {
		versions = append(versions, int64(v+1))
	}
	if got := w.noted(consumer)[stream]; !slices.Equal(got, versions) {
		t.Errorf("%s: %v were noted, want 1 to %d once and in order", stream, got, n)
	}
}

func TestDeliveryIsInOrderAndOnce(t *testing.T) {
	inBothWorlds(t, func(t *testing.T, w world) {
		for _, stream := range []string{"a", "b", "c", "d", "e"} {
			w.add(stream, plain, 7) // before the feed: it catches up
		}
		f := w.process(feed.Options{Page: 3, Recent: 8})
		f.Add(w.noting("c", always))
		running(t, f)
		var last eventstore.Position
		for range 20 {
			for _, stream := range []string{"a", "b", "c", "d", "e"} {
				last = w.add(stream, plain, 1)
			}
		}
		reach(t, f, "c", last)
		for _, stream := range []string{"a", "b", "c", "d", "e"} {
			want(t, w, "c", stream, 27)
		}
	})
}

func TestDeliveryParksWhatFailsAndRetriesInOrder(t *testing.T) {
	inBothWorlds(t, func(t *testing.T, w world) {
		var mended atomic.Bool
		f := w.process(feed.Options{})
		f.Add(w.noting("c", func(_ context.Context, events []eventstore.Event) error {
			for _, e := range events {
				if e.Stream == "bad" && e.Version == 2 && !mended.Load() {
					return errors.New("this event cannot be handled")
				}
			}
			return nil
		}))
		running(t, f)
		w.add("bad", plain, 3)
		w.add("good", plain, 2)
		last := w.add("bad", plain, 1)
		reach(t, f, "c", last)
		want(t, w, "c", "bad", 1)
		want(t, w, "c", "good", 2)
		if got := w.parked("c"); !slices.Equal(got, []eventstore.Position{2, 3, 6}) {
			t.Fatalf("parked: %v, want the failing event and those of its stream behind it", got)
		}
		mended.Store(true)
		if err := w.retry("c"); err != nil {
			t.Fatal(err)
		}
		feed.Eventually(t, "handled the parked events", func() bool { return len(w.parked("c")) == 0 })
		want(t, w, "c", "bad", 4)
		reach(t, f, "c", w.add("bad", plain, 1))
		want(t, w, "c", "bad", 5)
	})
}

func TestDeliveryGoesOnBehindASkippedEvent(t *testing.T) {
	inBothWorlds(t, func(t *testing.T, w world) {
		f := w.process(feed.Options{})
		f.Add(w.noting("c", func(_ context.Context, events []eventstore.Event) error {
			if slices.ContainsFunc(events, func(e eventstore.Event) bool { return e.Version == 1 }) {
				panic("this event cannot be handled")
			}
			return nil
		}))
		running(t, f)
		last := w.add("bad", plain, 3)
		reach(t, f, "c", last)
		if err := w.skipDeadLetter("c", 1); err != nil {
			t.Fatal(err)
		}
		feed.Eventually(t, "handled the parked events", func() bool { return len(w.parked("c")) == 0 })
		if got := w.noted("c")["bad"]; !slices.Equal(got, []int64{2, 3}) {
			t.Errorf("noted %v, want the two behind the skipped one", got)
		}
	})
}

func TestDeliveryPausesAndResumes(t *testing.T) {
	inBothWorlds(t, func(t *testing.T, w world) {
		f := w.process(feed.Options{})
		f.Add(w.noting("c", always))
		running(t, f)
		reach(t, f, "c", w.add("a", plain, 1))
		if err := w.pause("c"); err != nil {
			t.Fatal(err)
		}
		last := w.add("a", plain, 1)
		var paused *feed.PausedConsumer
		feed.Eventually(t, "said that it is paused", func() bool {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			return errors.As(f.WaitFor(ctx, "c", last), &paused)
		})
		want(t, w, "c", "a", 1)
		if err := w.resume("c"); err != nil {
			t.Fatal(err)
		}
		feed.Eventually(t, "went on", func() bool { return f.Position("c") >= last })
		want(t, w, "c", "a", 2)
	})
}

func TestDeliveryIsFencedWhenTheLeaseIsLost(t *testing.T) {
	inBothWorlds(t, func(t *testing.T, w world) {
		stream := "a"
		for eventstore.RangeOf(eventstore.SliceOf(stream)) != 0 {
			stream += "a"
		}
		w.add(stream, plain, 2)
		f := w.process(feed.Options{})
		running(t, f)
		subscriber := f.Subscriber(w.noting("c", always))
		messages, err := subscriber.Subscribe(t.Context(), "0")
		if err != nil {
			t.Fatal(err)
		}
		receive := func() (*message.Message, *feed.Batch) {
			select {
			case msg := <-messages:
				b, _ := feed.BatchOf(msg.Context())
				return msg, b
			case <-time.After(time.Minute):
				t.Fatal("no batch")
				return nil, nil
			}
		}
		msg, b := receive()
		w.take("c", 0) // the process holds a batch, and the lease no more
		if err := b.Apply(msg.Context()); err != nil {
			t.Fatal(err)
		}
		if got := w.noted("c"); len(got) > 0 {
			t.Errorf("noted %v without the lease", got)
		}
		msg.Ack()
		// The one that took the lease does not live, so it comes back, with the batch.
		msg, b = receive()
		if err := b.Apply(msg.Context()); err != nil {
			t.Fatal(err)
		}
		msg.Ack()
		want(t, w, "c", stream, 2)
	})
}

func TestDeliveryGoesOnAfterAKill(t *testing.T) {
	inBothWorlds(t, func(t *testing.T, w world) {
		var hangs atomic.Bool
		entered := make(chan struct{}, eventstore.Ranges)
		decide := func(ctx context.Context, _ []eventstore.Event) error {
			if hangs.Load() {
				entered <- struct{}{}
				<-ctx.Done() // a handler that is cut off in the middle of its transaction
				return ctx.Err()
			}
			return nil
		}
		first := w.process(feed.Options{Drain: 50 * time.Millisecond})
		first.Add(w.noting("c", decide))
		stop := running(t, first)
		reach(t, first, "c", w.add("a", plain, 3))
		hangs.Store(true)
		last := w.add("a", plain, 2)
		<-entered
		if err := stop(); err == nil {
			t.Error("the feed waited for a handler that hangs")
		}
		hangs.Store(false)
		want(t, w, "c", "a", 3)
		second := w.process(feed.Options{})
		second.Add(w.noting("c", decide))
		running(t, second)
		reach(t, second, "c", last)
		want(t, w, "c", "a", 5)
	})
}

func TestAFollowerPassesWhatNobodyWants(t *testing.T) {
	inBothWorlds(t, func(t *testing.T, w world) {
		worker, follower := w.process(feed.Options{Save: time.Hour}), w.process(feed.Options{})
		c := w.noting("c", always)
		c.Types = []string{plain}
		worker.Add(c)
		var told atomic.Int64
		follower.Follow(feed.Consumer{Name: "c", Types: c.Types, Committed: func(events []eventstore.Event) { told.Add(int64(len(events))) }})
		running(t, worker)
		running(t, follower)
		reach(t, follower, "c", w.add("a", plain, 1)) // both know each other by now
		before := told.Load()
		reach(t, follower, "c", w.add("b", other, 5))
		if told.Load() != before {
			t.Errorf("the follower was told of %d events that nobody wants", told.Load()-before)
		}
		reach(t, follower, "c", w.add("a", plain, 2))
		want(t, w, "c", "a", 3)
		if told.Load() == before {
			t.Error("the follower was not told what the worker did")
		}
	})
}

// lateListener are Checkpoints that take long to connect a listener, and tell where consumers stand only after that.
type lateListener struct {
	*memory.Tables
	connected chan struct{}
}

func (l lateListener) Listen(ctx context.Context, holder string, hear func(feed.Signal)) error {
	time.Sleep(200 * time.Millisecond)
	return l.Tables.Listen(ctx, holder, func(s feed.Signal) {
		hear(s)
		if s.Kind == feed.Connected {
			close(l.connected)
		}
	})
}

func (l lateListener) Read(ctx context.Context, consumers []string) (map[feed.Place]feed.Standing, error) {
	<-l.connected
	return l.Tables.Read(ctx, consumers)
}

// TestAFollowerReadsNothingBeforeItListens: when it connects it forgets what it has read, and what it lacks then only the holder's
// next save can tell.
func TestAFollowerReadsNothingBeforeItListens(t *testing.T) {
	t.Parallel()
	l := &memory.Log{}
	tables := memory.Open(l)
	quiet := slog.New(slog.DiscardHandler)
	worker := feed.Over(l, tables, feed.Options{Save: time.Hour, Logger: quiet})
	worker.Add(feed.Consumer{Name: "c", Types: []string{plain}, HandleIn: func(context.Context, feed.Tx, []eventstore.Event) error { return nil }})
	running(t, worker)
	follower := feed.Over(l, lateListener{tables, make(chan struct{})}, feed.Options{Logger: quiet})
	follower.Follow(feed.Consumer{Name: "c", Types: []string{plain}})
	running(t, follower)
	last := l.Append("b", typed(other))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := follower.WaitFor(ctx, "c", last); err != nil {
		t.Error(err)
	}
}
