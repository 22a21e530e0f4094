package rebuild

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"shop/eventstore"
)

// foldPage is how many events the live code folds at once.
const foldPage = 2000

// page folds the next events of a range, none after a position, as the live consumer does.
func (e *Engine) page(ctx context.Context, db beginner, f *filling, r int, upTo eventstore.Position) error {
	events, err := e.Store.Read(ctx, eventstore.Query{After: f.at[r], UpTo: upTo, Range: r, Types: f.projection.Types(), Limit: foldPage})
	if err != nil {
		return err
	}
	reached := upTo
	if len(events) == foldPage {
		reached = events[len(events)-1].Position
	}
	kept := slices.DeleteFunc(events, func(e eventstore.Event) bool { return f.skipped[e.Position] })
	err = inTx(ctx, db, func(tx pgx.Tx) error {
		// The place first: its row is what a process that has lost the build stumbles over.
		if err := f.save(ctx, tx, r, reached, int64(len(kept))); err != nil {
			return err
		}
		return f.projection.ApplyTo(ctx, tx, f.schema, kept)
	})
	if err != nil {
		return fmt.Errorf("after position %d: %w", f.at[r], err)
	}
	f.at[r] = reached
	return nil
}

// exactly folds each range up to a place of its own, within a transaction or without one.
func (e *Engine) exactly(ctx context.Context, db beginner, f *filling, to [eventstore.Ranges]eventstore.Position) error {
	for r := range to {
		for f.at[r] < to[r] {
			if err := e.page(ctx, db, f, r, to[r]); err != nil {
				return err
			}
		}
	}
	return nil
}

// letGo are the events that staff skipped in a consumer.
func (e *Engine) letGo(ctx context.Context, consumer string) (map[eventstore.Position]bool, error) {
	rows, err := e.DB.Query(ctx, "SELECT position FROM eventstore.dead_letters WHERE consumer = $1 AND skipped_at IS NOT NULL", consumer)
	if err != nil {
		return nil, err
	}
	positions, err := pgx.CollectRows(rows, pgx.RowTo[eventstore.Position])
	skipped := map[eventstore.Position]bool{}
	for _, position := range positions {
		skipped[position] = true
	}
	return skipped, err
}

// least is the place that all ranges have come to.
func least(at [eventstore.Ranges]eventstore.Position) eventstore.Position {
	return slices.Min(at[:])
}

// everywhere is the same place in all ranges.
func everywhere(p eventstore.Position) (at [eventstore.Ranges]eventstore.Position) {
	for r := range at {
		at[r] = p
	}
	return at
}
