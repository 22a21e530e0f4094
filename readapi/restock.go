package readapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/google/uuid"

	"shop/readapi/replicas"
)

// Restock answers a customer about the products they wait for.
type Restock struct {
	DB replicas.DB
	// Customer is the signed-in customer.
	Customer func(ctx context.Context) uuid.UUID
}

// List is GET /api/subscriptions/products/: the ids of the products, the longest waited for first.
func (h Restock) List(r *http.Request) (*Reply, error) {
	var products json.RawMessage
	err := h.DB.QueryRow(r.Context(), `SELECT coalesce(json_agg(product_id ORDER BY since, product_id), '[]')
		FROM restock.waiting WHERE customer_id = $1`, h.Customer(r.Context())).Scan(&products)
	if err != nil {
		return nil, fmt.Errorf("list subscriptions: %w", err)
	}
	return reply(never, products), nil
}
