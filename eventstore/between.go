package eventstore

import (
	"context"
	"fmt"
)

// Between is Inspect over all ranges, each above and up to a place of its own, which must be safe to read. limit is the most
// events returned.
func (s *Store) Between(ctx context.Context, after, upTo Heads, limit int) ([]Event, error) {
	found, _, err := s.between(ctx, after, upTo, limit)
	return inspected(found), err
}

// BetweenBoth is Between, and beside each event as it is stored.
func (s *Store) BetweenBoth(ctx context.Context, after, upTo Heads, limit int) ([]Event, []Raw, error) {
	found, all, err := s.between(ctx, after, upTo, limit)
	if err != nil {
		return nil, nil, err
	}
	raw := make([]Raw, len(all))
	for i := range all {
		e, metadata := &all[i], found[i].Metadata
		if found[i].err != nil { // it may have come before the metadata was read
			if err := metadata.read(e.metadata); err != nil {
				return nil, nil, fmt.Errorf("event %d of %s: metadata: %w", e.version, e.stream, err)
			}
		}
		raw[i] = Raw{e.id, e.stream, Version(e.version), Position(e.position), e.typ, int(e.schema), e.recordedAt, metadata, e.data}
	}
	return inspected(found), raw, nil
}

func (s *Store) between(ctx context.Context, after, upTo Heads, limit int) ([]decoded, []stored, error) {
	var high Position
	for _, p := range upTo {
		high = max(high, p)
	}
	rows, _ := s.pool.Query(ctx, `SELECT `+columns+` FROM eventstore.events e
		WHERE e.position > $1 AND e.position <= $2
		  AND e.position > ($3::bigint[])[e.slice / $5 + 1] AND e.position <= ($4::bigint[])[e.slice / $5 + 1]
		ORDER BY e.position LIMIT $6`, int64(after.Least()), int64(high), after.array(), upTo.array(), Slices/Ranges, limit)
	all, err := storedOf(rows)
	if err != nil {
		return nil, nil, err
	}
	found, err := s.decode(ctx, all)
	return found, all, err
}

func (h Heads) array() []int64 {
	array := make([]int64, len(h))
	for i, p := range h {
		array[i] = int64(p)
	}
	return array
}

// lastOf finds the last version up to a position by halves: in a stream positions grow with versions.
const lastOf = `WITH RECURSIVE seek AS (
		SELECT 0::bigint AS low, s.version::bigint AS high FROM eventstore.streams s WHERE s.name = $1
		UNION ALL
		SELECT CASE WHEN e.position <= $2 THEN e.version ELSE seek.low END, CASE WHEN e.position <= $2 THEN seek.high ELSE e.version - 1 END
		FROM seek JOIN eventstore.events e ON e.stream = $1 AND e.version = (seek.low + seek.high + 1) / 2 WHERE seek.low < seek.high)
	SELECT ` + columns + ` FROM eventstore.events e
	WHERE e.stream = $1 AND e.version <= (SELECT min(high) FROM seek) AND e.type = ANY ($3) ORDER BY e.version DESC LIMIT 1`

// LastOf is the last event of some stored names that a stream had at a position, however long the stream is; false: there was none.
func (s *Store) LastOf(ctx context.Context, stream string, upTo Position, types ...string) (Event, bool, error) {
	events, err := s.collect(ctx, lastOf, stream, int64(upTo), types)
	if err != nil {
		return Event{}, false, fmt.Errorf("read the last event of stream %s: %w", stream, err)
	}
	if len(events) == 0 {
		return Event{}, false, nil
	}
	return events[0], true, nil
}
