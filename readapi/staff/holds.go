package staff

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// ChangeHold is a field of a thing that a change holds for a while, or sets at a time; the times are equal then.
type ChangeHold struct {
	Change      uuid.UUID
	Title       string
	Thing       string
	ID          string
	Field       string
	From, Until time.Time
}

// ChangeHolds are the fields of things that changes with a time hold or will hold.
func (s Shop) ChangeHolds(ctx context.Context, things []string) ([]ChangeHold, error) {
	rows, err := s.DB.Query(ctx, `SELECT h.id, h.title, i.thing, i.thing_id, i.field, coalesce(h.starts_at, h.proposed_at),
			coalesce(h.ends_at, h.starts_at, h.proposed_at)
		FROM changes.item i JOIN changes.change h ON h.id = i.change
		WHERE i.thing_id = ANY($1) AND (h.status IN ('waiting', 'planned') AND (h.starts_at IS NOT NULL OR h.ends_at IS NOT NULL)
			OR h.status IN ('applying', 'running', 'ending') AND h.ends_at IS NOT NULL AND i.outcome IN ('', 'done') AND i.ended = '')`, things)
	if err != nil {
		return nil, fmt.Errorf("find what changes hold: %w", err)
	}
	holds, err := pgx.CollectRows(rows, pgx.RowToStructByPos[ChangeHold])
	if err != nil {
		return nil, fmt.Errorf("find what changes hold: %w", err)
	}
	return holds, nil
}
