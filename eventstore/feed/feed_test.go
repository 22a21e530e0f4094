package feed

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"shop/eventstore"
)

// seen is a consumer that notes every event in a table of its own.
func seen(t testing.TB, s *eventstore.Store, name string, types ...string) Consumer {
	t.Helper()
	table := pgx.Identifier{"seen_" + name}.Sanitize()
	if _, err := s.Pool().Exec(t.Context(), `CREATE TABLE IF NOT EXISTS `+table+` (nth bigserial, stream text, version bigint, position bigint)`); err != nil {
		t.Fatal(err)
	}
	return noting(name, types...)
}

func noting(name string, types ...string) Consumer {
	return Consumer{Name: name, Types: types, Together: true, Handle: func(ctx context.Context, tx pgx.Tx, events []eventstore.Event) error {
		rows := make([][]any, len(events))
		for i, e := range events {
			rows[i] = []any{e.Stream, int64(e.Version), int64(e.Position)}
		}
		_, err := tx.CopyFrom(ctx, pgx.Identifier{"seen_" + name}, []string{"stream", "version", "position"}, pgx.CopyFromRows(rows))
		return err
	}}
}

// breakable is a consumer that fails as long as it is broken, which it is at first.
func breakable(c Consumer) (_ Consumer, broken *atomic.Bool) {
	handle, broken := c.Handle, &atomic.Bool{}
	broken.Store(true)
	c.Handle = func(ctx context.Context, tx pgx.Tx, events []eventstore.Event) error {
		if broken.Load() {
			return errors.New("broken")
		}
		return handle(ctx, tx, events)
	}
	return c, broken
}

// versions are what a seen consumer noted, per stream in the order of noting.
func versions(t testing.TB, s *eventstore.Store, name string) map[string][]int64 {
	t.Helper()
	rows, err := s.Pool().Query(t.Context(), `SELECT stream, version FROM `+pgx.Identifier{"seen_" + name}.Sanitize()+` ORDER BY nth`)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]int64{}
	var stream string
	var version int64
	if _, err := pgx.ForEachRow(rows, []any{&stream, &version}, func() error {
		got[stream] = append(got[stream], version)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return got
}

// run starts a feed and returns how to stop it; the test's end does in any case.
func run(t testing.TB, s *eventstore.Store, o Options, consumers ...Consumer) (*Feed, func()) {
	t.Helper()
	f := New(s, o)
	for _, c := range consumers {
		f.Add(c)
	}
	return f, runFeed(t, f)
}

// runFeed is run for a feed that is made already.
func runFeed(t testing.TB, f *Feed) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("feed: %v", err)
		}
	})
	t.Cleanup(stop)
	select {
	case <-f.Running():
	case <-time.After(time.Minute):
		t.Fatal("the feed does not run")
	}
	return stop
}

func waitFor(t testing.TB, f *Feed, consumer string, p eventstore.Position) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := f.WaitFor(ctx, consumer, p); err != nil {
		t.Fatalf("%s did not come to %d: %v", consumer, p, err)
	}
}

func TestFeedDelivers(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	for i := range 30 { // a past to catch up with
		appendTo(t, s, fmt.Sprint("s-", i%10), happened{}, happened{})
	}
	all, some := seen(t, s, "all"), seen(t, s, "some", "test.named")
	f, _ := run(t, s, Options{Page: 7}, all, some)
	var last eventstore.Position
	for i := range 30 { // and live
		last = appendTo(t, s, fmt.Sprint("s-", i%10), happened{}, named{Person: uuid.New()})
	}
	waitFor(t, f, "all", last)
	waitFor(t, f, "some", last)

	got := versions(t, s, "all")
	if len(got) != 10 {
		t.Errorf("%d streams", len(got))
	}
	for stream, v := range got {
		if want := []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}; !slices.Equal(v, want) {
			t.Errorf("%s: %v", stream, v)
		}
	}
	for stream, v := range versions(t, s, "some") {
		if want := []int64{8, 10, 12}; !slices.Equal(v, want) {
			t.Errorf("wanted events of %s: %v", stream, v)
		}
	}
}

func TestFeedResumes(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	c := seen(t, s, "c")
	last := appendTo(t, s, "a", happened{}, happened{})
	f, stop := run(t, s, Options{}, c)
	waitFor(t, f, "c", last)
	stop()
	last = appendTo(t, s, "a", happened{})
	f, stop = run(t, s, Options{}, c)
	waitFor(t, f, "c", last)
	stop()
	if got := versions(t, s, "c"); !slices.Equal(got["a"], []int64{1, 2, 3}) {
		t.Errorf("handled %v", got)
	}
}

// TestKilledMidwayAppliesNothingTwice stops handling at every stage of a transaction, as a kill -9 would.
func TestKilledMidwayAppliesNothingTwice(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	var last eventstore.Position
	for i := range 200 {
		last = appendTo(t, s, fmt.Sprint("s-", i%20), happened{}, happened{})
	}
	c := seen(t, s, "c")
	handle := c.Handle
	var calls atomic.Int64
	c.Handle = func(ctx context.Context, tx pgx.Tx, events []eventstore.Event) error {
		n := calls.Add(1)
		if n%3 == 1 {
			tx.Conn().PgConn().Conn().Close() // before the work
		}
		err := handle(ctx, tx, events)
		if n%3 == 2 {
			// After the work, before the commit: the backend is killed.
			if _, err := s.Pool().Exec(ctx, "SELECT pg_terminate_backend($1)", tx.Conn().PgConn().PID()); err != nil {
				return err
			}
		}
		return err
	}
	f, _ := run(t, s, Options{Page: 25}, c)
	waitFor(t, f, "c", last)
	total := 0
	for stream, v := range versions(t, s, "c") {
		total += len(v)
		if !slices.IsSorted(v) || len(v) != 20 || v[19] != 20 {
			t.Errorf("%s: %v", stream, v)
		}
	}
	if total != 400 {
		t.Errorf("%d rows for 400 events", total)
	}
	if letters, err := ControlOf(s).DeadLetters(t.Context(), ""); err != nil || len(letters) != 0 {
		t.Errorf("a lost connection is no dead letter: %v, %v", letters, err)
	}
}

func TestTwoProcessesShareTheWork(t *testing.T) {
	t.Parallel()
	a := openStore(t)
	b := eventstore.Open(a.Pool(), codec{}, eventstore.Options{Logger: quiet})
	t.Cleanup(b.Close)
	c := seen(t, a, "c")
	fa, _ := run(t, a, Options{Page: 10}, c)
	fb, _ := run(t, b, Options{Page: 10}, c)
	var last eventstore.Position
	for i := range 300 {
		last = appendTo(t, a, fmt.Sprint("s-", i%30), happened{})
	}
	waitFor(t, fa, "c", last)
	waitFor(t, fb, "c", last)
	for stream, v := range versions(t, a, "c") {
		if !slices.Equal(v, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}) {
			t.Errorf("%s: %v", stream, v)
		}
	}
}

func TestAFailingEventParksItsStream(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	c := seen(t, s, "c")
	handle := c.Handle
	var broken atomic.Bool
	broken.Store(true)
	c.Handle = func(ctx context.Context, tx pgx.Tx, events []eventstore.Event) error {
		if err := handle(ctx, tx, events); err != nil {
			return err
		}
		for _, e := range events {
			switch d := e.Data.(type) {
			case happened:
				if broken.Load() && d.Note == "bad" {
					return errors.New("a bad one")
				}
				if broken.Load() && d.Note == "panic" {
					panic("a worse one")
				}
				if broken.Load() && d.Note == "sql" {
					if _, err := tx.Exec(ctx, "SELECT 1/0"); err != nil {
						return err
					}
				}
			}
		}
		return nil
	}
	for i := range 40 {
		appendTo(t, s, fmt.Sprint("good-", i), happened{}, happened{})
	}
	bad := appendTo(t, s, "bad", happened{}, happened{Note: "bad"})
	appendTo(t, s, "bad", happened{})
	appendTo(t, s, "panic", happened{Note: "panic"})
	appendTo(t, s, "sql", happened{Note: "sql"})
	oddity := appendTo(t, s, "odd", odd{})
	last := appendTo(t, s, "good-1", happened{})

	f, stop := run(t, s, Options{}, c)
	waitFor(t, f, "c", last)
	last = appendTo(t, s, "bad", happened{}) // live, behind the parked ones
	waitFor(t, f, "c", last)

	got := versions(t, s, "c")
	if len(got) != 41 || !slices.Equal(got["bad"], []int64{1}) || !slices.Equal(got["good-1"], []int64{1, 2, 3}) {
		t.Errorf("handled %v", got)
	}
	letters, err := ControlOf(s).DeadLetters(ctx, "c")
	if err != nil {
		t.Fatal(err)
	}
	parked := map[string][]eventstore.Version{}
	for _, l := range letters {
		parked[l.Stream] = append(parked[l.Stream], l.Version)
		if first := l.Stream != "bad" || l.Version == 2; first != (l.Error != "") {
			t.Errorf("%s %d: error %q", l.Stream, l.Version, l.Error)
		}
	}
	want := map[string][]eventstore.Version{"bad": {2, 3, 4}, "panic": {1}, "sql": {1}, "odd": {1}}
	if !maps.EqualFunc(parked, want, slices.Equal) {
		t.Fatalf("parked %v, want %v", parked, want)
	}

	// A retry that fails keeps the order and counts.
	attempts := func(p eventstore.Position) int {
		letters, err := ControlOf(s).DeadLetters(ctx, "c")
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range letters {
			if l.Position == p && !l.Retry {
				return l.Attempts
			}
		}
		return 0
	}
	if n, err := ControlOf(s).Retry(ctx, "c", "bad"); err != nil || n != 3 {
		t.Fatalf("%d to retry, %v", n, err)
	}
	eventually(t, "tried again", func() bool { return attempts(bad) == 2 })

	// Mended, also over a restart, all streams go on where they stood.
	stop()
	broken.Store(false)
	if _, err := ControlOf(s).Retry(ctx, "c"); err != nil {
		t.Fatal(err)
	}
	f, _ = run(t, s, Options{}, c)
	eventually(t, "only the odd one left", func() bool {
		letters, err := ControlOf(s).DeadLetters(ctx, "c")
		return err == nil && len(letters) == 1 && letters[0].Position == oddity
	})
	last = appendTo(t, s, "bad", happened{})
	waitFor(t, f, "c", last)
	got = versions(t, s, "c")
	if !slices.Equal(got["bad"], []int64{1, 2, 3, 4, 5}) || !slices.Equal(got["panic"], []int64{1}) || !slices.Equal(got["sql"], []int64{1}) {
		t.Errorf("after the retry: bad %v, panic %v, sql %v", got["bad"], got["panic"], got["sql"])
	}

	// The odd one never will; it is skipped, and its stream goes on.
	waitFor(t, f, "c", appendTo(t, s, "odd", happened{}))
	if err := ControlOf(s).Skip(ctx, "c", oddity, "written by mistake"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "nothing parked", func() bool {
		letters, err := ControlOf(s).DeadLetters(ctx, "")
		return err == nil && len(letters) == 0
	})
	waitFor(t, f, "c", appendTo(t, s, "odd", happened{}))
	if got := versions(t, s, "c")["odd"]; !slices.Equal(got, []int64{2, 3}) {
		t.Errorf("odd: %v", got)
	}
	var none *NoDeadLetter
	if err := ControlOf(s).Skip(ctx, "c", oddity, "again"); !errors.As(err, &none) {
		t.Errorf("skipping again: %v", err)
	}
	var reason string
	if err := s.Pool().QueryRow(ctx, `SELECT reason FROM eventstore.dead_letters`).Scan(&reason); err != nil || reason != "written by mistake" {
		t.Errorf("the reason is %q, %v", reason, err)
	}
}

func TestTransientFailuresAreTriedAgain(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	c := seen(t, s, "c")
	handle := c.Handle
	failures := []error{
		&pgconn.PgError{Code: "42P01"}, &pgconn.PgError{Code: "40001"}, &pgconn.PgError{Code: "40P01"}, &pgconn.PgError{Code: "57P01"}, context.DeadlineExceeded,
		&eventstore.VersionConflict{Stream: "hot", Expected: 1, Actual: 2},
	}
	var calls atomic.Int64
	c.Handle = func(ctx context.Context, tx pgx.Tx, events []eventstore.Event) error {
		if n := int(calls.Add(1)); n <= len(failures) {
			return fmt.Errorf("wrapped: %w", failures[n-1])
		}
		return handle(ctx, tx, events)
	}
	f, _ := run(t, s, Options{}, c)
	waitFor(t, f, "c", appendTo(t, s, "x", happened{}))
	letters, err := ControlOf(s).DeadLetters(t.Context(), "c")
	if err != nil || len(letters) != 0 || len(versions(t, s, "c")["x"]) != 1 || calls.Load() != 7 {
		t.Errorf("%d calls, letters %v, %v", calls.Load(), letters, err)
	}
}

func TestErasureReachesTheRecentEvents(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	person := uuid.New()
	f, _ := run(t, s, Options{}, seen(t, s, "c"))
	waitFor(t, f, "c", appendTo(t, s, "p", named{Person: person, Name: "Anna"}))
	if err := s.ErasePerson(ctx, person); err != nil {
		t.Fatal(err)
	}
	eventually(t, "forgotten", func() bool {
		for r := range eventstore.Ranges {
			if f.recent.holds(r) > 0 {
				return false
			}
		}
		return true
	})
}

func (r *recent) holds(rng int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.events[rng])
}

func TestFeedStopsAtOnce(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	f := New(s, Options{})
	f.Add(seen(t, s, "c"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Run(ctx); err != nil {
		t.Error(err)
	}
}

// TestManyParkedEventsGoOnTogether parks more than one transaction retries, some of them after the request.
func TestManyParkedEventsGoOnTogether(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	c, broken := breakable(seen(t, s, "c"))
	mustAppend(t, s, eventstore.Append{Writes: []eventstore.Write{{Stream: "x", Events: some(retryAtOnce + 10)}}})
	f, stop := run(t, s, Options{}, c)
	waitFor(t, f, "c", retryAtOnce+10)
	stop()
	if n, err := ControlOf(s).Retry(ctx, "c"); err != nil || n != retryAtOnce+10 {
		t.Fatalf("%d to retry, %v", n, err)
	}
	if _, err := s.Pool().Exec(ctx, `UPDATE eventstore.dead_letters SET retry = false WHERE position > $1`, retryAtOnce); err != nil {
		t.Fatal(err)
	}
	broken.Store(false)
	run(t, s, Options{}, c)
	eventually(t, "nothing parked", func() bool {
		letters, err := ControlOf(s).DeadLetters(ctx, "c")
		return err == nil && len(letters) == 0
	})
	if got := versions(t, s, "c")["x"]; len(got) != retryAtOnce+10 || !slices.IsSorted(got) {
		t.Errorf("%d handled", len(got))
	}
}

func TestRate(t *testing.T) {
	t.Parallel()
	var r rate
	start := time.Unix(1_000_000, 0)
	for i := range 20 {
		r.add(50, start.Add(time.Duration(i)*time.Second))
	}
	if got := r.add(0, start.Add(19*time.Second)); got != 50 {
		t.Errorf("50 a second: %v", got)
	}
	if got := r.add(0, start.Add(24*time.Second)); got != 25 {
		t.Errorf("after 5 s of nothing: %v", got)
	}
	if got := r.add(0, start.Add(time.Hour)); got != 0 {
		t.Errorf("long after: %v", got)
	}
}

// However many consumers hang, and with them every transaction that consumers share, the others go on.
func TestConsumersThatHangLeaveTheOthersAlone(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	release := make(chan struct{})
	hang := Consumer{Handle: func(ctx context.Context, _ pgx.Tx, _ []eventstore.Event) error {
		select {
		case <-release:
		case <-ctx.Done():
		}
		return nil
	}}
	consumers := []Consumer{seen(t, s, "well")}
	for i := range 3 { // each with four ranges
		hang.Name = fmt.Sprint("hangs-", i)
		consumers = append(consumers, hang)
	}
	f, stop := run(t, s, Options{Concurrency: 2, Drain: time.Minute}, consumers...)
	for round := range 3 {
		var last eventstore.Position
		for i := range 40 {
			last = appendTo(t, s, fmt.Sprint("s-", i), happened{})
		}
		waitFor(t, f, "well", last)
		if got := f.Position("hangs-0"); got >= last {
			t.Fatalf("round %d: it does not hang: %d", round, got)
		}
	}
	close(release)
	stop()
}
