package projections

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"shop/eventstore"
)

// ErrRebuilding: the projection is being rebuilt by somebody else.
var ErrRebuilding = errors.New("the projection is being rebuilt already")

// ErrNeverRan: the projection has no checkpoints yet, so there is nothing to rebuild.
var ErrNeverRan = errors.New("the projection has never run")

// Log is what a rebuild reads; *eventstore.Store is one.
type Log interface {
	Head(ctx context.Context) (eventstore.Position, error)
	Read(ctx context.Context, q eventstore.Query) ([]eventstore.Event, error)
}

// Rebuilding is how a rebuild goes. Its zero value is ready; it may be read while the rebuild runs.
type Rebuilding struct {
	head, done [eventstore.Ranges]atomic.Int64
	events     atomic.Int64
}

// Events counts what was folded so far, Share is how much of the log that was, from 0 to 1.
func (r *Rebuilding) Events() int64 { return r.events.Load() }

// Share is how much of the log was folded, from 0 to 1.
func (r *Rebuilding) Share() float64 {
	var done, head int64
	for i := range r.head {
		done, head = done+r.done[i].Load(), head+r.head[i].Load()
	}
	if head == 0 {
		return 0
	}
	return min(1, float64(done)/float64(head))
}

// rebuildPage is how many events a rebuild folds at once.
const rebuildPage = 2000

// Rebuild builds the read model anew from the whole log beside the live one, which goes on meanwhile, and puts it in
// the live one's place in one short transaction: readers see the old tables or the new ones. Events that staff had
// skipped stay skipped; other dead letters are settled by the rebuild, or it fails by the same error and changes
// nothing. The progress may be nil.
func Rebuild(ctx context.Context, db *pgxpool.Pool, log Log, p Projection, progress *Rebuilding) error {
	if progress == nil {
		progress = &Rebuilding{}
	}
	err := alone(ctx, db, p, func(conn *pgxpool.Conn) error {
		b := &building{db: db, log: log, p: p, schema: p.Name + "_next", progress: progress}
		if err := b.run(ctx, conn); err != nil {
			// Best effort: the next rebuild drops it as well.
			_, _ = conn.Exec(context.WithoutCancel(ctx), "DROP SCHEMA IF EXISTS "+quote(b.schema)+" CASCADE")
			return err
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("rebuild %s: %w", p.Name, err)
	}
	return nil
}

// alone does work unless another process rebuilds the projection. The lock is its connection's, so it ends with the process.
func alone(ctx context.Context, db *pgxpool.Pool, p Projection, work func(*pgxpool.Conn) error) error {
	conn, err := db.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	var free bool
	// Two keys, because those of one key belong to the log: by its hash, popularity's would be read as an append's marker.
	const key = "hashtext('shop projections rebuild'), hashtext($1)"
	if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock("+key+")", p.Name).Scan(&free); err != nil {
		return err
	}
	if !free {
		return ErrRebuilding
	}
	defer func() {
		// A connection that cannot be asked any more has lost the lock with itself.
		_, _ = conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock("+key+")", p.Name)
	}()
	return work(conn)
}

// building is a read model in the making.
type building struct {
	db       *pgxpool.Pool
	log      Log
	p        Projection
	schema   string
	progress *Rebuilding
	// at is how far each range has come, skipped the events that staff let go.
	at      [eventstore.Ranges]eventstore.Position
	skipped map[eventstore.Position]bool
}

func (b *building) run(ctx context.Context, conn *pgxpool.Conn) error {
	err := b.inTx(ctx, conn, func(tx pgx.Tx) error {
		if err := b.lookAtDeadLetters(ctx, tx); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "DROP SCHEMA IF EXISTS "+quote(b.schema)+" CASCADE"); err != nil {
			return err
		}
		if err := lock(ctx, tx); err != nil {
			return err
		}
		return b.p.createTables(ctx, tx, b.schema)
	})
	if err != nil {
		return err
	}
	if err := b.advance(ctx); err != nil {
		return err
	}
	if err := b.inTx(ctx, conn, func(tx pgx.Tx) error { return b.p.createIndexes(ctx, tx, b.schema) }); err != nil {
		return err
	}
	// Once more, so that little is left for the swap.
	if err := b.advance(ctx); err != nil {
		return err
	}
	if err := b.exchange(ctx, conn); err != nil {
		return err
	}
	return b.dropOld(ctx, conn)
}

// beginner is a connection or a pool of them.
type beginner interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}

// inTx commits without waiting for the disk; what a crash takes is only the work on a schema that nobody reads yet,
// or a swap, which leaves the old read model as it was.
func (b *building) inTx(ctx context.Context, db beginner, work func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SET LOCAL synchronous_commit = off"); err != nil {
			return err
		}
		return work(tx)
	})
}

func (b *building) lookAtDeadLetters(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, "SELECT position FROM eventstore.dead_letters WHERE consumer = $1 AND skipped_at IS NOT NULL", b.p.Name)
	if err != nil {
		return err
	}
	positions, err := pgx.CollectRows(rows, pgx.RowTo[eventstore.Position])
	b.skipped = map[eventstore.Position]bool{}
	for _, position := range positions {
		b.skipped[position] = true
	}
	return err
}

// advance folds all ranges, side by side, up to the log's present head.
func (b *building) advance(ctx context.Context) error {
	head, err := b.log.Head(ctx)
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	for r := range eventstore.Ranges {
		b.progress.head[r].Store(int64(head))
		group.Go(func() error {
			for b.at[r] < head {
				if err := b.page(ctx, b.db, r, head); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// page folds the next events of a range, none after a position. It holds one connection at a time: others work
// beside it, on a pool that may be small.
func (b *building) page(ctx context.Context, db beginner, r int, upTo eventstore.Position) error {
	events, err := b.log.Read(ctx, eventstore.Query{After: b.at[r], UpTo: upTo, Range: r, Types: b.p.Types(), Limit: rebuildPage})
	if err != nil {
		return err
	}
	reached := upTo
	if len(events) == rebuildPage {
		reached = events[len(events)-1].Position
	}
	kept := slices.DeleteFunc(events, func(e eventstore.Event) bool { return b.skipped[e.Position] })
	if err := b.inTx(ctx, db, func(tx pgx.Tx) error { return b.p.apply(ctx, tx, b.schema, kept) }); err != nil {
		return fmt.Errorf("after position %d: %w", b.at[r], err)
	}
	b.at[r] = reached
	b.progress.done[r].Store(int64(reached))
	b.progress.events.Add(int64(len(kept)))
	return nil
}

// swapPatience bounds the time for which the live consumer is held; a rebuild that cannot have its swap fails.
const swapPatience = 10 * time.Second

func (b *building) exchange(ctx context.Context, conn *pgxpool.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, swapPatience)
	defer cancel()
	if err := b.inTx(ctx, conn, func(tx pgx.Tx) error { return b.swap(ctx, tx) }); err != nil {
		return fmt.Errorf("put the new tables in place: %w", err)
	}
	return nil
}

// swap holds the live consumer, folds what it is ahead by, and exchanges the schemas. Renaming a schema locks no
// table, so no reader waits.
func (b *building) swap(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, "SELECT range, position FROM eventstore.checkpoints WHERE consumer = $1 ORDER BY range FOR UPDATE", b.p.Name)
	if err != nil {
		return err
	}
	type checkpoint struct {
		Range    int
		Position eventstore.Position
	}
	checkpoints, err := pgx.CollectRows(rows, pgx.RowToStructByPos[checkpoint])
	if err != nil {
		return err
	}
	if len(checkpoints) != eventstore.Ranges {
		return ErrNeverRan
	}
	var swap pgx.Batch
	for _, c := range checkpoints {
		for b.at[c.Range] < c.Position {
			if err := b.page(ctx, tx, c.Range, c.Position); err != nil {
				return err
			}
		}
		// The term moves even where the position does not: it tells other processes that the rows are not what they were.
		swap.Queue("UPDATE eventstore.checkpoints SET position = $3, term = term + 1, updated_at = now() WHERE consumer = $1 AND range = $2",
			b.p.Name, c.Range, b.at[c.Range])
		swap.Queue("DELETE FROM eventstore.dead_letters WHERE consumer = $1 AND range = $2 AND position <= $3 AND skipped_at IS NULL",
			b.p.Name, c.Range, b.at[c.Range])
	}
	swap.Queue(fmt.Sprintf("DROP SCHEMA IF EXISTS %s CASCADE", quote(b.p.Name+"_old")))
	swap.Queue(fmt.Sprintf("ALTER SCHEMA %s RENAME TO %s", quote(b.p.Name), quote(b.p.Name+"_old")))
	swap.Queue(fmt.Sprintf("ALTER SCHEMA %s RENAME TO %s", quote(b.schema), quote(b.p.Name)))
	return tx.SendBatch(ctx, &swap).Close()
}

// dropOld removes the former tables once nobody reads them. It never makes a reader wait long behind it.
func (b *building) dropOld(ctx context.Context, conn *pgxpool.Conn) error {
	for {
		err := b.inTx(ctx, conn, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "SET LOCAL lock_timeout = '50ms'"); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, "DROP SCHEMA IF EXISTS "+quote(b.p.Name+"_old")+" CASCADE")
			return err
		})
		const lockNotAvailable = "55P03"
		var refused *pgconn.PgError
		if !errors.As(err, &refused) || refused.Code != lockNotAvailable {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}
