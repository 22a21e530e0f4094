package rebuild

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/eventstore"
	"shop/projections"
)

// previousModel is the read model that the last swap replaced.
type previousModel struct {
	Projection  string
	Version     int
	Fingerprint string
	Ranges      []int64
	Letters     json.RawMessage
	ReplacedAt  time.Time
}

func (p *previousModel) positions() (at [eventstore.Ranges]eventstore.Position) {
	for r := range at {
		at[r] = eventstore.Position(p.Ranges[r])
	}
	return at
}

// previousModel reads it; nil: none is kept.
func (builder *Builder) previousModel(ctx context.Context, name string) (*previousModel, error) {
	rows, err := builder.DB.Query(ctx, "SELECT projection, version, fingerprint, ranges, letters, replaced_at FROM projections.models WHERE projection = $1 AND role = 'previous'", name)
	if err != nil {
		return nil, err
	}
	p, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByPos[previousModel])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return p, err
}

var errReplaced = errors.New("another exchange came between: try again")

// lockUnchanged fails when another swap came between. Otherwise it locks the record of the previous model until tx ends.
func (p *previousModel) lockUnchanged(ctx context.Context, tx pgx.Tx) error {
	tag, err := tx.Exec(ctx, "SELECT FROM projections.models WHERE projection = $1 AND role = 'previous' AND replaced_at = $2 FOR UPDATE", p.Projection, p.ReplacedAt)
	if err == nil && tag.RowsAffected() == 0 {
		err = errReplaced
	}
	return err
}

// Rollback puts the read model that the last swap replaced back in its place, and keeps the one that was live: another
// Rollback undoes it. A model of the same definition is brought up to date first, while the live one serves. A model of
// another definition, or one that had dead letters, comes back as it was, and its consumer catches up. Rollback returns
// ErrNoPrevious when no model is kept.
func (builder *Builder) Rollback(ctx context.Context, name string) (RolledBack, error) {
	began := time.Now()
	p, err := builder.find(name)
	if err != nil {
		return RolledBack{}, err
	}
	previous, err := builder.previousModel(ctx, name)
	if err == nil && previous == nil {
		err = ErrNoPrevious
	}
	if err != nil {
		return RolledBack{}, fmt.Errorf("roll back %s: %w", name, err)
	}
	plan := swapPlan{p: p, schema: name + "_old", readerPatience: rollbackReaderPatience, previous: previous}
	if previous.Fingerprint == p.Fingerprint() && string(previous.Letters) == "[]" {
		if plan.task, err = builder.catchUpPrevious(ctx, p, previous); err != nil {
			return RolledBack{}, fmt.Errorf("roll back %s: %w", name, err)
		}
	}
	locked, err := builder.swapIn(ctx, plan, func() error {
		if plan.task == nil {
			return nil
		}
		head, err := builder.Store.Head(ctx)
		if err != nil {
			return err
		}
		return builder.foldTo(ctx, builder.DB, plan.task, inAllRanges(head))
	})
	if err != nil {
		return RolledBack{}, fmt.Errorf("roll back %s: %w", name, err)
	}
	done := RolledBack{Projection: name, Version: previous.Version, Took: time.Since(began), LockTime: locked}
	builder.logger().InfoContext(ctx, "the previous read model is live again", "projection", name, "version", previous.Version, "took", done.Took, "locked", locked)
	builder.dropReplaced(ctx, name)
	return done, nil
}

// catchUpPrevious folds what was appended since the swap into the previous model. It returns nil when the code cannot fold
// one of these events: then the model comes back as it was, and its consumer parks the event.
func (builder *Builder) catchUpPrevious(ctx context.Context, p projections.Projection, previous *previousModel) (*foldTask, error) {
	task := &foldTask{
		foldPart: foldPart{p, p.Name + "_old"}, reached: previous.positions(),
		save: func(ctx context.Context, tx pgx.Tx, r int, at eventstore.Position, _ int64) error {
			tag, err := tx.Exec(ctx, "UPDATE projections.models SET ranges[$3] = $4 WHERE projection = $1 AND role = 'previous' AND replaced_at = $2",
				p.Name, previous.ReplacedAt, r+1, int64(at))
			if err == nil && tag.RowsAffected() == 0 {
				err = errReplaced
			}
			return err
		},
	}
	var err error
	if task.skipped, err = builder.skippedEvents(ctx, p.Name); err != nil {
		return nil, err
	}
	head, err := builder.Store.Head(ctx)
	if err != nil {
		return nil, err
	}
	err = builder.foldTo(ctx, builder.DB, task, inAllRanges(head))
	if err == nil || isTransient(err) || errors.Is(err, errReplaced) {
		return task, err
	}
	builder.logger().WarnContext(ctx, "the previous read model comes back as it was: an event since cannot be folded", "projection", p.Name, "error", err)
	// Its positions were saved batch by batch.
	if now, err := builder.previousModel(ctx, p.Name); err != nil {
		return nil, err
	} else if now == nil || !now.ReplacedAt.Equal(previous.ReplacedAt) {
		return nil, errReplaced
	} else {
		*previous = *now
	}
	return nil, nil
}
