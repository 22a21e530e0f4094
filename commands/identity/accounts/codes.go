package accounts

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// nobody is the recipient of a letter that is discarded.
const nobody = "nobody@shop.invalid"

// Letter writes a letter with a code to a person into tx, to be sent once that is committed.
type Letter func(ctx context.Context, tx pgx.Tx, person uuid.UUID, to, code string) error

// RequestReset makes a code for an e-mail and a letter with it; a former code ends. Without an account both are made all
// the same, the letter to be thrown away. When the network, or all of them together, asked for as many letters as an e-mail
// gets, nothing is made and the former code stays.
func (a *Accounts) RequestReset(ctx context.Context, network, email string, letter Letter) error {
	err := a.attempt(ctx, a.pairKey("reset", network, email), resetLimit, resetWindow)
	if err == nil {
		err = a.attempt(ctx, a.keyed("reset", email), resetLetters, resetWindow)
	}
	var many *TooMany
	if errors.As(err, &many) {
		return nil
	}
	if err != nil {
		return err
	}
	code, err := newCode()
	if err != nil {
		return err
	}
	key := a.emailKey(email)
	return a.Tx(ctx, func(tx pgx.Tx) error {
		if err := lockEmail(ctx, tx, key); err != nil {
			return err
		}
		var account *[16]byte
		err := tx.QueryRow(ctx, `INSERT INTO customer_resets (email, account, code, ends_at)
			VALUES ($1, (SELECT id FROM customer_accounts WHERE email = $1 AND opened_at IS NOT NULL), $2, $3)
			ON CONFLICT (email) DO UPDATE SET account = excluded.account, code = excluded.code, tries = 0, ends_at = excluded.ends_at
			RETURNING account`, key, a.codeKey(email, code), a.now().Add(CodeFor)).Scan(&account)
		if err != nil {
			return fmt.Errorf("keep code: %w", err)
		}
		person, to, end := uuid.Nil, email, `RELEASE SAVEPOINT letter`
		if account != nil {
			person = *account
		} else {
			to, end = nobody, `ROLLBACK TO SAVEPOINT letter`
		}
		if _, err := tx.Exec(ctx, `SAVEPOINT letter`); err != nil {
			return fmt.Errorf("begin letter: %w", err)
		}
		if err := letter(ctx, tx, person, to, code); err != nil {
			return fmt.Errorf("write letter: %w", err)
		}
		if _, err := tx.Exec(ctx, end); err != nil {
			return fmt.Errorf("end letter: %w", err)
		}
		return nil
	})
}

// newCode is six random digits.
func newCode() (string, error) {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		return "", fmt.Errorf("make code: %w", err)
	}
	return fmt.Sprintf("%06d", n), nil
}

func (a *Accounts) codeKey(email, code string) []byte {
	return a.keyed("reset code", email+"\x00"+code)
}

// CheckCode says whether a code is the one that was mailed, without using it up. A wrong one costs a try: when they are
// used up, the right one is refused as well. It refuses with ErrCode.
func (a *Accounts) CheckCode(ctx context.Context, email, code string) error {
	key, given := a.emailKey(email), a.codeKey(email, code)
	var kept []byte
	// The try is taken before the codes are compared, so that no number of parallel ones gets more than there are.
	err := a.pool.QueryRow(ctx, `UPDATE customer_resets SET tries = tries + 1 WHERE email = $1 AND tries < $2 AND ends_at > $3
		RETURNING code`, key, codeTries, a.now()).Scan(&kept)
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrCode
	}
	if err != nil {
		return fmt.Errorf("try code: %w", err)
	}
	if subtle.ConstantTimeCompare(kept, given) != 1 {
		return ErrCode
	}
	if _, err := a.pool.Exec(ctx, `UPDATE customer_resets SET tries = greatest(0, tries - 1) WHERE email = $1 AND code = $2`, key, given); err != nil {
		return fmt.Errorf("give try back: %w", err)
	}
	return nil
}

// Reset uses a code up and sets the password, which ends what setPassword says; the network may sign in again. It refuses
// with ErrCode.
// The caller has found the password Acceptable.
func (a *Accounts) Reset(ctx context.Context, network, email, code, password string) (uuid.UUID, error) {
	if err := a.CheckCode(ctx, email, code); err != nil {
		return uuid.Nil, err
	}
	hash, err := a.hashes.Hash(ctx, password)
	if err != nil {
		return uuid.Nil, fmt.Errorf("hash password: %w", err)
	}
	var id [16]byte
	key := a.emailKey(email)
	err = a.Tx(ctx, func(tx pgx.Tx) error {
		// Of two with the right code one is second here. A code is good as long as its e-mail is the account's.
		err := tx.QueryRow(ctx, `SELECT a.id FROM customer_accounts a JOIN customer_resets r ON r.account = a.id AND r.email = a.email
			WHERE r.email = $1 AND r.code = $2 AND r.ends_at > $3 FOR NO KEY UPDATE`, key, a.codeKey(email, code), a.now()).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			return ErrCode
		}
		if err != nil {
			return fmt.Errorf("use code: %w", err)
		}
		if err := a.setPassword(ctx, tx, id, hash, except{}); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM customer_attempts WHERE key = ANY ($1)`, [][]byte{a.pairKey("sign in", network, email), a.keyed("password of", uuid.UUID(id).String())})
		return err
	})
	return id, err
}

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
