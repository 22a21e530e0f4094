package readapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/readapi/replicas"
)

// opener says whether the key of a letter's link opens an order.
type opener interface {
	OpensOrder(order uuid.UUID, key string) bool
}

// Orders answers customers about their orders, and guests about the one that their letter's link is for.
type Orders struct {
	DB replicas.DB
	// Customer is the signed-in customer; zero: nobody.
	Customer func(ctx context.Context) uuid.UUID
	Links    opener
	// LinkFor is how long a letter's link opens an order after its end.
	LinkFor time.Duration
	// Now tells the time.
	Now func() time.Time
}

// orderStatuses are what ?status= may be.
var orderStatuses = []string{"RECEIVED", "APPROVED", "PROCESSING", "PAYMENT_ERR", "COMPLETED", "CANCELLED", "REFUNDED"}

// orderAsShown is an order with the prices of its day and the pictures of today. Its products may no longer be in the catalog.
var orderAsShown = `json_build_object('id', o.id, 'number', o.number, 'status', o.status, 'is_paid', o.is_paid,
	'created_at', to_char(o.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
	'updated_at', to_char(o.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
	'customer_city', o.customer_city, 'customer_street', o.customer_street, 'customer_house', o.customer_house,
	'customer_entrance', o.customer_entrance, 'customer_floor', o.customer_floor, 'customer_apartment', o.customer_apartment,
	'delivery_type', o.delivery_type, 'payment_method', o.payment_method, 'delivery_date', o.delivery_date,
	'total_sum', o.total_sum, 'order_discount', o.order_discount, 'discounted_sum', o.discounted_sum, 'bonus_spent', o.bonus_spent,
	'delivery_price', o.delivery_price, 'total_paid', o.total_paid, 'payable_now', o.payable_now, 'payable_on_delivery', o.payable_on_delivery,
	'products_amount', (SELECT coalesce(json_agg(json_build_object('amount', (l->>'amount')::bigint, 'product', json_build_object(
			'id', l->>'product_id', 'name', l->>'name', 'link', l->>'link', 'article', l->>'article',
			'main_image', coalesce(p.pictures->0->>'src', nullif(l->>'picture', '')), 'picture', ` + pictureOf("p.pictures->0") + `,
			'price', (l->>'price')::bigint, 'discounted_price', (l->>'discounted_price')::bigint)) ORDER BY n), '[]')
		FROM jsonb_array_elements(o.lines) WITH ORDINALITY AS line (l, n) LEFT JOIN catalog.product p ON p.id = (l->>'product_id')::uuid))`

// returnedLines are the pieces of an order that came back.
const returnedLines = `(SELECT coalesce(jsonb_agg(jsonb_build_object('product_id', l->>'product_id', 'amount', (l->>'amount')::bigint, 'money', (l->>'money')::bigint)), '[]')
	FROM jsonb_array_elements(o.returns) back CROSS JOIN LATERAL jsonb_array_elements(back->'lines') l)`

// List is GET /api/orders/: one's own orders, newest first.
func (h Orders) List(r *http.Request) (*Reply, error) {
	q, bad := r.URL.Query(), BadQuery{}
	status := q.Get("status")
	if status != "" && !slices.Contains(orderStatuses, status) {
		bad["status"] = []string{"Неизвестный статус заказа"}
	}
	active := q.Get("active")
	if active != "" && active != "true" && active != "false" {
		bad["active"] = []string{"Введите true или false"}
	}
	if len(bad) > 0 {
		return nil, bad
	}
	var body []byte
	err := h.DB.QueryRow(r.Context(), `SELECT coalesce(json_agg(`+orderAsShown+` ORDER BY o.created_at DESC, o.number DESC), '[]')
		FROM orders.orders o WHERE o.customer_id = @customer AND o.customer_id <> '00000000-0000-0000-0000-000000000000'
			AND (@status = '' OR o.status = @status)
			AND (@active = '' OR (o.status NOT IN ('COMPLETED', 'CANCELLED', 'REFUNDED')) = (@active = 'true'))`,
		pgx.NamedArgs{"customer": h.Customer(r.Context()), "status": status, "active": active}).Scan(&body)
	if err != nil {
		return nil, fmt.Errorf("list orders of customer: %w", err)
	}
	return reply(never, body), nil
}

// Show is GET /api/orders/{id}/. Someone else's order is not found, as if it were missing. A letter's link opens an order as
// order.OpensByLink says.
func (h Orders) Show(r *http.Request) (*Reply, error) {
	id, err := uuid.Parse(param(r, "id"))
	if err != nil || id == uuid.Nil {
		return nil, ErrNotFound
	}
	key := r.Header.Get("X-Letter-Key")
	if key == "" {
		key = r.URL.Query().Get("key") // of pages and letters of before
	}
	opened := key != "" && h.Links.OpensOrder(id, key)
	var body []byte
	err = h.DB.QueryRow(r.Context(), `SELECT `+orderAsShown+`::jsonb || jsonb_build_object('explanation', o.explanation, 'history', o.history,
			'lacks', o.lacks, 'edits', o.edits, 'goods_back', o.goods_back, 'return_declined', o.return_declined,
			'parcel', CASE WHEN o.handed_over_at IS NOT NULL AND o.carrier <> '' THEN jsonb_build_object('carrier', o.carrier_name, 'tracking', o.tracking, 'url', o.tracking_url) END,
			'returned', `+returnedLines+`, 'return_asked', o.return_asked->'lines',
			'return_until', (SELECT CASE WHEN o.completed_at IS NOT NULL AND (r.rules->>'return_days')::integer > 0
				THEN to_char((o.completed_at + make_interval(days => (r.rules->>'return_days')::integer)) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') END FROM rules.current r LIMIT 1)
		) FROM orders.orders o
		WHERE o.id = @id AND (o.customer_id = @customer AND o.customer_id <> '00000000-0000-0000-0000-000000000000'
			OR @opened AND o.customer_email <> '' AND (o.status NOT IN ('COMPLETED', 'CANCELLED', 'REFUNDED') OR (o.history->-1->>'at')::timestamptz > @since))`,
		pgx.NamedArgs{"id": id, "opened": opened, "since": h.Now().Add(-h.LinkFor), "customer": h.Customer(r.Context())}).Scan(&body)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read order: %w", err)
	}
	return reply(never, body), nil
}
