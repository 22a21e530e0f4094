package rebuild

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/eventstore/wake"
	"shop/projections"
)

// longLog is from how many positions on new read models are folded in bulk before anybody folds into them as events come.
const longLog = 20_000

// fillNew folds a long log in one pass into those read models whose consumers have not begun: all of a new region, or what is new in this
// version of the program. Each is made in a schema of its own, which replaces the empty one.
//
//	two processes start                    one fills, the other waits and finds nothing to do
//	an event cannot be folded              all are folded as events come, which parks what cannot be
//	this process dies                      the next one begins again; the empty ones are as they were
//	a process without this folds meanwhile the read model that it has begun stays, and what was made here is dropped
//	a person is erased meanwhile           the event comes behind what is folded here, and is folded as it comes
func (builder *Builder) fillNew(ctx context.Context, wanted []projections.Projection) error {
	head, err := builder.Store.Head(ctx)
	if err != nil || int64(head) < builder.fillsFrom() {
		return err
	}
	return builder.oneFills(ctx, func() error {
		first, err := builder.notBegun(ctx, wanted)
		if err != nil || len(first) == 0 {
			return err
		}
		began := time.Now()
		builder.logger().InfoContext(ctx, "new read models are made from the log", "projections", len(first), "up_to", head)
		filling := *builder
		filling.Eager = builder.Eager || len(first) == len(builder.all()) // the shop is not open yet
		reached, err := filling.fillAll(ctx, first)
		if err != nil && ctx.Err() == nil && !isTransient(err) {
			builder.logger().WarnContext(ctx, "new read models are folded as events come: they could not be made in one pass", "error", err)
			return builder.dropFirst(ctx, first...)
		}
		if err != nil {
			return fmt.Errorf("make new read models: %w", err)
		}
		all, placing := errgroup.WithContext(ctx)
		all.SetLimit(2)
		for _, p := range first {
			all.Go(func() error { return builder.placeFirst(placing, p, reached) })
		}
		if err := all.Wait(); err != nil {
			return fmt.Errorf("put new read models in place: %w", err)
		}
		builder.logger().InfoContext(ctx, "new read models are made", "took", time.Since(began).Round(time.Millisecond))
		return nil
	})
}

func (builder *Builder) fillsFrom() int64 {
	if builder.longLog > 0 {
		return builder.longLog
	}
	return longLog
}

// lockFirst is the advisory lock of the process that fills new read models.
const lockFirst = 0x73686f70_66697273

// oneFills does work in one process at a time; the others wait. The lock ends with its connection.
func (builder *Builder) oneFills(ctx context.Context, work func() error) error {
	conn, err := builder.DB.Acquire(ctx)
	if err != nil {
		return err
	}
	aside := conn.Hijack()
	defer eventstore.CloseAside(aside)
	for held := false; !held; {
		if err := aside.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", int64(lockFirst)).Scan(&held); err != nil {
			return err
		}
		if !held && !wake.Pause(ctx, pollInterval) {
			return ctx.Err()
		}
	}
	return work()
}

// notBegun are the read models of this program's definition that nothing was folded into.
func (builder *Builder) notBegun(ctx context.Context, wanted []projections.Projection) (first []projections.Projection, err error) {
	for _, p := range wanted {
		var empty bool
		err := builder.DB.QueryRow(ctx, `SELECT count(*) = $3 AND coalesce(bool_and(position = 0 AND edition = $2), false) FROM eventstore.checkpoints WHERE consumer = $1`,
			p.Name, p.Fingerprint(), eventstore.Ranges).Scan(&empty)
		if err != nil {
			return nil, err
		}
		if empty {
			first = append(first, p)
		}
	}
	return first, nil
}

func firstSchema(p projections.Projection) string { return p.Name + "_first" }

// fillAll folds the log into schemas beside the empty ones, and answers how far.
func (builder *Builder) fillAll(ctx context.Context, all []projections.Projection) (reached [eventstore.Ranges]eventstore.Position, err error) {
	builder.Store.ReadKeysAnew()
	task := foldTask{
		waitWhilePaused: func(context.Context) error { return nil },
		save:            func(context.Context, pgx.Tx, int, eventstore.Position, int64) error { return nil },
	}
	for i, p := range all {
		err := pgx.BeginFunc(ctx, builder.DB, func(tx pgx.Tx) error {
			if err := lockSchemas(ctx, tx); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, "DROP SCHEMA IF EXISTS "+quote(firstSchema(p))+" CASCADE"); err != nil {
				return err
			}
			return p.CreateTables(ctx, tx, firstSchema(p))
		})
		if err != nil {
			return reached, err
		}
		if part := (foldPart{p, firstSchema(p)}); i == 0 {
			task.foldPart = part
		} else {
			task.more = append(task.more, part)
		}
	}
	for range 20 {
		head, err := builder.Store.Head(ctx)
		if err != nil {
			return reached, err
		}
		near := head-lowest(task.reached) < longLog
		task.upTo = head
		if err := builder.foldInBulk(ctx, &task); err != nil || near {
			return task.reached, err
		}
	}
	return task.reached, nil // the log grows faster; the rest is folded as it comes
}

// errBegun: somebody folds into the live read model.
var errBegun = errors.New("the read model has begun meanwhile")

// placeFirst puts a read model that was filled in the place of the empty one, whose consumer goes on where it ends.
func (builder *Builder) placeFirst(ctx context.Context, p projections.Projection, reached [eventstore.Ranges]eventstore.Position) error {
	if err := builder.finishTables(ctx, p, firstSchema(p), nil); err != nil {
		return err
	}
	err := inAsyncTx(ctx, builder.DB, func(tx pgx.Tx) error {
		if err := lockSchemas(ctx, tx); err != nil {
			return err
		}
		held, err := feed.ControlOf(builder.Store).Hold(ctx, tx, p.Name)
		if err != nil {
			return err
		}
		if held.At != ([eventstore.Ranges]eventstore.Position{}) || held.Edition != p.Fingerprint() {
			return errBegun
		}
		if _, err := tx.Exec(ctx, "DROP SCHEMA "+quote(p.Name)+" CASCADE"); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, fmt.Sprintf("ALTER SCHEMA %s RENAME TO %s", quote(firstSchema(p)), quote(p.Name))); err != nil {
			return err
		}
		_, err = feed.ControlOf(builder.Store).Move(ctx, tx, p.Name, feed.Handover{At: reached, Edition: p.Fingerprint()})
		return err
	})
	if errors.Is(err, errBegun) {
		builder.logger().InfoContext(ctx, "a read model was begun by another process, which goes on with it", "projection", p.Name)
		return builder.dropFirst(ctx, p)
	}
	return err
}

// dropFirst drops what was filled for nothing.
func (builder *Builder) dropFirst(ctx context.Context, all ...projections.Projection) error {
	for _, p := range all {
		if _, err := builder.DB.Exec(ctx, "DROP SCHEMA IF EXISTS "+quote(firstSchema(p))+" CASCADE"); err != nil {
			return fmt.Errorf("drop what was filled for nothing: %w", err)
		}
	}
	return nil
}
