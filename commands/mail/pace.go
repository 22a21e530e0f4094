package mail

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// paceOf is the pause between two letters of a paced kind to one address.
const paceOf = time.Hour

// paced contents say whether their letter is one of a kind that an address gets once an hour at most. What comes sooner is
// sent when the hour is over.
type paced interface{ Paced() bool }

// tooEarly: the address had such a letter a while ago.
type tooEarly struct{ until time.Time }

func (e *tooEarly) Error() string { return "the address had such a letter within the hour" }

const takePace = `INSERT INTO mail_paces AS p (address, kind, letter, next_at) VALUES ($1, $2, $3, $4)
	ON CONFLICT (address, kind) DO UPDATE SET letter = excluded.letter, next_at = excluded.next_at WHERE p.next_at <= $5 OR p.letter = excluded.letter
	RETURNING next_at`

// pace takes the address's turn for a letter; *tooEarly while another's lasts.
func (o *Outbox) pace(ctx context.Context, j job, to string) error {
	address := o.addressOf(to)
	var next time.Time
	err := o.db.QueryRow(ctx, takePace, address, j.Kind, j.ID, o.now().Add(paceOf), o.now()).Scan(&next)
	if errors.Is(err, pgx.ErrNoRows) {
		if err = o.db.QueryRow(ctx, `SELECT next_at FROM mail_paces WHERE address = $1 AND kind = $2`, address, j.Kind).Scan(&next); err == nil {
			return &tooEarly{next}
		}
	}
	if err != nil {
		return fmt.Errorf("take the address's turn: %w", err)
	}
	return nil
}

// addressOf is the keyed hash of an address, however it is spelled.
func (o *Outbox) addressOf(to string) []byte {
	h := hmac.New(sha256.New, o.hash)
	h.Write([]byte(strings.ToLower(strings.TrimSpace(to))))
	return h.Sum(nil)[:16]
}

// hold puts a letter back until a time; that was no attempt.
func (o *Outbox) hold(ctx context.Context, j job, until time.Time) error {
	_, err := o.db.Exec(ctx, `UPDATE mail_jobs SET due_at = $3, held_until = $3, attempts = attempts - 1 WHERE id = $1 AND attempts = $2`, j.ID, j.Attempts, until)
	return err
}

// forgetPaces forgets the addresses whose hour is over.
func (o *Outbox) forgetPaces(ctx context.Context) error {
	_, err := o.db.Exec(ctx, `DELETE FROM mail_paces WHERE next_at <= $1`, o.now())
	return err
}
