package eventstore

import (
	"cmp"
	"context"
	"crypto/cipher"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Recorded is an event as it is stored, for people who inspect the log: in the schema of its day, and shown even when this
// program cannot decode it.
type Recorded struct {
	ID         uuid.UUID
	Stream     string
	Version    Version
	Position   Position
	Type       string
	Schema     int
	RecordedAt time.Time
	Metadata   Metadata
	// Payload is the JSON object without the sealed fields that were not opened.
	Payload json.RawMessage
	// Closed are the personal fields left out of Payload: nobody asked for them, or their person is erased.
	Closed []string
	// Erased: the person whose fields were sealed has no key any more.
	Erased bool
	// Unreadable is why this program cannot decode the event; nil: it can.
	Unreadable error
}

// Search chooses events by what they say about themselves. Empty fields choose all.
type Search struct {
	// Before is exclusive, 0: from the head. After is exclusive. Never is anything returned that is not safe to read.
	Before, After Position
	// Stream is a name, or the beginning of names and a *.
	Stream string
	Types  []string
	// Actor is as in Metadata, or its beginning and a *.
	Actor string
	// Trace is a W3C trace id, a whole traceparent, or a correlation id.
	Trace string
	// Limit is the most events returned, from 1.
	Limit int
}

const (
	// lookThrough is how many positions one Browse scans at most, so that a rare event costs many short answers and never a
	// long one; lookFirst is how many it begins with.
	lookThrough = 200_000
	lookFirst   = 5_000
	// lookFor bounds the time of the scan on a slow or busy machine.
	lookFor = 150 * time.Millisecond
)

// Matches says whether an event is one of those searched for, whatever its position.
func (q Search) Matches(e *Recorded) bool {
	return like(q.Stream, e.Stream) && like(q.Actor, e.Metadata.Actor) &&
		(len(q.Types) == 0 || slices.Contains(q.Types, e.Type)) &&
		(q.Trace == "" || e.Metadata.CorrelationID == q.Trace || e.Metadata.Trace == q.Trace || traceID(e.Metadata.Trace) == q.Trace)
}

func like(pattern, text string) bool {
	begin, open := strings.CutSuffix(pattern, "*")
	return pattern == "" || pattern == text || open && strings.HasPrefix(text, begin)
}

func traceID(traceparent string) string {
	_, rest, _ := strings.Cut(traceparent, "-")
	id, _, _ := strings.Cut(rest, "-")
	return id
}

// The filters as SQL, on e and the arguments from $3: stream, its prefix, types, actor, its prefix, trace.
// Actor and trace are searched as text in the metadata, because that is faster than parsing it.
const searched = `($10 = '' OR strpos(e.metadata::text, $10) > 0) AND ($3 = '' OR e.stream = $3) AND ($4 = '' OR starts_with(e.stream, $4))
	AND (cardinality($5::text[]) = 0 OR e.type = ANY ($5))
	AND ($6 = '' OR e.metadata->>'actor' = $6) AND ($7 = '' OR starts_with(e.metadata->>'actor', $7))
	AND ($8 = '' OR e.metadata->>'correlation_id' = $8 OR e.metadata->>'trace' = $8 OR split_part(e.metadata->>'trace', '-', 2) = $8)`

const (
	searchLog = `SELECT ` + columns + ` FROM eventstore.events e
		WHERE e.position < $1 AND e.position > $2 AND ` + searched + ` ORDER BY e.position DESC LIMIT $9`
	// In a stream the order of versions is that of positions, and the index is by version.
	searchStream = `SELECT ` + columns + ` FROM eventstore.events e
		WHERE e.stream = $3 AND e.position < $1 AND e.position > $2 AND ` + searched + ` ORDER BY e.version DESC LIMIT $9`
)

// literal is a text as JSON writes it, or nothing if JSON may write it otherwise.
func literal(text string) string {
	for _, c := range text {
		if c < ' ' || c > '~' || strings.ContainsRune(`"\/<>&`, c) {
			return ""
		}
	}
	return text
}

func exactOrPrefix(pattern string) (exact, prefix string) {
	if begin, open := strings.CutSuffix(pattern, "*"); open {
		return "", begin
	}
	return pattern, ""
}

// Browse looks through the log backwards and returns what it found, newest first, with personal fields only when open.
// next is the Before of the page after this one; 0: there is none. A page may be empty and have a next one.
func (s *Store) Browse(ctx context.Context, q Search, open bool) (found []Recorded, next Position, err error) {
	head, err := s.Head(ctx)
	if err != nil {
		return nil, 0, err
	}
	if q.Before == 0 || q.Before > head {
		q.Before = head + 1
	}
	stream, streams := exactOrPrefix(q.Stream)
	actor, actors := exactOrPrefix(q.Actor)
	filtered := stream == "" && (streams != "" || len(q.Types) > 0 || actor != "" || actors != "" || q.Trace != "")
	sql := searchLog
	if stream != "" {
		sql = searchStream
	}
	began, from, span := time.Now(), q.Before, Position(lookFirst)
	for from > q.After+1 && len(found) < q.Limit {
		down := q.After
		if filtered {
			// The first read is short because the searched event is mostly near; later reads take more at once.
			down = max(q.After, from-1-span, q.Before-1-lookThrough)
		}
		asked := time.Now()
		page, err := s.recorded(ctx, open, sql, int64(from), int64(down), stream, streams, orNone(q.Types), actor, actors, q.Trace, q.Limit-len(found), literal(cmp.Or(q.Trace, actor, actors)))
		if err != nil {
			return nil, 0, fmt.Errorf("look through the log before %d: %w", from, err)
		}
		found = append(found, page...)
		from = down + 1
		left := lookFor - time.Since(began)
		if q.Before-from >= lookThrough || filtered && left <= 0 {
			break
		}
		// As much as the time left allows at the speed of this look.
		pace := float64(left) / float64(max(time.Since(asked), time.Microsecond))
		span = max(lookFirst, Position(float64(span)*min(4, pace)))
	}
	switch {
	case len(found) == q.Limit:
		from = found[len(found)-1].Position
	case !filtered:
		return found, 0, nil
	}
	if from <= q.After+1 {
		return found, 0, nil
	}
	return found, from, nil
}

// RecordedAt is the event at a position; nil when there is none.
func (s *Store) RecordedAt(ctx context.Context, p Position, open bool) (*Recorded, error) {
	found, err := s.recorded(ctx, open, `SELECT `+columns+` FROM eventstore.events e WHERE e.position = $1`, int64(p))
	if err != nil {
		return nil, fmt.Errorf("look at event %d: %w", p, err)
	}
	if len(found) == 0 {
		return nil, nil
	}
	return &found[0], nil
}

// recorded reads events as they are stored. It reads keys of persons only when open.
func (s *Store) recorded(ctx context.Context, open bool, sql string, args ...any) ([]Recorded, error) {
	rows, err := s.pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	var found []Recorded
	var seals []*sealed
	var persons []uuid.UUID
	var e stored
	fields := []any{&e.id, &e.stream, &e.slice, &e.version, &e.position, &e.typ, &e.schema, &e.recordedAt, &e.metadata, &e.data}
	_, err = pgx.ForEachRow(rows, fields, func() error {
		r := Recorded{
			ID: e.id, Stream: e.stream, Version: Version(e.version), Position: Position(e.position), Type: e.typ, Schema: int(e.schema),
			RecordedAt: e.recordedAt, Payload: slices.Clone(e.data),
		}
		r.Unreadable = r.Metadata.read(e.metadata)
		seal, err := sealOf(e.data)
		if err != nil {
			r.Unreadable = err
		}
		if seal != nil {
			persons = append(persons, seal.Person)
		}
		found, seals = append(found, r), append(seals, seal)
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(persons, func(a, b uuid.UUID) int { return strings.Compare(string(a[:]), string(b[:])) })
	persons = slices.Compact(persons)
	var keys openedKeys
	if open {
		keys, err = s.keys.open(ctx, persons)
	}
	if err != nil {
		return nil, err
	}
	known, err := s.keys.known(ctx, persons)
	if err != nil {
		return nil, err
	}
	for i := range found {
		r, seal := &found[i], seals[i]
		if seal != nil && !r.close(keys.keys[seal.Person], seal) {
			return nil, fmt.Errorf("event %d: its sealed fields cannot be told from the others", r.Position)
		}
		if seal != nil {
			has, told := known[seal.Person]
			r.Erased = told && !has
			switch {
			case r.Unreadable != nil:
			case !told:
				r.Unreadable = &KeyMissing{Person: seal.Person}
			default:
				r.Unreadable = keys.closed[seal.Person]
			}
		}
		if r.Unreadable == nil {
			_, r.Unreadable = s.codec.Decode(r.Type, r.Schema, r.Payload)
		}
	}
	return found, nil
}

// close opens the sealed fields, or leaves them out without their key; false: not even that is possible.
func (r *Recorded) close(key cipher.AEAD, seal *sealed) bool {
	stored := r.Payload
	var err error
	if r.Payload, _, err = openFields(stored, key, r.ID, seal); err != nil && key != nil {
		r.Unreadable, key = err, nil // tampered with
		r.Payload, _, err = openFields(stored, nil, r.ID, seal)
	}
	if key == nil {
		r.Closed = seal.Fields
	}
	return err == nil
}

// known says of persons whether they have a key, without reading it: false for one who is erased, nothing for one whose row is
// missing.
func (k *personKeys) known(ctx context.Context, persons []uuid.UUID) (map[uuid.UUID]bool, error) {
	if len(persons) == 0 {
		return nil, nil
	}
	rows, err := k.pool.Query(ctx, `SELECT person, key IS NOT NULL FROM eventstore.person_keys WHERE person = ANY ($1)`, persons)
	if err != nil {
		return nil, fmt.Errorf("look for keys of persons: %w", err)
	}
	known := make(map[uuid.UUID]bool, len(persons))
	var person uuid.UUID
	var has bool
	if _, err := pgx.ForEachRow(rows, []any{(*[16]byte)(&person), &has}, func() error { known[person] = has; return nil }); err != nil {
		return nil, fmt.Errorf("look for keys of persons: %w", err)
	}
	return known, nil
}
