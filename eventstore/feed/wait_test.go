package feed

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/eventstore"
)

func TestPauseResetAndStatus(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	c := seen(t, s, "c", "test.happened")
	f, _ := run(t, s, Options{Save: 10 * time.Millisecond}, c)
	waitFor(t, f, "c", appendTo(t, s, "x", happened{}, happened{}))
	status := func() ConsumerStatus {
		t.Helper()
		all, err := ControlOf(s).Consumers(ctx)
		if err != nil || len(all) != 1 {
			t.Fatalf("%+v, %v", all, err)
		}
		return all[0]
	}
	if got := status(); got.State != Live || got.Lag != 0 || got.Position != 2 || got.Head != 2 || got.Rate <= 0 || got.DeadLetters != 0 {
		t.Errorf("live: %+v", got)
	}
	if err := ControlOf(s).Pause(ctx, "c"); err != nil {
		t.Fatal(err)
	}
	last := appendTo(t, s, "x", happened{}, happened{}, named{Person: uuid.New()})
	var paused *PausedConsumer
	if err := f.WaitFor(ctx, "c", last); !errors.As(err, &paused) {
		t.Errorf("waiting for a paused consumer: %v", err)
	}
	if err := New(s, Options{}).WaitFor(ctx, "c", last); !errors.As(err, &paused) {
		t.Errorf("waiting elsewhere for a paused consumer: %v", err)
	}
	if got := status(); got.State != Paused || got.Lag != 2 || got.LagTime <= 0 {
		t.Errorf("paused: %+v", got)
	}
	if err := ControlOf(s).Resume(ctx, "c"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "resumed", func() bool { return f.WaitFor(ctx, "c", last) == nil })
	var unknown *UnknownConsumer
	if err := ControlOf(s).Pause(ctx, "nobody"); !errors.As(err, &unknown) {
		t.Errorf("pausing nobody: %v", err)
	}
	if err := f.WaitFor(ctx, "nobody", 1); !errors.As(err, &unknown) {
		t.Errorf("waiting for nobody: %v", err)
	}

	// A reset and its empty table come together; the running consumer notices and starts anew.
	if err := pgx.BeginFunc(ctx, s.Pool(), func(tx pgx.Tx) error {
		if err := ControlOf(s).Reset(ctx, tx, "c"); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "DELETE FROM seen_c")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "built anew", func() bool { return slices.Equal(versions(t, s, "c")["x"], []int64{1, 2, 3, 4}) })
}

// TestCommittedIsToldBeforeThoseWhoWait counts what is committed by Committed's tellings: at no moment may WaitFor return
// for a position while what was handled up to there was not told.
func TestCommittedIsToldBeforeThoseWhoWait(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	c := seen(t, s, "c", "test.happened")
	var told, unclear atomic.Int64
	c.Committed = func(events []eventstore.Event) {
		told.Add(int64(len(events)))
		if events == nil {
			unclear.Add(1)
		}
	}
	f, _ := run(t, s, Options{}, c)
	waitFor(t, f, "c", appendTo(t, s, "x", named{Person: uuid.New()}))
	eventually(t, "its own", func() bool { return f.held() == eventstore.Ranges })
	began := unclear.Load()
	for i := range 50 {
		waitFor(t, f, "c", appendTo(t, s, fmt.Sprint("s-", i%7), happened{}, happened{}))
		if got := told.Load(); got != int64(2*(i+1)) {
			t.Fatalf("%d events were told of when %d were handled", got, 2*(i+1))
		}
	}
	waitFor(t, f, "c", appendTo(t, s, "x", named{Person: uuid.New()}))
	if told.Load() != 100 || unclear.Load() != began {
		t.Errorf("%d events and %d times something were told of, for events nobody wants", told.Load(), unclear.Load()-began)
	}
	// Tables that were replaced under unmoved checkpoints are noticed by the term.
	if _, err := s.Pool().Exec(t.Context(), "UPDATE eventstore.checkpoints SET term = term + 1"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "told of a new term", func() bool { return unclear.Load() > began })
}

// TestCommittedElsewhereIsToldBeforeThoseWhoWait: of two processes only one handles an event; the other's waiters
// are told after it knows that something changed.
func TestCommittedElsewhereIsToldBeforeThoseWhoWait(t *testing.T) {
	t.Parallel()
	a := openStore(t)
	b := eventstore.Open(a.Pool(), codec{}, eventstore.Options{Logger: quiet})
	t.Cleanup(b.Close)
	table := seen(t, a, "c")
	var tellings [2]atomic.Int64
	var feeds [2]*Feed
	for i, s := range []*eventstore.Store{a, b} {
		c := table
		c.Committed = func([]eventstore.Event) { tellings[i].Add(1) }
		feeds[i], _ = run(t, s, Options{}, c)
		waitFor(t, feeds[i], "c", 0)
	}
	waitFor(t, feeds[0], "c", appendTo(t, a, "x", happened{}))
	waitFor(t, feeds[1], "c", 1)
	for i := range 100 {
		before := [2]int64{tellings[0].Load(), tellings[1].Load()}
		last := appendTo(t, a, fmt.Sprint("s-", i%7), happened{})
		for i, f := range feeds {
			waitFor(t, f, "c", last)
			if tellings[i].Load() == before[i] {
				t.Fatalf("process %d was told of nothing and stands at %d", i, last)
			}
		}
	}
}

func TestWaitForAcrossProcesses(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	// Never saves by itself: the other process has to see that nothing wanted is left.
	f, _ := run(t, s, Options{Save: time.Hour}, seen(t, s, "c", "test.named"))
	other := New(s, Options{})
	waitFor(t, f, "c", appendTo(t, s, "x", happened{}))
	if err := other.WaitFor(ctx, "c", appendTo(t, s, "y", happened{})); err != nil {
		t.Errorf("unwanted: %v", err)
	}
	last := appendTo(t, s, "z", named{Person: uuid.New()})
	if err := other.WaitFor(ctx, "c", last); err != nil || len(versions(t, s, "c")["z"]) != 1 {
		t.Errorf("wanted: %v", err)
	}
}

func TestIdleConsumersCostNoCommits(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	f, _ := run(t, s, Options{Save: 20 * time.Millisecond}, seen(t, s, "c", "test.named"))
	waitFor(t, f, "c", appendTo(t, s, "x", happened{}))
	written := func() (xmins string, least int64) {
		if err := s.Pool().QueryRow(ctx, `SELECT string_agg(xmin::text, ',' ORDER BY range), min(position) FROM eventstore.checkpoints`).Scan(&xmins, &least); err != nil {
			t.Fatal(err)
		}
		return xmins, least
	}
	eventually(t, "saved", func() bool { _, least := written(); return least == 1 })
	before, _ := written()
	f.save(ctx)
	f.save(ctx)
	if after, _ := written(); after != before {
		t.Errorf("an idle consumer was saved: %s, then %s", before, after)
	}
}
