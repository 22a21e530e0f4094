package signin

import (
	"context"
	"crypto/cipher"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/commands/identity/credential"
	"shop/commands/identity/securitylog"
)

// Refusals about accounts and links.
var (
	ErrUnknown = errors.New("there is no such account")
	// ErrLink: the link is not known, was used, or is over.
	ErrLink = errors.New("the link was used or is too old; ask an admin for another")
)

// ErrWeakPassword: a password has 12 to 256 characters.
var ErrWeakPassword = errors.New("a password needs 12 to 256 characters")

// ErrGuessable: a password is one of the commonest, or made of the e-mail or the shop's name.
var ErrGuessable = errors.New("a password must not be a common one, nor made of the e-mail or of the shop's name")

// Acceptable is nil for a password that may be chosen for an e-mail, else ErrWeakPassword or ErrGuessable.
func (a *Accounts) Acceptable(email, password string) error {
	if n := utf8.RuneCountInString(password); n < 12 || n > 256 || !utf8.ValidString(password) {
		return ErrWeakPassword
	}
	if credential.Guessable(password, append([]string{email}, a.words...)...) != nil {
		return ErrGuessable
	}
	return nil
}

// Options set up Accounts.
type Options struct {
	// Key seals the authenticators' secrets: 32 bytes, needed. The same on every process and for ever.
	Key []byte
	// Clock tells the time. Default time.Now.
	Clock func() time.Time
	// Issuer names the shop in an authenticator. Default shop.
	Issuer string
	// Words are the names of the shop, which are no passwords.
	Words []string
	// Hashes hashes passwords. Default: one of its own.
	Hashes *credential.Hasher
	// Pause waits, or ends with the context's error. Default: real time.
	Pause func(context.Context, time.Duration) error
	// Idle is when a session without a request ends, Longest when every one does. Default IdleSession, LongestSession.
	Idle, Longest time.Duration
}

// Accounts keeps how staff sign in. It is safe for concurrent use.
type Accounts struct {
	pool    *pgxpool.Pool
	seal    cipher.AEAD
	clock   func() time.Time
	issuer  string
	words   []string
	hashes  *credential.Hasher
	devices credential.Devices
	pause   func(context.Context, time.Duration) error
	// See Options.
	idle, longest time.Duration
	// changing is held by who changes accounts, of this process.
	changing chan struct{}
}

// Open makes Accounts on a migrated database, and seals what authenticators of before keep there in the open.
func Open(ctx context.Context, pool *pgxpool.Pool, o Options) (*Accounts, error) {
	seal, err := newSeal(o.Key)
	if err != nil {
		return nil, err
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Issuer == "" {
		o.Issuer = "shop"
	}
	if o.Hashes == nil {
		o.Hashes = credential.NewHasher(credential.Slots())
	}
	if o.Pause == nil {
		o.Pause = pause
	}
	a := &Accounts{
		pool: pool, seal: seal, clock: o.Clock, issuer: o.Issuer, words: o.Words, hashes: o.Hashes, devices: credential.DevicesOf(o.Key, "staff"), pause: o.Pause,
		changing: make(chan struct{}, 1),
	}
	if o.Idle <= 0 {
		o.Idle = IdleSession
	}
	if o.Longest <= 0 {
		o.Longest = LongestSession
	}
	a.idle, a.longest = o.Idle, o.Longest
	return a, a.sealOpen(ctx)
}

func (a *Accounts) now() time.Time { return a.clock().UTC().Truncate(time.Microsecond) }

// Account is a member of staff.
type Account struct {
	ID    uuid.UUID `json:"id"`
	Email string    `json:"email"`
	Role  string    `json:"role"`
	// State is invited (no password yet), active or disabled.
	State string `json:"state"`
	// TOTP: an authenticator is enrolled.
	TOTP       bool       `json:"totp"`
	CreatedAt  time.Time  `json:"created_at"`
	SignedInAt *time.Time `json:"signed_in_at"`
}

const selectAccounts = `SELECT id, email, role,
	CASE WHEN disabled_at IS NOT NULL THEN 'disabled' WHEN password IS NULL THEN 'invited' ELSE 'active' END AS state,
	totp_confirmed AS totp, created_at, signed_in_at FROM staff_accounts`

// List is all accounts by e-mail.
func (a *Accounts) List(ctx context.Context) ([]Account, error) {
	rows, _ := a.pool.Query(ctx, selectAccounts+` ORDER BY email`)
	accounts, err := pgx.CollectRows(rows, pgx.RowToStructByName[Account])
	if err != nil {
		return nil, fmt.Errorf("list staff: %w", err)
	}
	return accounts, nil
}

// Find is the account of an e-mail, or ErrUnknown.
func (a *Accounts) Find(ctx context.Context, email string) (Account, error) {
	rows, _ := a.pool.Query(ctx, selectAccounts+` WHERE email = $1`, email)
	account, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[Account])
	if errors.Is(err, pgx.ErrNoRows) {
		return account, ErrUnknown
	}
	if err != nil {
		return account, fmt.Errorf("find account: %w", err)
	}
	return account, nil
}

// IsLastAdmin says that nobody but the account is an enabled admin.
func (a *Accounts) IsLastAdmin(ctx context.Context, id uuid.UUID, admin string) (last bool, err error) {
	err = a.pool.QueryRow(ctx, `SELECT NOT EXISTS (SELECT FROM staff_accounts WHERE role = $2 AND disabled_at IS NULL AND id <> $1)`, id, admin).Scan(&last)
	if err != nil {
		return false, fmt.Errorf("look for other admins: %w", err)
	}
	return last, nil
}

// Reserve makes the e-mail's account, under the id it already has if it was reserved before.
func (a *Accounts) Reserve(ctx context.Context, id uuid.UUID, email, role string) (uuid.UUID, error) {
	var kept [16]byte
	err := a.pool.QueryRow(ctx, `INSERT INTO staff_accounts (id, email, role, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (email) DO UPDATE SET email = excluded.email RETURNING id`, id, email, role, a.now()).Scan(&kept)
	if err != nil {
		return uuid.Nil, fmt.Errorf("reserve account: %w", err)
	}
	return kept, nil
}

// Drop takes an account back that came to nothing.
func (a *Accounts) Drop(ctx context.Context, id uuid.UUID) error {
	return a.exec(ctx, "drop account", `DELETE FROM staff_accounts WHERE id = $1`, id)
}

// SetRole ends the account's sessions, unless it has the role already.
func (a *Accounts) SetRole(ctx context.Context, id uuid.UUID, role string) error {
	return a.exec(ctx, "set role", `WITH gone AS (DELETE FROM staff_sessions WHERE account IN (SELECT id FROM staff_accounts WHERE id = $1 AND role <> $2))
		UPDATE staff_accounts SET role = $2 WHERE id = $1`, id, role)
}

// Disable ends the account's sessions; nobody signs in with it until Enable.
func (a *Accounts) Disable(ctx context.Context, id uuid.UUID) error {
	return a.exec(ctx, "disable account", `WITH gone AS (DELETE FROM staff_sessions WHERE account = $1)
		UPDATE staff_accounts SET disabled_at = coalesce(disabled_at, $2), invitation = NULL, invitation_ends = NULL WHERE id = $1`, id, a.now())
}

// Enable takes Disable back; sessions stay ended, and failed attempts are forgotten.
func (a *Accounts) Enable(ctx context.Context, id uuid.UUID) error {
	return a.exec(ctx, "enable account", `WITH tried AS (DELETE FROM staff_attempts WHERE email = (SELECT sha256(email::bytea) FROM staff_accounts WHERE id = $1))
		UPDATE staff_accounts SET disabled_at = NULL WHERE id = $1`, id)
}

// Reset voids password, authenticator, passkeys, recovery codes, link and sessions. Failed attempts are forgotten.
func (a *Accounts) Reset(ctx context.Context, id uuid.UUID) error {
	return a.exec(ctx, "reset account", `WITH gone AS (DELETE FROM staff_sessions WHERE account = $1),
		codes AS (DELETE FROM staff_recovery_codes WHERE account = $1),
		keys AS (DELETE FROM passkeys WHERE staff = $1), challenges AS (DELETE FROM passkey_challenges WHERE staff = $1),
		tried AS (DELETE FROM staff_attempts WHERE email = (SELECT sha256(email::bytea) FROM staff_accounts WHERE id = $1))
		UPDATE staff_accounts SET password = NULL, totp = NULL, totp_next = NULL, totp_confirmed = false, totp_step = 0, invitation = NULL, invitation_ends = NULL
		WHERE id = $1`, id)
}

func (a *Accounts) exec(ctx context.Context, what, sql string, args ...any) error {
	tag, err := a.pool.Exec(ctx, sql, args...)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if tag.RowsAffected() == 0 {
		return ErrUnknown
	}
	return nil
}

// invitedFor is how long a one-time link works.
const invitedFor = 24 * time.Hour

// Invite makes the token of a one-time link with which the account's owner chooses a password. A former link ends.
func (a *Accounts) Invite(ctx context.Context, id uuid.UUID) (token string, ends time.Time, err error) {
	token, hash := credential.NewToken()
	ends = a.now().Add(invitedFor)
	err = a.exec(ctx, "invite", `UPDATE staff_accounts SET invitation = $2, invitation_ends = $3 WHERE id = $1 AND disabled_at IS NULL`, id, hash, ends)
	return token, ends, err
}

// Accept sets the password of the account a link is for. It refuses with ErrLink, ErrWeakPassword or ErrGuessable.
func (a *Accounts) Accept(ctx context.Context, token, password string) error {
	// To hash is dear, so a link that is none is refused before it; the update looks again.
	const open = `invitation = $1 AND invitation_ends > $2 AND disabled_at IS NULL`
	var email string
	err := a.pool.QueryRow(ctx, `SELECT email FROM staff_accounts WHERE `+open, credential.HashOf(token), a.now()).Scan(&email)
	if errors.Is(err, pgx.ErrNoRows) {
		err = ErrLink
		note(ctx, securitylog.Entry{Kind: securitylog.PasswordChange, How: securitylog.ByLink, Who: securitylog.Who{Party: securitylog.Staff}}, err)
	} else if err != nil {
		err = fmt.Errorf("look for link: %w", err)
	}
	if err == nil {
		err = a.Acceptable(email, password)
	}
	if err != nil {
		return err
	}
	hash, err := a.hashes.Hash(ctx, credential.Trusted, password)
	if err != nil {
		return err
	}
	err = a.exec(ctx, "accept link", `WITH chosen AS (
			UPDATE staff_accounts SET password = $3, invitation = NULL, invitation_ends = NULL WHERE `+open+` RETURNING id
		), gone AS (DELETE FROM staff_sessions WHERE account IN (SELECT id FROM chosen)),
		keys AS (DELETE FROM passkeys WHERE staff IN (SELECT id FROM chosen)),
		challenges AS (DELETE FROM passkey_challenges WHERE staff IN (SELECT id FROM chosen))
		SELECT id FROM chosen`, credential.HashOf(token), a.now(), hash)
	if errors.Is(err, ErrUnknown) {
		return ErrLink
	}
	note(ctx, securitylog.Entry{Kind: securitylog.PasswordChange, Outcome: securitylog.OK, How: securitylog.ByLink, Email: email, Who: securitylog.Who{Party: securitylog.Staff}}, err)
	return err
}

// SetPassword gives an account a password and ends its sessions, its passkeys and its link. The caller has found the password
// Acceptable.
func (a *Accounts) SetPassword(ctx context.Context, id uuid.UUID, password string) error {
	hash, err := a.hashes.Hash(ctx, credential.Trusted, password)
	if err != nil {
		return err
	}
	err = a.exec(ctx, "set password", `WITH gone AS (DELETE FROM staff_sessions WHERE account = $1),
			keys AS (DELETE FROM passkeys WHERE staff = $1), challenges AS (DELETE FROM passkey_challenges WHERE staff = $1)
		UPDATE staff_accounts SET password = $2, invitation = NULL, invitation_ends = NULL WHERE id = $1`, id, hash)
	note(ctx, securitylog.Entry{Kind: securitylog.PasswordChange, Outcome: securitylog.Changed, About: id}, err)
	return err
}
