package staff

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// OrderLine is an order in a list.
type OrderLine struct {
	Number        int64     `json:"number"`
	ID            uuid.UUID `json:"id"`
	Status        string    `json:"status"`
	IsPaid        bool      `json:"is_paid"`
	PaymentMethod string    `json:"payment_method"`
	DeliveryType  string    `json:"delivery_type"`
	City          string    `json:"city"`
	Pieces        int64     `json:"pieces"`
	TotalPaid     int64     `json:"total_paid"`
	// TestPayment: the test bank was asked for money, and takes none.
	TestPayment bool      `json:"test_payment"`
	CreatedAt   time.Time `json:"created_at"`
}

// testPayment is whether the test bank was asked for an order's money.
const testPayment = `EXISTS (SELECT FROM orders.payments p WHERE p.order_id = o.id AND p.provider = 'sandbox')`

// Orders lists orders, newest first; an empty status means any.
func (s Shop) Orders(ctx context.Context, status string, limit, offset int) ([]OrderLine, error) {
	rows, err := s.DB.Query(ctx, `SELECT number, id, status, is_paid, payment_method, delivery_type, customer_city AS city,
			(SELECT coalesce(sum((line->>'amount')::bigint), 0)::bigint FROM jsonb_array_elements(lines) line) AS pieces, total_paid, `+testPayment+` AS test_payment, created_at
		FROM orders.orders o WHERE $1 = '' OR status = $1 ORDER BY created_at DESC, number DESC LIMIT $2 OFFSET $3`, status, limit, offset)
	if err != nil {
		return nil, fmt.Errorf("list orders: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[OrderLine])
}

// Order is the row of an order as JSON; false when no order has the number.
func (s Shop) Order(ctx context.Context, number int64) (json.RawMessage, bool, error) {
	return find[json.RawMessage](ctx, s, fmt.Sprint("read order ", number), `SELECT to_json(o) FROM orders.orders o WHERE number = $1`, number)
}

// TestPayment says whether the test bank was asked for an order's money: that the order is paid says nothing then.
func (s Shop) TestPayment(ctx context.Context, id uuid.UUID) (test bool, err error) {
	if err := s.DB.QueryRow(ctx, `SELECT `+testPayment+` FROM (SELECT $1::uuid AS id) o`, id).Scan(&test); err != nil {
		return false, fmt.Errorf("look at payments of order %s: %w", id, err)
	}
	return test, nil
}

// OrderID finds an order by its number.
func (s Shop) OrderID(ctx context.Context, number int64) (id uuid.UUID, found bool, err error) {
	return find[uuid.UUID](ctx, s, fmt.Sprint("find order ", number), "SELECT id FROM orders.orders WHERE number = $1", number)
}

// OrderIDs finds the ids of orders by their numbers; one that there is not is absent.
func (s Shop) OrderIDs(ctx context.Context, numbers []int64) (map[int64]uuid.UUID, error) {
	rows, err := s.DB.Query(ctx, "SELECT number, id FROM orders.orders WHERE number = ANY($1)", numbers)
	if err != nil {
		return nil, fmt.Errorf("find orders: %w", err)
	}
	found := make(map[int64]uuid.UUID, len(numbers))
	var number int64
	var id uuid.UUID
	if _, err := pgx.ForEachRow(rows, []any{&number, &id}, func() error { found[number] = id; return nil }); err != nil {
		return nil, fmt.Errorf("find orders: %w", err)
	}
	return found, nil
}

// OrderNumbers are the numbers of orders by id; an unknown one is left out.
func (s Shop) OrderNumbers(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]int64, error) {
	numbers := make(map[uuid.UUID]int64, len(ids))
	if len(ids) == 0 {
		return numbers, nil
	}
	rows, err := s.DB.Query(ctx, `SELECT id, number FROM orders.orders WHERE id = ANY ($1)`, ids)
	if err != nil {
		return nil, fmt.Errorf("find numbers of orders: %w", err)
	}
	var id uuid.UUID
	var number int64
	if _, err := pgx.ForEachRow(rows, []any{&id, &number}, func() error { numbers[id] = number; return nil }); err != nil {
		return nil, fmt.Errorf("find numbers of orders: %w", err)
	}
	return numbers, nil
}
