package rebuild

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/domain/stock"
	"shop/eventstore"
	"shop/eventstore/registry"
	"shop/migrations/pgtest"
	"shop/projections"
)

// blocked is pair whose fold of this build waits until it is let through; the live one is not slowed.
func blocked(p projections.Projection) (held projections.Projection, arrived chan struct{}, letThrough chan struct{}) {
	arrived, letThrough = make(chan struct{}, 1000), make(chan struct{})
	table := p.Tables[0].(projections.Table[half])
	whole := table.Fold
	table.Fold = func(key string, h *half, e eventstore.Event) bool {
		select {
		case arrived <- struct{}{}:
		default:
		}
		<-letThrough
		return whole(key, h, e)
	}
	p.Tables = []projections.AnyTable{table, p.Tables[1]}
	return p, arrived, letThrough
}

func TestStartRefuses(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t)
	store := eventstore.Open(db, registry.New(), eventstore.Options{})
	t.Cleanup(store.Close)
	p := pair(1)
	builder := &Builder{DB: db, Store: store, Projections: []projections.Projection{p}}
	if _, err := builder.Start(t.Context(), p.Name, BuildOptions{}); !errors.Is(err, ErrNeverRan) {
		t.Errorf("a projection that never ran: %v", err)
	}
	prepare(t, db, p)
	first, err := builder.Start(t.Context(), p.Name, BuildOptions{Actor: "staff:cli"})
	if err != nil || first.State != Waiting || first.Actor != "staff:cli" || first.Schema != "pair_next" {
		t.Fatalf("%+v, %v", first, err)
	}
	var unfinished *Unfinished
	if _, err := builder.Start(t.Context(), p.Name, BuildOptions{}); !errors.As(err, &unfinished) || unfinished.Build.ID != first.ID || !strings.Contains(err.Error(), "not finished") {
		t.Errorf("a second rebuild: %v", err)
	}
	if _, err := builder.Start(t.Context(), p.Name, BuildOptions{Kind: Verify}); err != nil {
		t.Errorf("a comparison beside a rebuild: %v", err)
	}
	if _, err := builder.Start(t.Context(), "nothing", BuildOptions{}); err == nil {
		t.Error("an unknown projection")
	}
	for _, o := range []BuildOptions{
		{Kind: "other"}, {Position: 1}, {Kind: Verify, Schema: "x"}, {Kind: AsOf, Position: 99}, {Kind: AsOf, Time: noon},
		{Kind: AsOf, Schema: "pair"}, {Kind: AsOf, Schema: "pair_old"}, {Kind: AsOf, Schema: "eventstore"}, {Kind: AsOf, Schema: `x"; drop`}, {Kind: AsOf, Schema: "pg_x"},
	} {
		if b, err := builder.Start(t.Context(), p.Name, o); err == nil {
			t.Errorf("%+v was taken: %+v", o, b)
		}
	}
	if err := builder.Swap(t.Context(), first.ID); err == nil || !strings.Contains(err.Error(), "waiting") {
		t.Errorf("a swap of a build that is not ready: %v", err)
	}
	if err := builder.Cancel(t.Context(), first.ID); err != nil {
		t.Error(err)
	}
	var refused *Refused
	if err := builder.Cancel(t.Context(), first.ID); !errors.As(err, &refused) || refused.Build.State != Cancelled {
		t.Errorf("cancelled twice: %v", err)
	}
	if err := builder.Pause(t.Context(), 4711); !errors.Is(err, ErrNoBuild) {
		t.Errorf("no such build: %v", err)
	}
}

func TestABuildWaitsForItsSwap(t *testing.T) {
	t.Parallel()
	p := pair(1)
	r := follow(t, p)
	builder := r.builder(p)
	r.wait(t, p.Name, r.receive(t, 1, 5))
	damage := func() {
		if _, err := r.db.Exec(t.Context(), "UPDATE pair.one SET on_hand = 987654321, version = 7"); err != nil {
			t.Fatal(err)
		}
	}
	damage()
	// Differences hold an automatic swap, equality does not.
	b, err := r.run(t, p, BuildOptions{AutoSwap: true})
	if err != nil || b.State != Ready || b.Report.Equal() || b.Report.Changed != 1 || b.Report.Compared != 2 {
		t.Fatalf("%+v, %v", b, err)
	}
	got := b.Report.Sample[0]
	if got.Table != "one" || got.Key != product(1).String() || got.Kind != "changed" || len(got.Columns) != 2 ||
		got.Columns[0] != (ColumnDifference{Column: "on_hand", Live: projections.Masked, Fresh: projections.Masked, Personal: true}) ||
		got.Columns[1] != (ColumnDifference{Column: "version", Live: "7", Fresh: "1"}) {
		t.Errorf("%+v", got)
	}
	expect(t, pgtest.All[bool](t, r.db, "SELECT report::text LIKE '%987654321%' FROM projections.builds"), false)
	// Events go on meanwhile; the swap takes them along.
	r.wait(t, p.Name, r.receive(t, 2, 6))
	if err := builder.Swap(t.Context(), b.ID); err != nil {
		t.Fatal(err)
	}
	working, stop := context.WithCancel(t.Context())
	defer stop()
	go builder.Work(working)
	eventually(t, "done", func() bool { b, err = builder.Find(t.Context(), b.ID); return err == nil && b.State == Done })
	stop()
	expect(t, pgtest.All[int64](t, r.db, "SELECT on_hand FROM pair.one ORDER BY 1"), 5, 6)

	if b, err = r.run(t, p, BuildOptions{AutoSwap: true}); err != nil || b.State != Done {
		t.Errorf("equal: %+v, %v", b, err)
	}
	if b, err = r.run(t, p, BuildOptions{}); err != nil || b.State != Ready || !b.Report.Equal() {
		t.Errorf("without an automatic swap: %+v, %v", b, err)
	}
	if err := builder.Cancel(t.Context(), b.ID); err != nil {
		t.Fatal(err)
	}
	expect(t, pgtest.All[string](t, r.db, "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'pair%' ORDER BY 1"), "pair", "pair_old")
	listed, err := builder.Builds(t.Context(), Filter{Projection: p.Name, Limit: 2})
	if err != nil || len(listed) != 2 || listed[0].ID != b.ID || listed[0].State != Cancelled {
		t.Errorf("%+v, %v", listed, err)
	}
	if listed, err = builder.Builds(t.Context(), Filter{Unfinished: true}); err != nil || len(listed) != 0 {
		t.Errorf("%+v, %v", listed, err)
	}
}

func TestPauseResumeAndCancelFromElsewhere(t *testing.T) {
	t.Parallel()
	p := pair(1)
	r := follow(t, p)
	for n := range 20 {
		r.wait(t, p.Name, r.receive(t, n, 1))
	}
	held, arrived, letThrough := blocked(p)
	worker, operator := r.builder(held), r.builder(p)
	b, err := operator.Start(t.Context(), p.Name, BuildOptions{AutoSwap: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan struct{})
	go func() { defer close(ended); worker.Work(ctx) }()
	<-arrived
	if err := operator.Pause(t.Context(), b.ID); err != nil {
		t.Fatal(err)
	}
	now, err := operator.Find(t.Context(), b.ID)
	if err != nil || now.State != Paused || now.Holder == "" {
		t.Errorf("%+v, %v", now, err)
	}
	eventually(t, "the holder says again that it is there", func() bool {
		later, err := operator.Find(t.Context(), b.ID)
		return err == nil && later.UpdatedAt.After(now.UpdatedAt.Add(time.Second))
	})
	close(letThrough)
	eventually(t, "its last batch is saved", func() bool {
		return pgtest.All[int64](t, r.db, "SELECT sum(events)::bigint FROM projections.build_ranges")[0] > 0
	})
	if now, err = operator.Find(t.Context(), b.ID); err != nil || now.State != Paused || now.Progress == 1 {
		t.Errorf("%+v, %v", now, err)
	}
	if err := operator.Resume(t.Context(), b.ID); err != nil {
		t.Fatal(err)
	}
	if now, err = operator.Run(t.Context(), b.ID, nil); err != nil || now.State != Done {
		t.Errorf("%+v, %v", now, err)
	}

	if b, err = operator.Start(t.Context(), p.Name, BuildOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "ready", func() bool { now, err = operator.Find(t.Context(), b.ID); return err == nil && now.State == Ready })
	stop()
	<-ended
	if err := operator.Cancel(t.Context(), b.ID); err != nil {
		t.Fatal(err)
	}

	// Cancelled at work: the holder stops and removes the tables.
	held, arrived, letThrough = blocked(p)
	if b, err = operator.Start(t.Context(), p.Name, BuildOptions{}); err != nil {
		t.Fatal(err)
	}
	result := make(chan error, 1)
	go func() { _, err := r.builder(held).Run(context.WithoutCancel(t.Context()), b.ID, nil); result <- err }()
	<-arrived
	if err := operator.Cancel(t.Context(), b.ID); err != nil {
		t.Fatal(err)
	}
	close(letThrough)
	if err := <-result; err == nil || !strings.Contains(err.Error(), "was cancelled") {
		t.Errorf("run of a cancelled build: %v", err)
	}
	expect(t, pgtest.All[string](t, r.db, "SELECT nspname FROM pg_namespace WHERE nspname = 'pair_next'"))
	r.equal(t, p)
}

// A process that is gone without a word loses its build to another, which goes on where it was; a process that only
// seemed to be gone can write nothing any more.
func TestAnotherProcessTakesAnAbandonedBuildOver(t *testing.T) {
	t.Parallel()
	p := pair(1)
	r := follow(t, p)
	const products = 50
	for n := range products {
		r.wait(t, p.Name, r.receive(t, n, 1))
	}
	builder := r.builder(p)
	b, err := builder.Start(t.Context(), p.Name, BuildOptions{AutoSwap: true})
	if err != nil {
		t.Fatal(err)
	}
	gone, err := builder.claim(t.Context(), 0)
	if err != nil || gone == nil {
		t.Fatalf("claim: %v, %v", gone, err)
	}
	if again, err := r.builder(p).claim(t.Context(), b.ID); again != nil || err != nil {
		t.Fatalf("claimed twice: %v, %v", again, err)
	}
	if err := gone.makeTables(t.Context()); err != nil {
		t.Fatal(err)
	}
	head, err := r.store.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	gone.task.skipped = map[eventstore.Position]bool{}
	const done = eventstore.Ranges / 2
	for n := range done {
		if err := builder.foldBatch(t.Context(), r.db, &gone.task, n, head); err != nil {
			t.Fatal(err)
		}
	}
	saved := pgtest.All[int64](t, r.db, "SELECT sum(events)::bigint FROM projections.build_ranges")[0]

	var folded atomic.Int64
	counted := p
	table := p.Tables[0].(projections.Table[half])
	table.Fold = func(key string, h *half, e eventstore.Event) bool {
		folded.Add(1)
		return p.Tables[0].(projections.Table[half]).Fold(key, h, e)
	}
	counted.Tables = []projections.AnyTable{table, p.Tables[1]}
	other := r.builder(counted)
	other.Holder = "other"
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	now, err := other.Run(ctx, b.ID, nil)
	if err != nil || now.State != Done || now.Events != products || !now.Report.Equal() {
		t.Fatalf("%+v, %v", now, err)
	}
	if folded.Load() != products-saved {
		t.Errorf("%d events were folded after the takeover, want the %d that were left", folded.Load(), products-saved)
	}
	gone.task.reached[done] = 0
	gone.task.schema = "pair"
	if err := builder.foldBatch(t.Context(), r.db, &gone.task, done, head); !errors.Is(err, errLeaseLost) {
		t.Errorf("the former holder wrote: %v", err)
	}
	if err := gone.update(t.Context(), r.db, "state = 'ready'"); !errors.Is(err, errLeaseLost) {
		t.Errorf("the former holder recorded: %v", err)
	}
}

// The lease is renewed while indexes are made: those of a large shop take longer than it lasts.
func TestIndexesMayTakeLongerThanALease(t *testing.T) {
	t.Parallel()
	p := pair(1)
	r := follow(t, p)
	r.wait(t, p.Name, r.receive(t, 1, 1))
	table := p.Tables[0].(projections.Table[half])
	table.Indexes += "; SELECT pg_sleep(1.5)"
	p.Tables = []projections.AnyTable{table, p.Tables[1]}
	builder := r.builder(p)
	builder.Lease = 400 * time.Millisecond
	b, err := builder.Start(t.Context(), p.Name, BuildOptions{AutoSwap: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if b, err = builder.Run(ctx, b.ID, nil); err != nil || b.State != Done {
		t.Fatalf("%+v, %v", b, err)
	}
	expect(t, pgtest.All[int64](t, r.db, "SELECT term FROM projections.builds"), 1)
}

// The lease is renewed while somebody still reads what a build left that began before.
func TestReadersMayHoldABuildUpForLongerThanALease(t *testing.T) {
	t.Parallel()
	p := pair(1)
	r := follow(t, p)
	r.wait(t, p.Name, r.receive(t, 1, 1))
	if _, err := r.db.Exec(t.Context(), "CREATE SCHEMA pair_next; CREATE TABLE pair_next.one (n int)"); err != nil {
		t.Fatal(err)
	}
	reading, err := r.db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reading.Exec(t.Context(), "SELECT FROM pair_next.one"); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(1500*time.Millisecond, func() { _ = reading.Rollback(context.WithoutCancel(t.Context())) })
	builder := r.builder(p)
	builder.Lease = 400 * time.Millisecond
	b, err := builder.Start(t.Context(), p.Name, BuildOptions{AutoSwap: true})
	if err != nil {
		t.Fatal(err)
	}
	if b, err = builder.Run(t.Context(), b.ID, nil); err != nil || b.State != Done {
		t.Fatalf("%+v, %v", b, err)
	}
	expect(t, pgtest.All[int64](t, r.db, "SELECT term FROM projections.builds"), 1)
}

// A process that died while it made indexes leaves some behind.
func TestIndexesThatAreLeftAreMadeAgain(t *testing.T) {
	t.Parallel()
	p := pair(1)
	table := p.Tables[0].(projections.Table[half])
	table.Indexes = "-- The first; the second.\nCREATE INDEX one_by_sum ON one (on_hand); CREATE INDEX one_by_version ON one (version);\nALTER INDEX one_by_version SET (fillfactor = 50)"
	p.Tables = []projections.AnyTable{table, p.Tables[1]}
	r := follow(t, p)
	r.wait(t, p.Name, r.receive(t, 1, 1))
	const definitions = "SELECT indexdef FROM pg_indexes WHERE schemaname = 'pair' ORDER BY 1"
	before := pgtest.All[string](t, r.db, definitions)
	builder := r.builder(p)
	b, err := builder.Start(t.Context(), p.Name, BuildOptions{AutoSwap: true})
	if err != nil {
		t.Fatal(err)
	}
	gone, err := builder.claim(t.Context(), b.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := gone.makeTables(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := r.db.Exec(t.Context(), "CREATE INDEX one_by_sum ON pair_next.one (version)"); err != nil {
		t.Fatal(err)
	}
	gone.release(t.Context())
	if b, err = builder.Run(t.Context(), b.ID, nil); err != nil || b.State != Done {
		t.Fatalf("%+v, %v", b, err)
	}
	expect(t, pgtest.All[string](t, r.db, definitions), before...)
	if err := builder.finishTables(t.Context(), p, "pair", gone.stillMine); !errors.Is(err, errLeaseLost) {
		t.Errorf("the former holder made indexes: %v", err)
	}
}

func TestRunLeavesTheBuildToOthersWhenItIsInterrupted(t *testing.T) {
	t.Parallel()
	p := pair(1)
	r := follow(t, p)
	r.wait(t, p.Name, r.receive(t, 1, 1))
	held, arrived, letThrough := blocked(p)
	builder := r.builder(held)
	b, err := builder.Start(t.Context(), p.Name, BuildOptions{AutoSwap: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		<-arrived
		interrupt()
		close(letThrough)
	}()
	if _, err := builder.Run(ctx, b.ID, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if b, err = builder.Find(t.Context(), b.ID); err != nil || b.State != Waiting || b.Holder != "" {
		t.Errorf("%+v, %v", b, err)
	}
	if b, err = r.builder(p).Run(t.Context(), b.ID, nil); err != nil || b.State != Done {
		t.Errorf("%+v, %v", b, err)
	}
}

func TestVerifyFindsWhatDiffers(t *testing.T) {
	t.Parallel()
	p := pair(1)
	r := follow(t, p)
	for n := range 5 {
		r.wait(t, p.Name, r.receive(t, n, 1))
	}
	r.equal(t, p)
	for _, sql := range []string{
		"UPDATE pair.one SET version = 9 WHERE product_id = '" + product(0).String() + "'",
		"DELETE FROM pair.two WHERE product_id = '" + product(1).String() + "'",
		"INSERT INTO pair.two VALUES ('" + product(99).String() + "', 1, 1)",
	} {
		if _, err := r.db.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	b, err := r.run(t, p, BuildOptions{Kind: Verify})
	if err != nil || b.State != Done || b.Report.Equal() {
		t.Fatalf("%+v, %v", b, err)
	}
	found := map[string]bool{}
	for _, d := range b.Report.Sample {
		found[d.Table+" "+d.Kind+" "+d.Key] = true
	}
	for _, want := range []string{"one changed " + product(0).String(), "two missing " + product(1).String(), "two extra " + product(99).String()} {
		if !found[want] {
			t.Errorf("not found: %s, but %v", want, found)
		}
	}
	if b.Report.Compared != 11 || b.Report.Missing != 1 || b.Report.Extra != 1 || b.Report.Changed != 1 || b.Report.Position == 0 {
		t.Errorf("%+v", b.Report)
	}
	expect(t, pgtest.All[string](t, r.db, "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'pair%'"), "pair")
	expect(t, pgtest.All[int](t, r.db, "SELECT version FROM pair.one WHERE version = 9"), 9)
}

// The live model is compared as it was at one position although it goes on all the time.
func TestVerifyWhileEventsCome(t *testing.T) {
	t.Parallel()
	p := pair(1)
	r := follow(t, p)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for n := 0; ctx.Err() == nil; n++ {
			r.receive(t, n%30, int64(n))
		}
	}()
	eventually(t, "some events", func() bool { return pgtest.All[int64](t, r.db, "SELECT count(*) FROM pair.one")[0] == 30 })
	for range 5 {
		r.equal(t, p)
	}
	stop()
	<-ended
}

func TestAsOf(t *testing.T) {
	t.Parallel()
	p := pair(1)
	db := pgtest.Open(t)
	clock := noon
	store := eventstore.Open(db, registry.New(), eventstore.Options{Clock: func() time.Time { return clock }})
	t.Cleanup(store.Close)
	r := running{db: db, store: store}
	builder := r.builder(p)
	// The clock of the third goes wrong: the log up to the last event recorded by then has it too.
	var positions []eventstore.Position
	for n, at := range []time.Duration{0, time.Hour, 5 * time.Hour, 2 * time.Hour, 3 * time.Hour} {
		clock = noon.Add(at)
		positions = append(positions, r.receive(t, n, int64(n)))
	}
	for _, test := range []struct {
		options BuildOptions
		schema  string
		rows    int64
	}{
		{BuildOptions{Position: positions[1]}, fmt.Sprintf("pair_at_%d", positions[1]), 2},
		{BuildOptions{Time: noon.Add(90 * time.Minute), Schema: "evening"}, "evening", 2},
		{BuildOptions{Time: noon.Add(2 * time.Hour), Schema: "night"}, "night", 4},
		{BuildOptions{Schema: "present"}, "present", 5},
	} {
		test.options.Kind = AsOf
		b, err := r.run(t, p, test.options)
		if err != nil || b.State != Done || b.Schema != test.schema || !b.AsOf.Equal(test.options.Time) {
			t.Fatalf("%+v, %v", b, err)
		}
		expect(t, pgtest.All[int64](t, db, "SELECT count(*) FROM "+test.schema+".one"), test.rows)
		expect(t, pgtest.All[bool](t, db, "SELECT count(*) > 1 FROM pg_indexes WHERE schemaname = '"+test.schema+"' AND tablename = 'one'"), true)
	}
	models, err := builder.Models(t.Context())
	if err != nil || len(models) != 4 || models[0].Schema != "evening" || models[0].Role != "as-of" || models[0].Position != positions[1] || !models[0].AsOf.Equal(noon.Add(90*time.Minute)) {
		t.Errorf("%+v, %v", models, err)
	}
	if err := builder.Drop(t.Context(), "evening"); err != nil {
		t.Error(err)
	}
	if err := builder.Drop(t.Context(), "evening"); !errors.Is(err, ErrNoModel) {
		t.Errorf("dropped twice: %v", err)
	}
	prepare(t, db, p)
	if err := builder.Drop(t.Context(), "pair"); !errors.Is(err, ErrNoModel) {
		t.Errorf("the live one was dropped: %v", err)
	}
	expect(t, pgtest.All[string](t, db, "SELECT nspname FROM pg_namespace WHERE nspname IN ('evening', 'night', 'pair') ORDER BY 1"), "night", "pair")
}

func TestABuildThatCannotFoldFailsAndLeavesNothing(t *testing.T) {
	t.Parallel()
	p := pair(1)
	r := follow(t, p)
	r.wait(t, p.Name, r.receive(t, 1, 1))
	broken := p
	table := p.Tables[0].(projections.Table[half])
	table.Fold = func(string, *half, eventstore.Event) bool { panic("broken") }
	broken.Tables = []projections.AnyTable{table, p.Tables[1]}
	b, err := r.run(t, broken, BuildOptions{AutoSwap: true})
	if err == nil || b.State != Failed || !strings.Contains(b.Error, "broken") || strings.Contains(b.Error, "goroutine") || b.FinishedAt.IsZero() {
		t.Errorf("%+v, %v", b, err)
	}
	expect(t, pgtest.All[string](t, r.db, "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'pair%'"), "pair")
}

// While a statement has found one of the tables and may look for the other, they are not exchanged.
func TestASwapWaitsForStatementsThatRead(t *testing.T) {
	t.Parallel()
	p := pair(1)
	r := follow(t, p)
	r.wait(t, p.Name, r.receive(t, 1, 1))
	tx, err := r.db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(context.WithoutCancel(t.Context()))
	if _, err := tx.Exec(t.Context(), "LOCK TABLE pair.two IN ACCESS SHARE MODE"); err != nil {
		t.Fatal(err)
	}
	builder := r.builder(p)
	builder.readerPatience = time.Hour
	b, err := builder.Start(t.Context(), p.Name, BuildOptions{AutoSwap: true})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { _, err := builder.Run(context.WithoutCancel(t.Context()), b.ID, nil); ended <- err }()
	eventually(t, "the swap waits for the lock", func() bool {
		return pgtest.All[bool](t, r.db, "SELECT EXISTS (SELECT FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND NOT granted)")[0]
	})
	// It gives way in between, so that others can read.
	for range 20 {
		expect(t, pgtest.All[int64](t, r.db, "SELECT count(*) FROM pair.one JOIN pair.two USING (product_id)"), 1)
	}
	expect(t, pgtest.All[string](t, r.db, "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'pair%' ORDER BY 1"), "pair", "pair_next")
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	expect(t, pgtest.All[string](t, r.db, "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'pair%' ORDER BY 1"), "pair", "pair_old")
}

// A backup that has all tables open does not keep a read model from being replaced, nor from coming back.
func TestASwapGoesPastALongReader(t *testing.T) {
	t.Parallel()
	p := pair(1)
	r := follow(t, p)
	r.wait(t, p.Name, r.receive(t, 1, 1))
	tx, err := r.db.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(context.WithoutCancel(t.Context()))
	if _, err := tx.Exec(t.Context(), "LOCK TABLE pair.one, pair.two IN ACCESS SHARE MODE"); err != nil {
		t.Fatal(err)
	}
	builder := r.builder(p)
	builder.readerPatience = 100 * time.Millisecond
	b, err := builder.Start(t.Context(), p.Name, BuildOptions{AutoSwap: true})
	if err != nil {
		t.Fatal(err)
	}
	if b, err = builder.Run(t.Context(), b.ID, nil); err != nil || b.State != Done {
		t.Fatalf("%+v, %v", b, err)
	}
	if _, err := r.builder(p).Rollback(t.Context(), p.Name); err != nil {
		t.Fatal(err)
	}
	r.wait(t, p.Name, r.receive(t, 2, stock.Received{}.OnHand))
	expect(t, pgtest.All[int64](t, r.db, "SELECT count(*) FROM pair.one"), 2)
}
