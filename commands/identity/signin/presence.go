package signin

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// absentAfter is how long after a browser's last word its person counts as gone. Browsers speak three times as often.
const absentAfter = 45 * time.Second

// Present is a person of staff who has a thing open.
type Present struct {
	Email string `json:"email"`
	// Editing: something of it is changed and not saved.
	Editing bool      `json:"editing"`
	Since   time.Time `json:"since"`
}

// Present says that an account has a thing open, for the next 45 seconds, and who else has.
func (a *Accounts) Present(ctx context.Context, account uuid.UUID, thing, id string, editing bool) ([]Present, error) {
	now := a.now()
	rows, _ := a.pool.Query(ctx, `WITH absent AS (DELETE FROM staff_presence WHERE seen_at < $6 AND (account, thing, id) <> ($1, $2, $3)),
		present AS (INSERT INTO staff_presence (account, thing, id, editing, since, seen_at) VALUES ($1, $2, $3, $4, $5, $5)
			ON CONFLICT (thing, id, account) DO UPDATE SET editing = excluded.editing, seen_at = excluded.seen_at,
				since = CASE WHEN staff_presence.seen_at < $6 THEN excluded.since ELSE staff_presence.since END)
		SELECT s.email, p.editing, p.since FROM staff_presence p JOIN staff_accounts s ON s.id = p.account
		WHERE p.thing = $2 AND p.id = $3 AND p.account <> $1 AND p.seen_at >= $6 ORDER BY p.since, s.email`,
		account, thing, id, editing, now, now.Add(-absentAfter))
	others, err := pgx.CollectRows(rows, pgx.RowToStructByName[Present])
	if err != nil {
		return nil, fmt.Errorf("say who is present: %w", err)
	}
	return others, nil
}

// Left says that an account has closed a thing.
func (a *Accounts) Left(ctx context.Context, account uuid.UUID, thing, id string) error {
	if _, err := a.pool.Exec(ctx, `DELETE FROM staff_presence WHERE account = $1 AND thing = $2 AND id = $3`, account, thing, id); err != nil {
		return fmt.Errorf("say who has left: %w", err)
	}
	return nil
}
