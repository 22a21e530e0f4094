package readapi

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Restock answers a customer about the products they wait for.
type Restock struct{ DB *pgxpool.Pool }

// Of makes GET /api/subscriptions/products/ for a customer: the ids of the products, the longest waited for first. It
// must not be kept for others.
func (h Restock) Of(customer uuid.UUID) Endpoint {
	return func(r *http.Request) (*Reply, error) {
		var products json.RawMessage
		err := h.DB.QueryRow(r.Context(), `SELECT coalesce(json_agg(product_id ORDER BY since, product_id), '[]')
			FROM restock.waiting WHERE customer_id = $1`, customer).Scan(&products)
		if err != nil {
			return nil, fmt.Errorf("list subscriptions of %s: %w", customer, err)
		}
		return reply(never, products), nil
	}
}
