package rebuild

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/eventstore"
	"shop/projections"
)

const (
	uniqueViolation  = "23505"
	lockNotAvailable = "55P03"
	deadlockDetected = "40P01"
)

// Start asks for a build; a process that runs Work, or Run, does it. It returns *Unfinished when the schema is being
// built already, and ErrNeverRan.
func (builder *Builder) Start(ctx context.Context, name string, o BuildOptions) (Build, error) {
	p, err := builder.find(name)
	if err != nil {
		return Build{}, err
	}
	b, err := builder.start(ctx, p, o)
	if err != nil {
		return Build{}, fmt.Errorf("build %s: %w", name, err)
	}
	return b, nil
}

func (builder *Builder) start(ctx context.Context, p projections.Projection, o BuildOptions) (Build, error) {
	head, err := builder.Store.Head(ctx)
	if err != nil {
		return Build{}, err
	}
	target, schema := head, ""
	switch o.Kind {
	case "", Rebuild:
		o.Kind, schema = Rebuild, p.Name+"_next"
	case Verify:
		schema = p.Name + "_check"
	case AsOf:
		if target, err = builder.asOfPosition(ctx, o, head); err != nil {
			return Build{}, err
		}
		if schema = o.Schema; schema == "" {
			schema = fmt.Sprintf("%s_at_%d", p.Name, target)
		}
		if err := builder.checkSchemaName(ctx, schema); err != nil {
			return Build{}, err
		}
	default:
		return Build{}, fmt.Errorf("there is no kind of build %q", o.Kind)
	}
	if o.Kind != AsOf {
		if o.Position != 0 || !o.Time.IsZero() || o.Schema != "" {
			return Build{}, errors.New("a position, a time or a schema are only for a build as of them")
		}
		var ran bool
		if err := builder.DB.QueryRow(ctx, "SELECT EXISTS (SELECT FROM eventstore.checkpoints WHERE consumer = $1)", p.Name).Scan(&ran); err != nil {
			return Build{}, err
		}
		if !ran {
			return Build{}, ErrNeverRan
		}
	}
	var id int64
	err = pgx.BeginFunc(ctx, builder.DB, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `INSERT INTO projections.builds (projection, kind, version, fingerprint, schema, auto_swap, accept, target, as_of, actor)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id`,
			p.Name, o.Kind, p.Version, p.Fingerprint(), schema, o.AutoSwap, o.AcceptDifferences, int64(target), timeOrNull(o.Time), o.Actor).Scan(&id)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "INSERT INTO projections.build_ranges (build, range) SELECT $1, r FROM generate_series(0, $2 - 1) r", id, eventstore.Ranges)
		return err
	})
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == uniqueViolation {
		there, err := builder.builds(ctx, "b.schema = $1 AND b.finished_at IS NULL", "", schema)
		if err != nil {
			return Build{}, err
		}
		if len(there) == 0 { // it has finished this moment
			return builder.start(ctx, p, o)
		}
		return Build{}, &Unfinished{Build: there[0]}
	}
	if err != nil {
		return Build{}, err
	}
	return builder.Find(ctx, id)
}

// asOfPosition is the last position of a model as of a position or a time. The time means the log up to the last event that
// was recorded at or before it: clocks differ, so times do not grow with positions, and only what the log once was
// makes a state that once was.
func (builder *Builder) asOfPosition(ctx context.Context, o BuildOptions, head eventstore.Position) (eventstore.Position, error) {
	switch {
	case o.Position != 0 && !o.Time.IsZero():
		return 0, errors.New("want a position or a time, not both")
	case o.Position < 0 || o.Position > head:
		return 0, &Unbuildable{"position", fmt.Sprintf("position %d is not in the log, which ends at %d", o.Position, head)}
	case o.Position > 0:
		return o.Position, nil
	case o.Time.IsZero():
		return head, nil
	}
	last, err := lastOf(ctx, builder.DB, o.Time, head)
	if err == nil && last == 0 {
		return 0, &Unbuildable{"time", "no event was recorded by " + o.Time.Format(time.RFC3339)}
	}
	return last, err
}

// LastBefore is the last position of an event that was recorded by a time; 0: there was none.
func LastBefore(ctx context.Context, db *pgxpool.Pool, at time.Time) (eventstore.Position, error) {
	return lastOf(ctx, db, at, math.MaxInt64)
}

func lastOf(ctx context.Context, db *pgxpool.Pool, at time.Time, head eventstore.Position) (last eventstore.Position, err error) {
	err = db.QueryRow(ctx, lastBefore, at, int64(head)).Scan(&last)
	return last, err
}

// lastBefore is the last position of an event that was recorded in the hour before a time, else in the days before, else ever: by the
// index on times, which cannot be asked for the last one as the key can (+ 0 keeps the planner from reading that backwards).
const lastBefore = `SELECT coalesce(
	(SELECT max(position + 0) FROM eventstore.events WHERE recorded_at > $1::timestamptz - interval '1 hour' AND recorded_at <= $1::timestamptz AND position <= $2),
	(SELECT max(position + 0) FROM eventstore.events WHERE recorded_at > $1::timestamptz - interval '30 days' AND recorded_at <= $1::timestamptz AND position <= $2),
	(SELECT max(position + 0) FROM eventstore.events WHERE recorded_at <= $1::timestamptz AND position <= $2), 0)`

var schemaName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)

// checkSchemaName refuses schemas that are there, or whose names belong to others.
func (builder *Builder) checkSchemaName(ctx context.Context, schema string) error {
	if !schemaName.MatchString(schema) {
		return fmt.Errorf("schema %q: want a small letter, then at most 62 small letters, digits and underscores", schema)
	}
	taken := strings.HasPrefix(schema, "pg_")
	for _, p := range builder.all() {
		taken = taken || schema == p.Name || schema == p.Name+"_next" || schema == p.Name+"_check" || schema == p.Name+"_old" || schema == firstSchema(p) || strings.HasPrefix(schema, p.Name+"_gone_")
	}
	if !taken {
		if err := builder.DB.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)", schema).Scan(&taken); err != nil {
			return err
		}
	}
	if taken {
		return &Unbuildable{"schema", fmt.Sprintf("schema %s is there already, or its name is reserved", schema)}
	}
	return nil
}

func timeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// Builds lists builds, newest first.
func (builder *Builder) Builds(ctx context.Context, f Filter) ([]Build, error) {
	limit := ""
	if f.Limit > 0 {
		limit = fmt.Sprint("LIMIT ", f.Limit)
	}
	return builder.builds(ctx, "($1 = '' OR b.projection = $1) AND (NOT $2 OR b.finished_at IS NULL)", limit, f.Projection, f.Unfinished)
}

// Find finds a build, or returns ErrNoBuild.
func (builder *Builder) Find(ctx context.Context, id int64) (Build, error) {
	found, err := builder.builds(ctx, "b.id = $1", "", id)
	if err != nil {
		return Build{}, err
	}
	if len(found) == 0 {
		return Build{}, fmt.Errorf("build %d: %w", id, ErrNoBuild)
	}
	b := found[0]
	if b.Report != nil {
		var report []byte
		if err := builder.DB.QueryRow(ctx, "SELECT report FROM projections.builds WHERE id = $1", id).Scan(&report); err != nil {
			return Build{}, fmt.Errorf("read build %d: %w", id, err)
		}
		b.Report = &Report{}
		if err := json.Unmarshal(report, b.Report); err != nil {
			return Build{}, fmt.Errorf("read build %d: %w", id, err)
		}
	}
	return b, nil
}

// builds reads builds without the samples of their reports, which may be long.
func (builder *Builder) builds(ctx context.Context, where, limit string, args ...any) ([]Build, error) {
	rows, err := builder.DB.Query(ctx, `SELECT b.id, b.projection, b.kind, b.version, b.fingerprint, b.schema, b.state, b.phase, b.auto_swap, b.target, b.as_of,
			-- What is past folding is folded, also when it was too quick for a record of it.
			CASE WHEN b.phase IN ('index', 'catch-up', 'verify', 'swap') THEN 1 ELSE b.progress END::float8, (SELECT coalesce(sum(r.events), 0)::bigint FROM projections.build_ranges r WHERE r.build = b.id),
			CASE WHEN b.state IN ('running', 'swapping') THEN b.rate ELSE 0 END::float8, coalesce(b.eta_seconds, -1)::float8,
			b.actor, b.started_at, b.updated_at, b.finished_at,
			CASE WHEN b.leased_until >= clock_timestamp() THEN coalesce(b.holder, '') ELSE '' END,
			b.error, coalesce(b.lock_seconds, -1)::float8, b.report - 'sample'
		FROM projections.builds b WHERE `+where+` ORDER BY b.id DESC `+limit, args...)
	if err != nil {
		return nil, fmt.Errorf("list builds: %w", err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Build, error) {
		var b Build
		var asOf, finished *time.Time
		var eta, locked float64
		var report []byte
		err := row.Scan(&b.ID, &b.Projection, &b.Kind, &b.Version, &b.Fingerprint, &b.Schema, &b.State, &b.Phase, &b.AutoSwap, &b.Position, &asOf,
			&b.Progress, &b.Events, &b.Rate, &eta, &b.Actor, &b.StartedAt, &b.UpdatedAt, &finished, &b.Holder, &b.Error, &locked, &report)
		if err != nil {
			return b, err
		}
		if asOf != nil {
			b.AsOf = *asOf
		}
		if finished != nil {
			b.FinishedAt = *finished
		}
		b.ETA, b.LockTime = seconds(eta), seconds(locked)
		if report != nil {
			b.Report = &Report{}
			err = json.Unmarshal(report, b.Report)
		}
		return b, err
	})
	if err != nil {
		return nil, fmt.Errorf("list builds: %w", err)
	}
	return found, nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// Pause holds a build where it is, whoever works on it. Pause, Resume, Cancel and Swap return ErrNoBuild and *Refused.
func (builder *Builder) Pause(ctx context.Context, id int64) error {
	return builder.transition(ctx, id, "pause", `state = 'paused'`, Waiting, Running)
}

// Resume lets a paused build go on.
func (builder *Builder) Resume(ctx context.Context, id int64) error {
	return builder.transition(ctx, id, "resume", `state = CASE WHEN leased_until < clock_timestamp() THEN 'waiting' ELSE 'running' END`, Paused)
}

// Swap lets a build that is ready replace the live read model: it is waiting again, for a process to do it.
func (builder *Builder) Swap(ctx context.Context, id int64) error {
	return builder.transition(ctx, id, "swap", `state = 'waiting', phase = 'swap', auto_swap = true, accept = true`, Ready)
}

// Cancel ends a build and removes what it made.
func (builder *Builder) Cancel(ctx context.Context, id int64) error {
	err := builder.transition(ctx, id, "cancel", `state = 'cancelled', finished_at = clock_timestamp()`, Waiting, Running, Paused, Ready, Swapping)
	if err != nil {
		return err
	}
	b, err := builder.Find(ctx, id)
	if err != nil {
		return err
	}
	if b.Holder == "" {
		return builder.dropBuilt(ctx, b.ID, b.Schema)
	}
	return nil // its holder does that when it stops
}

func (builder *Builder) transition(ctx context.Context, id int64, asked, set string, from ...State) error {
	tag, err := builder.DB.Exec(ctx, "UPDATE projections.builds SET "+set+", updated_at = clock_timestamp() WHERE id = $1 AND state = ANY ($2)", id, from)
	if err != nil {
		return fmt.Errorf("%s build %d: %w", asked, id, err)
	}
	if tag.RowsAffected() == 1 {
		return nil
	}
	b, err := builder.Find(ctx, id)
	if err != nil {
		return err
	}
	return &Refused{Build: b, Asked: asked}
}

// dropBuilt drops what a build made that has ended without a use for it. A schema of that name that an unfinished build
// makes now is left alone.
func (builder *Builder) dropBuilt(ctx context.Context, id int64, schema string) error {
	err := inAsyncTx(ctx, builder.DB, func(tx pgx.Tx) error {
		if err := lockSchemas(ctx, tx); err != nil {
			return err
		}
		var needed bool
		err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM projections.builds WHERE schema = $2 AND id <> $1 AND finished_at IS NULL)
			OR EXISTS (SELECT FROM projections.models WHERE schema = $2)`, id, schema).Scan(&needed)
		if err != nil || needed {
			return err
		}
		_, err = tx.Exec(ctx, "DROP SCHEMA IF EXISTS "+quote(schema)+" CASCADE")
		return err
	})
	if err != nil {
		return fmt.Errorf("remove schema %s: %w", schema, err)
	}
	return nil
}

// Models lists the live, previous and as-of read models, by projection and schema.
func (builder *Builder) Models(ctx context.Context) ([]Model, error) {
	rows, err := builder.DB.Query(ctx, `SELECT m.schema, m.projection, m.role, m.version, m.fingerprint,
			coalesce(m.position, (SELECT min(p) FROM unnest(m.ranges) p), 0), m.as_of, m.made_at, m.replaced_at
		FROM projections.models m ORDER BY m.projection, m.schema`)
	if err != nil {
		return nil, fmt.Errorf("list read models: %w", err)
	}
	models, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Model, error) {
		var m Model
		var asOf, replaced *time.Time
		err := row.Scan(&m.Schema, &m.Projection, &m.Role, &m.Version, &m.Fingerprint, &m.Position, &asOf, &m.MadeAt, &replaced)
		if asOf != nil {
			m.AsOf = *asOf
		}
		if replaced != nil {
			m.ReplacedAt = *replaced
		}
		return m, err
	})
	if err != nil {
		return nil, fmt.Errorf("list read models: %w", err)
	}
	return models, nil
}

// Drop removes an as-of read model by its schema's name, or returns ErrNoModel.
func (builder *Builder) Drop(ctx context.Context, schema string) error {
	err := pgx.BeginFunc(ctx, builder.DB, func(tx pgx.Tx) error {
		if err := lockSchemas(ctx, tx); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, "DELETE FROM projections.models WHERE schema = $1 AND role = 'as-of'", schema)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return ErrNoModel
		}
		_, err = tx.Exec(ctx, "DROP SCHEMA IF EXISTS "+quote(schema)+" CASCADE")
		return err
	})
	if err != nil {
		return fmt.Errorf("drop %s: %w", schema, err)
	}
	return nil
}
