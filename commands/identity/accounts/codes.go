package accounts

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// MayMail counts the letters an account asks for, or refuses with *TooMany.
func (a *Accounts) MayMail(ctx context.Context, id uuid.UUID) error {
	return a.attempt(ctx, a.keyed("link", id.String()), linkLimit, linkWindow)
}

// emailLocks is the class of the advisory locks on e-mails. Two keys, as one alone could read as a marker of the log.
const emailLocks = 0x656d61

// lockEmail serialises the transactions that concern an e-mail. E-mails share 256 locks, so that a batch of orders does not
// fill the server's table of locks.
func lockEmail(ctx context.Context, tx pgx.Tx, key []byte) error {
	return lockEmails(ctx, tx, []int32{int32(key[0])})
}

func lockEmails(ctx context.Context, tx pgx.Tx, locks []int32) error {
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1::int, l) FROM unnest($2::int[]) l`, emailLocks, locks); err != nil {
		return fmt.Errorf("lock e-mail: %w", err)
	}
	return nil
}

// LockEmails locks several e-mails in the order that all callers use; call it before TakeGuestOrders is called for
// more than one in a transaction.
func (a *Accounts) LockEmails(ctx context.Context, tx pgx.Tx, emails []string) error {
	if len(emails) == 0 {
		return nil
	}
	locks := make([]int32, len(emails))
	for i, email := range emails {
		locks[i] = int32(a.emailKey(email)[0])
	}
	slices.Sort(locks)
	return lockEmails(ctx, tx, slices.Compact(locks))
}

// GuestOrder is an order that a guest placed with an e-mail.
type GuestOrder struct {
	Order uuid.UUID
	Email string
}

// RememberGuestOrders keeps guests' orders until somebody proves their e-mails. It returns the accounts, by order, of
// those whose e-mail is proved already; they are not kept. Lock the e-mails before.
func (a *Accounts) RememberGuestOrders(ctx context.Context, tx pgx.Tx, guests []GuestOrder) (accounts map[uuid.UUID]uuid.UUID, err error) {
	if len(guests) == 0 {
		return nil, nil
	}
	orders, keys := make([][16]byte, len(guests)), make([][]byte, len(guests))
	for i, g := range guests {
		orders[i], keys[i] = g.Order, a.emailKey(g.Email)
	}
	rows, _ := tx.Query(ctx, `WITH guests AS (SELECT * FROM unnest($1::uuid[], $2::bytea[]) AS g (id, email)),
			proved AS (SELECT g.id, a.id AS account FROM guests g JOIN customer_accounts a ON a.email = g.email AND a.verified),
			kept AS (INSERT INTO guest_orders (order_id, email) SELECT id, email FROM guests WHERE id NOT IN (SELECT id FROM proved) ON CONFLICT DO NOTHING)
		SELECT id, account FROM proved`, orders, keys)
	accounts = map[uuid.UUID]uuid.UUID{}
	var order, account [16]byte
	if _, err := pgx.ForEachRow(rows, []any{&order, &account}, func() error {
		accounts[order] = account
		return nil
	}); err != nil {
		return nil, fmt.Errorf("remember guests' orders: %w", err)
	}
	return accounts, nil
}

// TakeGuestOrders takes the orders that guests made with an e-mail off the list, to be joined to its account.
func (a *Accounts) TakeGuestOrders(ctx context.Context, tx pgx.Tx, email string) ([]uuid.UUID, error) {
	key := a.emailKey(email)
	if err := lockEmail(ctx, tx, key); err != nil {
		return nil, err
	}
	rows, _ := tx.Query(ctx, `DELETE FROM guest_orders WHERE email = $1 RETURNING order_id`, key)
	orders, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (id uuid.UUID, err error) {
		err = row.Scan((*[16]byte)(&id))
		return id, err
	})
	if err != nil {
		return nil, fmt.Errorf("list guest's orders: %w", err)
	}
	return orders, nil
}

// ForgetGuestOrders takes orders off the list of those that wait for an account.
func (a *Accounts) ForgetGuestOrders(ctx context.Context, orders ...uuid.UUID) error {
	ids := make([][16]byte, len(orders))
	for i, id := range orders {
		ids[i] = id
	}
	if _, err := a.pool.Exec(ctx, `DELETE FROM guest_orders WHERE order_id = ANY ($1::uuid[])`, ids); err != nil {
		return fmt.Errorf("forget guests' orders: %w", err)
	}
	return nil
}
