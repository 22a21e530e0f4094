package preview_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain/content"
	"shop/eventstore"
	"shop/migrations/pgtest"
	"shop/projections"
	"shop/projections/preview"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// said is an event of a block of content.
func said(name, text string, version eventstore.Version) eventstore.Event {
	e := content.Changed{Name: name, Text: text, At: noon}
	return eventstore.Event{Stream: "content-" + name, Version: version, Position: eventstore.Position(version), Type: e.EventType(), Data: e}
}

// blocks is a database whose read model content has two blocks.
func blocks(t *testing.T) (*pgxpool.Pool, []projections.Projection) {
	t.Helper()
	pool, model := pgtest.Open(t), projections.Content()
	err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		if err := model.CreateTables(t.Context(), tx, model.Name); err != nil {
			return err
		}
		return model.Apply(t.Context(), tx, []eventstore.Event{said("about", "old", 1), said("news", "old too", 1)})
	})
	if err != nil {
		t.Fatal(err)
	}
	return pool, []projections.Projection{model}
}

// texts are the blocks as somebody sees them.
func texts(t *testing.T, db interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}) string {
	t.Helper()
	rows, err := db.Query(t.Context(), "SELECT b.name || '=' || b.text FROM content.block b ORDER BY b.name")
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

// TestAPreviewIsSeenByNobodyElse: rows are changed and added in it alone, also while it is open, and it leaves neither tables nor
// connections. Statements can write nothing.
func TestAPreviewIsSeenByNobodyElse(t *testing.T) {
	t.Parallel()
	pool, models := blocks(t)
	if _, err := pool.Exec(t.Context(), "CREATE TABLE public.kept (n integer)"); err != nil {
		t.Fatal(err)
	}
	events := []eventstore.Event{said("about", "new", 2), said("about", "newest", 3), said("slides", "added", 1)}
	err := preview.New(pool).With(t.Context(), models, events, func(ctx context.Context, db *preview.Overlay) error {
		if got, want := texts(t, db), "about=newest news=old too slides=added"; got != want {
			t.Errorf("the preview shows %s, want %s", got, want)
		}
		if got, want := texts(t, pool), "about=old news=old too"; got != want {
			t.Errorf("others see %s, want %s", got, want)
		}
		if touched := fmt.Sprint(db.Touched()); touched != "map[content.block:[about slides]]" {
			t.Errorf("touched %s", touched)
		}
		var n int
		if err := db.QueryRow(ctx, "WITH w AS (INSERT INTO public.kept VALUES (1) RETURNING 1) SELECT count(*) FROM w").Scan(&n); err == nil || !strings.Contains(err.Error(), "read-only") {
			t.Errorf("a statement that writes: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var left int
	if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM pg_class WHERE relname LIKE 'content.block%'").Scan(&left); err != nil || left > 0 {
		t.Errorf("%d tables and views are left, %v", left, err)
	}
	if got, want := texts(t, pool), "about=old news=old too"; got != want {
		t.Errorf("afterwards there is %s, want %s", got, want)
	}
}

// TestAPreviewHoldsNobodyUp: while it is open, a projector folds into the very rows, and the preview goes on showing the moment it began at.
func TestAPreviewHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	pool, models := blocks(t)
	err := preview.New(pool).With(t.Context(), models, []eventstore.Event{said("about", "new", 2)}, func(ctx context.Context, db *preview.Overlay) error {
		err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "SET LOCAL lock_timeout = '200ms'"); err != nil {
				return err
			}
			return models[0].Apply(ctx, tx, []eventstore.Event{said("about", "edited", 2), said("news", "edited too", 2)})
		})
		if err != nil {
			t.Errorf("a projector is held up: %v", err)
		}
		if got, want := texts(t, db), "about=new news=old too"; got != want {
			t.Errorf("the preview shows %s, want %s", got, want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := texts(t, pool), "about=edited news=edited too"; got != want {
		t.Errorf("there is %s, want %s", got, want)
	}
}

// TestPreviewsAreBounded: more than two at the same time wait, and are refused when they waited long; one whose asker leaves ends at once, with
// all that it made.
func TestPreviewsAreBounded(t *testing.T) {
	t.Parallel()
	pool, models := blocks(t)
	previews := preview.New(pool)
	events := []eventstore.Event{said("about", "new", 2)}
	gone, leave := context.WithCancel(t.Context())
	inside, ended := make(chan struct{}), make(chan error)
	for range 2 {
		go func() {
			ended <- previews.With(gone, models, events, func(ctx context.Context, db *preview.Overlay) error {
				inside <- struct{}{}
				var slept *string
				return db.QueryRow(ctx, "SELECT pg_sleep(60)::text").Scan(&slept)
			})
		}()
		<-inside
	}
	if err := previews.With(t.Context(), models, events, func(context.Context, *preview.Overlay) error { return nil }); !errors.Is(err, preview.ErrBusy) {
		t.Errorf("a third one: %v", err)
	}
	leave()
	for range 2 {
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("who leaves is told %v", err)
		}
	}
	if err := previews.With(t.Context(), models, events, func(context.Context, *preview.Overlay) error { return nil }); err != nil {
		t.Errorf("the next one: %v", err)
	}
}
