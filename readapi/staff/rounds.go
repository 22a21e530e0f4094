package staff

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// CourierRound is what a courier's day is planned as, and the cash of it.
type CourierRound struct {
	Courier uuid.UUID   `json:"courier"`
	Day     string      `json:"day"`
	Stops   []uuid.UUID `json:"stops"`
	// Cash is what the courier took in cash for delivered orders until now, in tenge.
	Cash int64 `json:"cash"`
	// SettledAt is nil until cash was handed in; Expected is the cash at that moment, HandedIn what was counted.
	SettledAt *time.Time `json:"settled_at"`
	Expected  int64      `json:"expected"`
	HandedIn  int64      `json:"handed_in"`
	Note      string     `json:"note"`
}

// Rounds are the couriers' rounds of a day.
func (s Shop) Rounds(ctx context.Context, day string) ([]CourierRound, error) {
	rows, err := s.DB.Query(ctx, `SELECT coalesce(r.courier, c.courier) AS courier, $1::text AS day, coalesce(r.stops, '[]') AS stops, coalesce(c.cash, 0) AS cash,
			r.settled_at, coalesce(r.expected, 0) AS expected, coalesce(r.handed_in, 0) AS handed_in, coalesce(r.note, '') AS note
		FROM (SELECT * FROM packing.round WHERE day = $1::text::date) r
		FULL JOIN (SELECT o.courier, sum(CASE WHEN m->>'payment_id' = 'hand:courier ' || $1 AND m->'by_hand'->>'method' = 'CASH'
				THEN (m->>'amount')::bigint - (m->>'refunded')::bigint ELSE 0 END)::bigint AS cash
			FROM orders.orders o LEFT JOIN LATERAL jsonb_array_elements(o.money) m ON true WHERE o.courier_day = $1::text::date GROUP BY o.courier) c ON c.courier = r.courier
		ORDER BY 1`, day)
	if err != nil {
		return nil, fmt.Errorf("list rounds: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[CourierRound])
	if err != nil {
		return nil, fmt.Errorf("list rounds: %w", err)
	}
	return orEmpty(found), nil
}

// CashFilter narrows a list of couriers' days: From to To, both YYYY-MM-DD and in the list, of one courier or of all. Open ones are those
// of before Today that nobody counted, and those where something is short.
type CashFilter struct {
	From, To, Today string
	Courier         uuid.UUID
	Open            bool
}

// CashDay is the cash of a courier's day.
type CashDay struct {
	Courier     uuid.UUID `json:"courier"`
	CourierName string    `json:"courier_name"`
	Day         string    `json:"day"`
	// Cash is what was taken until now, HandedIn what was counted; Short is what lacks, below zero when there is more.
	Cash     int64 `json:"cash"`
	HandedIn int64 `json:"handed_in"`
	Short    int64 `json:"short"`
	// State is running (today, not counted), waiting (an earlier day, not counted), short, closed (short, and waited for no more) or settled.
	State       string     `json:"state"`
	Note        string     `json:"note"`
	SettledAt   *time.Time `json:"settled_at"`
	SettledBy   string     `json:"settled_by"`
	ClosedAt    *time.Time `json:"closed_at"`
	ClosedBy    string     `json:"closed_by"`
	CloseReason string     `json:"close_reason"`
}

// maxCashDays is how many couriers' days a list holds.
const maxCashDays = 1000

// cashDays are couriers' days from $1 to $2 with cash, in SQL; $3 is today.
const cashDays = `SELECT d.*, CASE
			WHEN d.settled_at IS NULL THEN CASE WHEN d.day < $3 THEN 'waiting' ELSE 'running' END
			WHEN d.short <= 0 THEN 'settled' WHEN d.closed_at IS NOT NULL AND d.closed_short = d.short THEN 'closed' ELSE 'short' END AS state
		FROM (SELECT coalesce(r.courier, c.courier) AS courier, coalesce(r.day, c.day)::text AS day, coalesce(c.cash, 0) AS cash, coalesce(r.handed_in, 0) AS handed_in,
				coalesce(c.cash, 0) - coalesce(r.handed_in, 0) AS short, r.settled_at, coalesce(r.settled_by, '') AS settled_by, coalesce(r.note, '') AS note,
				r.closed_at, coalesce(r.closed_by, '') AS closed_by, r.closed_short, coalesce(r.close_reason, '') AS close_reason
			FROM (SELECT * FROM packing.round WHERE day BETWEEN $1::text::date AND $2::text::date) r
			FULL JOIN (SELECT o.courier, o.courier_day AS day, sum((m->>'amount')::bigint - (m->>'refunded')::bigint)::bigint AS cash
				FROM orders.orders o, jsonb_array_elements(o.money) m
				WHERE o.courier_day BETWEEN $1::text::date AND $2::text::date AND m->>'payment_id' = 'hand:courier ' || o.courier_day::text AND m->'by_hand'->>'method' = 'CASH'
				GROUP BY 1, 2) c ON c.courier = r.courier AND c.day = r.day) d
		WHERE d.cash <> 0 OR d.settled_at IS NOT NULL`

// CashDays are the couriers' days of a filter, the newest first.
func (s Shop) CashDays(ctx context.Context, f CashFilter) ([]CashDay, error) {
	rows, err := s.DB.Query(ctx, `SELECT courier, '' AS courier_name, day, cash, handed_in, short, state, note, settled_at, settled_by, closed_at, closed_by, close_reason
		FROM (`+cashDays+`) d
		WHERE (NOT $4 OR state IN ('waiting', 'short')) AND ($5 = '00000000-0000-0000-0000-000000000000'::uuid OR courier = $5)
		ORDER BY day DESC, courier LIMIT $6`, f.From, f.To, f.Today, f.Open, f.Courier, maxCashDays)
	if err != nil {
		return nil, fmt.Errorf("list cash of couriers: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[CashDay])
	if err != nil {
		return nil, fmt.Errorf("list cash of couriers: %w", err)
	}
	return orEmpty(found), nil
}

// OpenCashDays counts the couriers' days before today and since from whose cash nobody counted, or of which something is short.
func (s Shop) OpenCashDays(ctx context.Context, from, today string) (count int64, err error) {
	if err = s.DB.QueryRow(ctx, `SELECT count(*) FROM (`+cashDays+`) d WHERE state IN ('waiting', 'short')`, from, today, today).Scan(&count); err != nil {
		return 0, fmt.Errorf("count cash of couriers: %w", err)
	}
	return count, nil
}
