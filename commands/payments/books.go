package payments

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain"
)

// Books are the ledger of the shop's requests to a provider, so that a crash loses nothing and a repetition is recognised.
// They are state; the log has the history of the money.
type Books struct{ Pool *pgxpool.Pool }

// Link is where a payment is paid; empty when that is not known.
func (b Books) Link(ctx context.Context, paymentID string) (url string, err error) {
	err = b.Pool.QueryRow(ctx, "SELECT url FROM payment_links WHERE payment_id = $1", paymentID).Scan(&url)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("find link of payment %s: %w", paymentID, err)
	}
	return url, nil
}

// KeepLink stores the address of a payment page and returns the stored one: the first.
func (b Books) KeepLink(ctx context.Context, paymentID, url string) (kept string, err error) {
	err = b.Pool.QueryRow(ctx, `INSERT INTO payment_links (payment_id, url) VALUES ($1, $2)
		ON CONFLICT (payment_id) DO UPDATE SET url = payment_links.url RETURNING url`, paymentID, url).Scan(&kept)
	if err != nil {
		return "", fmt.Errorf("keep link of payment %s: %w", paymentID, err)
	}
	return kept, nil
}

// ForgetLinks deletes the payment pages of some orders and the plan of polling their payments.
func (b Books) ForgetLinks(ctx context.Context, orders ...domain.ID) error {
	ids := make([]string, len(orders))
	for i, order := range orders {
		ids[i] = order.String()
	}
	for _, table := range []string{"payment_links", "payment_questions"} {
		// The payment's id begins with that of its order.
		if _, err := b.Pool.Exec(ctx, "DELETE FROM "+table+" WHERE left(payment_id, 36) = ANY ($1)", ids); err != nil {
			return fmt.Errorf("forget payment links: %w", err)
		}
	}
	return nil
}

// Debt is a refund that was decided and is not in the log yet.
type Debt struct {
	Refund
	OrderID domain.ID
	// Actor decided the refund.
	Actor string
	// Tries counts the calls made so far.
	Tries int
	// CreatedAt is when it was decided, before the first call.
	CreatedAt time.Time
}

// Captured names captured money: a payment and the receipt of one capture, empty where there is none.
type Captured struct{ PaymentID, Receipt string }

// Captured is the money that goes back.
func (r Refund) Captured() Captured { return Captured{r.PaymentID, r.Receipt} }

// refundLocks is the class of the advisory locks on orders whose refunds are written down. Two keys, as one alone could read as a
// marker of the log.
const refundLocks = 56

// Intend writes refunds of one order down before the provider is asked; one whose id is known stays as it is. Room is
// what may be given back of each capture by the log; refunds that are not done yet count against it, and what does
// not fit is left out.
func (b Books) Intend(ctx context.Context, order domain.ID, actor string, at time.Time, room map[Captured]domain.Money, refunds ...Refund) error {
	err := pgx.BeginFunc(ctx, b.Pool, func(tx pgx.Tx) error {
		if err := lockRefunds(ctx, tx, order); err != nil {
			return err
		}
		for _, r := range refunds {
			_, err := tx.Exec(ctx, `INSERT INTO payment_refunds (id, order_id, payment_id, receipt, amount, actor, created_at, next_at)
				SELECT @id, @order::uuid, @payment, @receipt, @amount::bigint, @actor, @at::timestamptz, @at::timestamptz
				WHERE @amount::bigint + (SELECT coalesce(sum(amount), 0) FROM payment_refunds
					WHERE order_id = @order::uuid AND payment_id = @payment AND receipt = @receipt AND done_at IS NULL AND id <> @id) <= @room::bigint
				ON CONFLICT (id) DO NOTHING`,
				pgx.NamedArgs{"id": r.ID, "order": order, "payment": r.PaymentID, "receipt": r.Receipt, "amount": r.Amount, "actor": actor, "at": at, "room": room[r.Captured()]})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("write down refunds of order %s: %w", order, err)
	}
	return nil
}

// lockRefunds keeps the refunds of an order as they are for others, until tx ends.
func lockRefunds(ctx context.Context, tx pgx.Tx, order domain.ID) error {
	_, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1::int, hashtext($2))", refundLocks, order.String())
	return err
}

const debtColumns = "id, payment_id, receipt, amount, order_id, actor, tries, created_at"

func debts(rows pgx.Rows, err error) ([]Debt, error) {
	if err != nil {
		return nil, fmt.Errorf("find refunds: %w", err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (d Debt, err error) {
		return d, row.Scan(&d.ID, &d.PaymentID, &d.Receipt, &d.Amount, &d.OrderID, &d.Actor, &d.Tries, &d.CreatedAt)
	})
	if err != nil {
		return nil, fmt.Errorf("find refunds: %w", err)
	}
	return found, nil
}

// Debts are an order's refunds that are not done.
func (b Books) Debts(ctx context.Context, order domain.ID) ([]Debt, error) {
	return debts(b.Pool.Query(ctx, "SELECT "+debtColumns+" FROM payment_refunds WHERE order_id = $1 AND done_at IS NULL ORDER BY created_at, id", order))
}

// DueDebts are refunds that are to be tried now, the longest waiting first.
func (b Books) DueDebts(ctx context.Context, now time.Time, limit int) ([]Debt, error) {
	return debts(b.Pool.Query(ctx, "SELECT "+debtColumns+" FROM payment_refunds WHERE done_at IS NULL AND next_at <= $1 ORDER BY next_at, id LIMIT $2", now, limit))
}

// Hurry lets a refund that waits be tried at once, unless a call for it may be under way: it was tried less than alone ago. found:
// it waits; a found debt without an id was tried too lately.
func (b Books) Hurry(ctx context.Context, id string, now time.Time, alone time.Duration) (d Debt, found bool, err error) {
	waiting, err := debts(b.Pool.Query(ctx, "SELECT "+debtColumns+" FROM payment_refunds WHERE id = $1 AND done_at IS NULL", id))
	if err != nil || len(waiting) == 0 {
		return Debt{}, false, err
	}
	d = waiting[0]
	// The last try put the next one so far ahead.
	ahead := time.Duration(0)
	if d.Tries > 0 {
		ahead = growing(30*time.Second, d.Tries-1, time.Hour)
	}
	tag, err := b.Pool.Exec(ctx, "UPDATE payment_refunds SET next_at = $2 WHERE id = $1 AND done_at IS NULL AND (tries = 0 OR next_at <= $3)", id, now, now.Add(ahead-alone))
	if err != nil {
		return Debt{}, false, fmt.Errorf("hurry refund %s: %w", id, err)
	}
	if tag.RowsAffected() == 0 {
		return Debt{}, true, nil
	}
	return d, true, nil
}

// KnowsRefund says whether the refund was written down, done or not.
func (b Books) KnowsRefund(ctx context.Context, id string) (known bool, err error) {
	if err := b.Pool.QueryRow(ctx, "SELECT EXISTS (SELECT FROM payment_refunds WHERE id = $1)", id).Scan(&known); err != nil {
		return false, fmt.Errorf("find refund %s: %w", id, err)
	}
	return known, nil
}

// Try claims a refund for one call: false when it is done, or another process tried it a moment ago.
func (b Books) Try(ctx context.Context, d Debt, now time.Time) (mine bool, err error) {
	tag, err := b.Pool.Exec(ctx, "UPDATE payment_refunds SET tries = tries + 1, next_at = $2 WHERE id = $1 AND done_at IS NULL AND next_at <= $3",
		d.ID, now.Add(growing(30*time.Second, d.Tries, time.Hour)), now)
	if err != nil {
		return false, fmt.Errorf("claim refund %s: %w", d.ID, err)
	}
	return tag.RowsAffected() == 1, nil
}

// Done says that the refund is in the log, or given up.
func (b Books) Done(ctx context.Context, id string, now time.Time) error {
	if _, err := b.Pool.Exec(ctx, "UPDATE payment_refunds SET done_at = $2 WHERE id = $1 AND done_at IS NULL", id, now); err != nil {
		return fmt.Errorf("end refund %s: %w", id, err)
	}
	return nil
}

// Claim says which of the provider's refunds a debt is: the first that no other debt is. That is kept, so that two debts of
// one sum are two refunds. Empty: none.
func (b Books) Claim(ctx context.Context, d Debt, refunds ...string) (refund string, err error) {
	err = pgx.BeginFunc(ctx, b.Pool, func(tx pgx.Tx) error {
		if err := lockRefunds(ctx, tx, d.OrderID); err != nil {
			return err
		}
		err := tx.QueryRow(ctx, `UPDATE payment_refunds SET refund_id = (SELECT u.refund FROM unnest($3::text[]) WITH ORDINALITY u (refund, n)
				WHERE NOT EXISTS (SELECT FROM payment_refunds o WHERE o.order_id = $2 AND o.refund_id = u.refund AND o.id <> $1) ORDER BY u.n LIMIT 1)
			WHERE id = $1 AND order_id = $2 RETURNING coalesce(refund_id, '')`, d.ID, d.OrderID, refunds).Scan(&refund)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("look for refund %s: %w", d.ID, err)
	}
	return refund, nil
}

// Answered keeps the provider's name of a refund before the log has it. A debt that a report was taken for goes on.
func (b Books) Answered(ctx context.Context, d Debt, refund string) error {
	err := pgx.BeginFunc(ctx, b.Pool, func(tx pgx.Tx) error {
		if err := lockRefunds(ctx, tx, d.OrderID); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "UPDATE payment_refunds SET refund_id = NULL, done_at = NULL WHERE order_id = $1 AND refund_id = $2 AND id <> $3",
			d.OrderID, refund, d.ID); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "UPDATE payment_refunds SET refund_id = $2 WHERE id = $1", d.ID, refund)
		return err
	})
	if err != nil {
		return fmt.Errorf("keep the answer to refund %s: %w", d.ID, err)
	}
	return nil
}

// Reported ends one refund that was tried and that the provider reported before its answer arrived. A report is of one refund:
// repeated it ends no other.
func (b Books) Reported(ctx context.Context, order domain.ID, n Notification, now time.Time) error {
	err := pgx.BeginFunc(ctx, b.Pool, func(tx pgx.Tx) error {
		if err := lockRefunds(ctx, tx, order); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `UPDATE payment_refunds SET done_at = @now, refund_id = @refund WHERE id = (SELECT id FROM payment_refunds
				WHERE order_id = @order AND payment_id = @payment AND (receipt = @receipt OR receipt = '' OR @receipt = '') AND amount = @amount AND tries > 0 AND done_at IS NULL
					AND coalesce(refund_id, @refund) = @refund ORDER BY refund_id, created_at, id LIMIT 1)
			AND NOT EXISTS (SELECT FROM payment_refunds WHERE order_id = @order AND refund_id = @refund AND done_at IS NOT NULL)`,
			pgx.NamedArgs{"now": now, "refund": n.RefundID, "order": order, "payment": n.PaymentID, "receipt": n.Receipt, "amount": n.Amount})
		return err
	})
	if err != nil {
		return fmt.Errorf("end refund of payment %s: %w", n.PaymentID, err)
	}
	return nil
}

// Ask plans the question after this one: the pauses grow from one minute to six hours. False when the payment was
// asked for a moment ago.
func (b Books) Ask(ctx context.Context, paymentID string, asked int, now time.Time) (mine bool, err error) {
	tag, err := b.Pool.Exec(ctx, `INSERT INTO payment_questions AS q (payment_id, asked, next_at) VALUES ($1, 1, $2)
		ON CONFLICT (payment_id) DO UPDATE SET asked = q.asked + 1, next_at = excluded.next_at WHERE q.next_at <= $3`,
		paymentID, now.Add(growing(time.Minute, asked, 6*time.Hour)), now)
	if err != nil {
		return false, fmt.Errorf("plan question for payment %s: %w", paymentID, err)
	}
	return tag.RowsAffected() == 1, nil
}

// Forget drops the plans of questions that were due before a time; nobody asks them any more.
func (b Books) Forget(ctx context.Context, before time.Time) error {
	if _, err := b.Pool.Exec(ctx, "DELETE FROM payment_questions WHERE next_at < $1", before); err != nil {
		return fmt.Errorf("forget questions: %w", err)
	}
	return nil
}

// growing doubles a pause with each of n tries, up to most.
func growing(first time.Duration, n int, most time.Duration) time.Duration {
	return min(first<<min(n, 20), most)
}
