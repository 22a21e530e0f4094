package eventstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Raw is an event as it is in the log, for other programs: the payload in the schema of its day, sealed fields sealed.
type Raw struct {
	ID         uuid.UUID
	Stream     string
	Version    Version
	Position   Position
	Type       string
	Schema     int
	RecordedAt time.Time
	Metadata   Metadata
	Data       json.RawMessage
}

// Epoch names a history of a log. Positions of two epochs are not comparable: a promoted or restored server may give positions
// out again that readers of the former one know.
type Epoch struct {
	// Log is the id of the log's first event; zero: the log is empty.
	Log uuid.UUID
	// System and Timeline are the server's (see Server).
	System, Timeline int64
}

// String is the log, the system and the timeline with slashes between them; empty for the zero value.
func (e Epoch) String() string {
	if e == (Epoch{}) {
		return ""
	}
	return fmt.Sprintf("%s/%d/%d", e.Log, e.System, e.Timeline)
}

// Epoch is the history of the log that the server has now.
func (s *Store) Epoch(ctx context.Context) (e Epoch, err error) {
	if e.Log, err = s.Identity(ctx); err != nil {
		return e, fmt.Errorf("identify the log: %w", err)
	}
	if err = s.pool.QueryRow(ctx, `SELECT system, timeline FROM eventstore.server()`).Scan(&e.System, &e.Timeline); err != nil {
		return e, fmt.Errorf("identify the server: %w", err)
	}
	return e, nil
}

// Raw reads events as they are stored, in the order of positions. No key is read and nothing is decoded.
func (s *Store) Raw(ctx context.Context, q Query) ([]Raw, error) {
	upTo, err := s.safe(ctx, q.Range, q.UpTo)
	if err != nil {
		return nil, fmt.Errorf("read stored events: %w", err)
	}
	first, last := slicesOf(q.Range)
	rows, _ := s.pool.Query(ctx, selectRaw, int64(q.After), int64(upTo), first, last, orNone(q.Types), orNoLimit(q.Limit))
	var found []Raw
	var r Raw
	var metadata, data []byte
	_, err = pgx.ForEachRow(rows, []any{(*[16]byte)(&r.ID), &r.Stream, &r.Version, &r.Position, &r.Type, &r.Schema, &r.RecordedAt, &metadata, &data}, func() error {
		r.Data = data
		found = append(found, r)
		return found[len(found)-1].Metadata.read(metadata)
	})
	if err != nil {
		return nil, fmt.Errorf("read stored events: %w", err)
	}
	return found, nil
}

const selectRaw = `SELECT e.id, e.stream, e.version, e.position, e.type, e.schema, e.recorded_at, e.metadata, e.data FROM eventstore.events e
	WHERE e.position > $1 AND e.position <= $2 AND e.slice BETWEEN $3 AND $4 AND (cardinality($5::text[]) = 0 OR e.type = ANY ($5))
	ORDER BY e.position LIMIT $6`

// Last is the position of the last event of a range up to a position, of the types wanted or, for none, of all; 0: there is none.
func (s *Store) Last(ctx context.Context, rng int, types []string, upTo Position) (p Position, err error) {
	first, last := slicesOf(rng)
	err = s.pool.QueryRow(ctx, `SELECT position FROM eventstore.events WHERE position <= $1 AND slice BETWEEN $2 AND $3
		AND (cardinality($4::text[]) = 0 OR type = ANY ($4)) ORDER BY position DESC LIMIT 1`, int64(upTo), first, last, orNone(types)).Scan(&p)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return 0, fmt.Errorf("find the event before %d: %w", upTo, err)
	}
	return p, nil
}

// PersonOf is the person whose fields are sealed in a stored payload; the zero value: nobody's.
func PersonOf(data []byte) (uuid.UUID, error) {
	seal, err := sealOf(data)
	if err != nil || seal == nil {
		return uuid.Nil, err
	}
	return seal.Person, nil
}
