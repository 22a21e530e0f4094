package signin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/commands/identity/credential"
	"shop/commands/identity/securitylog"
)

// Session is the signed-in account of a request and the token of its cookie.
type Session struct {
	Account Account
	Token   string
	// Proved: the second factor was shown within StepUpFor. ProvedToday: within LookFor.
	Proved, ProvedToday bool
}

type sessionKey struct{}

// WithSession says on whose behalf a request is made.
func WithSession(ctx context.Context, s Session) context.Context {
	return context.WithValue(ctx, sessionKey{}, s)
}

// SessionOf is the session of a request; the zero value without one.
func SessionOf(ctx context.Context) Session {
	s, _ := ctx.Value(sessionKey{}).(Session)
	return s
}

// ErrUnknownSession: the account has no such session.
var ErrUnknownSession = errors.New("there is no such session")

// begin makes a session of an account whose second factor was just shown. password is the account's, when it was checked: who
// was disabled or got another password meanwhile is not in, and gets ErrWrong.
func (a *Accounts) begin(ctx context.Context, tx pgx.Tx, id uuid.UUID, password *string, now time.Time) (string, error) {
	token, hash := credential.NewToken()
	client := credential.ClientOf(ctx)
	tag, err := tx.Exec(ctx, `WITH here AS (
			UPDATE staff_accounts SET signed_in_at = $3 WHERE id = $2 AND disabled_at IS NULL AND password = coalesce($4, password) RETURNING id
		) INSERT INTO staff_sessions (token, account, created_at, seen_at, proved_at, device, network) SELECT $1, id, $3, $3, $3, $5, $6 FROM here`,
		hash, id, now, password, client.Device, client.Network)
	if err != nil {
		return "", err
	}
	if tag.RowsAffected() == 0 {
		return "", ErrWrong
	}
	_, err = tx.Exec(ctx, `DELETE FROM staff_sessions WHERE created_at <= $1 OR seen_at <= $2`, now.Add(-a.longest), now.Add(-a.idle))
	return token, err
}

// Longest is when a session ends, however often it is used.
func (a *Accounts) Longest() time.Duration { return a.longest }

// Session is the session that a token is of; ErrNoSession when there is none, or it is over.
func (a *Accounts) Session(ctx context.Context, token string) (Session, error) {
	now, hash := a.now(), credential.HashOf(token)
	var seen time.Time
	var proved *time.Time
	var account Account
	err := a.pool.QueryRow(ctx, `SELECT a.id, a.email, a.role, a.totp_confirmed, a.created_at, a.signed_in_at, s.seen_at, s.proved_at
		FROM staff_sessions s JOIN staff_accounts a ON a.id = s.account
		WHERE s.token = $1 AND s.created_at > $2 AND s.seen_at > $3 AND a.disabled_at IS NULL`, hash, now.Add(-a.longest), now.Add(-a.idle)).
		Scan((*[16]byte)(&account.ID), &account.Email, &account.Role, &account.TOTP, &account.CreatedAt, &account.SignedInAt, &seen, &proved)
	if errors.Is(err, pgx.ErrNoRows) {
		return Session{}, ErrNoSession
	}
	if err != nil {
		return Session{}, fmt.Errorf("look for session: %w", err)
	}
	account.State = "active"
	if now.Sub(seen) >= seenEvery {
		if _, err := a.pool.Exec(ctx, `UPDATE staff_sessions SET seen_at = $2 WHERE token = $1`, hash, now); err != nil {
			return Session{}, fmt.Errorf("keep session: %w", err)
		}
	}
	within := func(d time.Duration) bool { return proved != nil && now.Sub(*proved) < d }
	return Session{Account: account, Token: token, Proved: within(StepUpFor), ProvedToday: within(LookFor)}, nil
}

// OwnSession is a session as its owner sees it.
type OwnSession struct {
	ID uuid.UUID `json:"id"`
	// Device is what signed in, Network where it was; empty: not known.
	Device    string    `json:"device"`
	Network   string    `json:"network"`
	CreatedAt time.Time `json:"created_at"`
	SeenAt    time.Time `json:"seen_at"`
	// Current: it is the one that asks.
	Current bool `json:"current"`
}

// Sessions are the sessions of the account that one belongs to, that one first, then those used last.
func (a *Accounts) Sessions(ctx context.Context, of Session) ([]OwnSession, error) {
	now := a.now()
	rows, _ := a.pool.Query(ctx, `SELECT id, device, network, created_at, seen_at, token = $2 AS current FROM staff_sessions
		WHERE account = $1 AND created_at > $3 AND seen_at > $4 ORDER BY current DESC, seen_at DESC, token`,
		of.Account.ID, credential.HashOf(of.Token), now.Add(-a.longest), now.Add(-a.idle))
	sessions, err := pgx.CollectRows(rows, pgx.RowToStructByName[OwnSession])
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return sessions, nil
}

// EndSession ends a session of the account that one belongs to, or refuses with ErrUnknownSession.
func (a *Accounts) EndSession(ctx context.Context, of Session, id uuid.UUID) error {
	err := a.exec(ctx, "end session", `DELETE FROM staff_sessions WHERE account = $1 AND id = $2`, of.Account.ID, id)
	if errors.Is(err, ErrUnknown) {
		return ErrUnknownSession
	}
	note(ctx, securitylog.Entry{Kind: securitylog.SessionEnd, Outcome: securitylog.OK, About: of.Account.ID}, err)
	return err
}

// EndOthers ends all sessions of the account that one belongs to, but that one.
func (a *Accounts) EndOthers(ctx context.Context, of Session) error {
	_, err := a.pool.Exec(ctx, `DELETE FROM staff_sessions WHERE account = $1 AND token <> $2`, of.Account.ID, credential.HashOf(of.Token))
	if err != nil {
		return fmt.Errorf("end sessions: %w", err)
	}
	securitylog.Note(ctx, securitylog.Entry{Kind: securitylog.SessionEnd, Outcome: securitylog.OK, How: "others", About: of.Account.ID})
	return nil
}
