package readapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/readapi/replicas"
)

// Bonuses answers a customer about their bonuses.
type Bonuses struct {
	DB replicas.DB
	// Customer is the signed-in customer.
	Customer func(ctx context.Context) uuid.UUID
}

// BonusBalance is what a customer may spend, in bonuses of one tenge; never below 0.
func (f Facts) BonusBalance(ctx context.Context, customer uuid.UUID) (int64, error) {
	var balance int64
	err := f.DB.QueryRow(ctx, `SELECT greatest(balance, 0) FROM bonus.entry WHERE customer_id = $1 ORDER BY version DESC LIMIT 1`, customer).Scan(&balance)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read bonuses of %s: %w", customer, err)
	}
	return balance, nil
}

// Show is GET /api/auth/profile/bonuses/: the balance, what all paid purchases cost, and the ledger, newest first.
func (h Bonuses) Show(r *http.Request) (*Reply, error) {
	customer := h.Customer(r.Context())
	bad := BadQuery{}
	p := readPage(r.URL.Query(), bad)
	if len(bad) > 0 {
		return nil, bad
	}
	var (
		balance, purchases, count int64
		history                   json.RawMessage
	)
	err := h.DB.QueryRow(r.Context(), `SELECT
				coalesce((SELECT balance FROM bonus.entry WHERE customer_id = @customer ORDER BY version DESC LIMIT 1), 0),
				(SELECT coalesce(sum(total_paid), 0)::bigint FROM orders.orders WHERE customer_id = @customer AND is_paid),
				(SELECT count(*) FROM bonus.entry WHERE customer_id = @customer),
				(SELECT coalesce(json_agg(line), '[]') FROM (
					SELECT e.kind, e.amount, e.balance, e.at AS created_at, json_build_object('id', e.order_id, 'number', o.number) AS "order"
					FROM (SELECT * FROM bonus.entry WHERE customer_id = @customer ORDER BY version DESC LIMIT @limit OFFSET @offset) e
					LEFT JOIN orders.orders o ON o.id = e.order_id ORDER BY e.version DESC) line)`,
		pgx.NamedArgs{"customer": customer, "limit": p.Limit, "offset": p.Offset}).Scan(&balance, &purchases, &count, &history)
	if err != nil {
		return nil, fmt.Errorf("read bonuses of %s: %w", customer, err)
	}
	return replyWith(never, struct {
		BonusAmount    int64                 `json:"bonus_amount"`
		Owed           int64                 `json:"owed"`
		PurchasesTotal int64                 `json:"purchases_total"`
		History        Page[json.RawMessage] `json:"history"`
	}{max(0, balance), max(0, -balance), purchases, envelope(r, p, count, history)})
}
