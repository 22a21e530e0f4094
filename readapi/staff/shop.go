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
	// Then is the moment that the database is of; nil: it is as it is. A moment of the past leaves out what only the present knows.
	Then *Then
}

// Time is the moment of the shop: now, unless it is one of the past.
func (s Shop) Time(now time.Time) time.Time {
	if s.Then != nil {
		return s.Then.Time
	}
	return now
}

// thenOrNull is the moment of the past; nil: the shop is as it is.
func (s Shop) thenOrNull() *time.Time {
	if s.Then == nil {
		return nil
	}
	return &s.Then.Time
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
