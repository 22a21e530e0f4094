package rebuild

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"shop/eventstore/feed"
	"shop/eventstore/wake"
	"shop/projections"
)

const (
	// tableLockTimeout is how long a swap waits for a statement that reads one live table. swapLockTimeout is how long it
	// waits for all of them, and for the live consumer. Statements that come meanwhile wait behind the swap.
	tableLockTimeout, swapLockTimeout = 20 * time.Millisecond, 50 * time.Millisecond
	// defaultReaderPatience is how long a swap tries to lock out readers, before it does without the lock;
	// rollbackReaderPatience is the same for a rollback. A long statement, such as a backup, has found its tables by then
	// and reads on in them. Without the lock, a statement that is being planned in the very moment of the commit may see
	// tables of both versions.
	defaultReaderPatience, rollbackReaderPatience = 3 * time.Second, 300 * time.Millisecond
)

// errTooFarBehind: more was appended than a swap may fold while it holds the live consumer.
var errTooFarBehind = errors.New("the live read model is ahead")

// swap puts the build's schema in the place of the live one.
func (b *activeBuild) swap(ctx context.Context) error {
	plan := swapPlan{
		p: b.p, schema: b.task.schema, readerPatience: cmp.Or(b.builder.readerPatience, defaultReaderPatience), task: &b.task,
		finish: func(ctx context.Context, tx pgx.Tx) error {
			return b.update(ctx, tx, "state = 'done', progress = 1, finished_at = clock_timestamp(), leased_until = '-infinity'")
		},
	}
	locked, err := b.builder.swapIn(ctx, plan, func() error {
		if err := b.waitWhilePaused(ctx); err != nil {
			return err
		}
		// The comparison is done, so fold to the end of the log. A live consumer that is late skips what it had not
		// folded.
		for range 20 {
			head, err := b.builder.Store.Head(ctx)
			if err != nil {
				return err
			}
			withinLag := head-lowest(b.task.reached) < maxLag
			b.task.upTo = head
			if err := b.builder.foldInBulk(ctx, &b.task); err != nil || withinLag {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("put the new tables in place: %w", err)
	}
	_, err = b.builder.DB.Exec(ctx, "UPDATE projections.builds SET lock_seconds = $2 WHERE id = $1", b.id, locked.Seconds())
	if err != nil {
		b.builder.logger().WarnContext(ctx, "the time of a swap could not be recorded", "build", b.id, "error", err)
	}
	b.builder.dropReplaced(ctx, b.p.Name)
	return nil
}

// swapPlan says which schema replaces the live one, and how.
type swapPlan struct {
	p projections.Projection
	// schema is NAME_next or NAME_old.
	schema         string
	readerPatience time.Duration
	// task folds what the schema lacks. Nil: the schema replaces the live one as it is, and its consumer goes on from
	// there.
	task *foldTask
	// previous is the model in NAME_old when it comes back; nil otherwise.
	previous *previousModel
	finish   func(ctx context.Context, tx pgx.Tx) error
}

// swapIn catches up and tries to swap until the live consumer and the readers of the tables let it. It returns how long
// the tables were locked.
func (builder *Builder) swapIn(ctx context.Context, plan swapPlan, catchUp func() error) (time.Duration, error) {
	began := time.Now()
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, 500*time.Millisecond) {
		if err := catchUp(); err != nil {
			return 0, err
		}
		locked, err := builder.trySwapIn(ctx, plan, time.Since(began) < plan.readerPatience)
		var refused *pgconn.PgError
		switch {
		case err == nil:
			return locked, nil
		case errors.Is(err, errTooFarBehind):
			wait = 5 * time.Millisecond
		case errors.As(err, &refused) && (refused.Code == lockNotAvailable || refused.Code == "57014" || refused.Code == deadlockDetected):
		default:
			return 0, err
		}
		if !wake.Pause(ctx, wait/2+rand.N(wait)) {
			return 0, context.Cause(ctx)
		}
	}
}

// trySwapIn swaps in one transaction. It holds the live consumer, folds what the consumer is ahead by, and renames the
// schemas. Last it locks the replaced tables until the commit. Without that lock a statement could find one table before
// the commit and another one after it. A statement that waits for the lock looks the name up again.
func (builder *Builder) trySwapIn(ctx context.Context, plan swapPlan, lockOutReaders bool) (locked time.Duration, err error) {
	task := plan.task
	if task != nil {
		at := task.reached
		defer func() {
			if err != nil {
				task.reached = at
			}
		}()
	}
	var from time.Time
	err = inAsyncTx(ctx, builder.DB, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, fmt.Sprintf("SET LOCAL lock_timeout = %d", swapLockTimeout.Milliseconds())); err != nil {
			return err
		}
		if err := lockSchemas(ctx, tx); err != nil {
			return err
		}
		held, err := feed.ControlOf(builder.Store).Hold(ctx, tx, plan.p.Name)
		var unknown *feed.UnknownConsumer
		if errors.As(err, &unknown) {
			return ErrNeverRan
		} else if err != nil {
			return err
		}
		to := feed.Handover{Edition: plan.p.Fingerprint()}
		version := plan.p.Version
		if previous := plan.previous; previous != nil {
			if err := previous.lockUnchanged(ctx, tx); err != nil {
				return err
			}
			to = feed.Handover{Edition: previous.Fingerprint, Letters: previous.Letters, At: previous.positions()}
			version = previous.Version
		}
		if task != nil {
			for r := range held.At {
				if held.At[r]-task.reached[r] > maxLag {
					return errTooFarBehind
				}
			}
			if err := builder.foldTo(ctx, tx, task, held.At); err != nil {
				return err
			}
			to.At = task.reached
		}
		letters, err := feed.ControlOf(builder.Store).Move(ctx, tx, plan.p.Name, to)
		if err != nil {
			return err
		}
		if plan.finish != nil {
			if err := plan.finish(ctx, tx); err != nil {
				return err
			}
		}
		was, err := renameSchemas(ctx, tx, plan, version, to.Edition, held, letters)
		if err != nil {
			return err
		}
		from = time.Now()
		if lockOutReaders {
			return lockTables(ctx, tx, was)
		}
		return nil
	})
	return time.Since(from), err
}

// lockTables locks all tables of a schema against readers, or fails within swapLockTimeout.
func lockTables(ctx context.Context, tx pgx.Tx, schema string) error {
	var tables []string
	err := tx.QueryRow(ctx, `SELECT coalesce(array_agg(c.relname::text ORDER BY c.relname), '{}') FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')`, schema).Scan(&tables)
	if err != nil || len(tables) == 0 {
		return err
	}
	for i, t := range tables {
		tables[i] = pgx.Identifier{schema, t}.Sanitize()
	}
	for _, sql := range []string{
		fmt.Sprintf("SET LOCAL lock_timeout = %d", tableLockTimeout.Milliseconds()),
		fmt.Sprintf("SET LOCAL statement_timeout = %d", swapLockTimeout.Milliseconds()),
		"LOCK TABLE " + strings.Join(tables, ", ") + " IN ACCESS EXCLUSIVE MODE",
	} {
		if _, err := tx.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
	}
	return nil
}

// renameSchemas gives the schemas their new names, and records which is which. The model that was the previous one until
// now gets a name for dropReplaced, unless it is the one that comes back.
func renameSchemas(ctx context.Context, tx pgx.Tx, plan swapPlan, version int, fingerprint string, held feed.Held, letters json.RawMessage) (was string, err error) {
	name := plan.p.Name
	old := name + "_old"
	var batch pgx.Batch
	renames := func(from, to string) {
		batch.Queue(fmt.Sprintf("ALTER SCHEMA %s RENAME TO %s", quote(from), quote(to)))
	}
	now := time.Now().UnixNano()
	renames(plan.schema, name+"_swap")
	if plan.schema != old {
		var there bool
		if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)", old).Scan(&there); err != nil {
			return "", err
		}
		if there {
			renames(old, nameToDrop(name, now))
		}
	}
	kept, err := showsNobodyErased(ctx, tx, plan.p, lowest(held.At))
	if err != nil {
		return "", err
	}
	was = old
	if !kept {
		was = nameToDrop(name, now+1)
	}
	renames(name, was)
	renames(name+"_swap", name)
	batch.Queue("DELETE FROM projections.models WHERE projection = $1 AND role = 'previous'", name)
	if kept {
		batch.Queue(`UPDATE projections.models SET schema = $2, role = 'previous', ranges = $3, letters = $4, replaced_at = clock_timestamp()
			WHERE projection = $1 AND role = 'live'`, name, old, held.At[:], letters)
	} else {
		batch.Queue("DELETE FROM projections.models WHERE projection = $1 AND role = 'live'", name)
	}
	batch.Queue("INSERT INTO projections.models (schema, projection, role, version, fingerprint) VALUES ($1, $1, 'live', $2, $3)", name, version, fingerprint)
	return was, tx.SendBatch(ctx, &batch).Close()
}

// dropReplaced drops models that are no longer kept as the previous one. It gives way to statements that still read them,
// so that nobody waits behind it. What it cannot drop now, Work drops later.
func (builder *Builder) dropReplaced(ctx context.Context, name string) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	err := func() error {
		drop, err := builder.schemasToDrop(ctx, name)
		if err != nil {
			return err
		}
		for len(drop) > 0 {
			err := inAsyncTx(ctx, builder.DB, func(tx pgx.Tx) error {
				if _, err := tx.Exec(ctx, "SET LOCAL lock_timeout = '50ms'"); err != nil {
					return err
				}
				_, err := tx.Exec(ctx, "DROP SCHEMA IF EXISTS "+quote(drop[0])+" CASCADE")
				return err
			})
			var refused *pgconn.PgError
			switch {
			case err == nil:
				drop = drop[1:]
			case errors.As(err, &refused) && refused.Code == lockNotAvailable:
				if !wake.Pause(ctx, 100*time.Millisecond) {
					return err
				}
			default:
				return err
			}
		}
		return nil
	}()
	if err != nil && !errors.Is(err, context.Canceled) { // who stops drops them at the next start
		builder.logger().WarnContext(ctx, "tables that were replaced are not dropped yet", "projection", name, "error", err)
	}
}
