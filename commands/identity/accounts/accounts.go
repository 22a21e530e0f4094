package accounts

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/commands/identity/credential"
	"shop/commands/identity/securitylog"
)

var (
	// ErrWrong: no account has this e-mail with this password; which it is stays untold.
	ErrWrong = errors.New("e-mail or password is wrong")
	// ErrNoToken: the token is not known, or is over.
	ErrNoToken = errors.New("not signed in")
	// ErrTaken: another account has the e-mail.
	ErrTaken = errors.New("the e-mail is taken")
	// ErrCode: the code is wrong, used up, or over.
	ErrCode = errors.New("the code is wrong or too old")
	// ErrLink: the link is not known, or is over.
	ErrLink = errors.New("the link is too old")
)

// TooMany: too many attempts.
type TooMany struct{ For time.Duration }

// RetryAfter is when to come again.
func (e *TooMany) RetryAfter() time.Duration { return e.For }

func (e *TooMany) Error() string {
	return fmt.Sprintf("too many attempts, wait %s", e.For.Round(time.Second))
}

const (
	// TokenFor is how long a sign-in lasts, however often it is used.
	TokenFor = 30 * 24 * time.Hour
	// LinkFor is how long a link proves the e-mail of a registration. customer.ChangeFor and TakeBackFor bound the others.
	LinkFor = 7 * 24 * time.Hour
	// staleAfter is when an unfinished registration releases its e-mail.
	staleAfter = time.Minute
)

// Acceptable says whether a password may be chosen: 8 to 256 characters.
func Acceptable(password string) bool {
	n := utf8.RuneCountInString(password)
	return n >= 8 && n <= 256 && utf8.ValidString(password)
}

// Options set up Accounts.
type Options struct {
	// Secret keys the hashes of e-mails and codes. It must stay the same.
	Secret []byte
	// Clock tells the time. Default time.Now.
	Clock func() time.Time
	// Hashes hashes passwords. Default: one of its own.
	Hashes *credential.Hasher
	// GuessesAnHour are the wrong guesses of one network, and as many at one e-mail. Default 100; below 0: no limit.
	GuessesAnHour int
	// Idle is when a sign-in without a request ends. Default IdleFor.
	Idle time.Duration
}

// Accounts keeps how customers sign in. It is safe for concurrent use.
type Accounts struct {
	pool    *pgxpool.Pool
	secret  []byte
	clock   func() time.Time
	hashes  *credential.Hasher
	devices credential.Devices
	// ofNetwork counts what a network guesses at any e-mail: passwords, and whether an e-mail has an account. ofEmail counts what
	// unknown devices guess at one e-mail, from all networks.
	ofNetwork, ofEmail bucket
	idle               time.Duration
	looks              looks
}

// New makes Accounts on a migrated database.
func New(pool *pgxpool.Pool, o Options) *Accounts {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Hashes == nil {
		o.Hashes = credential.NewHasher(credential.Slots())
	}
	if o.Idle <= 0 {
		o.Idle = IdleFor
	}
	if o.GuessesAnHour == 0 {
		o.GuessesAnHour = 100
	}
	a := &Accounts{
		pool: pool, secret: o.Secret, clock: o.Clock, hashes: o.Hashes, devices: credential.DevicesOf(o.Secret, "customers"),
		ofNetwork: bucket{"guesses of network", o.GuessesAnHour, time.Hour}, ofEmail: bucket{"guesses at e-mail", o.GuessesAnHour, time.Hour},
		idle: o.Idle,
	}
	a.looks.Run, a.looks.Parallel, a.looks.Most = a.answerLooks, looksAtOnce, tokensALook
	return a
}

// Hashed counts the passwords hashed so far: the work that sign-ins cost.
func (a *Accounts) Hashed() int64 { return a.hashes.Hashed() }

// Now is the time by which links and codes end.
func (a *Accounts) Now() time.Time { return a.now() }

func (a *Accounts) now() time.Time { return a.clock().UTC().Truncate(time.Microsecond) }

// keyed is a hash that only the shop can make.
func (a *Accounts) keyed(purpose, text string) []byte {
	h := hmac.New(sha256.New, a.secret)
	h.Write([]byte(purpose + "\x00" + text))
	return h.Sum(nil)
}

// emailKey finds an e-mail, in its one spelling, without naming it.
func (a *Accounts) emailKey(email string) []byte { return a.keyed("customer e-mail", email) }

// pairKey finds what a network does with an e-mail, without naming either.
func (a *Accounts) pairKey(purpose, network, email string) []byte {
	return a.keyed(purpose+" from", network+"\x00"+email)
}

// Tx runs work in a transaction.
func (a *Accounts) Tx(ctx context.Context, work func(tx pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, a.pool, work)
}

// Reserve keeps an e-mail for an account about to be opened. ErrTaken also names an account whose registration is unfinished:
// its process may have died. Look it up in the log, then Open or Drop it. An account without a password stays closed until its
// owner chooses one by a code.
func (a *Accounts) Reserve(ctx context.Context, lane credential.Lane, id uuid.UUID, email, password string) (halfway uuid.UUID, err error) {
	hash := credential.Nobodys
	if password != "" {
		if hash, err = a.hashes.Hash(ctx, lane, password); err != nil {
			return uuid.Nil, fmt.Errorf("hash password: %w", err)
		}
	}
	key := a.emailKey(email)
	var other [16]byte
	var stale bool
	err = a.Tx(ctx, func(tx pgx.Tx) error {
		if err := lockEmail(ctx, tx, key); err != nil {
			return err
		}
		err := tx.QueryRow(ctx, `SELECT id, opened_at IS NULL AND created_at < $2 FROM customer_accounts WHERE email = $1`, key, a.now().Add(-staleAfter)).Scan(&other, &stale)
		if err == nil {
			return ErrTaken
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("look for account: %w", err)
		}
		if taken, err := a.isTaken(ctx, tx, id, key); err != nil || taken {
			return errors.Join(err, ErrTaken)
		}
		if _, err := tx.Exec(ctx, `INSERT INTO customer_accounts (id, email, password, created_at) VALUES ($1, $2, $3, $4)`, id, key, hash, a.now()); err != nil {
			return fmt.Errorf("reserve e-mail: %w", err)
		}
		return nil
	})
	if stale {
		return other, err
	}
	return uuid.Nil, err
}

// Opened says that the log has the account.
func (a *Accounts) Opened(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
	if _, err := tx.Exec(ctx, `UPDATE customer_accounts SET opened_at = coalesce(opened_at, $2) WHERE id = $1`, id, a.now()); err != nil {
		return fmt.Errorf("open account: %w", err)
	}
	return nil
}

// Drop deletes all that an account signs in with: password, tokens, codes and links. A missing account is no error.
func (a *Accounts) Drop(ctx context.Context, id uuid.UUID) error {
	if _, err := a.pool.Exec(ctx, `DELETE FROM customer_accounts WHERE id = $1`, id); err != nil {
		return fmt.Errorf("drop account: %w", err)
	}
	return nil
}

// Taken says whether an e-mail is the one of an account other than id, or may be taken back by it.
func (a *Accounts) Taken(ctx context.Context, id uuid.UUID, email string) (bool, error) {
	return a.isTaken(ctx, a.pool, id, a.emailKey(email))
}

// WithoutAccount are those of some e-mails that are no account's.
func (a *Accounts) WithoutAccount(ctx context.Context, emails []string) ([]string, error) {
	keys := make([][]byte, len(emails))
	for i, email := range emails {
		keys[i] = a.emailKey(email)
	}
	rows, _ := a.pool.Query(ctx, `SELECT email FROM customer_accounts WHERE email = ANY ($1)`, keys)
	taken, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
	if err != nil {
		return nil, fmt.Errorf("look for accounts: %w", err)
	}
	var free []string
	for i, email := range emails {
		if !slices.ContainsFunc(taken, func(key []byte) bool { return bytes.Equal(key, keys[i]) }) {
			free = append(free, email)
		}
	}
	return free, nil
}

// The limits on attempts. Those from one network with one e-mail are few, and end in a refusal, as guesses.go bounds those from
// many networks and those at many e-mails.
const (
	signInLimit  = 10
	signInWindow = 15 * time.Minute
	// Letters with a code in a resetWindow: as one network asks for them, and in all.
	resetLimit   = 5
	resetLetters = 30
	resetWindow  = time.Hour
	linkLimit    = 5
	linkWindow   = time.Hour
)

// attempt counts an attempt, or refuses it with *TooMany.
func (a *Accounts) attempt(ctx context.Context, key []byte, limit int, window time.Duration) error {
	_, err := a.attempts(ctx, a.pool, key, limit, window)
	return err
}

// attempts is attempt that says how many there were in the window.
func (a *Accounts) attempts(ctx context.Context, db querier, key []byte, limit int, window time.Duration) (count int, err error) {
	now := a.now()
	var ends time.Time
	err = db.QueryRow(ctx, `INSERT INTO customer_attempts AS a (key, count, ends_at) VALUES ($1, 1, $3)
		ON CONFLICT (key) DO UPDATE SET
			count = CASE WHEN a.ends_at <= $2 THEN 1 ELSE least(a.count, $4) + 1 END,
			ends_at = CASE WHEN a.ends_at <= $2 THEN $3 ELSE a.ends_at END
		RETURNING count, ends_at`, key, now, now.Add(window), limit).Scan(&count, &ends)
	if err != nil {
		return 0, fmt.Errorf("count attempt: %w", err)
	}
	if count > limit {
		return count, &TooMany{For: max(time.Second, ends.Sub(now))}
	}
	return count, nil
}

// SignIn checks a pair that somebody sent and gives a token. It refuses with ErrWrong, and with *TooMany or *credential.Busy those
// who guess.
func (a *Accounts) SignIn(ctx context.Context, who Who, email, password string) (token string, id uuid.UUID, err error) {
	var kept [16]byte
	hash := credential.Nobodys
	err = a.pool.QueryRow(ctx, `SELECT id, password FROM customer_accounts WHERE email = $1 AND opened_at IS NOT NULL`, a.emailKey(email)).Scan(&kept, &hash)
	known := err == nil
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return "", uuid.Nil, fmt.Errorf("look for account: %w", err)
	}
	g, err := a.guessed(ctx, who, kept, email)
	if err != nil {
		return "", uuid.Nil, err
	}
	right, err := a.hashes.Matches(ctx, g.lane, hash, password)
	if err != nil {
		return "", uuid.Nil, fmt.Errorf("check password: %w", err)
	}
	if !right || !known {
		return "", uuid.Nil, ErrWrong
	}
	fresh := hash
	if credential.IsOld(hash) {
		if fresh, err = a.hashes.Hash(ctx, credential.Trusted, password); err != nil {
			return "", uuid.Nil, fmt.Errorf("hash password: %w", err)
		}
	}
	err = a.Tx(ctx, func(tx pgx.Tx) error {
		if err := a.Still(ctx, tx, kept, Checked{hash}); err != nil {
			return err
		}
		if fresh != hash {
			if _, err := tx.Exec(ctx, `UPDATE customer_accounts SET password = $2 WHERE id = $1`, kept, fresh); err != nil {
				return fmt.Errorf("renew hash: %w", err)
			}
		}
		if token, err = a.Issue(ctx, tx, kept); err != nil {
			return err
		}
		return a.right(ctx, tx, g)
	})
	if err != nil {
		return "", uuid.Nil, fmt.Errorf("sign in: %w", err)
	}
	return token, kept, nil
}

// SignOut ends a token; one that is over is fine.
func (a *Accounts) SignOut(ctx context.Context, token string) error {
	if _, err := a.pool.Exec(ctx, `DELETE FROM customer_tokens WHERE token = $1`, credential.HashOf(token)); err != nil {
		return fmt.Errorf("sign out: %w", err)
	}
	securitylog.Note(ctx, securitylog.Entry{Kind: securitylog.SessionEnd, Outcome: securitylog.OK})
	return nil
}

// Checked is a password that was right when it was looked at.
type Checked struct{ hash string }

// IsPassword checks the password of an account that is signed in, or refuses with ErrWrong or *TooMany.
func (a *Accounts) IsPassword(ctx context.Context, id uuid.UUID, password string) (Checked, error) {
	checked, err := a.isPassword(ctx, id, password)
	seen := securitylog.Entry{Kind: securitylog.Password, Outcome: securitylog.Wrong, Who: securitylog.Who{Party: securitylog.Customer, ID: id}}
	var many *TooMany
	switch {
	case errors.As(err, &many):
		seen.Outcome = securitylog.Locked
		securitylog.Note(ctx, seen)
	case errors.Is(err, ErrWrong):
		securitylog.Note(ctx, seen)
	}
	return checked, err
}

func (a *Accounts) isPassword(ctx context.Context, id uuid.UUID, password string) (Checked, error) {
	attempts := a.keyed("password of", id.String())
	if err := a.attempt(ctx, attempts, signInLimit, signInWindow); err != nil {
		return Checked{}, err
	}
	var hash string
	err := a.pool.QueryRow(ctx, `SELECT password FROM customer_accounts WHERE id = $1`, id).Scan(&hash)
	if errors.Is(err, pgx.ErrNoRows) {
		return Checked{}, ErrWrong
	}
	if err != nil {
		return Checked{}, fmt.Errorf("look for account: %w", err)
	}
	right, err := a.hashes.Matches(ctx, credential.Trusted, hash, password)
	if err != nil {
		return Checked{}, fmt.Errorf("check password: %w", err)
	}
	if !right {
		return Checked{}, ErrWrong
	}
	return Checked{hash}, nil
}

// Still holds an account whose password is the one that was checked until tx ends, or refuses with ErrWrong: it was changed meanwhile.
func (a *Accounts) Still(ctx context.Context, tx pgx.Tx, id uuid.UUID, c Checked) error {
	var same bool
	err := tx.QueryRow(ctx, `SELECT password = $2 FROM customer_accounts WHERE id = $1 FOR NO KEY UPDATE`, id, c.hash).Scan(&same)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && !same {
		return ErrWrong
	}
	if err != nil {
		return fmt.Errorf("look for account: %w", err)
	}
	return nil
}

// Sweep deletes expired rows.
func (a *Accounts) Sweep(ctx context.Context) error {
	for _, table := range []string{"customer_tokens", "customer_resets", "customer_verifications", "customer_attempts"} {
		if _, err := a.pool.Exec(ctx, `DELETE FROM `+table+` WHERE ends_at <= $1`, a.now()); err != nil {
			return fmt.Errorf("sweep %s: %w", table, err)
		}
	}
	return a.sweepSessions(ctx)
}
