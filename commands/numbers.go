package commands

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// OrderNumbers hands out order numbers from the database's sequence: ascending from 100001, with holes where a
// checkout failed at the last moment. Set Pool; then it is ready and safe for concurrent use.
type OrderNumbers struct {
	Pool *pgxpool.Pool

	mu      sync.Mutex
	waiting []chan<- numbered
	asking  bool
}

// numbered is the answer to who wants a number.
type numbered struct {
	number int64
	err    error
}

// numbersPatience bounds one question to the database, which belongs to no caller.
const numbersPatience = 10 * time.Second

// Next is a number nobody had. Those who come while the database is asked share the next question.
func (n *OrderNumbers) Next(ctx context.Context) (int64, error) {
	answer := make(chan numbered, 1)
	n.mu.Lock()
	n.waiting = append(n.waiting, answer)
	if !n.asking {
		n.asking = true
		go n.ask(context.WithoutCancel(ctx))
	}
	n.mu.Unlock()
	select {
	case got := <-answer:
		return got.number, got.err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// ask fetches numbers until nobody waits.
func (n *OrderNumbers) ask(ctx context.Context) {
	for {
		n.mu.Lock()
		waiting := n.waiting
		n.waiting = nil
		if len(waiting) == 0 {
			n.asking = false
			n.mu.Unlock()
			return
		}
		n.mu.Unlock()
		numbers, err := n.fetch(ctx, len(waiting))
		for i, w := range waiting {
			if err != nil {
				w <- numbered{err: err}
			} else {
				w <- numbered{number: numbers[i]}
			}
		}
	}
}

// fetch takes count numbers from the sequence.
func (n *OrderNumbers) fetch(ctx context.Context, count int) ([]int64, error) {
	ctx, cancel := context.WithTimeout(ctx, numbersPatience)
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
