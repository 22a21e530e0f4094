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

// The events of an append are adjacent, except for those of other appends at the same moment; policies append within moments.
// In a busy log the number of positions bounds the search. In a quiet log the time does, which is read from some events on the way.
const (
	relatedBefore, relatedBeforeTime = 256, time.Minute
	relatedAfter, relatedAfterTime   = 1024, 15 * time.Minute
)

// selectRelated parses the metadata only of events whose text contains a correlation. The limit is never reached; it tells
// PostgreSQL that the result is small, so that it starts no workers.
var selectRelated = fmt.Sprintf(`SELECT DISTINCT ON (e.position) e.id, e.position, e.stream, e.version, e.type, e.recorded_at,
		e.correlation, coalesce(e.metadata->>'causation_id', '') AS causation, coalesce(e.metadata->>'actor', '') AS actor
	FROM (
		(SELECT e.*, w.correlation FROM unnest($1::bigint[], $2::timestamptz[], $3::text[]) AS w (position, recorded_at, correlation)
		CROSS JOIN LATERAL (
			SELECT coalesce(max(position) FILTER (WHERE position < w.position AND recorded_at < w.recorded_at - $6::interval), w.position - %[1]d) AS first,
				coalesce(min(position) FILTER (WHERE position > w.position AND recorded_at > w.recorded_at + $7::interval), w.position + %[2]d) AS last
			FROM eventstore.events
			WHERE position = ANY (ARRAY[w.position - 64, w.position - 16, w.position + 16, w.position + 64, w.position + 128, w.position + 256, w.position + 512])
		) look
		CROSS JOIN LATERAL (
			SELECT * FROM eventstore.events WHERE position BETWEEN look.first AND look.last ORDER BY position LIMIT %[1]d + %[2]d + 1
		) e
		WHERE strpos(e.metadata::text, w.correlation) > 0 OFFSET 0)
		UNION ALL
		SELECT e.*, e.metadata->>'correlation_id' FROM eventstore.events e WHERE e.stream = ANY ($5)
	) e
	WHERE e.correlation = ANY ($3) AND e.metadata->>'correlation_id' = e.correlation AND e.position <= $4
	ORDER BY e.position`, relatedBefore, relatedAfter)

// Related finds what was recorded with the correlations of a stream's events, themselves included, in the order of positions.
// It needs no index of correlations, which every append would pay for: it looks some hundred positions or a minute back and
// a thousand or a quarter of an hour ahead of the events, which is where the same append and the policies that follow it
// write, and through the streams beside, where a policy may have written much later.
func (s *Store) Related(ctx context.Context, events []Event, beside ...string) ([]Effect, error) {
	looked := map[string]Event{}
	var positions []int64
	var moments []time.Time
	var correlations []string
	for _, e := range events {
		c := e.Metadata.CorrelationID
		if c == "" || literal(c) != c {
			continue
		}
		if at, again := looked[c]; again && e.Position <= at.Position+relatedAfter-relatedBefore && e.RecordedAt.Sub(at.RecordedAt) <= relatedAfterTime-relatedBeforeTime {
			continue
		}
		looked[c] = e
		positions, moments, correlations = append(positions, int64(e.Position)), append(moments, e.RecordedAt), append(correlations, c)
	}
	if len(positions) == 0 {
		return nil, nil
	}
	head, err := s.safe(ctx, -1, 0)
	if err != nil {
		return nil, err
	}
	rows, _ := s.pool.Query(ctx, selectRelated, positions, moments, correlations, int64(head), orNone(beside), relatedBeforeTime, relatedAfterTime)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Effect])
	if err != nil {
		return nil, fmt.Errorf("look near %d events: %w", len(events), err)
	}
	return found, nil
}
