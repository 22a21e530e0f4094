package eventstore

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Effect is an event without its payload: what else came of a request.
type Effect struct {
	ID         uuid.UUID
	Position   Position
	Stream     string
	Version    Version
	Type       string
	RecordedAt time.Time
	// Correlation, Causation and Actor are as in Metadata.
	Correlation, Causation, Actor string
}

// An append's events stand together, but for those of others at the same moment; policies answer within moments.
const (
	nearBefore = 256
	nearAfter  = 1024
)

// selectNear takes apart the metadata of those events alone in whose text a correlation stands. The limit, which never
// cuts, tells PostgreSQL how little a look is, so that it does not start workers for it.
var selectNear = fmt.Sprintf(`SELECT DISTINCT ON (e.position) e.id, e.position, e.stream, e.version, e.type, e.recorded_at,
		e.correlation, coalesce(e.metadata->>'causation_id', '') AS causation, coalesce(e.metadata->>'actor', '') AS actor
	FROM (
		(SELECT e.*, w.correlation FROM unnest($1::bigint[], $2::text[]) AS w (position, correlation)
		CROSS JOIN LATERAL (
			SELECT * FROM eventstore.events WHERE position BETWEEN w.position - %[1]d AND w.position + %[2]d ORDER BY position LIMIT %[1]d + %[2]d + 1
		) e
		WHERE strpos(e.metadata::text, w.correlation) > 0 OFFSET 0)
		UNION ALL
		SELECT e.*, e.metadata->>'correlation_id' FROM eventstore.events e WHERE e.stream = ANY ($4)
	) e
	WHERE e.correlation = ANY ($2) AND e.metadata->>'correlation_id' = e.correlation AND e.position <= $3
	ORDER BY e.position`, nearBefore, nearAfter)

// Near finds what was recorded with the correlations of a stream's events, themselves included, in the order of positions.
// It needs no index of correlations, which every append would pay for: it looks some hundred positions back and a
// thousand ahead of the events, which is where the same append and the policies that follow it write, and through the
// streams beside, where a policy may have written much later.
func (s *Store) Near(ctx context.Context, events []Event, beside ...string) ([]Effect, error) {
	last := map[string]Position{}
	var positions []int64
	var correlations []string
	for _, e := range events {
		c := e.Metadata.CorrelationID
		if c == "" || literal(c) != c {
			continue
		}
		if at, looked := last[c]; looked && e.Position <= at+nearAfter-nearBefore {
			continue
		}
		last[c] = e.Position
		positions, correlations = append(positions, int64(e.Position)), append(correlations, c)
	}
	if len(positions) == 0 {
		return nil, nil
	}
	head, err := s.safe(ctx, 0)
	if err != nil {
		return nil, err
	}
	rows, err := s.pool.Query(ctx, selectNear, positions, correlations, int64(head), orNone(beside))
	if err != nil {
		return nil, fmt.Errorf("look near %d events: %w", len(events), err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Effect])
	if err != nil {
		return nil, fmt.Errorf("look near %d events: %w", len(events), err)
	}
	return found, nil
}
