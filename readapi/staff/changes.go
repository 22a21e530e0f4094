package staff

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"shop/eventstore"
)

// TypesBetween are the distinct types of the events after a position and up to another that is safe to read.
func (s Shop) TypesBetween(ctx context.Context, after, upTo eventstore.Position) ([]string, error) {
	rows, err := s.DB.Query(ctx, `SELECT DISTINCT type FROM eventstore.events WHERE position > $1 AND position <= $2`, after, upTo)
	if err != nil {
		return nil, fmt.Errorf("look at what happened: %w", err)
	}
	types, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("look at what happened: %w", err)
	}
	return types, nil
}

// Stuck counts what needs somebody and what no event tells of.
func (s Shop) Stuck(ctx context.Context) (letters, parked, refunds int64, err error) {
	err = s.DB.QueryRow(ctx, `SELECT
		(SELECT count(*) FROM mail_jobs WHERE dead_at IS NOT NULL AND skipped_at IS NULL),
		(SELECT count(*) FROM eventstore.dead_letters WHERE skipped_at IS NULL),
		(SELECT count(*) FROM payment_refunds WHERE done_at IS NULL AND tries > 3)`).Scan(&letters, &parked, &refunds)
	if err != nil {
		return 0, 0, 0, fmt.Errorf("count what is stuck: %w", err)
	}
	return letters, parked, refunds, nil
}
