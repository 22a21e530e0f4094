package staff

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// CausedLetter is a letter that an event of the log caused.
type CausedLetter struct {
	// ID is the event's, At when it was recorded, SentAt when the letter was sent; nil: it waits.
	ID     uuid.UUID
	Kind   string
	At     time.Time
	SentAt *time.Time
}

// OrderLetter is a letter about an order, as its recipient got it.
type OrderLetter struct {
	Kind    string `json:"kind"`
	To      string `json:"to"`
	Subject string `json:"subject"`
	Text    string `json:"text"`
	// At is when the event was recorded that caused it.
	At time.Time `json:"at"`
}

// LetterOf finds the letter that an event of a stream caused, sent or waiting; false when it caused none.
func (s Shop) LetterOf(ctx context.Context, stream string, version int64) (l CausedLetter, found bool, err error) {
	err = s.DB.QueryRow(ctx, `SELECT e.id, l.kind, e.recorded_at, l.sent_at FROM eventstore.events e
		JOIN LATERAL (SELECT kind, sent_at FROM mail_sent WHERE id = e.id UNION ALL SELECT kind, NULL FROM mail_jobs WHERE id = e.id LIMIT 1) l ON true
		WHERE e.stream = $1 AND e.version = $2`, stream, version).Scan((*[16]byte)(&l.ID), &l.Kind, &l.At, &l.SentAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return CausedLetter{}, false, nil
	}
	if err != nil {
		return CausedLetter{}, false, fmt.Errorf("look for the letter of %s at %d: %w", stream, version, err)
	}
	return l, true, nil
}
