package staff

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/readapi/staff/persons"
)

// AwaitedProduct is a product that customers wait for, with what the shop has of it.
type AwaitedProduct struct {
	ProductID uuid.UUID `json:"product_id"`
	Article   string    `json:"article"`
	Product   string    `json:"product"`
	Link      string    `json:"link"`
	Archived  bool      `json:"archived"`
	Waiting   int64     `json:"waiting"`
	// Since is since when the first of them waits, Last since when the last does.
	Since     time.Time `json:"since"`
	Last      time.Time `json:"last"`
	OnHand    int64     `json:"on_hand"`
	Reserved  int64     `json:"reserved"`
	Available int64     `json:"available"`
}

// WaitingCustomer waits for a product. Name, Email and Phone are [Masked] without the permission to see persons.
type WaitingCustomer struct {
	CustomerID uuid.UUID `json:"customer_id"`
	Place      int64     `json:"place"`
	Since      time.Time `json:"since"`
	Name       string    `json:"name"`
	Email      string    `json:"email"`
	Phone      string    `json:"phone"`
}

// Awaited lists products that customers wait for, the most awaited first.
func (s Shop) Awaited(ctx context.Context, limit, offset int) ([]AwaitedProduct, error) {
	rows, err := s.DB.Query(ctx, `SELECT w.product_id, coalesce(p.article, '') AS article, coalesce(p.name, '') AS product, coalesce(p.link, '') AS link,
			coalesce(p.archived, true) AS archived, w.waiting, w.since, w.last,
			coalesce(l.on_hand, 0)::bigint AS on_hand, coalesce(l.reserved, 0)::bigint AS reserved, coalesce(l.available, 0)::bigint AS available
		FROM (SELECT product_id, count(*) AS waiting, min(since) AS since, max(since) AS last FROM restock.waiting GROUP BY product_id
			ORDER BY waiting DESC, since, product_id LIMIT $1 OFFSET $2) w
		LEFT JOIN catalog.product p ON p.id = w.product_id LEFT JOIN stock.level l ON l.product_id = w.product_id
		ORDER BY w.waiting DESC, w.since, w.product_id`, limit, offset)
	if err != nil {
		return nil, fmt.Errorf("list what is awaited: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[AwaitedProduct])
	return orEmpty(found), err
}

// WaitingFor lists who waits for a product, in their order.
func (s Shop) WaitingFor(ctx context.Context, product uuid.UUID, named bool, limit, offset int) ([]WaitingCustomer, error) {
	if s.Then != nil {
		return s.waitedFor(ctx, product, named, limit, offset)
	}
	rows, err := s.DB.Query(ctx, `SELECT w.customer_id, w.place, w.since, CASE WHEN $2 THEN coalesce(btrim(a.first_name || ' ' || a.last_name), '') ELSE $3 END AS name,
			CASE WHEN $2 THEN coalesce(a.email, '') ELSE $3 END AS email, CASE WHEN $2 THEN coalesce(a.phone, '') ELSE $3 END AS phone
		FROM restock.waiting w LEFT JOIN customer.account a ON a.id = w.customer_id WHERE w.product_id = $1 ORDER BY w.place LIMIT $4 OFFSET $5`, product, named, Masked, limit, offset)
	if err != nil {
		return nil, fmt.Errorf("list who waits for %s: %w", product, err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[WaitingCustomer])
	return orEmpty(found), err
}

// waitedFor is WaitingFor of the past: people are as the log has them.
func (s Shop) waitedFor(ctx context.Context, product uuid.UUID, named bool, limit, offset int) ([]WaitingCustomer, error) {
	rows, err := s.DB.Query(ctx, `SELECT customer_id, place, since, $2 AS name, $2 AS email, $2 AS phone
		FROM restock.waiting WHERE product_id = $1 ORDER BY place LIMIT $3 OFFSET $4`, product, Masked, limit, offset)
	if err != nil {
		return nil, fmt.Errorf("list who waited for %s: %w", product, err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[WaitingCustomer])
	if err != nil || !named {
		return orEmpty(found), err
	}
	ids := make([]uuid.UUID, len(found))
	for i := range found {
		ids[i] = found[i].CustomerID
	}
	were, err := persons.Customers(ctx, s.Then.Log(), ids)
	if err != nil {
		return nil, err
	}
	for i := range found {
		row, was := &found[i], were[ids[i]]
		row.Name, row.Email, row.Phone = strings.TrimSpace(was.FirstName+" "+was.LastName), was.Email, was.Phone
	}
	return orEmpty(found), nil
}
