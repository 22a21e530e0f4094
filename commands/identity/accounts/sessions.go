package accounts

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

// ErrNoSession: the account has no such sign-in.
var ErrNoSession = errors.New("there is no such sign-in")

const (
	// IdleFor is when a sign-in without a request ends, unless Options say otherwise.
	IdleFor = 14 * 24 * time.Hour
	// mostTokens are the sign-ins of an account at once; the one that was used longest ago ends for another.
	mostTokens = 20
	// seenEvery spares most requests a write.
	seenEvery = 5 * time.Minute
	// A device is known for deviceFor after its last sign-in, and an account knows mostDevices.
	deviceFor   = 180 * 24 * time.Hour
	mostDevices = 50
)

func (a *Accounts) browserKey(value string) []byte { return a.keyed("browser", value) }

// Issue gives an account, which tx holds, a token. One that the same browser had ends, and the one used longest ago when there are too
// many.
func (a *Accounts) Issue(ctx context.Context, tx pgx.Tx, id uuid.UUID) (string, error) {
	token, hash := credential.NewToken()
	client, now := credential.ClientOf(ctx), a.now()
	var browser []byte
	if client.Page {
		browser = a.browserKey(client.Browser)
	}
	for _, step := range []struct {
		sql  string
		args []any
	}{
		{`DELETE FROM customer_tokens WHERE account = $1 AND browser = $2`, []any{id, browser}},
		{`DELETE FROM customer_tokens WHERE token IN
			(SELECT token FROM customer_tokens WHERE account = $1 ORDER BY seen_at DESC, created_at DESC, token OFFSET $2)`, []any{id, mostTokens - 1}},
		{`INSERT INTO customer_tokens (token, account, created_at, seen_at, ends_at, device, network, browser) VALUES ($1, $2, $3, $3, $4, $5, $6, $7)`,
			[]any{hash, id, now, now.Add(TokenFor), client.Device, client.Network, browser}},
	} {
		if _, err := tx.Exec(ctx, step.sql, step.args...); err != nil {
			return "", fmt.Errorf("keep token: %w", err)
		}
	}
	return token, nil
}

// Session is a sign-in that has not ended.
type Session struct {
	ID uuid.UUID `json:"id"`
	// Device is what signed in, such as "Chrome, Windows", Network where it was last, coarsely; empty: not known.
	Device    string    `json:"device"`
	Network   string    `json:"network"`
	CreatedAt time.Time `json:"created_at"`
	// SeenAt is the last use, to five minutes.
	SeenAt time.Time `json:"seen_at"`
	// EndsAt is when it ends, unused from now on.
	EndsAt time.Time `json:"ends_at"`
}

// OwnSession is a sign-in as its owner sees it.
type OwnSession struct {
	Session
	// Current: the request that asks has its token.
	Current bool `json:"current"`
}

// Sessions are the sign-ins of an account, that of a token first, then those used last.
func (a *Accounts) Sessions(ctx context.Context, id uuid.UUID, token string) ([]OwnSession, error) {
	now := a.now()
	rows, _ := a.pool.Query(ctx, `SELECT id, device, network, created_at, seen_at, least(ends_at, seen_at + $4::interval) AS ends_at, token = $3 AS current
		FROM customer_tokens WHERE account = $1 AND ends_at > $2 AND seen_at > $5 ORDER BY current DESC, seen_at DESC, created_at DESC, token`,
		id, now, credential.HashOf(token), a.idle, now.Add(-a.idle))
	sessions, err := pgx.CollectRows(rows, pgx.RowToStructByName[OwnSession])
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return sessions, nil
}

// EndSession ends a sign-in of an account, or refuses with ErrNoSession.
func (a *Accounts) EndSession(ctx context.Context, account, session uuid.UUID) error {
	tag, err := a.pool.Exec(ctx, `DELETE FROM customer_tokens WHERE account = $1 AND id = $2`, account, session)
	if err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return ErrNoSession
	}
	securitylog.Note(ctx, securitylog.Entry{Kind: securitylog.SessionEnd, Outcome: securitylog.OK, About: account})
	return nil
}

// EndSessions ends the sign-ins of an account but that of a token, and says how many; an empty token keeps none.
func (a *Accounts) EndSessions(ctx context.Context, account uuid.UUID, except string) (int64, error) {
	tag, err := a.pool.Exec(ctx, `DELETE FROM customer_tokens WHERE account = $1 AND token <> $2`, account, credential.HashOf(except))
	if err != nil {
		return 0, fmt.Errorf("end sessions: %w", err)
	}
	return tag.RowsAffected(), nil
}

// ChangePassword sets another password for who is signed in by a token and gives the present one, or refuses with ErrWrong
// or *TooMany. It ends what setPassword says, but the sign-in of the token.
func (a *Accounts) ChangePassword(ctx context.Context, id uuid.UUID, token, current, password string) error {
	checked, err := a.IsPassword(ctx, id, current)
	if err != nil {
		return err
	}
	hash, err := a.hashes.Hash(ctx, credential.Trusted, password)
	if err != nil {
		return fmt.Errorf("hash password: %w", err)
	}
	return a.Tx(ctx, func(tx pgx.Tx) error {
		if err := a.Still(ctx, tx, id, checked); err != nil {
			return err
		}
		return a.setPassword(ctx, tx, id, hash, except{token: credential.HashOf(token)})
	})
}

// NoteDevice keeps the device that a request comes from among those of an account, and says whether it was not there. A
// device is known by its browser's cookie; without one by what it is called and where it is.
func (a *Accounts) NoteDevice(ctx context.Context, tx pgx.Tx, id uuid.UUID) (isNew bool, err error) {
	client, now := credential.ClientOf(ctx), a.now()
	device := a.keyed("device", client.Device+"\x00"+client.Network)
	if client.Page {
		device = a.browserKey(client.Browser)
	}
	err = tx.QueryRow(ctx, `INSERT INTO customer_devices AS d (account, device, seen_at) VALUES ($1, $2, $3)
		ON CONFLICT (account, device) DO UPDATE SET seen_at = greatest(d.seen_at, excluded.seen_at) RETURNING xmax = 0`, id, device, now).Scan(&isNew)
	if err != nil {
		return false, fmt.Errorf("note device: %w", err)
	}
	if !isNew {
		return false, nil
	}
	_, err = tx.Exec(ctx, `DELETE FROM customer_devices WHERE account = $1 AND device IN
		(SELECT device FROM customer_devices WHERE account = $1 ORDER BY seen_at DESC, device OFFSET $2)`, id, mostDevices)
	if err != nil {
		return false, fmt.Errorf("forget devices: %w", err)
	}
	return true, nil
}

// MayTellDevice says whether an account may get a letter about a new device, and counts it: it gets one a day.
func (a *Accounts) MayTellDevice(ctx context.Context, tx pgx.Tx, id uuid.UUID) (bool, error) {
	return a.firstToday(ctx, tx, a.keyed("device letter", id.String()))
}

// sweepSessions deletes sign-ins that were not used for long, and devices.
func (a *Accounts) sweepSessions(ctx context.Context) error {
	now := a.now()
	if _, err := a.pool.Exec(ctx, `DELETE FROM customer_tokens WHERE seen_at <= $1`, now.Add(-a.idle)); err != nil {
		return fmt.Errorf("sweep sessions: %w", err)
	}
	if _, err := a.pool.Exec(ctx, `DELETE FROM customer_devices WHERE seen_at <= $1`, now.Add(-deviceFor)); err != nil {
		return fmt.Errorf("sweep devices: %w", err)
	}
	return nil
}

// Holds says that an account is open, and holds it until tx ends, or refuses with ErrWrong.
func (a *Accounts) Holds(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
	err := tx.QueryRow(ctx, `SELECT FROM customer_accounts WHERE id = $1 AND opened_at IS NOT NULL FOR NO KEY UPDATE`, id).Scan()
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrWrong
	}
	if err != nil {
		return fmt.Errorf("look for account: %w", err)
	}
	return nil
}
