package rebuild

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"shop/eventstore"
)

// eventsPerBatch is how many events are folded in one transaction by the code that also folds live.
const eventsPerBatch = 2000

// foldBatch folds the next events of a range, up to a position, as the live consumer does.
func (builder *Builder) foldBatch(ctx context.Context, db beginner, task *foldTask, r int, upTo eventstore.Position) error {
	events, err := builder.Store.Read(ctx, eventstore.Query{After: task.reached[r], UpTo: upTo, Range: r, Types: task.projection.Types(), Limit: eventsPerBatch})
	if err != nil {
		return err
	}
	reached := upTo
	if len(events) == eventsPerBatch {
		reached = events[len(events)-1].Position
	}
	kept := slices.DeleteFunc(events, func(e eventstore.Event) bool { return task.skipped[e.Position] })
	err = inAsyncTx(ctx, db, func(tx pgx.Tx) error {
		// The position first: a process that has lost the build fails here, before it writes rows.
		if err := task.save(ctx, tx, r, reached, int64(len(kept))); err != nil {
			return err
		}
		return task.projection.ApplyTo(ctx, tx, task.schema, kept)
	})
	if err != nil {
		return fmt.Errorf("after position %d: %w", task.reached[r], err)
	}
	task.reached[r] = reached
	return nil
}

// foldTo folds each range up to its position in to. db is a transaction or a pool.
func (builder *Builder) foldTo(ctx context.Context, db beginner, task *foldTask, to [eventstore.Ranges]eventstore.Position) error {
	for r := range to {
		for task.reached[r] < to[r] {
			if err := builder.foldBatch(ctx, db, task, r, to[r]); err != nil {
				return err
			}
		}
	}
	return nil
}

// skippedEvents are the events that staff skipped for a consumer.
func (builder *Builder) skippedEvents(ctx context.Context, consumer string) (map[eventstore.Position]bool, error) {
	rows, err := builder.DB.Query(ctx, "SELECT position FROM eventstore.dead_letters WHERE consumer = $1 AND skipped_at IS NOT NULL", consumer)
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

// lowest is the position that all ranges have reached.
func lowest(at [eventstore.Ranges]eventstore.Position) eventstore.Position {
	return slices.Min(at[:])
}

// inAllRanges is one position for all ranges.
func inAllRanges(p eventstore.Position) (at [eventstore.Ranges]eventstore.Position) {
	for r := range at {
		at[r] = p
	}
	return at
}
