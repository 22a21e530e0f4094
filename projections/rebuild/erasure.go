package rebuild

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"shop/eventstore"
	"shop/eventstore/wake"
	"shop/projections"
)

// Ending names the event after which no live read model shows the person whom it is about. It may be appended later.
type Ending struct{ Stream, Type string }

// Forget removes every read model with personal columns that is not live: the previous ones and those as of a position,
// into which nothing folds any more, those that wait to be dropped, and what builds have made so far. Call it once the
// person's keys are deleted; it may be repeated.
//
//   - A build that is not finished begins anew. The term fences off its process, and the process that goes on with it
//     reads the persons' keys anew.
//   - A build that finishes first is among the models, and is removed with them.
//   - A live read model that a swap replaces before it has folded the ending is not kept.
func (builder *Builder) Forget(ctx context.Context, endings ...Ending) error {
	for _, p := range builder.all() {
		if !p.Personal() {
			continue
		}
		if err := builder.forget(ctx, p.Name, endings); err != nil {
			return fmt.Errorf("remove what is kept beside read model %s: %w", p.Name, err)
		}
	}
	return nil
}

func (builder *Builder) forget(ctx context.Context, name string, endings []Ending) error {
	err := retryDeadlocks(ctx, func() error {
		return pgx.BeginFunc(ctx, builder.DB, func(tx pgx.Tx) error {
			if err := lockSchemas(ctx, tx); err != nil {
				return err
			}
			if err := builder.recordErasures(ctx, tx, endings); err != nil {
				return err
			}
			if err := restartBuilds(ctx, tx, name); err != nil {
				return err
			}
			return renameToDrop(ctx, tx, name)
		})
	})
	if err != nil {
		return err
	}
	drop, err := builder.schemasToDrop(ctx, name)
	if err != nil {
		return err
	}
	for _, schema := range drop {
		err := retryDeadlocks(ctx, func() error {
			_, err := builder.DB.Exec(ctx, "DROP SCHEMA IF EXISTS "+quote(schema)+" CASCADE")
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// retryDeadlocks tries again after a deadlock with a build that writes the same rows or tables.
func retryDeadlocks(ctx context.Context, try func() error) (err error) {
	for range 5 {
		err = try()
		var refused *pgconn.PgError
		if err == nil || !errors.As(err, &refused) || refused.Code != deadlockDetected || !wake.Pause(ctx, 50*time.Millisecond) {
			return err
		}
	}
	return err
}

// recordErasures records that the live read models have not folded some endings yet, and deletes the endings that they have folded.
func (builder *Builder) recordErasures(ctx context.Context, tx pgx.Tx, endings []Ending) error {
	var personal []string
	for _, p := range builder.all() {
		if p.Personal() {
			personal = append(personal, p.Name)
		}
	}
	if _, err := tx.Exec(ctx, `DELETE FROM projections.erasures e USING eventstore.events v
		WHERE v.stream = e.stream AND v.type = e.type
		  AND v.position <= (SELECT coalesce(min(position), 0) FROM eventstore.checkpoints WHERE consumer = ANY ($1))`, personal); err != nil {
		return err
	}
	streams, types := make([]string, len(endings)), make([]string, len(endings))
	for i, ending := range endings {
		streams[i], types[i] = ending.Stream, ending.Type
	}
	_, err := tx.Exec(ctx, "INSERT INTO projections.erasures (stream, type) SELECT * FROM unnest($1::text[], $2::text[]) ON CONFLICT DO NOTHING", streams, types)
	return err
}

// restartBuilds sends the unfinished builds of a projection back to their beginning, and deletes the kept models from the list.
func restartBuilds(ctx context.Context, tx pgx.Tx, name string) error {
	for _, sql := range []string{
		// First: it waits for a build that is about to be recorded among the models.
		`UPDATE projections.builds SET term = term + 1, holder = NULL, leased_until = '-infinity', updated_at = clock_timestamp(),
			state = CASE WHEN state = 'paused' THEN state ELSE 'waiting' END, phase = 'fold', made = false, indexed = false, report = NULL, progress = 0
			WHERE projection = $1 AND finished_at IS NULL`,
		`UPDATE projections.build_ranges r SET position = 0, events = 0, term = b.term FROM projections.builds b
			WHERE b.id = r.build AND b.projection = $1 AND b.finished_at IS NULL`,
		`DELETE FROM projections.models WHERE projection = $1 AND role <> 'live'`,
	} {
		if _, err := tx.Exec(ctx, sql, name); err != nil {
			return err
		}
	}
	return nil
}

// schemasBesideLive are the schemas that were made for a projection and are not live. They are known by their names, and by
// a comment that says what they were made from. A schema that another projection or somebody else has made since is left out.
const schemasBesideLive = `SELECT n.nspname FROM pg_namespace n
	WHERE obj_description(n.oid, 'pg_namespace') ~ '^[0-9a-f]{16}$' AND n.nspname <> $1
	  AND (n.nspname IN ($1 || '_old', $1 || '_next', $1 || '_check') OR EXISTS (SELECT FROM projections.builds b WHERE b.schema = n.nspname AND b.projection = $1))
	  AND NOT EXISTS (SELECT FROM projections.models m WHERE m.schema = n.nspname)
	  AND NOT EXISTS (SELECT FROM projections.builds b WHERE b.schema = n.nspname AND b.projection <> $1 AND b.finished_at IS NULL)`

// renameToDrop gives these schemas names that nothing reads. A rename does not wait for statements that read the tables.
func renameToDrop(ctx context.Context, tx pgx.Tx, name string) error {
	rows, err := tx.Query(ctx, schemasBesideLive, name)
	if err != nil {
		return err
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	now := time.Now().UnixNano()
	for i, schema := range found {
		if _, err := tx.Exec(ctx, fmt.Sprintf("ALTER SCHEMA %s RENAME TO %s", quote(schema), quote(nameToDrop(name, now+int64(i))))); err != nil {
			return err
		}
	}
	return nil
}

// nameToDrop is the name of a schema that is to be dropped.
func nameToDrop(name string, n int64) string { return fmt.Sprintf("%s_gone_%d", name, n) }

// schemasToDrop are the schemas of a projection that are to be dropped.
func (builder *Builder) schemasToDrop(ctx context.Context, name string) ([]string, error) {
	rows, err := builder.DB.Query(ctx, "SELECT nspname FROM pg_namespace WHERE starts_with(nspname, $1) ORDER BY nspname", name+"_gone_")
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// showsNobodyErased says whether a read model that stands at a position shows nobody whose erasure has begun. The caller
// holds the lock on schemas, so that an erasure which begins later removes what is kept now.
func showsNobodyErased(ctx context.Context, tx pgx.Tx, p projections.Projection, at eventstore.Position) (bool, error) {
	if !p.Personal() {
		return true, nil
	}
	var shows bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM projections.erasures e
		WHERE NOT EXISTS (SELECT FROM eventstore.events v WHERE v.stream = e.stream AND v.type = e.type AND v.position <= $1))`, int64(at)).Scan(&shows)
	return !shows, err
}
