package searches

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain"
)

// Missed counts searches that found nothing. It is safe for concurrent use.
type Missed struct {
	DB  *pgxpool.Pool
	Now func() time.Time
}

// Bounds of what is kept.
const (
	// dayQueries is how many different searches of a day are kept.
	dayQueries = 2000
	keptDays   = 365
	// askedOften is how often a search was asked before anybody sees it: what only one person asks for may be about them.
	askedOften = 3
)

// Count counts a search once more. What is older than a year goes away with the first one of a day.
func (m Missed) Count(ctx context.Context, text string) error {
	today := m.Now().In(domain.Almaty).Format(time.DateOnly)
	_, err := m.DB.Exec(ctx, `WITH old AS (DELETE FROM missed_searches WHERE day < @today::date - @kept::int)
		INSERT INTO missed_searches AS m (day, query, times)
		SELECT @today::date, @query, 1
		WHERE EXISTS (SELECT FROM missed_searches WHERE day = @today AND query = @query) OR (SELECT count(*) FROM missed_searches WHERE day = @today) < @most
		ON CONFLICT ON CONSTRAINT one_row_per_day_and_search DO UPDATE SET times = m.times + 1`,
		pgx.NamedArgs{"today": today, "query": text, "kept": keptDays, "most": dayQueries})
	if err != nil {
		return fmt.Errorf("count a search without result: %w", err)
	}
	return nil
}

// Day is how often a search found nothing on a day.
type Day struct {
	Day   time.Time `json:"day"`
	Query string    `json:"query"`
	Times int64     `json:"times"`
}

// List is what was searched for in vain on these many last days, newest first, the most frequent first. What was asked less than
// three times in all of them is left out.
func (m Missed) List(ctx context.Context, days, limit int) ([]Day, error) {
	rows, err := m.DB.Query(ctx, `SELECT day, query, times FROM (
			SELECT day, query, times, sum(times) OVER (PARTITION BY query) AS often FROM missed_searches WHERE day > $1::date - $2::int) m
		WHERE often >= $3 ORDER BY day DESC, times DESC, query LIMIT $4`, m.Now().In(domain.Almaty).Format(time.DateOnly), days, askedOften, limit)
	if err != nil {
		return nil, fmt.Errorf("list searches without result: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Day])
	if err != nil {
		return nil, fmt.Errorf("list searches without result: %w", err)
	}
	return found, nil
}
