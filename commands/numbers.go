package commands

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
)

// OrderNumbers hands out order numbers from the database's sequence: ascending from 100001, with holes where a
// checkout failed at the last moment.
type OrderNumbers struct{ Pool *pgxpool.Pool }

// Next is a number nobody had.
func (n OrderNumbers) Next(ctx context.Context) (number int64, err error) {
	if err := n.Pool.QueryRow(ctx, "SELECT nextval('order_numbers')").Scan(&number); err != nil {
		return 0, fmt.Errorf("next order number: %w", err)
	}
	return number, nil
}
