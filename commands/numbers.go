package commands

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
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

// Continue makes the next number come after last, the highest of a log that was imported; 0: there was none.
func (OrderNumbers) Continue(ctx context.Context, tx pgx.Tx, last int64) error {
	if last == 0 {
		return nil
	}
	if _, err := tx.Exec(ctx, "SELECT setval('order_numbers', greatest($1, last_value)) FROM order_numbers", last); err != nil {
		return fmt.Errorf("continue order numbers after %d: %w", last, err)
	}
	return nil
}
