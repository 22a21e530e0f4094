package rebuild

import (
	"context"
	"testing"

	"shop/migrations/pgtest"
	"shop/projections"
)

func TestPrepareKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t)
	p := tallies()
	expect(t, prepare(t, db, p), "tally")
	apply(t, db, p, event("tally-a", added{2}))
	if _, err := db.Exec(t.Context(), "INSERT INTO eventstore.checkpoints (consumer, range, position) VALUES ('tally', 0, 7), ('other', 0, 7) ON CONFLICT (consumer, range) DO UPDATE SET position = 7"); err != nil {
		t.Fatal(err)
	}

	expect(t, prepare(t, db, p))
	expect(t, pgtest.All[int64](t, db, "SELECT sum FROM tally.tally"), 2)

	// Another version is for Deploy.
	p.Version++
	expect(t, prepare(t, db, p))
	expect(t, pgtest.All[int64](t, db, "SELECT sum FROM tally.tally"), 2)
	expect(t, pgtest.All[string](t, db, "SELECT consumer || position FROM eventstore.checkpoints WHERE range = 0 ORDER BY 1"), "other7", "tally7")
}

func TestPrepareAtOnce(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t)
	errs := make(chan error)
	for range 4 {
		go func() {
			_, err := Prepare(context.WithoutCancel(t.Context()), db, projections.All()...)
			errs <- err
		}()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	expect(t, prepare(t, db, projections.All()...))
}
