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
	nearAfter  = 2048
)

const selectNear = `SELECT DISTINCT ON (e.position) e.id, e.position, e.stream, e.version, e.type, e.recorded_at,
		w.correlation, coalesce(e.metadata->>'causation_id', '') AS causation, coalesce(e.metadata->>'actor', '') AS actor
	FROM (
		SELECT e.*, w.correlation AS wanted FROM unnest($1::bigint[], $2::text[]) AS w (position, correlation)
		JOIN eventstore.events e ON e.position BETWEEN w.position - $3 AND w.position + $4
		UNION ALL
		SELECT e.*, NULL FROM eventstore.events e WHERE e.stream = ANY ($6)
	) e
	JOIN (SELECT DISTINCT unnest($2::text[])) AS w (correlation) ON w.correlation = coalesce(e.wanted, e.metadata->>'correlation_id')
	WHERE strpos(e.metadata::text, w.correlation) > 0 AND e.metadata->>'correlation_id' = w.correlation AND e.position <= $5
	ORDER BY e.position`

// Near finds what was recorded with the correlations of a stream's events, themselves included, in the order of positions.
// It needs no index of correlations, which every append would pay for: it looks some hundred positions back and two
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
	rows, err := s.pool.Query(ctx, selectNear, positions, correlations, nearBefore, nearAfter, int64(head), orNone(beside))
	if err != nil {
		return nil, fmt.Errorf("look near %d events: %w", len(events), err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Effect])
	if err != nil {
		return nil, fmt.Errorf("look near %d events: %w", len(events), err)
	}
	return found, nil
}
