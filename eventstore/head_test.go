package eventstore

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// TestHeadStopsAtMarkers checks the protocol step by step, with appenders held open in the middle.
func TestHeadStopsAtMarkers(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	head := func(want Position) {
		t.Helper()
		if got, err := s.Head(ctx); err != nil || got != want {
			t.Errorf("head %d (%v), want %d", got, err, want)
		}
	}
	head(0) // the sequence was never called: its last_value is 1, but nothing was allocated

	// The first event ever: marked, not yet allocated; allocated, not yet committed; committed.
	hold := func(groups ...int) pgx.Tx {
		t.Helper()
		tx, err := s.pool.Begin(ctx)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
		if _, err := tx.Exec(ctx, "SELECT eventstore.mark($1)", groups); err != nil {
			t.Fatal(err)
		}
		return tx
	}
	put := func(tx pgx.Tx, stream string) {
		t.Helper()
		if _, err := tx.Exec(ctx, `INSERT INTO eventstore.events SELECT nextval('eventstore.position'), $1, 1, 1, gen_random_uuid(), now(), $2,
			'test.happened', '{}', '{}'`, SliceOf(stream), stream); err != nil {
			t.Fatal(err)
		}
	}
	first := hold(GroupOf(SliceOf("first")))
	head(0)
	put(first, "first")
	head(0)
	second := hold(GroupOf(SliceOf("second")))
	put(second, "second")
	if err := second.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	head(0) // position 2 is committed, position 1 may still be
	if err := first.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	head(2)

	// A rolled back position is a hole, passed as soon as its appender is gone.
	third := hold(0)
	put(third, "third")
	appendTo(t, s, "x", happened{})
	head(2)
	if err := third.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	head(4)

	// At the end of the log a hole waits for the next event: a crash may yet give its position out again.
	last := hold(0)
	put(last, "last")
	if err := last.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	head(4)
	appendTo(t, s, "x", happened{})
	head(6)

	// A range waits only for its own groups; what is none of the log's business holds nobody.
	fourth := hold(Groups - 1)
	put(fourth, "fourth")
	appendTo(t, s, "x", happened{})
	if h, _, err := s.Heads(ctx); err != nil || h != (Heads{8, 8, 8, 6}) {
		t.Errorf("heads %v, %v", h, err)
	}
	if _, err := s.pool.Exec(ctx, "SELECT pg_advisory_lock(1), pg_advisory_lock(69, 1), pg_advisory_lock_shared(1::bigint << 48)"); err != nil {
		t.Fatal(err)
	}
	if h, _, err := s.Heads(ctx); err != nil || h != (Heads{8, 8, 8, 6}) {
		t.Errorf("heads beside foreign locks %v, %v", h, err)
	}
}

// TestARangeIsReadToItsOwnHead: an append in flight elsewhere hides nothing of it. The audit of the read models once missed
// events that way and found differences in a healthy shop.
func TestARangeIsReadToItsOwnHead(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	appendTo(t, s, "x", happened{})
	of := int(SliceOf("x")) / (Slices / Ranges)
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	if _, err := tx.Exec(ctx, "SELECT eventstore.mark($1)", []int{(of + 1) % Ranges * (Groups / Ranges)}); err != nil {
		t.Fatal(err)
	}
	last := appendTo(t, s, "x", happened{}, happened{})
	if events, err := s.Inspect(ctx, Query{UpTo: last, Range: of}); err != nil || len(events) != 3 {
		t.Errorf("%d events of the range, %v", len(events), err)
	}
	if events, err := s.Inspect(ctx, Query{UpTo: last, Range: -1}); err != nil || len(events) != 1 {
		t.Errorf("%d events of all ranges beside an append in flight, %v", len(events), err)
	}
}

// TestHeadNeverGoesBack: an appender may read the present value and take its lock much later.
func TestHeadNeverGoesBack(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	last := appendTo(t, s, "x", happened{}, happened{})
	if got, err := s.Head(ctx); err != nil || got != last {
		t.Fatalf("head %d, %v", got, err)
	}
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock_shared((69::bigint << 56) | 1)"); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Head(ctx); err != nil || got != last {
		t.Errorf("head %d after %d, %v", got, last, err)
	}
	if events, err := s.Read(ctx, Query{Range: -1}); err != nil || len(events) != 2 {
		t.Errorf("%d events, %v", len(events), err)
	}
}

// TestMarkersCarryGroupAndPosition reads the locks an append holds, bit by bit.
func TestMarkersCarryGroupAndPosition(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	// Far up, so that all 48 bits of the position matter.
	const far = 1<<47 + 1<<33 + 5
	if _, err := s.pool.Exec(ctx, "SELECT setval('eventstore.position', $1)", int64(far)); err != nil {
		t.Fatal(err)
	}
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(ctx)
	if _, err := tx.Exec(ctx, "SELECT eventstore.mark($1)", []int{0, 7, 15}); err != nil {
		t.Fatal(err)
	}
	var last int64
	var groups []int32
	var markers []int64
	if err := s.pool.QueryRow(ctx, "SELECT last, groups, markers FROM eventstore.heads()").Scan(&last, &groups, &markers); err != nil {
		t.Fatal(err)
	}
	got := map[int32]int64{}
	for i, g := range groups {
		got[g] = markers[i]
	}
	if last != 0 || fmt.Sprint(got) != fmt.Sprint(map[int32]int64{0: far, 7: far, 15: far}) {
		t.Errorf("last %d with nothing to see, markers %v", last, got)
	}
}

// TestPresentValueIsNeverAhead: no look at the sequence sees more than a later one. Looks by a plain SELECT of last_value
// fail this in seconds, by up to 32.
func TestPresentValueIsNeverAhead(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() {
			for ctx.Err() == nil {
				// It ends with its time, in the middle of this.
				_, _ = s.pool.Exec(ctx, `SELECT nextval('eventstore.position') FROM generate_series(1, 3000)`)
			}
		})
	}
	looks := 0
	for ctx.Err() == nil {
		var n, ahead int
		err := s.pool.QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE looked > later) FROM generate_series(1, 20000) i,
			LATERAL (SELECT eventstore.present() AS looked, pg_sequence_last_value('eventstore.position') AS later, i OFFSET 0) o`).Scan(&n, &ahead)
		if err == nil {
			looks += n
		}
		if ahead > 0 {
			t.Errorf("%d of %d looks were ahead", ahead, n)
		}
	}
	group.Wait()
	if looks == 0 {
		t.Error("nothing was looked at")
	}
}

// A lock of somebody else's whose key begins as a marker's, with a group there is not, once ended every reader.
func TestHeadPassesForeignLocks(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }()
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock((69::bigint << 56) | (32::bigint << 48))"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Head(ctx); err != nil {
		t.Error(err)
	}
}
