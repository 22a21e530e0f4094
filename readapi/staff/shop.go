package staff

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/readapi/replicas"
)

// Shop reads what the merchant's staff work with: orders, customers, goods, reviews, content.
type Shop struct {
	DB replicas.DB
	// Past: the database is as it was. What only the present knows is left out: who waits, and what was ordered lately.
	Past bool
	// Time is the moment that the past is of.
	Time time.Time
}

// find is the one value that a query finds by an argument; false when it finds none. what says for whom an error is.
func find[T any](ctx context.Context, s Shop, what, sql string, by any) (value T, found bool, err error) {
	err = s.DB.QueryRow(ctx, sql, by).Scan(&value)
	if errors.Is(err, pgx.ErrNoRows) {
		return value, false, nil
	}
	if err != nil {
		return value, false, fmt.Errorf("%s: %w", what, err)
	}
	return value, true, nil
}
