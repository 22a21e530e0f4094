package readapi

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/eventstore"
)

// Facts answers the questions that other parts of the program have about the read side.
type Facts struct{ DB *pgxpool.Pool }

// ProductsByLink finds products by their links, each the one whose page the link leads to; unknown links are absent.
func (f Facts) ProductsByLink(ctx context.Context, links []string) (map[string]uuid.UUID, error) {
	// PostgreSQL would refuse the whole question.
	links = slices.DeleteFunc(slices.Clone(links), func(link string) bool {
		return !utf8.ValidString(link) || strings.ContainsRune(link, 0)
	})
	rows, err := f.DB.Query(ctx, `SELECT DISTINCT ON (link) link, id FROM catalog.product
		WHERE link = ANY($1) AND (on_sale OR archived) ORDER BY link, archived, added_at`, links)
	if err != nil {
		return nil, fmt.Errorf("find products by link: %w", err)
	}
	var (
		found = make(map[string]uuid.UUID, len(links))
		link  string
		id    uuid.UUID
	)
	if _, err := pgx.ForEachRow(rows, []any{&link, &id}, func() error { found[link] = id; return nil }); err != nil {
		return nil, fmt.Errorf("find products by link: %w", err)
	}
	return found, nil
}

// UnpaidSince lists orders that were to be paid before a time and are not, the longest waiting first.
func (f Facts) UnpaidSince(ctx context.Context, before time.Time, limit int) ([]uuid.UUID, error) {
	rows, err := f.DB.Query(ctx, `SELECT id FROM orders.orders WHERE status = 'RECEIVED' AND pay_before <= $1
		ORDER BY pay_before LIMIT $2`, before, limit)
	if err != nil {
		return nil, fmt.Errorf("find unpaid orders: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}

// UnconfirmedSince lists orders that staff were to confirm before a time and did not, the longest waiting first.
func (f Facts) UnconfirmedSince(ctx context.Context, before time.Time, limit int) ([]uuid.UUID, error) {
	rows, err := f.DB.Query(ctx, `SELECT id FROM orders.orders WHERE status = 'RECEIVED' AND confirm_before <= $1
		ORDER BY confirm_before LIMIT $2`, before, limit)
	if err != nil {
		return nil, fmt.Errorf("find unconfirmed orders: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}

// ReviewsOf are the reviews that a customer wrote.
func (f Facts) ReviewsOf(ctx context.Context, customer uuid.UUID) ([]uuid.UUID, error) {
	return f.ids(ctx, "SELECT id FROM reviews.review WHERE customer_id = $1 ORDER BY created_at", customer)
}

// WaitsOf are the products whose return a customer waits for.
func (f Facts) WaitsOf(ctx context.Context, customer uuid.UUID) ([]uuid.UUID, error) {
	return f.ids(ctx, "SELECT product_id FROM restock.waiting WHERE customer_id = $1 ORDER BY since, product_id", customer)
}

func (f Facts) ids(ctx context.Context, sql string, customer uuid.UUID) ([]uuid.UUID, error) {
	rows, err := f.DB.Query(ctx, sql, customer)
	if err != nil {
		return nil, fmt.Errorf("find what customer %s has: %w", customer, err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}

// OrdersOf finds the orders of a customer, by id, each with the person whose key seals it.
func (f Facts) OrdersOf(ctx context.Context, customer uuid.UUID) (map[uuid.UUID]uuid.UUID, error) {
	rows, err := f.DB.Query(ctx, `SELECT id, person_id FROM orders.orders
		WHERE customer_id = $1 AND customer_id <> '00000000-0000-0000-0000-000000000000'`, customer)
	if err != nil {
		return nil, fmt.Errorf("find orders of customer: %w", err)
	}
	orders := map[uuid.UUID]uuid.UUID{}
	var id, person uuid.UUID
	if _, err := pgx.ForEachRow(rows, []any{&id, &person}, func() error { orders[id] = person; return nil }); err != nil {
		return nil, fmt.Errorf("find orders of customer: %w", err)
	}
	return orders, nil
}

// Leaving lists the customers with an open erasure request, each with the position of the request.
func (f Facts) Leaving(ctx context.Context) (map[uuid.UUID]eventstore.Position, error) {
	rows, err := f.DB.Query(ctx, `SELECT id, leaving_since FROM customer.account WHERE state = 'leaving'`)
	if err != nil {
		return nil, fmt.Errorf("find who leaves: %w", err)
	}
	found := map[uuid.UUID]eventstore.Position{}
	var id uuid.UUID
	var since int64
	if _, err := pgx.ForEachRow(rows, []any{&id, &since}, func() error { found[id] = eventstore.Position(since); return nil }); err != nil {
		return nil, fmt.Errorf("find who leaves: %w", err)
	}
	return found, nil
}

// OpenPayment is a payment that was asked for and brought no money yet.
type OpenPayment struct {
	ID string
	// Asked is how often the provider was asked for it.
	Asked int
}

// PaymentsToAsk lists payments of a provider that are open and due to be asked for, the longest waiting first: those
// that were requested since a time, the first question a while after that.
func (f Facts) PaymentsToAsk(ctx context.Context, provider string, since, first, now time.Time, limit int) ([]OpenPayment, error) {
	rows, err := f.DB.Query(ctx, `SELECT p.payment_id AS id, coalesce(q.asked, 0) AS asked
		FROM orders.payments p LEFT JOIN payment_questions q USING (payment_id)
		WHERE p.captured = 0 AND p.provider <> '' AND p.provider = @provider AND p.requested_at BETWEEN @since AND @first
		AND coalesce(q.next_at <= @now, true) ORDER BY coalesce(q.next_at, p.requested_at), p.payment_id LIMIT @limit`,
		pgx.NamedArgs{"provider": provider, "since": since, "first": first, "now": now, "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("find open payments: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[OpenPayment])
}

// Owing lists orders whose money a provider is to give back and that no refund was written down for.
func (f Facts) Owing(ctx context.Context, limit int) ([]uuid.UUID, error) {
	rows, err := f.DB.Query(ctx, `SELECT o.id FROM orders.orders o WHERE o.owed > o.owed_by_hand
		AND NOT EXISTS (SELECT FROM payment_refunds r WHERE r.order_id = o.id AND r.done_at IS NULL) ORDER BY o.updated_at LIMIT $1`, limit)
	if err != nil {
		return nil, fmt.Errorf("find orders that are owed money: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}

// GuestsSince lists guests' orders that have ended, or whose payment failed, and that have not changed since a time, the oldest
// first. Orders whose guest is forgotten are left out.
func (f Facts) GuestsSince(ctx context.Context, before time.Time, limit int) ([]uuid.UUID, error) {
	rows, err := f.DB.Query(ctx, `SELECT id FROM orders.orders
		WHERE customer_id = '00000000-0000-0000-0000-000000000000' AND customer_email <> '' AND status IN ('COMPLETED', 'CANCELLED', 'REFUNDED', 'PAYMENT_ERR')
		AND created_at < $1 AND updated_at < $1 ORDER BY created_at LIMIT $2`, before, limit)
	if err != nil {
		return nil, fmt.Errorf("find guests of orders that ended: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}

// DueChanges are changes that somebody has to go on with by a moment, the longest due first.
func (f Facts) DueChanges(ctx context.Context, now time.Time, limit int) ([]uuid.UUID, error) {
	rows, err := f.DB.Query(ctx, `SELECT id FROM changes.change WHERE due_at <= $1 ORDER BY due_at, id LIMIT $2`, now, limit)
	if err != nil {
		return nil, fmt.Errorf("find changes that are due: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}
