package feed

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/eventstore"
	"shop/eventstore/check"
	"shop/eventstore/wake"
	"shop/migrations/pgtest"
)

// hostileTime is how long the hostile run lasts: SHOP_HOSTILE, default 6s, 2s with -short.
func hostileTime(t *testing.T) time.Duration {
	t.Helper()
	if text := os.Getenv("SHOP_HOSTILE"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatalf("SHOP_HOSTILE: %v", err)
		}
		return d
	}
	if testing.Short() {
		return 2 * time.Second
	}
	return 6 * time.Second
}

func logOf(t *testing.T, pool *pgxpool.Pool) []check.Event {
	t.Helper()
	return sightings(t, pool, `SELECT stream, version, position FROM eventstore.events`)
}

func sightings(t *testing.T, pool *pgxpool.Pool, sql string) []check.Event {
	t.Helper()
	rows, err := pool.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	events, err := pgx.CollectRows(rows, pgx.RowToStructByPos[check.Event])
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func judgeReader(t *testing.T, name string, delivered, log []check.Event) {
	t.Helper()
	faults := check.Delivered(delivered, log)
	for i, f := range faults {
		if i == 10 {
			t.Errorf("%s: and %d faults more", name, len(faults)-i)
			break
		}
		t.Errorf("%s: %s", name, f)
	}
	t.Logf("%s: %d of %d events, %d faults", name, len(delivered), len(log), len(faults))
}

// appendRaw is SQL for an append of n events to one stream inside a transaction of the test's own.
const appendRaw = `SELECT outcome FROM eventstore.append(0, ARRAY[$1], ARRAY[$2::smallint], ARRAY[-1::bigint], ARRAY[$3::bigint], ARRAY[$4::int],
	'{}', '{}', '{}', '{}', array_fill(1, ARRAY[$3::int]), ARRAY(SELECT generate_series(1, $3::bigint)),
	ARRAY(SELECT gen_random_uuid() FROM generate_series(1, $3::int)), array_fill('test.happened'::text, ARRAY[$3::int]),
	array_fill(1::smallint, ARRAY[$3::int]), array_fill('{}'::json, ARRAY[$3::int]), array_fill('{}'::json, ARRAY[$3::int]),
	array_fill(now(), ARRAY[$3::int]))`

// TestHostile lets everything happen at once that a database lets happen to a log: appenders of two processes on the same
// streams, rollbacks, transactions held open in the middle of an append, an unrelated write transaction that is open
// all the time, killed backends. Readers of several kinds must lose nothing, and see nothing twice or out of order.
func TestHostile(t *testing.T) {
	t.Parallel()
	duration := hostileTime(t)
	admin := pgtest.Open(t)
	other := func(name string) *pgxpool.Pool {
		t.Helper()
		config := admin.Config()
		config.ConnConfig.RuntimeParams["application_name"] = name
		config.MaxConns = 24
		pool, err := pgxpool.NewWithConfig(context.Background(), config)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(pool.Close)
		return pool
	}
	stores := []*eventstore.Store{eventstore.Open(other("victim"), codec{}, eventstore.Options{Logger: quiet}), eventstore.Open(other("victim"), codec{}, eventstore.Options{Logger: quiet})}
	for _, s := range stores {
		t.Cleanup(s.Close)
	}
	raw := other("victim")
	background := context.Background()

	// The unrelated transaction has a transaction id and holds a snapshot, for the whole run and beyond.
	if _, err := admin.Exec(background, `CREATE TABLE unrelated (n int)`); err != nil {
		t.Fatal(err)
	}
	long, err := admin.Begin(background)
	if err != nil {
		t.Fatal(err)
	}
	defer long.Rollback(background)
	if _, err := long.Exec(background, `INSERT INTO unrelated VALUES (1)`); err != nil {
		t.Fatal(err)
	}

	// Readers: two feeds with the same consumer, so that they fight over its checkpoints, each with one more of its own;
	// and one that only asks Read.
	feeds := make([]*Feed, len(stores))
	for i, s := range stores {
		feeds[i], _ = run(t, s, Options{Recent: 64, Page: 100}, seen(t, s, "both"), seen(t, s, fmt.Sprint("own", i)))
	}
	reading, stopReading := context.WithCancel(background)
	defer stopReading()
	var readers sync.WaitGroup
	var polled []check.Event
	var polledTo atomic.Int64
	readers.Go(func() {
		var after eventstore.Position
		for reading.Err() == nil {
			head, err := stores[0].Head(reading)
			if err != nil || head == after { // a killed backend, or nothing new
				continue
			}
			events, err := stores[0].Read(reading, eventstore.Query{After: after, UpTo: head, Range: -1})
			if err != nil {
				continue
			}
			for _, e := range events {
				polled = append(polled, check.Event{Stream: e.Stream, Version: int64(e.Version), Position: int64(e.Position)})
			}
			after = max(after, head) // a marker taken late may put the head back; what was passed stays passed
			polledTo.Store(int64(after))
		}
	})

	working, stopWorking := context.WithTimeout(background, duration)
	defer stopWorking()
	var work sync.WaitGroup
	var mu sync.Mutex
	promised := map[uuid.UUID]bool{} // events whose append was answered with success
	var conflicts, failures, held, rolledBack, killed atomic.Int64
	stream := func() string { return fmt.Sprint("s-", rand.IntN(60)) }

	for i := range 12 {
		s := stores[i%len(stores)]
		work.Go(func() {
			for working.Err() == nil {
				a := eventstore.Append{}
				var ids []uuid.UUID
				for range 1 + rand.IntN(3) {
					w := eventstore.Write{Stream: stream(), Expected: eventstore.AnyVersion}
					if rand.IntN(4) == 0 {
						if known, err := s.Load(working, eventstore.From{Stream: w.Stream}); err == nil {
							w.Expected = eventstore.Version(len(known[w.Stream]))
						}
					}
					for range 1 + rand.IntN(3) {
						id := uuid.Must(uuid.NewV7())
						ids = append(ids, id)
						w.Events = append(w.Events, eventstore.NewEvent{ID: id, Data: happened{}})
					}
					a.Writes = append(a.Writes, w)
				}
				// Not with the context of the work: an append whose caller has gone may still be written, after the log was judged.
				_, err := s.Append(background, a)
				switch {
				case err == nil:
					mu.Lock()
					for _, id := range ids {
						promised[id] = true
					}
					mu.Unlock()
				case isConflict(err):
					conflicts.Add(1)
				case working.Err() == nil:
					failures.Add(1)
				}
			}
		})
	}
	// Appends by hand that stay open with their marker and their positions, and often come to nothing.
	for range 4 {
		work.Go(func() {
			for working.Err() == nil {
				tx, err := raw.Begin(background)
				if err != nil {
					continue
				}
				name := fmt.Sprint("raw-", rand.IntN(20))
				slice := eventstore.SliceOf(name)
				_, err = tx.Exec(background, appendRaw, name, slice, 1+rand.IntN(3), eventstore.GroupOf(slice))
				wake.Pause(background, time.Duration(rand.IntN(30))*time.Millisecond)
				held.Add(1)
				if err == nil && rand.IntN(3) > 0 {
					_ = tx.Commit(background) // a killed backend's fails; the table tells
				} else {
					rolledBack.Add(1)
					_ = tx.Rollback(background)
				}
			}
		})
	}
	work.Go(func() {
		for wake.Pause(working, 150*time.Millisecond) {
			tag, err := admin.Exec(background, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
				WHERE datname = current_database() AND application_name = 'victim' ORDER BY random() LIMIT 1`)
			if err != nil {
				t.Errorf("kill a backend: %v", err)
			}
			killed.Add(tag.RowsAffected())
		}
	})
	work.Wait()

	// The unrelated transaction is still open; the readers come to the end all the same.
	var last int64
	if err := admin.QueryRow(background, `SELECT max(position) FROM eventstore.events`).Scan(&last); err != nil {
		t.Fatal(err)
	}
	for i, f := range feeds {
		waitFor(t, f, "both", eventstore.Position(last))
		waitFor(t, f, fmt.Sprint("own", i), eventstore.Position(last))
	}
	eventually(t, "read to the end", func() bool { return polledTo.Load() >= last })
	stopReading()
	readers.Wait()

	log := logOf(t, admin)
	for _, name := range []string{"both", "own0", "own1"} {
		judgeReader(t, name, sightings(t, admin, `SELECT stream, version, position FROM seen_`+name+` ORDER BY nth`), log)
	}
	judgeReader(t, "polled", polled, log)

	var stored int
	ids := make([]uuid.UUID, 0, len(promised))
	for id := range promised {
		ids = append(ids, id)
	}
	if err := admin.QueryRow(background, `SELECT count(*) FROM eventstore.events WHERE id = ANY ($1)`, ids).Scan(&stored); err != nil {
		t.Fatal(err)
	}
	if stored != len(ids) {
		t.Errorf("%d of %d acknowledged events are not in the log", len(ids)-stored, len(ids))
	}
	t.Logf("%d events acknowledged, %d appends in conflict, %d failed, %d held open, %d of them rolled back, %d backends killed",
		len(ids), conflicts.Load(), failures.Load(), held.Load(), rolledBack.Load(), killed.Load())
	if held.Load() == 0 || rolledBack.Load() == 0 || killed.Load() == 0 || len(ids) < 100 {
		t.Error("the run was not hostile enough to prove anything")
	}
	if letters, err := ControlOf(stores[0]).DeadLetters(background, ""); err != nil || len(letters) > 0 {
		t.Errorf("dead letters %v, %v", letters, err)
	}
}

// TestNaiveReaderIsCaught plants in the real database what the protocol is there for: a reader that takes what it sees.
func TestNaiveReaderIsCaught(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	tx, err := s.Pool().Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	if _, err := tx.Exec(ctx, appendRaw, "slow", eventstore.SliceOf("slow"), 1, eventstore.GroupOf(eventstore.SliceOf("slow"))); err != nil {
		t.Fatal(err)
	}
	appendTo(t, s, "fast", happened{})

	naive := func(after *int64) []check.Event {
		got := sightings(t, s.Pool(), fmt.Sprintf(`SELECT stream, version, position FROM eventstore.events WHERE position > %d ORDER BY position`, *after))
		for _, e := range got {
			*after = max(*after, e.Position)
		}
		return got
	}
	careful := func(after *int64) []check.Event {
		head, err := s.Head(ctx)
		if err != nil {
			t.Fatal(err)
		}
		got := sightings(t, s.Pool(), fmt.Sprintf(`SELECT stream, version, position FROM eventstore.events WHERE position > %d AND position <= %d ORDER BY position`, *after, head))
		*after = int64(head)
		return got
	}
	var naiveAt, carefulAt int64
	byNaive, byCareful := naive(&naiveAt), careful(&carefulAt)
	if err := tx.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	byNaive, byCareful = append(byNaive, naive(&naiveAt)...), append(byCareful, careful(&carefulAt)...)

	log := logOf(t, s.Pool())
	want := check.Fault{Kind: check.Lost, Event: check.Event{Stream: "slow", Version: 1, Position: 1}}
	if faults := check.Delivered(byNaive, log); len(faults) != 1 || faults[0] != want {
		t.Errorf("the naive reader's faults are %v, want %v", faults, want)
	}
	if faults := check.Delivered(byCareful, log); len(faults) > 0 {
		t.Errorf("the careful reader's faults are %v", faults)
	}
}

// TestServerRestartIsSurvived cuts every connection at once, several times, while appends and a consumer run.
func TestServerRestartIsSurvived(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	admin, err := pgx.ConnectConfig(t.Context(), s.Pool().Config().ConnConfig)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(context.WithoutCancel(t.Context()))
	f, _ := run(t, s, Options{}, seen(t, s, "c"))
	for n := range 5 {
		appendTo(t, s, "x", happened{N: n})
		if _, err := admin.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid()`); err != nil {
			t.Fatal(err)
		}
	}
	// The append that finds its connections dead still goes through.
	waitFor(t, f, "c", appendTo(t, s, "x", happened{}))
	s.Pool().Reset()
	log := logOf(t, s.Pool())
	judgeReader(t, "c", sightings(t, s.Pool(), `SELECT stream, version, position FROM seen_c ORDER BY nth`), log)
	if len(log) != 6 {
		t.Errorf("%d events", len(log))
	}
}

// childFeed makes the test program a process that runs a feed on the database it names, until it is killed.
const childFeed = "EVENTSTORE_TEST_CHILD_FEED"

func runChildFeed(url string) {
	pool, err := pgxpool.New(context.Background(), url)
	if err != nil {
		panic(err)
	}
	s := eventstore.Open(pool, codec{}, eventstore.Options{})
	f := New(s, Options{Page: 10})
	f.Add(noting("c"))
	panic(f.Run(context.Background()))
}

// TestKilledProcessAppliesNothingTwice kills processes in the middle of their work.
func TestKilledProcessAppliesNothingTwice(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	c := seen(t, s, "c")
	const streams, each = 40, 50
	for n := range streams {
		mustAppend(t, s, eventstore.Append{Writes: []eventstore.Write{{Stream: fmt.Sprint("s-", n), Events: some(each)}}})
	}
	count := func() (n int) {
		if err := s.Pool().QueryRow(t.Context(), `SELECT count(*) FROM seen_c`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		before := count()
		child := exec.Command(program)
		child.Env = append(os.Environ(), childFeed+"="+s.Pool().Config().ConnString())
		child.Stderr = os.Stderr
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "some work done", func() bool { return count() > before })
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = child.Wait() // it was killed
	}
	if left := streams*each - count(); left <= 0 {
		t.Logf("the children had finished before they were killed")
	}
	f, _ := run(t, s, Options{}, c)
	waitFor(t, f, "c", streams*each)
	judgeReader(t, "c", sightings(t, s.Pool(), `SELECT stream, version, position FROM seen_c ORDER BY nth`), logOf(t, s.Pool()))
}
