package projections

import (
	"context"
	"errors"
	"fmt"
	"time"

	"shop/eventstore/feed"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Prepare gives new projections their schemas and checkpoints, and returns their names. A read model that is made from
// another definition is left as it is: Deploy replaces it. Several processes may prepare at once.
func Prepare(ctx context.Context, db *pgxpool.Pool, projections ...Projection) (fresh []string, err error) {
	for _, p := range projections {
		err := pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
			if err := lock(ctx, tx); err != nil {
				return err
			}
			from, err := made(ctx, tx, p.Name)
			if err != nil {
				return err
			}
			if from == "" {
				fresh = append(fresh, p.Name)
				return p.begin(ctx, tx)
			}
			if err := feed.SetEdition(ctx, tx, p.Name, from); err != nil {
				return err
			}
			version := 0 // not known
			if from == p.Fingerprint() {
				version = p.Version
			}
			return register(ctx, tx, p.Name, version, from)
		})
		if err != nil {
			return nil, fmt.Errorf("prepare projection %s: %w", p.Name, err)
		}
	}
	return fresh, nil
}

// begin makes empty tables and has the consumer begin with the log.
func (p Projection) begin(ctx context.Context, tx pgx.Tx) error {
	if err := feed.MakeConsumer(ctx, tx, p.Name, p.Fingerprint()); err != nil {
		return err
	}
	if err := p.createTables(ctx, tx, p.Name); err != nil {
		return err
	}
	if err := p.createIndexes(ctx, tx, p.Name); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "DELETE FROM projections.models WHERE schema = $1", p.Name); err != nil {
		return err
	}
	return register(ctx, tx, p.Name, p.Version, p.Fingerprint())
}

// register records a live read model unless it is recorded.
func register(ctx context.Context, tx pgx.Tx, name string, version int, fingerprint string) error {
	_, err := tx.Exec(ctx, `INSERT INTO projections.models (schema, projection, role, version, fingerprint) VALUES ($1, $1, 'live', $2, $3)
		ON CONFLICT (schema) DO NOTHING`, name, version, fingerprint)
	return err
}

// Deploy makes the database hold the read models this program wants, and returns when it does. A new one gets its schema;
// one that is made from another definition is built beside the live one, which goes on serving, and replaced. One whose
// live version is higher than the program's is left alone: the program reads it and does not fold it. The names of
// those that are new or replaced are returned.
func (e *Engine) Deploy(ctx context.Context, projections ...Projection) (changed []string, err error) {
	if changed, err = Prepare(ctx, e.DB, projections...); err != nil {
		return nil, err
	}
	for _, p := range projections {
		replaced, err := e.deploy(ctx, p)
		if err != nil {
			return changed, fmt.Errorf("deploy projection %s: %w", p.Name, err)
		}
		if replaced {
			changed = append(changed, p.Name)
		}
	}
	return changed, nil
}

func (e *Engine) deploy(ctx context.Context, p Projection) (replaced bool, err error) {
	for {
		var version int
		var live string
		err := e.DB.QueryRow(ctx, "SELECT version, fingerprint FROM projections.models WHERE schema = $1", p.Name).Scan(&version, &live)
		if err != nil || live == p.Fingerprint() {
			return replaced, err
		}
		if version > p.Version {
			e.logger().WarnContext(ctx, "a newer version of the read model is live: this program reads it and leaves it to others to fold",
				"projection", p.Name, "version", version, "own_version", p.Version)
			return false, nil
		}
		began := time.Now()
		b, err := e.start(ctx, p, BuildOptions{AutoSwap: true, AcceptDifferences: true, Actor: "system:deploy"})
		var there *Unfinished
		switch {
		case errors.As(err, &there) && there.Build.Fingerprint != p.Fingerprint():
			// Of a program that is no more, or soon will not be.
			if err := e.Cancel(ctx, there.Build.ID); err != nil {
				var refused *Refused
				if !errors.As(err, &refused) {
					return false, err
				}
			}
			continue
		case errors.As(err, &there):
			b = there.Build
			if b.State == Paused {
				e.logger().WarnContext(ctx, "the read model this program needs is being built, and paused", "projection", p.Name, "build", b.ID)
			}
		case err != nil:
			return false, err
		}
		e.logger().InfoContext(ctx, "a read model is built anew for this version of the program; the live one goes on serving",
			"projection", p.Name, "build", b.ID, "version", p.Version)
		told := time.Now()
		b, err = e.Run(ctx, b.ID, func(b Build) {
			if time.Since(told) >= 5*time.Second {
				told = time.Now()
				e.logger().InfoContext(ctx, "a read model is built anew", "projection", b.Projection, "build", b.ID, "phase", b.Phase,
					"share", b.Progress, "events", b.Events, "left", b.ETA.Round(time.Second))
			}
		})
		if err != nil {
			return false, err
		}
		if b.State == Ready { // somebody asked for it without the swap; this program cannot do without
			if err := e.Swap(ctx, b.ID); err != nil {
				return false, err
			}
			continue
		}
		e.logger().InfoContext(ctx, "the read model is replaced", "projection", p.Name, "build", b.ID, "took", time.Since(began).Round(time.Millisecond))
		replaced = true
	}
}

// Await returns when the database holds the read models this program wants, or newer ones. It is for processes that only
// read them.
func (e *Engine) Await(ctx context.Context, projections ...Projection) error {
	told := false
	for _, p := range projections {
		for {
			var ready bool
			err := e.DB.QueryRow(ctx, `SELECT EXISTS (SELECT FROM projections.models WHERE schema = $1 AND (fingerprint = $2 OR version > $3))`,
				p.Name, p.Fingerprint(), p.Version).Scan(&ready)
			if err != nil {
				return fmt.Errorf("wait for projection %s: %w", p.Name, err)
			}
			if ready {
				break
			}
			if !told {
				told = true
				e.logger().InfoContext(ctx, "waiting for a process that builds the read models of this version of the program", "projection", p.Name)
			}
			if !pause(ctx, look) {
				return ctx.Err()
			}
		}
	}
	return nil
}

// lock lets one process at a time change schemas.
func lock(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtext('shop projections'))")
	return err
}
