package signin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Member is an account as those who manage staff see it.
type Member struct {
	Account
	Passkeys int64 `json:"passkeys"`
	// Sessions is where the account is signed in now, SeenAt when one of them was used last; nil: it is signed in nowhere.
	Sessions int64      `json:"sessions"`
	SeenAt   *time.Time `json:"seen_at"`
	// LockedUntil is when the last network or device may try again that failed too often; nil: none is locked out.
	LockedUntil *time.Time `json:"locked_until"`
	// InvitedUntil is when the link to choose a password ends; nil: there is none.
	InvitedUntil *time.Time `json:"invited_until"`
}

const selectMembers = `SELECT a.*, (SELECT count(*) FROM passkeys p WHERE p.staff = a.id) AS passkeys, coalesce(s.sessions, 0) AS sessions, s.seen_at,
		(SELECT max(t.locked_until) FROM staff_attempts t WHERE t.email = sha256(a.email::bytea) AND t.locked_until > $1) AS locked_until,
		(SELECT i.invitation_ends FROM staff_accounts i WHERE i.id = a.id AND i.invitation_ends > $1) AS invited_until
	FROM (` + selectAccounts + `) a LEFT JOIN (SELECT account, count(*) AS sessions, max(seen_at) AS seen_at FROM staff_sessions
		WHERE created_at > $2 AND seen_at > $3 GROUP BY account) s ON s.account = a.id
	WHERE a.id = coalesce($4, a.id) ORDER BY a.email`

func (a *Accounts) members(ctx context.Context, id *uuid.UUID) ([]Member, error) {
	now := a.now()
	rows, _ := a.pool.Query(ctx, selectMembers, now, now.Add(-a.longest), now.Add(-a.idle), id)
	members, err := pgx.CollectRows(rows, pgx.RowToStructByName[Member])
	if err != nil {
		return nil, fmt.Errorf("list staff: %w", err)
	}
	return members, nil
}

// Members are all accounts by e-mail.
func (a *Accounts) Members(ctx context.Context) ([]Member, error) { return a.members(ctx, nil) }

// Member is one account, or ErrUnknown.
func (a *Accounts) Member(ctx context.Context, id uuid.UUID) (Member, error) {
	found, err := a.members(ctx, &id)
	if err == nil && len(found) == 0 {
		err = ErrUnknown
	}
	if err != nil {
		return Member{}, err
	}
	return found[0], nil
}

// EndSessions signs an account out everywhere.
func (a *Accounts) EndSessions(ctx context.Context, id uuid.UUID) error {
	if _, err := a.pool.Exec(ctx, `DELETE FROM staff_sessions WHERE account = $1`, id); err != nil {
		return fmt.Errorf("end sessions: %w", err)
	}
	return nil
}

// SetAuthenticator gives an account an authenticator with a secret that its owner has.
func (a *Accounts) SetAuthenticator(ctx context.Context, id uuid.UUID, secret []byte) error {
	return a.exec(ctx, "set authenticator", `UPDATE staff_accounts SET totp = $2, totp_next = NULL, totp_confirmed = true, totp_step = 0 WHERE id = $1`,
		id, a.sealed(id, secret))
}

// Alone runs work while nobody else changes accounts, in any process. What work decides from all accounts, such as who is the last
// admin, is then still true when it is written.
func (a *Accounts) Alone(ctx context.Context, work func() error) (err error) {
	// One of a process at a time: work takes connections too, and must find one.
	select {
	case a.changing <- struct{}{}:
		defer func() { <-a.changing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	tx, err := a.pool.Begin(ctx)
	if err != nil {
		return fmt.Errorf("lock accounts: %w", err)
	}
	defer func() { err = errors.Join(err, tx.Rollback(context.WithoutCancel(ctx))) }()
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtext('shop staff'))"); err != nil {
		return fmt.Errorf("lock accounts: %w", err)
	}
	return work()
}
