package staff

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/domain/order"
)

// OrderSheet is everything about an order that its worker needs on one page.
type OrderSheet struct {
	// Order is the row of the order's read model, persons masked without the permission to see them.
	Order json.RawMessage `json:"order"`
	// Stock is what the shop has of each product in the order.
	Stock []StockLevel `json:"stock"`
	// Possible names what may be done to the order now, whoever asks.
	Possible []string `json:"possible"`
	// Others counts the other orders of the same customer, or for a guest those with the same phone; zero without the permission
	// to see persons.
	Others int64 `json:"others"`
	OrderTrail
}

// StockLevel is the stock of a product.
type StockLevel struct {
	ProductID uuid.UUID `json:"product_id"`
	OnHand    int64     `json:"on_hand"`
	Reserved  int64     `json:"reserved"`
	Available int64     `json:"available"`
}

// maskedColumns are the columns of an order that say who ordered.
var maskedColumns = []string{
	"customer_first_name", "customer_last_name", "customer_email", "customer_phone", "customer_street", "customer_house", "customer_floor",
	"customer_apartment", "customer_entrance", "address_comment",
}

// OrderSheet reads an order with its past, its goods' stock and its price explained; order.ErrUnknown when there is none.
func (r *Reader) OrderSheet(ctx context.Context, id uuid.UUID, persons bool, name Names) (OrderSheet, error) {
	var view OrderSheet
	var number int64
	err := r.db.QueryRow(ctx, `SELECT o.number,
			CASE WHEN $2 THEN to_jsonb(o) ELSE to_jsonb(o) || (SELECT jsonb_object_agg(c, $4::text) FROM unnest($3::text[]) c) END,
			CASE WHEN NOT $2 THEN 0
				WHEN o.customer_id <> '00000000-0000-0000-0000-000000000000' THEN (SELECT count(*) FROM orders.orders x WHERE x.customer_id = o.customer_id AND x.id <> o.id)
				WHEN o.customer_phone = '' THEN 0
				ELSE (SELECT count(*) FROM orders.orders x WHERE right(x.customer_phone, 10) = right(o.customer_phone, 10) AND x.id <> o.id) END
		FROM orders.orders o WHERE o.id = $1`, id, persons, maskedColumns, Masked).Scan(&number, &view.Order, &view.Others)
	if errors.Is(err, pgx.ErrNoRows) {
		return OrderSheet{}, order.ErrUnknown
	}
	if err != nil {
		return OrderSheet{}, fmt.Errorf("read order %s: %w", id, err)
	}
	if view.OrderTrail, err = r.OrderTrail(ctx, number, id, persons, name); err != nil {
		return OrderSheet{}, err
	}
	rows, err := r.db.Query(ctx, `SELECT s.product_id, s.on_hand, s.reserved, s.available FROM orders.orders o
		CROSS JOIN LATERAL jsonb_array_elements(o.lines) line JOIN stock.level s ON s.product_id = (line->>'product_id')::uuid WHERE o.id = $1`, id)
	if err != nil {
		return OrderSheet{}, fmt.Errorf("read stock of order %s: %w", id, err)
	}
	levels, err := pgx.CollectRows(rows, pgx.RowToStructByName[StockLevel])
	view.Stock = orEmpty(levels)
	return view, err
}
