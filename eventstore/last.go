package eventstore

import (
	"context"
	"fmt"
)

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
