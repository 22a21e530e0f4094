package accounts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"shop/commands/identity/credential"
)

// Who is a request that signs in or guesses.
type Who struct {
	// Network is where it comes from.
	Network string
	// Devices are the tokens by which its browser says that it has signed in before.
	Devices []string
}

// bucket is a limit that refills steadily: size at once, and size within window. A size below 0 is no limit.
//
// Buckets count wrong guesses. Right ones are given back, and a known device has a limit of its own, so that guessers keep no owner
// out.
type bucket struct {
	purpose string
	size    int
	window  time.Duration
}

// suspectAfter is how many wrong guesses of a network, not yet refilled, make it wait behind others.
const suspectAfter = 5

// interval is after what time one of a bucket is refilled, horizon after what time all.
func (b bucket) interval() time.Duration {
	if b.size < 0 {
		return 0
	}
	return b.window / time.Duration(b.size)
}

func (b bucket) horizon() time.Duration { return b.interval() * time.Duration(max(0, b.size)) }

// missing is how many are missing in a bucket that is full after a time.
func (b bucket) missing(after time.Duration) int {
	if b.size < 0 {
		return 0
	}
	return int((after + b.interval() - 1) / b.interval())
}

// spend takes one from the bucket of a subject, and says how many are missing then. It refuses with *TooMany. The row keeps when
// the bucket is full again (the generic cell rate algorithm), so a row that has ended is a full bucket.
func (a *Accounts) spend(ctx context.Context, b bucket, subject string) (missing int, err error) {
	now, key := a.now(), a.keyed(b.purpose, subject)
	var full time.Time
	err = a.pool.QueryRow(ctx, `INSERT INTO customer_attempts AS a (key, count, ends_at) VALUES ($1, 1, $2::timestamptz + $3::interval)
		ON CONFLICT (key) DO UPDATE SET ends_at = greatest(a.ends_at, $2) + $3::interval WHERE greatest(a.ends_at, $2) + $3::interval <= $2::timestamptz + $4::interval
		RETURNING ends_at`, key, now, b.interval(), b.horizon()).Scan(&full)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, a.tooMany(ctx, b, key)
	}
	if err != nil {
		return 0, fmt.Errorf("count %s: %w", b.purpose, err)
	}
	return b.missing(full.Sub(now)), nil
}

// tooMany is the refusal of a bucket.
func (a *Accounts) tooMany(ctx context.Context, b bucket, key []byte) error {
	now := a.now()
	var full time.Time
	if err := a.pool.QueryRow(ctx, `SELECT coalesce(max(ends_at), $2) FROM customer_attempts WHERE key = $1`, key, now).Scan(&full); err != nil {
		return fmt.Errorf("look when to try again: %w", err)
	}
	return &TooMany{For: max(time.Second, full.Add(b.interval()-b.horizon()).Sub(now))}
}

// executor is a pgx.Tx or a pool.
type executor interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// giveBack refills by one: the guess was right.
func (a *Accounts) giveBack(ctx context.Context, db executor, b bucket, subject string) error {
	if b.size < 0 {
		return nil
	}
	if _, err := db.Exec(ctx, `UPDATE customer_attempts SET ends_at = ends_at - $2::interval WHERE key = $1`, a.keyed(b.purpose, subject), b.interval()); err != nil {
		return fmt.Errorf("give back %s: %w", b.purpose, err)
	}
	return nil
}

// guess is an attempt at the password of an e-mail that was counted.
type guess struct {
	lane credential.Lane
	// attempts is the key of its window in customer_attempts.
	attempts []byte
	// network and email are those whose buckets were spent; empty for a known device.
	network, email string
}

// guessed counts an attempt of who, or refuses it with *TooMany. The account is that of the e-mail, if there is one.
func (a *Accounts) guessed(ctx context.Context, who Who, account uuid.UUID, email string) (guess, error) {
	if account != uuid.Nil {
		if device := a.devices.Known(account, who.Devices); device != "" {
			key := a.keyed("sign in with device", device)
			return guess{lane: credential.Trusted, attempts: key}, a.attempt(ctx, key, signInLimit, signInWindow)
		}
	}
	g := guess{attempts: a.pairKey("sign in", who.Network, email), network: who.Network, email: email}
	missing, err := a.countGuess(ctx, g)
	g.lane = laneOf(missing)
	return g, err
}

// countGuess spends the network's bucket, counts the pair and spends the e-mail's bucket, each unless the one before refuses: so
// what is refused takes no row and nothing from others. One statement, as guesses come in floods, whose commit waits for no disk: a
// crash may forget the last ones.
func (a *Accounts) countGuess(ctx context.Context, g guess) (missing int, err error) {
	now, network, mail := a.now(), a.keyed(a.ofNetwork.purpose, g.network), a.keyed(a.ofEmail.purpose, g.email)
	var netFull, pairEnds, mailFull *time.Time
	var tries *int
	var unsynced string
	err = a.pool.QueryRow(ctx, `WITH net AS (
			INSERT INTO customer_attempts AS a (key, count, ends_at) VALUES ($2, 1, $1::timestamptz + $5::interval)
			ON CONFLICT (key) DO UPDATE SET ends_at = greatest(a.ends_at, $1) + $5::interval WHERE greatest(a.ends_at, $1) + $5::interval <= $1::timestamptz + $6::interval
			RETURNING ends_at
		), pair AS (
			INSERT INTO customer_attempts AS a (key, count, ends_at) SELECT $3, 1, $1::timestamptz + $8::interval FROM net
			ON CONFLICT (key) DO UPDATE SET
				count = CASE WHEN a.ends_at <= $1 THEN 1 ELSE least(a.count, $7) + 1 END,
				ends_at = CASE WHEN a.ends_at <= $1 THEN $1::timestamptz + $8::interval ELSE a.ends_at END
			RETURNING count, ends_at
		), mail AS (
			INSERT INTO customer_attempts AS a (key, count, ends_at) SELECT $4, 1, $1::timestamptz + $5::interval FROM pair WHERE pair.count <= $7
			ON CONFLICT (key) DO UPDATE SET ends_at = greatest(a.ends_at, $1) + $5::interval WHERE greatest(a.ends_at, $1) + $5::interval <= $1::timestamptz + $6::interval
			RETURNING ends_at
		) SELECT (SELECT ends_at FROM net), (SELECT count FROM pair), (SELECT ends_at FROM pair), (SELECT ends_at FROM mail),
			set_config('synchronous_commit', 'off', true)`,
		now, network, g.attempts, mail, a.ofNetwork.interval(), a.ofNetwork.horizon(), signInLimit, signInWindow).
		Scan(&netFull, &tries, &pairEnds, &mailFull, &unsynced)
	switch {
	case err != nil:
		return 0, fmt.Errorf("count guess: %w", err)
	case netFull == nil:
		return 0, a.tooMany(ctx, a.ofNetwork, network)
	case *tries > signInLimit:
		return 0, &TooMany{For: max(time.Second, pairEnds.Sub(now))}
	case mailFull == nil:
		return 0, a.tooMany(ctx, a.ofEmail, mail)
	}
	return a.ofNetwork.missing(netFull.Sub(now)), nil
}

// right takes a guess back that was none, in the order in which it was counted.
func (a *Accounts) right(ctx context.Context, tx pgx.Tx, g guess) error {
	if g.lane != credential.Trusted {
		if err := a.giveBack(ctx, tx, a.ofNetwork, g.network); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, `DELETE FROM customer_attempts WHERE key = $1`, g.attempts); err != nil {
		return fmt.Errorf("forget attempts: %w", err)
	}
	if g.lane == credential.Trusted {
		return nil
	}
	return a.giveBack(ctx, tx, a.ofEmail, g.email)
}

func laneOf(missing int) credential.Lane {
	if missing > suspectAfter {
		return credential.Suspect
	}
	return credential.Unknown
}

// Device is a token by which a device is known to have signed in to an account.
func (a *Accounts) Device(id uuid.UUID) string { return a.devices.New(id) }

// KnowsDevice says whether one of the tokens is a device of an account.
func (a *Accounts) KnowsDevice(id uuid.UUID, tokens []string) bool {
	return a.devices.Known(id, tokens) != ""
}

// Asks counts a registration, whose answer says whether an e-mail has an account, or refuses it with *TooMany. The lane is that in
// which its password waits.
func (a *Accounts) Asks(ctx context.Context, network string) (credential.Lane, error) {
	missing, err := a.spend(ctx, a.ofNetwork, network)
	return laneOf(missing), err
}

// Asked takes Asks back: the e-mail was free.
func (a *Accounts) Asked(ctx context.Context, network string) error {
	return a.giveBack(ctx, a.pool, a.ofNetwork, network)
}

// perDay is the window of what is counted by day.
const perDay = 24 * time.Hour

// firstToday counts what may happen once a day, by its key, and says whether it may.
func (a *Accounts) firstToday(ctx context.Context, db querier, key []byte) (bool, error) {
	_, err := a.attempts(ctx, db, key, 1, perDay)
	var many *TooMany
	if errors.As(err, &many) {
		return false, nil
	}
	return err == nil, err
}

// WarnOwner writes a letter to the account of an e-mail, at most one of a kind a day. Without an account it is written all the
// same, and thrown away.
func (a *Accounts) WarnOwner(ctx context.Context, kind, email string, letter func(ctx context.Context, tx pgx.Tx, person uuid.UUID, to string) error) error {
	if may, err := a.firstToday(ctx, a.pool, a.keyed("told of "+kind, email)); err != nil || !may {
		return err
	}
	return a.Tx(ctx, func(tx pgx.Tx) error {
		var account *[16]byte
		err := tx.QueryRow(ctx, `SELECT (SELECT id FROM customer_accounts WHERE email = $1 AND opened_at IS NOT NULL)`, a.emailKey(email)).Scan(&account)
		if err != nil {
			return fmt.Errorf("look for account: %w", err)
		}
		return write(ctx, tx, account, email, letter)
	})
}

// nobody is the recipient of a letter that is discarded.
const nobody = "nobody@shop.invalid"

// write writes a letter to an e-mail, or to nobody when it has no account; then the letter is thrown away.
func write(ctx context.Context, tx pgx.Tx, account *[16]byte, email string, letter func(ctx context.Context, tx pgx.Tx, person uuid.UUID, to string) error) error {
	person, to, end := uuid.Nil, email, `RELEASE SAVEPOINT letter`
	if account != nil {
		person = *account
	} else {
		to, end = nobody, `ROLLBACK TO SAVEPOINT letter`
	}
	if _, err := tx.Exec(ctx, `SAVEPOINT letter`); err != nil {
		return fmt.Errorf("begin letter: %w", err)
	}
	if err := letter(ctx, tx, person, to); err != nil {
		return fmt.Errorf("write letter: %w", err)
	}
	if _, err := tx.Exec(ctx, end); err != nil {
		return fmt.Errorf("end letter: %w", err)
	}
	return nil
}
