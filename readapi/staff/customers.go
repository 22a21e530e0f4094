package staff

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// CustomerLine is a customer in a list, without a name.
type CustomerLine struct {
	ID       uuid.UUID `json:"id"`
	State    string    `json:"state"`
	Verified bool      `json:"verified"`
	Orders   int64     `json:"orders"`
	// Spent is what the paid orders cost.
	Spent     int64     `json:"spent"`
	CreatedAt time.Time `json:"created_at"`
}

// Customers lists accounts, newest first.
func (s Shop) Customers(ctx context.Context, limit, offset int) ([]CustomerLine, error) {
	rows, err := s.DB.Query(ctx, `SELECT a.id, a.state, a.verified, count(o.id) AS orders,
			coalesce(sum(o.total_paid) FILTER (WHERE o.is_paid), 0)::bigint AS spent, a.created_at
		FROM (SELECT * FROM customer.account ORDER BY created_at DESC, id DESC LIMIT $1 OFFSET $2) a
		LEFT JOIN orders.orders o ON o.customer_id = a.id AND o.customer_id <> '00000000-0000-0000-0000-000000000000'
		GROUP BY a.id, a.state, a.verified, a.created_at ORDER BY a.created_at DESC, a.id DESC`, limit, offset)
	if err != nil {
		return nil, fmt.Errorf("list customers: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[CustomerLine])
}

// Customer is the row of an account as JSON; false when there is none.
func (s Shop) Customer(ctx context.Context, id uuid.UUID) (json.RawMessage, bool, error) {
	return find[json.RawMessage](ctx, s, "read customer "+id.String(), `SELECT to_json(a) FROM customer.account a WHERE id = $1`, id)
}
