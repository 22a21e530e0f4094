package staff

import (
	"context"
	"fmt"
	"time"
)

// Today is what waits for staff, and for whom it waits.
type Today struct {
	// ToConfirm are orders in cash that nobody confirmed, ToPack those that may be packed, Unpaid those whose money is awaited.
	ToConfirm int64 `json:"to_confirm"`
	ToPack    int64 `json:"to_pack"`
	Unpaid    int64 `json:"unpaid"`
	// ExpireSoon are orders that end within an hour because nobody paid or confirmed them.
	ExpireSoon int64 `json:"expire_soon"`
	// ToHandOver are packed orders that are promised for today or before, by city.
	ToHandOver []CityCount `json:"to_hand_over"`
	// Owing are orders that money is owed back for, RefundsStuck refunds that the provider refused or did not answer three times.
	Owing        int64 `json:"owing"`
	RefundsStuck int64 `json:"refunds_stuck"`
	// ReviewsPending wait for moderation, ReviewsUnanswered are shown ones of two stars or fewer without a reply.
	ReviewsPending    int64 `json:"reviews_pending"`
	ReviewsUnanswered int64 `json:"reviews_unanswered"`
	// GoodsLow are products of which no more than their low line is left, GoodsAwaited sold-out ones that customers wait for.
	GoodsLow     int64 `json:"goods_low"`
	GoodsAwaited int64 `json:"goods_awaited"`
	// LettersDead could not be sent, EventsParked wait behind an event that a consumer could not handle.
	LettersDead  int64 `json:"letters_dead"`
	EventsParked int64 `json:"events_parked"`
}

// CityCount counts orders of a city; the city of a pickup is empty.
type CityCount struct {
	City  string `json:"city"`
	Count int64  `json:"count"`
}

// lowLine is how many pieces of a product are few, in SQL with packing.low_line as n: what the product says, or the rules.
const lowLine = "coalesce(n.low_line, (SELECT (rules->>'low_stock')::bigint FROM rules.current LIMIT 1), 5)"

// Today counts what waits at a moment. day is that moment's day in Almaty. RefundsStuck, LettersDead and EventsParked are not known of the past.
func (s Shop) Today(ctx context.Context, now time.Time, day string) (Today, error) {
	var t Today
	city, refunds, letters, events := "customer_city", "(SELECT count(*) FROM payment_refunds WHERE done_at IS NULL AND tries > 3)",
		"(SELECT count(*) FROM mail_jobs WHERE dead_at IS NOT NULL AND skipped_at IS NULL)", "(SELECT count(*) FROM eventstore.dead_letters WHERE skipped_at IS NULL)"
	if s.Then != nil {
		city, refunds, letters, events = "plain_city", "0", "0", "0"
	}
	err := s.DB.QueryRow(ctx, `SELECT
		(SELECT count(*) FROM orders.orders WHERE status = 'RECEIVED' AND payment_method = 'CASH'),
		(SELECT count(*) FROM orders.orders WHERE status = 'APPROVED'),
		(SELECT count(*) FROM orders.orders WHERE status = 'RECEIVED' AND payment_method <> 'CASH'),
		(SELECT count(*) FROM orders.orders WHERE status = 'RECEIVED' AND (pay_before < $1 OR confirm_before < $1)),
		(SELECT coalesce(json_agg(c ORDER BY c.count DESC, c.city), '[]') FROM (
			SELECT CASE WHEN delivery_type = 'PICKUP' THEN '' ELSE `+city+` END AS city, count(*) AS count FROM orders.orders
			WHERE status = 'PROCESSING' AND (delivery_date IS NULL OR delivery_date <= $2::text::date) GROUP BY 1) c),
		(SELECT count(*) FROM orders.orders WHERE owed > 0),
		`+refunds+`,
		(SELECT count(*) FROM reviews.review WHERE state = 'pending'),
		(SELECT count(*) FROM reviews.review WHERE state = 'shown' AND rating <= 2 AND reply = ''),
		(SELECT count(*) FROM stock.level l JOIN catalog.product p ON p.id = l.product_id LEFT JOIN packing.low_line n ON n.product_id = p.id
			WHERE l.available BETWEEN 1 AND `+lowLine+` AND NOT p.archived),
		(SELECT count(DISTINCT product_id) FROM restock.waiting),
		`+letters+`, `+events, now.Add(time.Hour), day).
		Scan(&t.ToConfirm, &t.ToPack, &t.Unpaid, &t.ExpireSoon, &t.ToHandOver, &t.Owing, &t.RefundsStuck, &t.ReviewsPending, &t.ReviewsUnanswered,
			&t.GoodsLow, &t.GoodsAwaited, &t.LettersDead, &t.EventsParked)
	if err != nil {
		return Today{}, fmt.Errorf("count what waits: %w", err)
	}
	return t, nil
}
