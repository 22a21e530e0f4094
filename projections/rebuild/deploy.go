package rebuild

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/eventstore/feed"
	"shop/eventstore/wake"
	"shop/projections"
)

// Prepare gives new projections their schemas and checkpoints, and returns their names. It leaves a read model of another
// definition as it is: Deploy replaces that. Several processes may prepare at once.
func Prepare(ctx context.Context, db *pgxpool.Pool, wanted ...projections.Projection) (fresh []string, err error) {
	for _, p := range wanted {
		err := pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
			if err := lockSchemas(ctx, tx); err != nil {
				return err
			}
			from, err := projections.MadeFrom(ctx, tx, p.Name)
			if err != nil {
				return err
			}
			if from == "" {
				fresh = append(fresh, p.Name)
				return createEmpty(ctx, tx, p)
			}
			if err := feed.SetEdition(ctx, tx, p.Name, from); err != nil {
				return err
			}
			version := 0 // not known
			if from == p.Fingerprint() {
				version = p.Version
			}
			return registerLive(ctx, tx, p.Name, version, from)
		})
		if err != nil {
			return nil, fmt.Errorf("prepare projection %s: %w", p.Name, err)
		}
	}
	return fresh, nil
}

// createEmpty makes empty tables, and a consumer that begins with the log.
func createEmpty(ctx context.Context, tx pgx.Tx, p projections.Projection) error {
	if err := feed.MakeConsumer(ctx, tx, p.Name, p.Fingerprint()); err != nil {
		return err
	}
	if err := p.CreateTables(ctx, tx, p.Name); err != nil {
		return err
	}
	if err := p.CreateIndexes(ctx, tx, p.Name); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "DELETE FROM projections.models WHERE schema = $1", p.Name); err != nil {
		return err
	}
	return registerLive(ctx, tx, p.Name, p.Version, p.Fingerprint())
}

// registerLive records a live read model, unless there is a record already.
func registerLive(ctx context.Context, tx pgx.Tx, name string, version int, fingerprint string) error {
	_, err := tx.Exec(ctx, `INSERT INTO projections.models (schema, projection, role, version, fingerprint) VALUES ($1, $1, 'live', $2, $3)
		ON CONFLICT (schema) DO NOTHING`, name, version, fingerprint)
	return err
}

// Deploy makes the database hold the read models that this program defines, and returns when it does. A new one gets its
// schema, and what a long log makes of it. For one of another definition Deploy builds a new one beside it, which replaces it; meanwhile the old one
// serves. Deploy leaves a live read model of a higher version alone: the program reads it and does not fold it. Deploy
// returns the names of the read models that are new or replaced.
func (builder *Builder) Deploy(ctx context.Context, wanted ...projections.Projection) (changed []string, err error) {
	if changed, err = Prepare(ctx, builder.DB, wanted...); err != nil {
		return nil, err
	}
	if err := builder.fillNew(ctx, wanted); err != nil {
		return changed, err
	}
	for _, p := range wanted {
		replaced, err := builder.deploy(ctx, p)
		if err != nil {
			return changed, fmt.Errorf("deploy projection %s: %w", p.Name, err)
		}
		if replaced {
			changed = append(changed, p.Name)
		}
	}
	return changed, nil
}

func (builder *Builder) deploy(ctx context.Context, p projections.Projection) (replaced bool, err error) {
	for {
		var version int
		var live string
		err := builder.DB.QueryRow(ctx, "SELECT version, fingerprint FROM projections.models WHERE schema = $1", p.Name).Scan(&version, &live)
		if err != nil || live == p.Fingerprint() {
			return replaced, err
		}
		if version > p.Version {
			builder.logger().WarnContext(ctx, "a newer version of the read model is live: this program reads it and leaves it to others to fold",
				"projection", p.Name, "version", version, "own_version", p.Version)
			return false, nil
		}
		began := time.Now()
		b, err := builder.start(ctx, p, BuildOptions{AutoSwap: true, AcceptDifferences: true, Actor: "system:deploy"})
		var there *Unfinished
		switch {
		case errors.As(err, &there) && there.Build.Fingerprint != p.Fingerprint():
			// It is of another version of the program, which is being replaced.
			if err := builder.Cancel(ctx, there.Build.ID); err != nil {
				var refused *Refused
				if !errors.As(err, &refused) {
					return false, err
				}
			}
			continue
		case errors.As(err, &there):
			b = there.Build
			if b.State == Paused {
				builder.logger().WarnContext(ctx, "the read model this program needs is being built, and paused", "projection", p.Name, "build", b.ID)
			}
		case err != nil:
			return false, err
		}
		builder.logger().InfoContext(ctx, "a read model is built anew for this version of the program; the live one goes on serving",
			"projection", p.Name, "build", b.ID, "version", p.Version)
		told := time.Now()
		b, err = builder.Run(ctx, b.ID, func(b Build) {
			if time.Since(told) >= 5*time.Second {
				told = time.Now()
				builder.logger().InfoContext(ctx, "a read model is built anew", "projection", b.Projection, "build", b.ID, "phase", b.Phase,
					"share", b.Progress, "events", b.Events, "left", b.ETA.Round(time.Second))
			}
		})
		if err != nil {
			return false, err
		}
		if b.State == Ready { // it was asked for without a swap, but this program needs the swap
			if err := builder.Swap(ctx, b.ID); err != nil {
				return false, err
			}
			continue
		}
		builder.logger().InfoContext(ctx, "the read model is replaced", "projection", p.Name, "build", b.ID, "took", time.Since(began).Round(time.Millisecond))
		replaced = true
	}
}

// Await returns when the database holds the read models that this program defines, or newer ones. It is for processes that
// only read them.
func (builder *Builder) Await(ctx context.Context, wanted ...projections.Projection) error {
	told := false
	for _, p := range wanted {
		for {
			var ready bool
			err := builder.DB.QueryRow(ctx, `SELECT EXISTS (SELECT FROM projections.models WHERE schema = $1 AND (fingerprint = $2 OR version > $3))`,
				p.Name, p.Fingerprint(), p.Version).Scan(&ready)
			if err != nil {
				return fmt.Errorf("wait for projection %s: %w", p.Name, err)
			}
			if ready {
				break
			}
			if !told {
				told = true
				builder.logger().InfoContext(ctx, "waiting for a process that builds the read models of this version of the program", "projection", p.Name)
			}
			if !wake.Pause(ctx, pollInterval) {
				return ctx.Err()
			}
		}
	}
	return nil
}

// lockSchemas waits until no other transaction creates, renames or drops schemas of read models, and keeps others from it
// until tx ends.
func lockSchemas(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtext('shop projections'))")
	return err
}
