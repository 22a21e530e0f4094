package rebuild

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"

	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/projections"
)

// runSteps does the build's steps that are not done yet.
func (b *activeBuild) runSteps(ctx context.Context) (err error) {
	// A person who was erased before this is read as nobody. An erasure that begins later sends the build back to its beginning.
	b.builder.Store.ReadKeysAnew()
	if b.task.skipped, err = b.builder.skippedEvents(ctx, b.p.Name); err != nil {
		return err
	}
	if !b.tablesMade {
		if err := b.makeTables(ctx); err != nil {
			return err
		}
	}
	if !b.indexed {
		if err := b.enterPhase(ctx, Folding); err != nil {
			return err
		}
		if err := b.fold(ctx); err != nil {
			return err
		}
		if err := b.makeIndexes(ctx); err != nil {
			return err
		}
	}
	if b.kind == AsOf {
		return b.keepAsOf(ctx)
	}
	if b.report == nil {
		if err := b.enterPhase(ctx, CatchingUp); err != nil {
			return err
		}
		if err := b.catchUp(ctx); err != nil {
			return err
		}
		if err := b.enterPhase(ctx, Comparing); err != nil {
			return err
		}
		if err := b.compare(ctx); err != nil {
			return err
		}
	}
	if b.kind == Verify {
		if err := b.finish(ctx, Done, ""); err != nil {
			return err
		}
		return b.builder.dropBuilt(ctx, b.id, b.task.schema)
	}
	live, err := projections.MadeFrom(ctx, b.builder.DB, b.p.Name)
	if err != nil {
		return err
	}
	if !b.autoSwap || !(b.accept || b.report.Equal() || live != b.p.Fingerprint()) {
		return b.update(ctx, b.builder.DB, "state = 'ready', leased_until = '-infinity'")
	}
	if err := b.enterPhase(ctx, Exchanging); err != nil {
		return err
	}
	if err := b.update(ctx, b.builder.DB, "state = 'swapping'"); err != nil {
		return err
	}
	return b.swap(ctx)
}

// makeTables makes the tables, with no index but their primary keys. As in makeIndexes the build's row stays free until the end: what is
// dropped may have readers, who are waited for.
func (b *activeBuild) makeTables(ctx context.Context) error {
	err := pgx.BeginFunc(ctx, b.builder.DB, func(tx pgx.Tx) error {
		if err := lockSchemas(ctx, tx); err != nil {
			return err
		}
		if err := b.stillMine(ctx, tx); err != nil {
			return err
		}
		if b.kind != AsOf { // the operator chose that schema, and Start refused one that is there
			if _, err := tx.Exec(ctx, "DROP SCHEMA IF EXISTS "+quote(b.task.schema)+" CASCADE"); err != nil {
				return err
			}
		}
		if err := b.p.CreateTables(ctx, tx, b.task.schema); err != nil {
			return err
		}
		return b.update(ctx, tx, "made = true")
	})
	b.tablesMade = err == nil
	return err
}

// fold folds in bulk, as far as the live read model has come: the two are compared there.
func (b *activeBuild) fold(ctx context.Context) error {
	if b.kind == AsOf {
		b.task.upTo = b.target
		return b.builder.foldInBulk(ctx, &b.task)
	}
	live, err := b.livePositions(ctx)
	if err != nil {
		return err
	}
	b.task.upTo = lowest(live)
	return b.builder.foldInBulk(ctx, &b.task)
}

// livePositions is how far the live consumer came.
func (b *activeBuild) livePositions(ctx context.Context) (at [eventstore.Ranges]eventstore.Position, err error) {
	rows, err := b.builder.DB.Query(ctx, "SELECT range, position FROM eventstore.checkpoints WHERE consumer = $1", b.p.Name)
	if err != nil {
		return at, err
	}
	var r int16
	var position int64
	found := 0
	_, err = pgx.ForEachRow(rows, []any{&r, &position}, func() error {
		at[r] = eventstore.Position(position)
		found++
		return nil
	})
	if err == nil && found < eventstore.Ranges {
		err = ErrNeverRan
	}
	return at, err
}

// makeIndexes makes the indexes, and statistics for the planner. The build's row stays free meanwhile for the renewal of the lease, which is
// shorter than the indexes of a large shop take.
func (b *activeBuild) makeIndexes(ctx context.Context) error {
	if err := b.enterPhase(ctx, Indexing); err != nil {
		return err
	}
	if err := b.builder.finishTables(ctx, b.p, b.task.schema, b.stillMine); err != nil {
		return err
	}
	err := b.update(ctx, b.builder.DB, "indexed = true")
	b.indexed = err == nil
	return err
}

// stillMine lets a transaction go on only while this process has the build. Who takes the build over waits for the transaction's end.
func (b *activeBuild) stillMine(ctx context.Context, tx pgx.Tx) error {
	tag, err := tx.Exec(ctx, "SELECT FROM projections.build_ranges WHERE build = $1 AND range = 0 AND term = $2 FOR SHARE", b.id, b.term)
	if err == nil && tag.RowsAffected() == 0 {
		return errLeaseLost
	}
	return err
}

// keepAsOf ends a build as of a position: its schema stays.
func (b *activeBuild) keepAsOf(ctx context.Context) error {
	return pgx.BeginFunc(ctx, b.builder.DB, func(tx pgx.Tx) error {
		err := b.update(ctx, tx, "state = 'done', progress = 1, finished_at = clock_timestamp(), leased_until = '-infinity'")
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO projections.models (schema, projection, role, version, fingerprint, position, as_of)
			SELECT schema, projection, 'as-of', version, fingerprint, target, as_of FROM projections.builds WHERE id = $1`, b.id)
		return err
	})
}

// maxLag is how many positions may be left to fold while the live consumer is held.
const maxLag = 500

// catchUp folds what was appended meanwhile, until the live read model is ahead by less than maxLag.
func (b *activeBuild) catchUp(ctx context.Context) error {
	behind := eventstore.Position(math.MaxInt64)
	for range 20 {
		live, err := b.livePositions(ctx)
		if err != nil {
			return err
		}
		before := behind
		b.task.upTo = lowest(live)
		behind = b.task.upTo - lowest(b.task.reached)
		b.task.eager = losesGround(before, behind)
		if err := b.builder.foldInBulk(ctx, &b.task); err != nil {
			return err
		}
		if behind < maxLag {
			return nil
		}
	}
	return nil // the log grows faster than the fold; the step that holds the live consumer will time out and fail
}

// losesGround says whether a build that was so far behind before it folded last must fold at full speed now: the log grew by more than half of
// that meanwhile, so with rests the build would hardly arrive.
func losesGround(before, behind eventstore.Position) bool { return behind > before/2 }

// compare holds the live consumer for a moment, folds the fresh read model to the same positions, and takes a snapshot.
// Then it lets the consumer go and compares the two read models in the snapshot.
func (b *activeBuild) compare(ctx context.Context) error {
	for {
		report, err := b.compareOnce(ctx)
		if err != nil {
			return err
		}
		if report == nil { // a swap replaced the live schema meanwhile
			continue
		}
		document, err := json.Marshal(report)
		if err != nil {
			return err
		}
		if err := b.update(ctx, b.builder.DB, "report = $3", document); err != nil {
			return err
		}
		b.report = report
		return nil
	}
}

const schemaID = "SELECT oid::bigint FROM pg_namespace WHERE nspname = $1"

func (b *activeBuild) compareOnce(ctx context.Context) (*Report, error) {
	var report *Report
	var before, after int64
	var at eventstore.Position
	err := pgx.BeginTxFunc(ctx, b.builder.DB, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(snapshot pgx.Tx) error {
		err := pgx.BeginFunc(ctx, b.builder.DB, func(holding pgx.Tx) error {
			held, err := feed.ControlOf(b.builder.Store).Hold(ctx, holding, b.p.Name)
			if err != nil {
				return err
			}
			for r := range held.At {
				if held.At[r] < b.task.reached[r] {
					return fmt.Errorf("the live read model was sent back to position %d meanwhile: let it catch up first", held.At[r])
				}
			}
			if err := b.builder.foldTo(ctx, b.builder.DB, &b.task, held.At); err != nil {
				return err
			}
			at = lowest(held.At)
			// This first statement takes the snapshot, while the live consumer is held.
			return snapshot.QueryRow(ctx, schemaID, b.p.Name).Scan(&before)
		})
		if err != nil {
			return err
		}
		if _, err := snapshot.Exec(ctx, "SET LOCAL work_mem = '64MB'"); err != nil {
			return err
		}
		report, err = compareSchemas(ctx, snapshot, b.p, b.p.Name, b.task.schema)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := b.builder.DB.QueryRow(ctx, schemaID, b.p.Name).Scan(&after); err != nil || after != before {
		return nil, err
	}
	report.Position = at
	return report, nil
}
