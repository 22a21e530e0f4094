package staff

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// DeadMail is a letter that could not be sent and that nobody gave up. Name and Email are [Masked] without the permission to see
// persons, and empty where nobody is known.
type DeadMail struct {
	ID   uuid.UUID `json:"id"`
	Kind string    `json:"kind"`
	// Number is of the order that the letter is about, nil when it is about none.
	Number *int64 `json:"number"`
	Name   string `json:"name"`
	Email  string `json:"email"`
	// About is the order or the customer, for the record of looks; nil when it is about none.
	About    *uuid.UUID `json:"-"`
	Since    time.Time  `json:"since"`
	Attempts int        `json:"attempts"`
	// Error is what the mail server said, without the recipient.
	Error string `json:"error"`
}

// DeadMails lists letters that could not be sent, the longest dead first, and counts them all.
func (s Shop) DeadMails(ctx context.Context, persons bool, limit, offset int) (found []DeadMail, all int64, err error) {
	rows, err := s.DB.Query(ctx, `SELECT j.id, j.kind, o.number, coalesce(o.id, a.id) AS about, j.dead_at AS since, j.attempts, coalesce(j.error, '') AS error,
			CASE WHEN $1 OR coalesce(o.id, a.id) IS NULL THEN coalesce(btrim(coalesce(o.customer_first_name, a.first_name) || ' ' || coalesce(o.customer_last_name, a.last_name)), '') ELSE $2 END AS name,
			CASE WHEN $1 OR coalesce(o.id, a.id) IS NULL THEN coalesce(o.customer_email, a.email, '') ELSE $2 END AS email
		FROM (SELECT *, CASE WHEN stream LIKE 'order-%' THEN substr(stream, 7)::uuid END AS order_id,
				CASE WHEN stream LIKE 'customer-%' THEN substr(stream, 10)::uuid ELSE person END AS customer_id
			FROM mail_jobs WHERE dead_at IS NOT NULL AND skipped_at IS NULL ORDER BY dead_at, id LIMIT $3 OFFSET $4) j
		LEFT JOIN orders.orders o ON o.id = j.order_id LEFT JOIN customer.account a ON a.id = j.customer_id
		ORDER BY j.dead_at, j.id`, persons, Masked, limit, offset)
	if err != nil {
		return nil, 0, fmt.Errorf("list dead letters of the mail: %w", err)
	}
	if found, err = pgx.CollectRows(rows, pgx.RowToStructByName[DeadMail]); err != nil {
		return nil, 0, fmt.Errorf("list dead letters of the mail: %w", err)
	}
	if err = s.DB.QueryRow(ctx, "SELECT count(*) FROM mail_jobs WHERE dead_at IS NOT NULL AND skipped_at IS NULL").Scan(&all); err != nil {
		return nil, 0, fmt.Errorf("count dead letters of the mail: %w", err)
	}
	return orEmpty(found), all, nil
}
