package projections

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"shop/eventstore"
)

// unsampled keeps personal columns out of PostgreSQL's statistics, which would remember values after their rows are gone.
func unsampled(table string, columns []string) string {
	if len(columns) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, ";\nALTER TABLE %s", quote(table))
	for i, column := range columns {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " ALTER COLUMN %s SET STATISTICS 0", quote(column))
	}
	return b.String()
}

// personal says that a table has columns with personal data.
func (p Projection) personal() bool {
	for _, t := range p.Tables {
		if len(t.personal()) > 0 {
			return true
		}
	}
	return false
}

// Ending names the event after which no live read model shows the person whom it is about. It may be appended later.
type Ending struct{ Stream, Type string }

// Forget removes whatever read model with personal columns is not live: the previous ones and those as of a position,
// into which nothing folds any more, what an exchange put aside, and what builds have made so far. Call it once the
// person's keys are deleted; it may be repeated.
//
//   - A build that is not finished begins anew. Its process is fenced off by the term, as by one that takes it over, and
//     whoever goes on with it reads the persons' keys anew.
//   - A build that finishes first is in the list of models, and goes with the others.
//   - A live read model that an exchange replaces before it has folded the ending is not kept.
func (e *Engine) Forget(ctx context.Context, ending Ending) error {
	for _, p := range e.all() {
		if !p.personal() {
			continue
		}
		if err := e.forget(ctx, p.Name, ending); err != nil {
			return fmt.Errorf("remove what is kept beside read model %s: %w", p.Name, err)
		}
	}
	return nil
}

func (e *Engine) forget(ctx context.Context, name string, ending Ending) error {
	err := patiently(ctx, func() error {
		return pgx.BeginFunc(ctx, e.DB, func(tx pgx.Tx) error {
			if err := lock(ctx, tx); err != nil {
				return err
			}
			if err := e.remember(ctx, tx, ending); err != nil {
				return err
			}
			if err := beginAnew(ctx, tx, name); err != nil {
				return err
			}
			return putAside(ctx, tx, name)
		})
	})
	if err != nil {
		return err
	}
	aside, err := e.aside(ctx, name)
	if err != nil {
		return err
	}
	for _, schema := range aside {
		err := patiently(ctx, func() error {
			_, err := e.DB.Exec(ctx, "DROP SCHEMA IF EXISTS "+quote(schema)+" CASCADE")
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// patiently tries again what met a build that wrote the same rows or tables at the moment.
func patiently(ctx context.Context, try func() error) (err error) {
	for range 5 {
		err = try()
		var refused *pgconn.PgError
		if err == nil || !errors.As(err, &refused) || refused.Code != deadlockDetected || !pause(ctx, 50*time.Millisecond) {
			return err
		}
	}
	return err
}

// remember writes down that the live read models have not folded an ending yet, and forgets those they have.
func (e *Engine) remember(ctx context.Context, tx pgx.Tx, ending Ending) error {
	var personal []string
	for _, p := range e.all() {
		if p.personal() {
			personal = append(personal, p.Name)
		}
	}
	if _, err := tx.Exec(ctx, `DELETE FROM projections.erasures e USING eventstore.events v
		WHERE v.stream = e.stream AND v.type = e.type
		  AND v.position <= (SELECT coalesce(min(position), 0) FROM eventstore.checkpoints WHERE consumer = ANY ($1))`, personal); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, "INSERT INTO projections.erasures (stream, type) VALUES ($1, $2) ON CONFLICT DO NOTHING", ending.Stream, ending.Type)
	return err
}

// beginAnew sends the unfinished builds of a projection back to their beginning, and forgets the kept models.
func beginAnew(ctx context.Context, tx pgx.Tx, name string) error {
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

// besideLive are the schemas that were made for a projection and are not live: by their names, and because such a schema
// says what it was made from. One whose name a build once had, and another projection or somebody else has now, is theirs.
const besideLive = `SELECT n.nspname FROM pg_namespace n
	WHERE obj_description(n.oid, 'pg_namespace') ~ '^[0-9a-f]{16}$' AND n.nspname <> $1
	  AND (n.nspname IN ($1 || '_old', $1 || '_next', $1 || '_check') OR EXISTS (SELECT FROM projections.builds b WHERE b.schema = n.nspname AND b.projection = $1))
	  AND NOT EXISTS (SELECT FROM projections.models m WHERE m.schema = n.nspname)
	  AND NOT EXISTS (SELECT FROM projections.builds b WHERE b.schema = n.nspname AND b.projection <> $1 AND b.finished_at IS NULL)`

// putAside gives these schemas names that nothing asks for. To rename one waits for nobody who works on its tables.
func putAside(ctx context.Context, tx pgx.Tx, name string) error {
	rows, err := tx.Query(ctx, besideLive, name)
	if err != nil {
		return err
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	now := time.Now().UnixNano()
	for i, schema := range found {
		if _, err := tx.Exec(ctx, fmt.Sprintf("ALTER SCHEMA %s RENAME TO %s", quote(schema), quote(asideName(name, now+int64(i))))); err != nil {
			return err
		}
	}
	return nil
}

// asideName is that of a schema that is to be dropped.
func asideName(name string, n int64) string { return fmt.Sprintf("%s_gone_%d", name, n) }

// aside are the schemas that are to be dropped.
func (e *Engine) aside(ctx context.Context, name string) ([]string, error) {
	rows, err := e.DB.Query(ctx, "SELECT nspname FROM pg_namespace WHERE starts_with(nspname, $1) ORDER BY nspname", name+"_gone_")
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// mayBeKept says whether a live read model that stands there shows nobody whose erasure has begun. Whoever asks holds
// the lock on schemas: an erasure that begins later removes what is kept now.
func (p Projection) mayBeKept(ctx context.Context, tx pgx.Tx, at eventstore.Position) (bool, error) {
	if !p.personal() {
		return true, nil
	}
	var shows bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM projections.erasures e
		WHERE NOT EXISTS (SELECT FROM eventstore.events v WHERE v.stream = e.stream AND v.type = e.type AND v.position <= $1))`, int64(at)).Scan(&shows)
	return !shows, err
}
