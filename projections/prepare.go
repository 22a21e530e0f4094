package projections

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Prepare gives every projection its schema. One that was made from other definitions, or by another version of
// the projection, is emptied and its consumer sent back to the log's beginning; the names of such projections,
// and of new ones, are returned. Several processes may prepare at once.
func Prepare(ctx context.Context, db *pgxpool.Pool, projections ...Projection) (fresh []string, err error) {
	for _, p := range projections {
		err := pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
			if err := lock(ctx, tx); err != nil {
				return err
			}
			from, err := made(ctx, tx, p.Name)
			if err != nil || from == p.fingerprint() {
				return err
			}
			fresh = append(fresh, p.Name)
			return p.restart(ctx, tx)
		})
		if err != nil {
			return nil, fmt.Errorf("prepare projection %s: %w", p.Name, err)
		}
	}
	return fresh, nil
}

// restart replaces the tables by empty ones and sends the consumer back to the beginning. Its checkpoints go first:
// that waits for a batch in flight elsewhere and holds the next.
func (p Projection) restart(ctx context.Context, tx pgx.Tx) error {
	for _, sql := range []string{
		"UPDATE eventstore.checkpoints SET position = 0, term = term + 1, rate = 0, updated_at = now() WHERE consumer = $1",
		"DELETE FROM eventstore.dead_letters WHERE consumer = $1",
	} {
		if _, err := tx.Exec(ctx, sql, p.Name); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, "DROP SCHEMA IF EXISTS "+quote(p.Name)+" CASCADE"); err != nil {
		return err
	}
	if err := p.createTables(ctx, tx, p.Name); err != nil {
		return err
	}
	return p.createIndexes(ctx, tx, p.Name)
}

// lock lets one process at a time change schemas.
func lock(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtext('shop projections'))")
	return err
}
