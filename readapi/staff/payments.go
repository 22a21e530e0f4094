package staff

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/domain/order"
	"shop/eventstore"
	"shop/readapi/statement"
)

// PaymentStates are what a list of payments may be narrowed to: bills that wait, bills and money that are late, money of another
// sum than was asked for, orders that were paid twice, and payments that staff marked as settled.
var PaymentStates = []string{"open", "late", "mismatched", "twice", "marked"}

// paymentConditions are what makes a payment p of an order o one of a state. Each begins with what an index finds.
var paymentConditions = map[string]string{
	"open": `p.captured = 0 AND p.provider <> '' AND p.requested_at > @now::timestamptz - interval '5 days' AND p.marked_at IS NULL
		AND o.status = 'RECEIVED' AND o.payment_id = p.payment_id AND (p.pay_before IS NULL OR p.pay_before > @now)`,
	"late": `p.marked_at IS NULL AND (p.key IN (SELECT key FROM orders.payments WHERE captured = 0 AND provider <> '' AND requested_at > @now::timestamptz - interval '5 days' AND pay_before <= @now)
			AND o.status IN ('RECEIVED', 'PAYMENT_ERR') AND o.payment_id = p.payment_id
		OR p.key IN (SELECT key FROM orders.payments WHERE captured > 0 AND paid_at > pay_before AND paid_at > @now::timestamptz - interval '90 days'))`,
	"mismatched": `p.captured > 0 AND p.asked > 0 AND p.captured <> p.asked AND p.marked_at IS NULL AND NOT ` + paidTwice,
	"twice":      `p.order_id IN (SELECT id FROM orders.orders WHERE jsonb_array_length(money) > 1) AND p.captured > 0 AND p.marked_at IS NULL AND ` + paidTwice,
	"marked":     `p.marked_at IS NOT NULL`,
}

// paidTwice is whether more came for an order than it costs, in several parts.
const paidTwice = `(jsonb_array_length(o.money) > 1 AND (SELECT sum((m->>'amount')::bigint) FROM jsonb_array_elements(o.money) m) > o.total_paid)`

// PaymentRow is a payment in a list.
type PaymentRow struct {
	PaymentID   string    `json:"payment_id"`
	OrderID     uuid.UUID `json:"order_id"`
	Number      int64     `json:"number"`
	OrderStatus string    `json:"order_status"`
	// Provider is empty for money that no provider was asked for.
	Provider string `json:"provider"`
	Asked    int64  `json:"asked"`
	Captured int64  `json:"captured"`
	Refunded int64  `json:"refunded"`
	// Owed is what the shop still has to give back for the order.
	Owed int64 `json:"owed"`
	// RequestedAt, PayBefore, PaidAt and MarkedAt are null when that is not so.
	RequestedAt *time.Time `json:"requested_at"`
	PayBefore   *time.Time `json:"pay_before"`
	PaidAt      *time.Time `json:"paid_at"`
	MarkedAt    *time.Time `json:"marked_at"`
	// Tries counts how often the provider was asked for it without a notification, NextTry is when it is asked again; of the past
	// neither is known.
	Tries   int64      `json:"tries"`
	NextTry *time.Time `json:"next_try"`
}

// FoundPayments are a page of payments, with how many there are of each state.
type FoundPayments struct {
	Counts  map[string]int64 `json:"counts"`
	Results []PaymentRow     `json:"results"`
}

// Payments lists payments of a state at a moment, the newest first, and counts all states as far as 2 000 of each.
func (s Shop) Payments(ctx context.Context, state string, now time.Time, limit, offset int) (FoundPayments, error) {
	found := FoundPayments{Counts: map[string]int64{}, Results: []PaymentRow{}}
	const from = " FROM orders.payments p JOIN orders.orders o ON o.id = p.order_id WHERE "
	counts := make([]string, len(PaymentStates))
	for i, one := range PaymentStates {
		counts[i] = "(SELECT count(*) FROM (SELECT" + from + paymentConditions[one] + " LIMIT " + strconv.Itoa(maxFound) + ") c)"
	}
	args := pgx.NamedArgs{"now": now, "limit": limit, "offset": offset, "present": s.Then == nil}
	numbers := make([]int64, len(PaymentStates))
	into := make([]any, len(numbers))
	for i := range numbers {
		into[i] = &numbers[i]
	}
	if err := s.DB.QueryRow(ctx, "SELECT "+strings.Join(counts, ", "), args).Scan(into...); err != nil {
		return FoundPayments{}, fmt.Errorf("count payments: %w", err)
	}
	for i, one := range PaymentStates {
		found.Counts[one] = numbers[i]
	}
	rows, err := s.DB.Query(ctx, `SELECT p.payment_id, p.order_id, o.number, o.status AS order_status, p.provider, p.asked, p.captured, p.refunded, o.owed,
			p.requested_at, p.pay_before, p.paid_at, p.marked_at, coalesce(q.asked, 0)::bigint AS tries, q.next_at AS next_try
		FROM orders.payments p JOIN orders.orders o ON o.id = p.order_id LEFT JOIN payment_questions q ON q.payment_id = p.payment_id AND @present
		WHERE `+paymentConditions[state]+` ORDER BY coalesce(p.paid_at, p.requested_at) DESC NULLS LAST, p.key LIMIT @limit OFFSET @offset`, args)
	if err != nil {
		return FoundPayments{}, fmt.Errorf("list payments: %w", err)
	}
	results, err := pgx.CollectRows(rows, pgx.RowToStructByName[PaymentRow])
	found.Results = append(found.Results, results...)
	return found, err
}

// RefundRow is a refund that is not done.
type RefundRow struct {
	ID        string    `json:"id"`
	OrderID   uuid.UUID `json:"order_id"`
	Number    int64     `json:"number"`
	PaymentID string    `json:"payment_id"`
	Provider  string    `json:"provider"`
	Amount    int64     `json:"amount"`
	// Actor decided it.
	Actor string `json:"actor"`
	// Tries and NextTry are not known of the past: 0 and null.
	Tries     int64      `json:"tries"`
	CreatedAt time.Time  `json:"created_at"`
	NextTry   *time.Time `json:"next_try"`
}

// StuckAfter is how many tries a refund may need before somebody looks at it.
const StuckAfter = 3

// waitingRefunds are those that are not done, or were not at @then.
const waitingRefunds = `SELECT id, order_id, payment_id, amount, actor, tries, created_at, next_at FROM payment_refunds WHERE @then::timestamptz IS NULL AND done_at IS NULL
		UNION ALL SELECT id, order_id, payment_id, amount, actor, 0, created_at, NULL FROM payment_refunds WHERE created_at <= @then AND (done_at IS NULL OR done_at > @then)`

// Refunds lists refunds that are not done, the most tried first; stuck narrows to those that were tried more than [StuckAfter] times, which is
// not known of the past.
func (s Shop) Refunds(ctx context.Context, stuck bool, limit, offset int) ([]RefundRow, error) {
	rows, err := s.DB.Query(ctx, `SELECT r.id, r.order_id, coalesce(o.number, 0) AS number, r.payment_id, coalesce(p.provider, '') AS provider, r.amount, r.actor,
			r.tries::bigint AS tries, r.created_at, r.next_at AS next_try
		FROM (`+waitingRefunds+`) r LEFT JOIN orders.orders o ON o.id = r.order_id LEFT JOIN orders.payments p ON p.key = r.order_id || '/' || r.payment_id
		WHERE NOT @stuck OR r.tries > @after ORDER BY r.tries DESC, r.created_at, r.id LIMIT @limit OFFSET @offset`,
		pgx.NamedArgs{"stuck": stuck, "after": StuckAfter, "limit": limit, "offset": offset, "then": s.thenOrNull()})
	if err != nil {
		return nil, fmt.Errorf("list refunds: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[RefundRow])
	return orEmpty(found), err
}

// WaitingRefund is the sum of a refund that is not done; false when there is none.
func (s Shop) WaitingRefund(ctx context.Context, id string) (amount int64, found bool, err error) {
	return find[int64](ctx, s, "read refund "+id, "SELECT amount FROM payment_refunds WHERE id = $1 AND done_at IS NULL", id)
}

// Moved is the money that moved between two moments, as the log has it, in its order. Money of no provider is left out.
func (r *Reader) Moved(ctx context.Context, from, until time.Time) ([]statement.Line, error) {
	var first, last int64
	err := r.db.QueryRow(ctx, `SELECT coalesce(min(position), 0), coalesce(max(position), 0) FROM eventstore.events WHERE recorded_at >= $1 AND recorded_at < $2`, from, until).Scan(&first, &last)
	if err != nil {
		return nil, fmt.Errorf("find the money of a day: %w", err)
	}
	if last == 0 {
		return nil, nil
	}
	events, err := r.store.Read(ctx, eventstore.Query{
		After: eventstore.Position(first - 1), UpTo: eventstore.Position(last), Range: -1, Types: []string{order.Paid{}.EventType(), order.Refunded{}.EventType()},
	})
	if err != nil {
		return nil, fmt.Errorf("read the money of a day: %w", err)
	}
	var lines []statement.Line
	for _, event := range events {
		switch e := event.Data.(type) {
		case order.Paid:
			lines = append(lines, statement.Line{Kind: statement.Paid, PaymentID: e.PaymentID, Receipt: e.Receipt, Amount: e.Amount, At: e.At})
		case order.Refunded:
			lines = append(lines, statement.Line{Kind: statement.Refunded, PaymentID: e.PaymentID, Receipt: e.RefundID, Amount: e.Amount, At: e.At})
		}
	}
	return slices.DeleteFunc(lines, func(l statement.Line) bool { return byHand(l.PaymentID) || byHand(l.Receipt) }), nil
}

// byHand says whether money moved without a provider: a courier's, or one that staff recorded.
func byHand(name string) bool { return name == order.CashPaymentID || strings.HasPrefix(name, "hand:") }

// NumbersOf are the numbers of the orders of payments, whose ids begin with those of their orders. An unknown one is absent.
func (s Shop) NumbersOf(ctx context.Context, payments []string) (map[string]int64, error) {
	ids := make([]uuid.UUID, 0, len(payments))
	for _, p := range payments {
		if id, err := uuid.Parse(p[:min(len(p), 36)]); err == nil {
			ids = append(ids, id)
		}
	}
	numbers, err := s.OrderNumbers(ctx, ids)
	if err != nil {
		return nil, err
	}
	found := map[string]int64{}
	for _, p := range payments {
		if id, err := uuid.Parse(p[:min(len(p), 36)]); err == nil && numbers[id] != 0 {
			found[p] = numbers[id]
		}
	}
	return found, nil
}
