package staff

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Trouble is something that goes wrong at the moment and that no event tells of. What it has no value for is empty.
type Trouble struct {
	// Cause is stock_low, refund_stuck, event_parked or letter_dead; Subject names the trouble while it lasts.
	Cause, Subject string
	// Number and Sum are of an order, Product, Article and Left of a product, Name of a consumer or a kind of letter.
	Number, Sum            int64
	Product, Article, Name string
	Left                   int64
}

// Troubles are all of the moment. A letter to staff that could not be sent is none: its own letter could not be sent either.
func (s Shop) Troubles(ctx context.Context) ([]Trouble, error) {
	rows, err := s.DB.Query(ctx, `SELECT 'stock_low' AS cause, p.id::text AS subject, 0::bigint AS number, 0::bigint AS sum, p.name AS product, p.article AS article,
			''::text AS name, l.available AS left
		FROM stock.level l JOIN catalog.product p ON p.id = l.product_id LEFT JOIN packing.low_line n ON n.product_id = p.id
			WHERE l.available <= `+lowLine+` AND NOT p.archived
		UNION ALL SELECT 'refund_stuck', r.id, coalesce(o.number, 0), r.amount, '', '', '', 0
		FROM payment_refunds r LEFT JOIN orders.orders o ON o.id = r.order_id WHERE r.done_at IS NULL AND r.tries > 3
		UNION ALL SELECT 'event_parked', d.consumer || ' ' || d.stream, 0, 0, '', '', d.consumer, 0
		FROM (SELECT DISTINCT consumer, stream FROM eventstore.dead_letters WHERE skipped_at IS NULL) d
		UNION ALL SELECT 'letter_dead', id::text, 0, 0, '', '', kind, 0 FROM mail_jobs WHERE dead_at IS NOT NULL AND skipped_at IS NULL AND kind <> 'staff-notice'
		ORDER BY 1, 2`)
	if err != nil {
		return nil, fmt.Errorf("look what goes wrong: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[Trouble])
	if err != nil {
		return nil, fmt.Errorf("look what goes wrong: %w", err)
	}
	return found, nil
}
