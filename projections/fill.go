package projections

import (
	"context"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"shop/eventstore"
)

// filling is one build's bulk fold: what to fold into which schema, and where each range has come.
type filling struct {
	projection Projection
	schema     string                                 // its tables exist, with primary keys and without other indexes
	at         [eventstore.Ranges]eventstore.Position // where each range has come; fill moves it
	upTo       eventstore.Position                    // inclusive
	skipped    map[eventstore.Position]bool           // events staff let go; left out
	// save records a range's place in the transaction that writes its rows.
	save func(ctx context.Context, tx pgx.Tx, r int, at eventstore.Position, events int64) error
	// proceed is asked between batches: it waits while the build is paused and returns an error when it is cancelled or its lease is lost.
	proceed func(ctx context.Context) error
}

// fill folds all ranges, side by side, up to upTo. It may be called again with a later upTo (catch-up), and after a crash with the saved at.
func (e *Engine) fill(ctx context.Context, f *filling) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(2)
	for r := range eventstore.Ranges {
		group.Go(func() error {
			for f.at[r] < f.upTo {
				if err := f.proceed(ctx); err != nil {
					return err
				}
				if err := e.page(ctx, e.DB, f, r, f.upTo); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}
