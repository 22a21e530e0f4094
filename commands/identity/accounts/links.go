package accounts

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/commands/identity/credential"
)

// Purpose is what a link in a letter is for. docs/accounts.md tells how links begin and end.
type Purpose string

const (
	// Proof goes to the account's e-mail and proves it.
	Proof Purpose = "proof"
	// Change goes to the e-mail asked for and makes it the account's.
	Change Purpose = "change"
	// Cancel goes to the account's e-mail and ends the wish for another.
	Cancel Purpose = "cancel"
	// TakeBack goes to a proved e-mail that was replaced and makes it the account's again.
	TakeBack Purpose = "take-back"
)

// Link is a link of a letter that has not ended.
type Link struct {
	Account uuid.UUID
	Purpose Purpose
	// hash finds the link, email is the hash of the one that the letter went to.
	hash, email []byte
	owner       *Accounts
}

// Of says whether the letter went to an e-mail.
func (l Link) Of(email string) bool {
	return subtle.ConstantTimeCompare(l.email, l.owner.emailKey(email)) == 1
}

// NewLink makes the token of a link for a letter to an e-mail. It ends a former link for the same purpose, but several
// take-back links may be valid at once.
func (a *Accounts) NewLink(ctx context.Context, tx pgx.Tx, id uuid.UUID, purpose Purpose, email string, until time.Time) (string, error) {
	return a.newLink(ctx, tx, id, purpose, a.emailKey(email), until)
}

func (a *Accounts) newLink(ctx context.Context, tx pgx.Tx, id uuid.UUID, purpose Purpose, email []byte, until time.Time) (string, error) {
	token, hash := credential.NewToken()
	if _, err := tx.Exec(ctx, `WITH former AS (DELETE FROM customer_verifications WHERE account = $2 AND purpose = $3 AND purpose <> 'take-back')
		INSERT INTO customer_verifications (token, account, purpose, email, ends_at) VALUES ($1, $2, $3, $4, $5)`,
		hash, id, purpose, email, until); err != nil {
		return "", fmt.Errorf("keep link: %w", err)
	}
	return token, nil
}

// Linked finds a link by its token, or refuses with ErrLink.
func (a *Accounts) Linked(ctx context.Context, token string, purposes ...Purpose) (Link, error) {
	l := Link{hash: credential.HashOf(token), owner: a}
	err := a.pool.QueryRow(ctx, `SELECT account, purpose, email FROM customer_verifications WHERE token = $1 AND ends_at > $2`, l.hash, a.now()).
		Scan((*[16]byte)(&l.Account), &l.Purpose, &l.email)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && !slices.Contains(purposes, l.Purpose) {
		return Link{}, ErrLink
	}
	if err != nil {
		return Link{}, fmt.Errorf("look for link: %w", err)
	}
	return l, nil
}

// Used ends a link whose event is in the log. Until then it may be used again, so that a crash in between loses nothing.
func (a *Accounts) Used(ctx context.Context, l Link) error {
	if _, err := a.pool.Exec(ctx, `DELETE FROM customer_verifications WHERE token = $1`, l.hash); err != nil {
		return fmt.Errorf("end link: %w", err)
	}
	return nil
}

// held locks the account of a link, so that uses of its links and codes are serialised, and checks that the link is still valid.
func (a *Accounts) held(ctx context.Context, tx pgx.Tx, l Link) (email []byte, verified bool, err error) {
	err = tx.QueryRow(ctx, `SELECT email, verified FROM customer_accounts WHERE id = $1 FOR NO KEY UPDATE`, l.Account).Scan(&email, &verified)
	if err == nil {
		err = tx.QueryRow(ctx, `SELECT FROM customer_verifications WHERE token = $1 AND ends_at > $2`, l.hash, a.now()).Scan()
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, ErrLink
	}
	if err != nil {
		return nil, false, fmt.Errorf("hold account: %w", err)
	}
	return email, verified, nil
}

// Prove says that the account's e-mail is proved. It comes before the event, so that whoever hears of the event finds it.
func (a *Accounts) Prove(ctx context.Context, l Link) error {
	return a.Tx(ctx, func(tx pgx.Tx) error { return a.prove(ctx, tx, l) })
}

func (a *Accounts) prove(ctx context.Context, tx pgx.Tx, l Link) error {
	if err := lockEmail(ctx, tx, l.email); err != nil {
		return err
	}
	email, _, err := a.held(ctx, tx, l)
	if err != nil {
		return err
	}
	if l.Purpose != Proof || subtle.ConstantTimeCompare(email, l.email) != 1 {
		return ErrLink
	}
	if _, err := tx.Exec(ctx, `UPDATE customer_accounts SET verified = true WHERE id = $1`, l.Account); err != nil {
		return fmt.Errorf("verify e-mail: %w", err)
	}
	return nil
}

// Claim proves the account's e-mail for the owner of the mailbox who is not signed in: the account gets the password that they
// chose, and all earlier sign-ins, codes and links end.
func (a *Accounts) Claim(ctx context.Context, l Link, password string) error {
	hash, err := a.hashes.Hash(ctx, credential.Trusted, password)
	if err != nil {
		return fmt.Errorf("hash password: %w", err)
	}
	return a.Tx(ctx, func(tx pgx.Tx) error {
		if err := a.prove(ctx, tx, l); err != nil {
			return err
		}
		return a.setPassword(ctx, tx, l.Account, hash, except{link: l.hash})
	})
}

// Moved makes the e-mail that a link went to the account's. When the one before was proved, letter gets the token that
// takes it back, until a time; else an empty one. It refuses with ErrTaken. To repeat it does no harm.
func (a *Accounts) Moved(ctx context.Context, l Link, until time.Time, letter func(tx pgx.Tx, takeBack string) error) error {
	return a.Tx(ctx, func(tx pgx.Tx) error {
		if err := a.lockBoth(ctx, tx, l); err != nil {
			return err
		}
		email, verified, err := a.held(ctx, tx, l)
		if err != nil {
			return err
		}
		switch {
		case l.Purpose != Change:
			return ErrLink
		case subtle.ConstantTimeCompare(email, l.email) == 1:
			return nil
		}
		if err := a.give(ctx, tx, l); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM customer_verifications WHERE account = $1 AND purpose IN ('proof', 'cancel')`, l.Account); err != nil {
			return fmt.Errorf("end links: %w", err)
		}
		if _, err := tx.Exec(ctx, `DELETE FROM customer_resets WHERE account = $1`, l.Account); err != nil {
			return fmt.Errorf("end codes: %w", err)
		}
		token := ""
		if verified {
			if token, err = a.newLink(ctx, tx, l.Account, TakeBack, email, until); err != nil {
				return err
			}
		}
		return letter(tx, token)
	})
}

// TakenBack makes the e-mail that a link went to the account's again, with another password. Everything given out before
// ends, and so do the links that take back what the account had later than this e-mail.
func (a *Accounts) TakenBack(ctx context.Context, l Link, password string) error {
	hash, err := a.hashes.Hash(ctx, credential.Trusted, password)
	if err != nil {
		return fmt.Errorf("hash password: %w", err)
	}
	return a.Tx(ctx, func(tx pgx.Tx) error {
		if err := a.lockBoth(ctx, tx, l); err != nil {
			return err
		}
		if _, _, err := a.held(ctx, tx, l); err != nil {
			return err
		}
		if l.Purpose != TakeBack {
			return ErrLink
		}
		if err := a.give(ctx, tx, l); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM customer_verifications v USING customer_verifications used
			WHERE used.token = $2 AND v.account = $1 AND v.purpose = 'take-back' AND v.token <> $2 AND v.ends_at >= used.ends_at`, l.Account, l.hash); err != nil {
			return fmt.Errorf("end links: %w", err)
		}
		return a.setPassword(ctx, tx, l.Account, hash, except{link: l.hash})
	})
}

// Cancelled ends the link that would change the e-mail.
func (a *Accounts) Cancelled(ctx context.Context, l Link) error {
	return a.Tx(ctx, func(tx pgx.Tx) error {
		if _, _, err := a.held(ctx, tx, l); err != nil {
			return err
		}
		if l.Purpose != Cancel {
			return ErrLink
		}
		return a.dropChange(ctx, tx, l.Account, l.hash)
	})
}

// DropChange ends the links about a wish for another e-mail.
func (a *Accounts) DropChange(ctx context.Context, id uuid.UUID) error {
	return a.Tx(ctx, func(tx pgx.Tx) error { return a.dropChange(ctx, tx, id, nil) })
}

func (a *Accounts) dropChange(ctx context.Context, tx pgx.Tx, id uuid.UUID, kept []byte) error {
	if _, err := tx.Exec(ctx, `DELETE FROM customer_verifications WHERE account = $1 AND purpose IN ('change', 'cancel') AND token <> $2`, id, orNone(kept)); err != nil {
		return fmt.Errorf("end links: %w", err)
	}
	return nil
}

// lockBoth locks the account's present e-mail and that of a link, in the order that everybody keeps to.
func (a *Accounts) lockBoth(ctx context.Context, tx pgx.Tx, l Link) error {
	var present []byte
	err := tx.QueryRow(ctx, `SELECT email FROM customer_accounts WHERE id = $1`, l.Account).Scan(&present)
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrLink
	}
	if err != nil {
		return fmt.Errorf("look for account: %w", err)
	}
	locks := []int32{int32(present[0]), int32(l.email[0])}
	slices.Sort(locks)
	return lockEmails(ctx, tx, slices.Compact(locks))
}

// give makes a link's e-mail the account's, unless another account has it or may take it back. The e-mail is locked.
func (a *Accounts) give(ctx context.Context, tx pgx.Tx, l Link) error {
	taken, err := a.isTaken(ctx, tx, l.Account, l.email)
	if err != nil {
		return err
	}
	if taken {
		return ErrTaken
	}
	if _, err := tx.Exec(ctx, `UPDATE customer_accounts SET email = $2, verified = true WHERE id = $1`, l.Account, l.email); err != nil {
		return fmt.Errorf("set e-mail: %w", err)
	}
	return nil
}

// querier is a pgx.Tx or a pool.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// isTaken says whether an account other than id has an e-mail, or may take it back.
func (a *Accounts) isTaken(ctx context.Context, db querier, id uuid.UUID, email []byte) (taken bool, err error) {
	err = db.QueryRow(ctx, `SELECT EXISTS (SELECT FROM customer_accounts WHERE email = $1 AND id <> $2)
		OR EXISTS (SELECT FROM customer_verifications WHERE purpose = 'take-back' AND email = $1 AND account <> $2 AND ends_at > $3)`, email, id, a.now()).Scan(&taken)
	if err != nil {
		return false, fmt.Errorf("look for e-mail: %w", err)
	}
	return taken, nil
}

// except is what a new password does not end: the link that is being used, the sign-in that changes it. Zero: nothing.
type except struct{ link, token []byte }

// setPassword gives an account another password and ends earlier sign-ins, passkeys, reset codes, requests and links, except what
// is being used. Take-back links stay, because an attacker who moved the account to their own e-mail could otherwise end
// them by a reset. Every change of a password goes through here.
func (a *Accounts) setPassword(ctx context.Context, tx pgx.Tx, id uuid.UUID, hash string, used except) error {
	_, err := tx.Exec(ctx, `WITH tokens AS (DELETE FROM customer_tokens WHERE account = $1 AND token <> $4),
			keys AS (DELETE FROM passkeys WHERE customer = $1),
			challenges AS (DELETE FROM passkey_challenges WHERE customer = $1),
			codes AS (DELETE FROM customer_resets WHERE account = $1),
			links AS (DELETE FROM customer_verifications WHERE account = $1 AND purpose <> 'take-back' AND token <> $3)
		UPDATE customer_accounts SET password = $2 WHERE id = $1`, id, hash, orNone(used.link), orNone(used.token))
	if err != nil {
		return fmt.Errorf("change password: %w", err)
	}
	return nil
}

// orNone is a hash that no link has, for nil.
func orNone(hash []byte) []byte {
	if hash == nil {
		return []byte{}
	}
	return hash
}
