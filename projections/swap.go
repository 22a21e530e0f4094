package projections

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

	"shop/eventstore"
	"shop/eventstore/feed"
)

const (
	// tableWait is how long an exchange waits for one statement that reads the live tables, lockWait how long for all and
	// for the live consumer: statements that come meanwhile wait behind it.
	tableWait, lockWait = 20 * time.Millisecond, 50 * time.Millisecond
	// patience is how long an exchange gives statements that read for longer, such as a backup, until it goes past them;
	// hurry is that of a rollback. Those statements found their tables before and read on in them. What is given up is only
	// the certainty that none is being prepared at the very moment of the commit.
	patience, hurry = 3 * time.Second, 300 * time.Millisecond
)

// errAhead: more was appended than an exchange shall fold while it holds the live consumer.
var errAhead = errors.New("the live read model is ahead")

// swap puts the build's schema in the live one's place.
func (b *building) swap(ctx context.Context) error {
	to := exchange{
		p: b.p, schema: b.f.schema, patience: cmp.Or(b.e.patience, patience), filling: &b.f,
		finish: func(ctx context.Context, tx pgx.Tx) error {
			return b.set(ctx, tx, "state = 'done', progress = 1, finished_at = clock_timestamp(), leased_until = '-infinity'")
		},
	}
	locked, err := b.e.exchange(ctx, to, func() error {
		if err := b.proceed(ctx); err != nil {
			return err
		}
		// All of it now, since the comparison is done: a live consumer that is late is taken along.
		for range 20 {
			head, err := b.e.Store.Head(ctx)
			if err != nil {
				return err
			}
			near := head-least(b.f.at) < little
			b.f.upTo = head
			if err := b.e.fill(ctx, &b.f); err != nil || near {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("put the new tables in place: %w", err)
	}
	_, err = b.e.DB.Exec(ctx, "UPDATE projections.builds SET lock_seconds = $2 WHERE id = $1", b.id, locked.Seconds())
	if err != nil {
		b.e.logger().WarnContext(ctx, "the time of a swap could not be recorded", "build", b.id, "error", err)
	}
	b.e.sweep(ctx, b.p.Name)
	return nil
}

// exchange is what takes the live schema's place.
type exchange struct {
	p Projection
	// schema is NAME_next or NAME_old.
	schema   string
	patience time.Duration
	// filling folds what is missing in it; nil: it is put in place as it is, and its consumer goes on from there.
	filling *filling
	// previous is what NAME_old is when it comes back; nil otherwise.
	previous *previous
	finish   func(ctx context.Context, tx pgx.Tx) error
}

// exchange catches up and tries, until the live consumer and the tables' readers let it. It answers how long the
// tables were locked.
func (e *Engine) exchange(ctx context.Context, x exchange, catchUp func() error) (time.Duration, error) {
	began := time.Now()
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, 500*time.Millisecond) {
		if err := catchUp(); err != nil {
			return 0, err
		}
		locked, err := e.tryExchange(ctx, x, time.Since(began) < x.patience)
		var refused *pgconn.PgError
		switch {
		case err == nil:
			return locked, nil
		case errors.Is(err, errAhead):
			wait = 5 * time.Millisecond
		case errors.As(err, &refused) && (refused.Code == lockNotAvailable || refused.Code == "57014" || refused.Code == deadlockDetected):
		default:
			return 0, err
		}
		if !pause(ctx, wait/2+rand.N(wait)) {
			return 0, context.Cause(ctx)
		}
	}
}

// tryExchange does it in one transaction: the live consumer is held, what it is ahead by is folded, the schemas change
// names, and last the live tables are locked until the commit, so that no statement finds one of them before and
// another after. A statement that waits for the lock looks the name up again.
func (e *Engine) tryExchange(ctx context.Context, x exchange, lockTables bool) (locked time.Duration, err error) {
	f := x.filling
	if f != nil {
		at := f.at
		defer func() {
			if err != nil {
				f.at = at
			}
		}()
	}
	var from time.Time
	err = inTx(ctx, e.DB, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, fmt.Sprintf("SET LOCAL lock_timeout = %d", lockWait.Milliseconds())); err != nil {
			return err
		}
		if err := lock(ctx, tx); err != nil {
			return err
		}
		held, err := feed.ControlOf(e.Store).Hold(ctx, tx, x.p.Name)
		var unknown *feed.UnknownConsumer
		if errors.As(err, &unknown) {
			return ErrNeverRan
		} else if err != nil {
			return err
		}
		to := feed.Handover{Edition: x.p.Fingerprint()}
		version := x.p.Version
		if was := x.previous; was != nil {
			if err := was.still(ctx, tx); err != nil {
				return err
			}
			to = feed.Handover{Edition: was.Fingerprint, Letters: was.Letters, At: was.places()}
			version = was.Version
		}
		if f != nil {
			for r := range held.At {
				if held.At[r]-f.at[r] > little {
					return errAhead
				}
			}
			if err := e.exactly(ctx, tx, f, held.At); err != nil {
				return err
			}
			to.At = f.at
		}
		letters, err := feed.ControlOf(e.Store).Move(ctx, tx, x.p.Name, to)
		if err != nil {
			return err
		}
		if x.finish != nil {
			if err := x.finish(ctx, tx); err != nil {
				return err
			}
		}
		if err := rename(ctx, tx, x, version, to.Edition, held, letters); err != nil {
			return err
		}
		from = time.Now()
		if lockTables {
			return lockSchema(ctx, tx, x.p.Name+"_old")
		}
		return nil
	})
	return time.Since(from), err
}

// lockSchema locks all tables of a schema against readers, or fails within lockWait.
func lockSchema(ctx context.Context, tx pgx.Tx, schema string) error {
	var tables []string
	err := tx.QueryRow(ctx, `SELECT coalesce(array_agg(c.relname::text ORDER BY c.relname), '{}') FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')`, schema).Scan(&tables)
	if err != nil || len(tables) == 0 {
		return err
	}
	for i, t := range tables {
		tables[i] = within(schema, t)
	}
	for _, sql := range []string{
		fmt.Sprintf("SET LOCAL lock_timeout = %d", tableWait.Milliseconds()),
		fmt.Sprintf("SET LOCAL statement_timeout = %d", lockWait.Milliseconds()),
		"LOCK TABLE " + strings.Join(tables, ", ") + " IN ACCESS EXCLUSIVE MODE",
	} {
		if _, err := tx.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
	}
	return nil
}

// rename gives the schemas their new names, and records which is which. What was kept as the previous one until now is
// put aside for sweep, unless it is what comes back.
func rename(ctx context.Context, tx pgx.Tx, x exchange, version int, fingerprint string, held feed.Held, letters json.RawMessage) error {
	name := x.p.Name
	old := name + "_old"
	var batch pgx.Batch
	renames := func(from, to string) {
		batch.Queue(fmt.Sprintf("ALTER SCHEMA %s RENAME TO %s", quote(from), quote(to)))
	}
	renames(x.schema, name+"_swap")
	if x.schema != old {
		var there bool
		if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)", old).Scan(&there); err != nil {
			return err
		}
		if there {
			renames(old, fmt.Sprintf("%s_gone_%d", name, time.Now().UnixNano()))
		}
	}
	renames(name, old)
	renames(name+"_swap", name)
	batch.Queue("DELETE FROM projections.models WHERE projection = $1 AND role = 'previous'", name)
	batch.Queue(`UPDATE projections.models SET schema = $2, role = 'previous', ranges = $3, letters = $4, replaced_at = clock_timestamp()
		WHERE projection = $1 AND role = 'live'`, name, old, held.At[:], letters)
	batch.Queue("INSERT INTO projections.models (schema, projection, role, version, fingerprint) VALUES ($1, $1, 'live', $2, $3)", name, version, fingerprint)
	return tx.SendBatch(ctx, &batch).Close()
}

// sweep drops what earlier exchanges put aside. It never makes a reader that is still at it, and so those behind it,
// wait for long; what cannot be dropped now is dropped after the next exchange.
func (e *Engine) sweep(ctx context.Context, name string) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	err := func() error {
		rows, err := e.DB.Query(ctx, "SELECT nspname FROM pg_namespace WHERE starts_with(nspname, $1)", name+"_gone_")
		if err != nil {
			return err
		}
		aside, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		for len(aside) > 0 {
			err := inTx(ctx, e.DB, func(tx pgx.Tx) error {
				if _, err := tx.Exec(ctx, "SET LOCAL lock_timeout = '50ms'"); err != nil {
					return err
				}
				_, err := tx.Exec(ctx, "DROP SCHEMA IF EXISTS "+quote(aside[0])+" CASCADE")
				return err
			})
			var refused *pgconn.PgError
			switch {
			case err == nil:
				aside = aside[1:]
			case errors.As(err, &refused) && refused.Code == lockNotAvailable:
				if !pause(ctx, 100*time.Millisecond) {
					return err
				}
			default:
				return err
			}
		}
		return nil
	}()
	if err != nil {
		e.logger().WarnContext(ctx, "tables that were replaced are not dropped yet", "projection", name, "error", err)
	}
}

// previous is the read model that was live before.
type previous struct {
	Projection  string
	Version     int
	Fingerprint string
	Ranges      []int64
	Letters     json.RawMessage
	ReplacedAt  time.Time
}

func (p *previous) places() (at [eventstore.Ranges]eventstore.Position) {
	for r := range at {
		at[r] = eventstore.Position(p.Ranges[r])
	}
	return at
}

// previousOf is nil when none is kept.
func (e *Engine) previousOf(ctx context.Context, name string) (*previous, error) {
	rows, err := e.DB.Query(ctx, "SELECT projection, version, fingerprint, ranges, letters, replaced_at FROM projections.models WHERE projection = $1 AND role = 'previous'", name)
	if err != nil {
		return nil, err
	}
	p, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByPos[previous])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return p, err
}

var errReplaced = errors.New("another exchange came between: try again")

// still fails when the previous read model is another one by now, and otherwise keeps it from becoming that until tx ends.
func (p *previous) still(ctx context.Context, tx pgx.Tx) error {
	tag, err := tx.Exec(ctx, "SELECT FROM projections.models WHERE projection = $1 AND role = 'previous' AND replaced_at = $2 FOR UPDATE", p.Projection, p.ReplacedAt)
	if err == nil && tag.RowsAffected() == 0 {
		err = errReplaced
	}
	return err
}

// Rollback puts the read model that was replaced last back in its place, and keeps the one that was live in its
// stead: another Rollback undoes it. One of the same definition is brought up to date first, unseen; one of another
// definition, or one that had dead letters, comes back as it was, and its consumer catches up. It returns ErrNoPrevious
// when there is none.
func (e *Engine) Rollback(ctx context.Context, name string) (RolledBack, error) {
	began := time.Now()
	p, err := e.find(name)
	if err != nil {
		return RolledBack{}, err
	}
	was, err := e.previousOf(ctx, name)
	if err == nil && was == nil {
		err = ErrNoPrevious
	}
	if err != nil {
		return RolledBack{}, fmt.Errorf("roll back %s: %w", name, err)
	}
	x := exchange{p: p, schema: name + "_old", patience: hurry, previous: was}
	if was.Fingerprint == p.Fingerprint() && string(was.Letters) == "[]" {
		if x.filling, err = e.bringUp(ctx, p, was); err != nil {
			return RolledBack{}, fmt.Errorf("roll back %s: %w", name, err)
		}
	}
	locked, err := e.exchange(ctx, x, func() error {
		if x.filling == nil {
			return nil
		}
		head, err := e.Store.Head(ctx)
		if err != nil {
			return err
		}
		return e.exactly(ctx, e.DB, x.filling, everywhere(head))
	})
	if err != nil {
		return RolledBack{}, fmt.Errorf("roll back %s: %w", name, err)
	}
	done := RolledBack{Projection: name, Version: was.Version, Took: time.Since(began), LockTime: locked}
	e.logger().InfoContext(ctx, "the previous read model is live again", "projection", name, "version", was.Version, "took", done.Took, "locked", locked)
	return done, nil
}

// bringUp folds into the previous read model what came since it was replaced. Events that its code cannot fold are for
// its consumer to park: then nil, and it comes back as it was.
func (e *Engine) bringUp(ctx context.Context, p Projection, was *previous) (*filling, error) {
	f := &filling{
		projection: p, schema: p.Name + "_old", at: was.places(),
		save: func(ctx context.Context, tx pgx.Tx, r int, at eventstore.Position, _ int64) error {
			tag, err := tx.Exec(ctx, "UPDATE projections.models SET ranges[$3] = $4 WHERE projection = $1 AND role = 'previous' AND replaced_at = $2",
				p.Name, was.ReplacedAt, r+1, int64(at))
			if err == nil && tag.RowsAffected() == 0 {
				err = errReplaced
			}
			return err
		},
	}
	var err error
	if f.skipped, err = e.letGo(ctx, p.Name); err != nil {
		return nil, err
	}
	head, err := e.Store.Head(ctx)
	if err != nil {
		return nil, err
	}
	err = e.exactly(ctx, e.DB, f, everywhere(head))
	if err == nil || isTransient(err) || errors.Is(err, errReplaced) {
		return f, err
	}
	e.logger().WarnContext(ctx, "the previous read model comes back as it was: an event since cannot be folded", "projection", p.Name, "error", err)
	// Its places were saved page by page.
	if now, err := e.previousOf(ctx, p.Name); err != nil {
		return nil, err
	} else if now == nil || !now.ReplacedAt.Equal(was.ReplacedAt) {
		return nil, errReplaced
	} else {
		*was = *now
	}
	return nil, nil
}
