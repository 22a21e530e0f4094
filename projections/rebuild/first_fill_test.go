package rebuild

import (
	"context"
	"testing"

	"shop/eventstore"
	"shop/eventstore/registry"
	"shop/migrations/pgtest"
	"shop/projections"
)

// unbegun is a log with some events, and a builder that makes read models of it in bulk.
func unbegun(t *testing.T, ps ...projections.Projection) (running, *Builder) {
	t.Helper()
	db := pgtest.Open(t)
	store := eventstore.Open(db, registry.New(), eventstore.Options{})
	t.Cleanup(store.Close)
	r := running{db: db, store: store}
	for n := range 30 {
		r.receive(t, n%3, int64(n))
	}
	builder := r.builder(ps...)
	builder.longLog = 10
	return r, builder
}

func deploy(t *testing.T, builder *Builder, ps ...projections.Projection) {
	t.Helper()
	if _, err := builder.Deploy(t.Context(), ps...); err != nil {
		t.Fatal(err)
	}
}

const (
	positions   = "SELECT DISTINCT position FROM eventstore.checkpoints WHERE consumer = 'pair'"
	firstIsLeft = "SELECT count(*) FROM pg_namespace WHERE nspname LIKE '%\\_first'"
)

// TestNewReadModelsAreFilledInOnePass: what a long log makes of new read models is there when Deploy returns, with indexes, and their
// consumers go on where it ends.
func TestNewReadModelsAreFilledInOnePass(t *testing.T) {
	t.Parallel()
	one, other := pair(1), projections.Stock()
	r, builder := unbegun(t, one, other)
	if _, err := r.db.Exec(t.Context(), "CREATE SCHEMA pair_first"); err != nil { // of a process that died
		t.Fatal(err)
	}
	deploy(t, builder, one, other)
	head, err := r.store.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	expect(t, pgtest.All[int64](t, r.db, "SELECT DISTINCT position FROM eventstore.checkpoints"), int64(head))
	expect(t, pgtest.All[int64](t, r.db, firstIsLeft), 0)
	expect(t, pgtest.All[int64](t, r.db, "SELECT count(*) FROM pg_indexes WHERE schemaname = 'pair' AND indexname LIKE '%on_hand%'"), 2)
	r.feed = r.start(t, one, other)
	last := r.receive(t, 7, 77)
	for _, p := range []projections.Projection{one, other} {
		r.wait(t, p.Name, last)
		b, err := r.run(t, p, BuildOptions{Kind: Verify})
		if err != nil || !b.Report.Equal() || b.Report.Compared == 0 {
			t.Errorf("%s: %+v, %v", p.Name, b.Report, err)
		}
	}
	deploy(t, builder, one, other) // it has begun: nothing is made again
	expect(t, pgtest.All[int64](t, r.db, "SELECT count(*) FROM pair.one"), 4)
}

// TestAReadModelThatHasBegunStays: a process that folds as events come may begin while another fills in bulk.
func TestAReadModelThatHasBegunStays(t *testing.T) {
	t.Parallel()
	p, arrived, letThrough := blocked(pair(1))
	r, builder := unbegun(t, p)
	prepare(t, r.db, p)
	ended := make(chan error, 1)
	go func() {
		_, err := builder.Deploy(context.WithoutCancel(t.Context()), p)
		ended <- err
	}()
	<-arrived
	if _, err := r.db.Exec(t.Context(), "UPDATE eventstore.checkpoints SET position = 5 WHERE range = 0"); err != nil {
		t.Fatal(err)
	}
	close(letThrough)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	expect(t, pgtest.All[int64](t, r.db, positions+" ORDER BY 1"), 0, 5)
	expect(t, pgtest.All[int64](t, r.db, "SELECT count(*) FROM pair.one"), 0)
	expect(t, pgtest.All[int64](t, r.db, firstIsLeft), 0)
}

// TestWhatCannotBeFoldedInOnePassIsFoldedAsItComes: an event that no fold takes keeps no shop from opening; the feed parks it.
func TestWhatCannotBeFoldedInOnePassIsFoldedAsItComes(t *testing.T) {
	t.Parallel()
	p := pair(1)
	table := p.Tables[0].(projections.Table[half])
	table.Fold = func(string, *half, eventstore.Event) bool { panic("no fold takes this") }
	p.Tables[0] = table
	r, builder := unbegun(t, p)
	deploy(t, builder, p)
	expect(t, pgtest.All[int64](t, r.db, positions), 0)
	expect(t, pgtest.All[int64](t, r.db, firstIsLeft), 0)
}

// TestAShortLogIsFoldedAsItComes: for a few events no tables are made twice.
func TestAShortLogIsFoldedAsItComes(t *testing.T) {
	t.Parallel()
	p := pair(1)
	r, builder := unbegun(t, p)
	builder.longLog = 1000
	deploy(t, builder, p)
	expect(t, pgtest.All[int64](t, r.db, positions), 0)
}
