package staff

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Rates are events a second of each projection and policy, a value for each Step seconds, the newest last.
type Rates struct {
	Step        int                  `json:"step"`
	Projections map[string][]float64 `json:"projections"`
}

// Rates is how many events a second each projection and policy handles now.
func (r *Reader) Rates(ctx context.Context) (map[string]float64, error) {
	// A checkpoint's rate is a mean of ten seconds as of updated_at; a process that is gone leaves an old one.
	rows, err := r.db.Query(ctx, `SELECT consumer, coalesce(sum(rate) FILTER (WHERE updated_at > clock_timestamp() - interval '10 s'), 0)::float8
		FROM eventstore.checkpoints GROUP BY consumer`)
	if err != nil {
		return nil, fmt.Errorf("look at rates: %w", err)
	}
	now := map[string]float64{}
	var name string
	var rate float64
	if _, err := pgx.ForEachRow(rows, []any{&name, &rate}, func() error { now[name] = rate; return nil }); err != nil {
		return nil, fmt.Errorf("look at rates: %w", err)
	}
	return now, nil
}
