package commands

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/eventstore/coalesce"
)

// OrderNumbers hands out order numbers from the database's sequence: ascending from 100001, with holes where a
// checkout failed at the last moment. Set Pool; then it is ready and safe for concurrent use.
type OrderNumbers struct {
	Pool *pgxpool.Pool

	once sync.Once
	// requests share a question to the database.
	requests coalesce.Group[struct{}, int64]
}

// numbersTimeout bounds one query, which several callers share.
const numbersTimeout = 10 * time.Second

// Next is a number that was never given out. Callers that come during a query share the next one.
func (n *OrderNumbers) Next(ctx context.Context) (int64, error) {
	n.once.Do(func() { n.requests.Run = n.answer })
	return n.requests.Do(ctx, struct{}{})
}

// answer gives each request a number.
func (n *OrderNumbers) answer(requests []*coalesce.Call[struct{}, int64]) {
	numbers, err := n.fetch(context.WithoutCancel(requests[0].Context()), len(requests))
	for i, r := range requests {
		if err != nil {
			r.Reply(0, err)
		} else {
			r.Reply(numbers[i], nil)
		}
	}
}

// fetch takes count numbers from the sequence.
func (n *OrderNumbers) fetch(ctx context.Context, count int) ([]int64, error) {
	ctx, cancel := context.WithTimeout(ctx, numbersTimeout)
	defer cancel()
	var numbers []int64
	err := n.Pool.QueryRow(ctx, "SELECT array_agg(nextval('order_numbers')) FROM generate_series(1, $1)", count).Scan(&numbers)
	if err != nil {
		return nil, fmt.Errorf("take %d order numbers: %w", count, err)
	}
	return numbers, nil
}

// Continue makes the next number come after last, the highest of a log that was imported; 0: there was none.
func (*OrderNumbers) Continue(ctx context.Context, tx pgx.Tx, last int64) error {
	if last == 0 {
		return nil
	}
	if _, err := tx.Exec(ctx, "SELECT setval('order_numbers', greatest($1, last_value)) FROM order_numbers", last); err != nil {
		return fmt.Errorf("continue order numbers after %d: %w", last, err)
	}
	return nil
}
