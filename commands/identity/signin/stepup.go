package signin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/commands/identity/credential"
	"shop/commands/identity/securitylog"
)

// StepUpFor is how long a second factor that was shown lets through what asks for one again.
const StepUpFor = 5 * time.Minute

// LookFor is how long a second factor that was shown lets persons be seen where many are: in the log, in what analysts follow, in lists.
const LookFor = 12 * time.Hour

// ErrStepUp: the second factor has to be shown again.
var ErrStepUp = errors.New("show the second factor again")

// SteppedUp refuses with ErrStepUp, unless the session of a request showed its second factor lately. What is grave asks it:
// a session that was stolen or left open does not suffice.
func SteppedUp(ctx context.Context) error {
	if !SessionOf(ctx).Proved {
		return ErrStepUp
	}
	return nil
}

// SteppedUpToday refuses with ErrStepUp, unless the session of a request showed its second factor within LookFor. What shows persons
// asks it.
func SteppedUpToday(ctx context.Context) error {
	if !SessionOf(ctx).ProvedToday {
		return ErrStepUp
	}
	return nil
}

// plainCode is a code as it was made, however it was typed.
func plainCode(code string) string {
	return strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(code))
}

// ownKey counts what a session tries with its own account: apart from sign-ins, which strangers can make fail.
func ownKey(id uuid.UUID) []byte { return keyOf("own account", id.String()) }

// own runs what needs a credential of a session's account, with the credentials locked. Failures are counted, and after some
// it refuses with *Locked; ErrWrong is one.
func (a *Accounts) own(ctx context.Context, s Session, work func(tx pgx.Tx, c credentials) error) error {
	key := ownKey(s.Account.ID)
	if _, err := a.fail(ctx, key, s.Account.Email, a.now()); err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, a.pool, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, `SELECT id, password, totp, totp_confirmed AS confirmed, totp_step AS step
			FROM staff_accounts WHERE id = $1 AND disabled_at IS NULL FOR NO KEY UPDATE`, s.Account.ID)
		c, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[credentials])
		if errors.Is(err, pgx.ErrNoRows) {
			return ErrNoSession
		}
		if err != nil {
			return fmt.Errorf("look for account: %w", err)
		}
		if err := work(tx, c); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM staff_attempts WHERE key = $1`, key)
		return err
	})
}

// isPassword refuses with ErrWrong what is not an account's password.
func (a *Accounts) isPassword(ctx context.Context, c credentials, password string) error {
	hash := credential.Nobodys
	if c.Password != nil {
		hash = *c.Password
	}
	right, err := a.hashes.Matches(ctx, credential.Trusted, hash, password)
	if err == nil && (!right || c.Password == nil) {
		err = ErrWrong
	}
	return err
}

// prove notes that a session showed its second factor.
func prove(ctx context.Context, tx pgx.Tx, s Session, now time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE staff_sessions SET proved_at = $2 WHERE token = $1`, credential.HashOf(s.Token), now)
	return err
}

// StepUp shows a session's second factor again: a code of the authenticator, or a recovery code. It refuses with ErrWrong or
// *Locked.
func (a *Accounts) StepUp(ctx context.Context, s Session, code string) error {
	now := a.now()
	err := a.own(ctx, s, func(tx pgx.Tx, c credentials) error {
		if err := a.useCode(ctx, tx, c, plainCode(code), now); err != nil {
			return err
		}
		return prove(ctx, tx, s, now)
	})
	note(ctx, securitylog.Entry{Kind: securitylog.StepUp, Outcome: securitylog.OK, How: means(plainCode(code))}, err)
	return err
}

// ChangePassword sets another password for a session that gives the present one, and ends the account's other sessions and its
// passkeys. It refuses with ErrWeakPassword, ErrGuessable, ErrWrong or *Locked.
func (a *Accounts) ChangePassword(ctx context.Context, s Session, current, password string) error {
	if err := a.Acceptable(s.Account.Email, password); err != nil {
		return err
	}
	err := a.own(ctx, s, func(tx pgx.Tx, c credentials) error {
		if err := a.isPassword(ctx, c, current); err != nil {
			return err
		}
		hash, err := a.hashes.Hash(ctx, credential.Trusted, password)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `WITH gone AS (DELETE FROM staff_sessions WHERE account = $1 AND token <> $3),
				keys AS (DELETE FROM passkeys WHERE staff = $1), challenges AS (DELETE FROM passkey_challenges WHERE staff = $1)
			UPDATE staff_accounts SET password = $2, invitation = NULL, invitation_ends = NULL WHERE id = $1`, c.ID, hash, credential.HashOf(s.Token))
		return err
	})
	note(ctx, securitylog.Entry{Kind: securitylog.PasswordChange, Outcome: securitylog.OK, How: securitylog.ByPassword}, err)
	return err
}

// RenewCodes replaces the recovery codes of a session's account.
func (a *Accounts) RenewCodes(ctx context.Context, s Session) (codes []string, err error) {
	err = pgx.BeginFunc(ctx, a.pool, func(tx pgx.Tx) error {
		codes, err = newRecoveryCodes(ctx, tx, s.Account.ID)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("renew recovery codes: %w", err)
	}
	securitylog.Note(ctx, securitylog.Entry{Kind: securitylog.SecondFactor, Outcome: securitylog.Renewed, How: securitylog.ByRecovery})
	return codes, nil
}

// NextAuthenticator makes the secret of an authenticator that shall replace the present one, for a session that gives the
// password and a code. Until ConfirmAuthenticator the present one counts. It refuses with ErrWrong or *Locked.
func (a *Accounts) NextAuthenticator(ctx context.Context, s Session, password, code string) (*Enrolment, error) {
	secret, now := newSecret(), a.now()
	err := a.own(ctx, s, func(tx pgx.Tx, c credentials) error {
		if err := a.isPassword(ctx, c, password); err != nil {
			return err
		}
		if err := a.useCode(ctx, tx, c, plainCode(code), now); err != nil {
			return err
		}
		if err := prove(ctx, tx, s, now); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `UPDATE staff_accounts SET totp_next = $2 WHERE id = $1`, c.ID, a.sealed(c.ID, secret))
		return err
	})
	note(ctx, securitylog.Entry{Kind: securitylog.SecondFactor, Outcome: securitylog.Asked, How: securitylog.ByCode}, err)
	if err != nil {
		return nil, err
	}
	return &Enrolment{Secret: base32Text.EncodeToString(secret), URI: KeyURI(a.issuer, s.Account.Email, secret)}, nil
}

// ConfirmAuthenticator replaces the authenticator by the one that NextAuthenticator made, by its first code, and ends the
// account's other sessions. It refuses with ErrWrong or *Locked.
func (a *Accounts) ConfirmAuthenticator(ctx context.Context, s Session, code string) error {
	now := a.now()
	err := a.own(ctx, s, func(tx pgx.Tx, c credentials) error {
		var next []byte
		if err := tx.QueryRow(ctx, `SELECT totp_next FROM staff_accounts WHERE id = $1`, c.ID).Scan(&next); err != nil {
			return err
		}
		if next == nil {
			return ErrWrong
		}
		secret, err := a.opened(c.ID, next)
		if err != nil {
			return err
		}
		step, ok := stepOf(secret, plainCode(code), now, 0)
		if !ok {
			return ErrWrong
		}
		_, err = tx.Exec(ctx, `WITH gone AS (DELETE FROM staff_sessions WHERE account = $1 AND token <> $4)
			UPDATE staff_accounts SET totp = totp_next, totp_next = NULL, totp_confirmed = true, totp_step = $2 WHERE id = $1 AND totp_next = $3`,
			c.ID, step, next, credential.HashOf(s.Token))
		return err
	})
	note(ctx, securitylog.Entry{Kind: securitylog.SecondFactor, Outcome: securitylog.Changed, How: securitylog.ByCode}, err)
	return err
}

// BeginByPasskey makes a session of an account whose passkey answered, in the transaction that notes it. It refuses with ErrWrong
// an account that may not sign in.
func (a *Accounts) BeginByPasskey(ctx context.Context, tx pgx.Tx, id uuid.UUID) (token string, err error) {
	return a.begin(ctx, tx, id, nil, a.now())
}

// ProveByPasskey notes that a passkey of a session's account answered.
func (a *Accounts) ProveByPasskey(ctx context.Context, tx pgx.Tx, s Session) error {
	return prove(ctx, tx, s, a.now())
}
