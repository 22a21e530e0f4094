package staff

import (
	"context"
	"fmt"
	"time"

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

// EventsSince counts the events of streams, of some types and since a moment, by stream and type.
func (s Shop) EventsSince(ctx context.Context, streams, types []string, since time.Time) (map[[2]string]int64, error) {
	rows, err := s.DB.Query(ctx, `SELECT stream, type, count(*) FROM eventstore.events
		WHERE stream = ANY($1) AND type = ANY($2) AND recorded_at > $3 GROUP BY stream, type`, streams, types, since)
	if err != nil {
		return nil, fmt.Errorf("count events since: %w", err)
	}
	counts := map[[2]string]int64{}
	var at [2]string
	var n int64
	if _, err := pgx.ForEachRow(rows, []any{&at[0], &at[1], &n}, func() error {
		counts[at] = n
		return nil
	}); err != nil {
		return nil, fmt.Errorf("count events since: %w", err)
	}
	return counts, nil
}
