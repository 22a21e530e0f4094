package signin

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/commands/identity/credential"
	"shop/eventstore/wake"
)

const (
	// slowAfter is how many attempts at an e-mail, from wherever, fail within slowFor before further ones are answered after
	// slowPause.
	slowAfter = 20
	slowFor   = time.Hour
	slowPause = 3 * time.Second
)

// counted is an attempt that is taken as failed until it turns out well.
type counted struct {
	// key is that of the network with the e-mail, or of the device.
	key  []byte
	lane credential.Lane
}

func keyOf(purpose string, parts ...string) []byte {
	h := sha256.New()
	for _, part := range append([]string{purpose}, parts...) {
		fmt.Fprintf(h, "%d\x00%s", len(part), part)
	}
	return h.Sum(nil)
}

// count takes an attempt as failed until it turns out well, or refuses it with *Locked. A device that has signed in to the account
// is counted by itself; else it is the network with the e-mail, and attempts at the e-mail from all networks are slowed.
func (a *Accounts) count(ctx context.Context, at Attempt, account uuid.UUID, now time.Time) (counted, error) {
	c := counted{key: keyOf("network", at.Network, at.Email), lane: credential.Unknown}
	known := a.devices.Known(account, at.Devices)
	if account != uuid.Nil && known != "" {
		c = counted{key: keyOf("device", known), lane: credential.Trusted}
	}
	failures, err := a.fail(ctx, c.key, at.Email, now)
	if err != nil || c.lane == credential.Trusted {
		return c, err
	}
	if failures > 2 {
		c.lane = credential.Suspect
	}
	slow := false
	err = a.pool.QueryRow(ctx, `INSERT INTO staff_attempts AS s (key, email, failures, tried_at) VALUES ($1, $2, 1, $3)
		ON CONFLICT (key) DO UPDATE SET tried_at = $3, failures = CASE WHEN s.tried_at <= $4 THEN 1 ELSE least(s.failures, $5) + 1 END
		RETURNING failures > $5`, keyOf("e-mail", at.Email), credential.HashOf(at.Email), now, now.Add(-slowFor), slowAfter).Scan(&slow)
	if err != nil {
		return c, fmt.Errorf("count attempt: %w", err)
	}
	if slow {
		return c, a.pause(ctx, slowPause)
	}
	return c, nil
}

// fail counts a failure of a key, and says how many there are, or refuses with *Locked.
func (a *Accounts) fail(ctx context.Context, key []byte, email string, now time.Time) (failures int, err error) {
	err = a.pool.QueryRow(ctx, `INSERT INTO staff_attempts AS s (key, email, failures, tried_at) VALUES ($1, $4, 1, $2)
		ON CONFLICT (key) DO UPDATE SET tried_at = $2, failures = s.failures + 1,
			locked_until = CASE WHEN s.failures + 1 >= $3 THEN $2::timestamptz + least(interval '1 hour', interval '1 minute' * 2 ^ least(10, s.failures + 1 - $3)) END
		WHERE coalesce(s.locked_until, '-infinity') <= $2 RETURNING failures`, key, now, freeAttempts, credential.HashOf(email)).Scan(&failures)
	if err == nil {
		return failures, nil
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return 0, fmt.Errorf("count attempt: %w", err)
	}
	var until time.Time
	if err := a.pool.QueryRow(ctx, `SELECT coalesce(max(locked_until), $2) FROM staff_attempts WHERE key = $1`, key, now).Scan(&until); err != nil {
		return 0, fmt.Errorf("look when to try again: %w", err)
	}
	return 0, &Locked{For: max(time.Second, until.Sub(now))}
}

// uncount takes the last attempt out of the failures.
func (a *Accounts) uncount(ctx context.Context, c counted, email string) error {
	_, err := a.pool.Exec(ctx, `UPDATE staff_attempts SET failures = greatest(0, failures - 1),
		locked_until = CASE WHEN failures - 1 >= $2 THEN locked_until END WHERE key = $1 OR key = $3 AND $4`,
		c.key, freeAttempts, keyOf("e-mail", email), c.lane != credential.Trusted)
	if err != nil {
		return fmt.Errorf("uncount attempt: %w", err)
	}
	return nil
}

// forget takes the failures of who signed in back, and those of a day ago. Those of others at the e-mail stay.
func forget(ctx context.Context, tx pgx.Tx, c counted, email string, now time.Time) error {
	if c.lane != credential.Trusted {
		if _, err := tx.Exec(ctx, `UPDATE staff_attempts SET failures = greatest(0, failures - 1) WHERE key = $1`, keyOf("e-mail", email)); err != nil {
			return fmt.Errorf("uncount attempt: %w", err)
		}
	}
	if _, err := tx.Exec(ctx, `DELETE FROM staff_attempts WHERE key = $1 OR tried_at < $2`, c.key, now.Add(-24*time.Hour)); err != nil {
		return fmt.Errorf("forget attempts: %w", err)
	}
	return nil
}

// Unlock forgets the failed attempts at an e-mail, from all networks and devices.
func (a *Accounts) Unlock(ctx context.Context, email string) error {
	if _, err := a.Find(ctx, email); err != nil {
		return err
	}
	if _, err := a.pool.Exec(ctx, `DELETE FROM staff_attempts WHERE email = $1`, credential.HashOf(email)); err != nil {
		return fmt.Errorf("unlock: %w", err)
	}
	return nil
}

// Device is a token by which a browser is known to have signed in to an account.
func (a *Accounts) Device(id uuid.UUID) string { return a.devices.New(id) }

// KnowsDevice says whether one of the tokens is a device of an account.
func (a *Accounts) KnowsDevice(id uuid.UUID, tokens []string) bool {
	return a.devices.Known(id, tokens) != ""
}

// pause waits, or ends with the context's error.
func pause(ctx context.Context, d time.Duration) error {
	if !wake.Pause(ctx, d) {
		return ctx.Err()
	}
	return nil
}
