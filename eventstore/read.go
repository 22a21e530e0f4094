package eventstore

import (
	"context"
	"crypto/cipher"
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// From asks for the events of a stream after a version; 0 is all of them.
type From struct {
	Stream string
	After  Version
}

// Query chooses events by position.
type Query struct {
	// After is exclusive, UpTo inclusive; UpTo 0 is the head. Never is anything returned that is not safe to read.
	After, UpTo Position
	// Range limits the query to one range of slices; -1: all.
	Range int
	// Types are the stored names wanted; empty: all.
	Types []string
	// Limit is the most events returned; 0: all of them.
	Limit int
}

const columns = `e.id, e.stream, e.slice, e.version, e.position, e.type, e.schema, e.recorded_at, e.metadata, e.data`

const selectPage = `SELECT ` + columns + ` FROM eventstore.events e
	WHERE e.position > $1 AND e.position <= $2 AND e.slice BETWEEN $3 AND $4 AND (cardinality($5::text[]) = 0 OR e.type = ANY ($5))
	ORDER BY e.position LIMIT $6`

const selectStream = `SELECT ` + columns + ` FROM eventstore.events e
	WHERE e.stream = $1 AND e.version > $2 ORDER BY e.version LIMIT $3`

const selectStreams = `SELECT ` + columns + ` FROM unnest($1::text[], $2::bigint[]) AS f (stream, after)
	JOIN eventstore.events e ON e.stream = f.stream AND e.version > f.after ORDER BY e.stream, e.version`

// Load reads many streams at once, each in version order. Name each stream once. A stream without events in question is absent.
func (s *Store) Load(ctx context.Context, from ...From) (map[string][]Event, error) {
	return s.loadBy(ctx, s.pool, from)
}

func (s *Store) loadBy(ctx context.Context, db queryer, from []From) (map[string][]Event, error) {
	streams, after := fromColumns(from)
	found, err := s.queryBy(ctx, db, selectStreams, streams, after)
	if err == nil {
		var events []Event
		if events, err = legible(found); err == nil {
			return byStream(events), nil
		}
	}
	return nil, fmt.Errorf("load %d streams: %w", len(from), err)
}

func fromColumns(from []From) (streams []string, after []int64) {
	streams, after = make([]string, len(from)), make([]int64, len(from))
	for i, f := range from {
		streams[i], after[i] = f.Stream, int64(f.After)
	}
	return streams, after
}

// byStream parts events of which those of a stream stand together.
func byStream(events []Event) map[string][]Event {
	parts := map[string][]Event{}
	for start, end := 0, 0; start < len(events); start = end {
		for end < len(events) && events[end].Stream == events[start].Stream {
			end++
		}
		parts[events[start].Stream] = events[start:end:end]
	}
	return parts
}

// Stream reads one stream after a version, at most limit events; 0: all of them.
func (s *Store) Stream(ctx context.Context, stream string, after Version, limit int) ([]Event, error) {
	events, err := s.collect(ctx, selectStream, stream, int64(after), orNoLimit(limit))
	if err != nil {
		return nil, fmt.Errorf("read stream %s: %w", stream, err)
	}
	return events, nil
}

// StreamOf reads the events of one stored name in a stream. What else is in it is not decoded, nor even looked at where
// an index holds that name alone.
func (s *Store) StreamOf(ctx context.Context, stream, typ string) ([]Event, error) {
	// The plan must know the name, or no such index comes into question.
	events, err := s.collect(ctx, `SELECT `+columns+` FROM eventstore.events e WHERE e.stream = $1 AND e.type = $2 ORDER BY e.version`,
		pgx.QueryExecModeCacheDescribe, stream, typ)
	if err != nil {
		return nil, fmt.Errorf("read stream %s: %w", stream, err)
	}
	return events, nil
}

// Read reads the log in the order of positions.
func (s *Store) Read(ctx context.Context, q Query) ([]Event, error) {
	found, err := s.page(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("read the log after %d: %w", q.After, err)
	}
	events := make([]Event, len(found))
	for i, f := range found {
		if f.err != nil {
			return nil, f.err
		}
		events[i] = f.Event
	}
	return events, nil
}

// Unreadable is what Inspect finds in place of the data of an event that cannot be decoded.
type Unreadable struct {
	// Stored is the payload as it is in the log; sealed fields stay sealed.
	Stored json.RawMessage
	Err    error
}

// Inspect is Read for people who inspect the log: an event that cannot be decoded is shown as it is stored, with Unreadable
// data, and does not hide the others.
func (s *Store) Inspect(ctx context.Context, q Query) ([]Event, error) {
	found, err := s.page(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("read the log after %d: %w", q.After, err)
	}
	return inspected(found), nil
}

// At is Inspect of the events at some positions, in the order of streams, and of positions within one.
func (s *Store) At(ctx context.Context, positions []Position) ([]Event, error) {
	found, err := s.query(ctx, `SELECT `+columns+` FROM eventstore.events e WHERE e.position = ANY ($1)
		ORDER BY e.stream, e.position`, positions)
	if err != nil {
		return nil, err
	}
	return inspected(found), nil
}

// InspectStream is to Stream what Inspect is to Read.
func (s *Store) InspectStream(ctx context.Context, stream string) ([]Event, error) {
	found, err := s.query(ctx, selectStream, stream, 0, orNoLimit(0))
	if err != nil {
		return nil, fmt.Errorf("read stream %s: %w", stream, err)
	}
	return inspected(found), nil
}

func inspected(found []decoded) []Event {
	events := make([]Event, len(found))
	for i, f := range found {
		if events[i] = f.Event; f.err != nil {
			events[i].Data = Unreadable{Stored: f.stored, Err: f.err}
		}
	}
	return events
}

// page is Read that leaves an event that cannot be decoded to whoever wants it.
func (s *Store) page(ctx context.Context, q Query) ([]decoded, error) {
	var err error
	if q.UpTo, err = s.safe(ctx, q.Range, q.UpTo); err != nil {
		return nil, err
	}
	if q.UpTo <= q.After {
		return nil, nil
	}
	first, last := slicesOf(q.Range)
	return s.query(ctx, selectPage, int64(q.After), int64(q.UpTo), first, last, orNone(q.Types), orNoLimit(q.Limit))
}

// safe lowers a position to the head. A range has a head of its own, which appends in other ranges do not hold back. 0 is the
// least head of all ranges.
func (s *Store) safe(ctx context.Context, rng int, upTo Position) (Position, error) {
	of := func(h Heads) Position {
		if rng < 0 || upTo == 0 {
			return h.Least()
		}
		return h[rng]
	}
	s.knownMu.Lock()
	head := of(s.known)
	s.knownMu.Unlock()
	if upTo > 0 && upTo <= head {
		return upTo, nil
	}
	h, _, err := s.Heads(ctx)
	if err != nil {
		return 0, err
	}
	if upTo == 0 {
		return of(h), nil
	}
	return min(upTo, of(h)), nil
}

// slicesOf are the first and last slice of a range; -1: of all.
func slicesOf(r int) (first, last int) {
	if r < 0 {
		return 0, Slices - 1
	}
	first = r * (Slices / Ranges)
	return first, first + Slices/Ranges - 1
}

func orNone(types []string) []string {
	if types == nil {
		return []string{}
	}
	return types
}

func orNoLimit(limit int) int64 {
	if limit <= 0 {
		return math.MaxInt64
	}
	return int64(limit)
}

// stored is an event as it is in the table.
type stored struct {
	id         [16]byte
	stream     string
	slice      int16
	version    int64
	position   int64
	typ        string
	schema     int16
	recordedAt time.Time
	metadata   []byte
	data       []byte // nil: only the header was asked for
	seal       *sealed
}

// decoded is an event, or why it cannot be had.
type decoded struct {
	Event
	err error
	// stored is the payload of an event that cannot be had.
	stored []byte
	// person owns sealed fields of the event.
	person uuid.UUID
}

func (s *Store) collect(ctx context.Context, sql string, args ...any) ([]Event, error) {
	found, err := s.query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return legible(found)
}

// legible are events that must all be decoded.
func legible(found []decoded) ([]Event, error) {
	events := make([]Event, len(found))
	for i, f := range found {
		if f.err != nil {
			return nil, f.err
		}
		events[i] = f.Event
	}
	return events, nil
}

// query reads, opens and decodes events.
func (s *Store) query(ctx context.Context, sql string, args ...any) ([]decoded, error) {
	return s.queryBy(ctx, s.pool, sql, args...)
}

func (s *Store) queryBy(ctx context.Context, db queryer, sql string, args ...any) ([]decoded, error) {
	rows, err := db.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	all, err := storedOf(rows)
	if err != nil {
		return nil, err
	}
	return s.decode(ctx, all)
}

// storedOf are the events of a query for columns.
func storedOf(rows pgx.Rows) ([]stored, error) {
	var all []stored
	var e stored
	fields := []any{&e.id, &e.stream, &e.slice, &e.version, &e.position, &e.typ, &e.schema, &e.recordedAt, &e.metadata, &e.data}
	_, err := pgx.ForEachRow(rows, fields, func() error {
		all = append(all, e)
		e.metadata, e.data = nil, nil
		return nil
	})
	return all, err
}

// decodeAtOnce is how many events are decoded by one goroutine; more are shared out.
const decodeAtOnce = 128

// reading says whether personal fields are opened, and what becomes of a payload. What skim, when given, answers needs
// neither.
type reading struct {
	open   bool
	decode func(typ string, schema int, payload []byte) (any, error)
	skim   func(typ string, schema int, payload []byte) any
}

func (s *Store) decode(ctx context.Context, all []stored) ([]decoded, error) {
	return s.decodeAs(ctx, all, reading{open: true, decode: s.codec.Decode})
}

func (s *Store) decodeAs(ctx context.Context, all []stored, how reading) ([]decoded, error) {
	events := make([]decoded, len(all))
	shareOut(len(all), func(i int) {
		e := &all[i]
		if how.skim != nil && e.data != nil {
			if events[i].Data = how.skim(e.typ, int(e.schema), e.data); events[i].Data != nil {
				return
			}
		}
		if e.seal, events[i].err = sealOf(e.data); events[i].err != nil {
			events[i].err = fmt.Errorf("event %d: %w", e.position, events[i].err)
		}
	})
	var persons []uuid.UUID
	seen := map[uuid.UUID]bool{}
	for i := range all {
		if seal := all[i].seal; seal != nil && !seen[seal.Person] {
			seen[seal.Person] = true
			persons = append(persons, seal.Person)
		}
	}
	var keys openedKeys
	if how.open {
		var err error
		if keys, err = s.keys.open(ctx, persons); err != nil {
			return nil, err
		}
	}
	shareOut(len(all), func(i int) {
		e := &all[i]
		d := &events[i]
		defer func() {
			if d.err != nil {
				d.stored = e.data
			}
		}()
		d.Event = Event{
			ID: e.id, Stream: e.stream, Slice: e.slice, Version: Version(e.version), Position: Position(e.position),
			Type: e.typ, Schema: int(e.schema), RecordedAt: e.recordedAt, Data: d.Data,
		}
		if d.err != nil {
			return
		}
		payload := e.data
		if e.seal != nil {
			d.person = e.seal.Person
			var key cipher.AEAD
			if how.open {
				key, d.err = keys.of(e.seal.Person)
				s.keys.unopened(ctx, d.err)
			}
			if d.err == nil {
				payload, d.Erased, d.err = openFields(payload, key, e.id, e.seal)
			}
			if d.err != nil {
				d.err = fmt.Errorf("event %d of %s: %w", e.version, e.stream, d.err)
				return
			}
		}
		if len(e.metadata) > 2 { // not {}
			if err := d.Metadata.read(e.metadata); err != nil {
				d.err = fmt.Errorf("event %d of %s: metadata: %w", e.version, e.stream, err)
				return
			}
		}
		if d.Data != nil || e.data == nil {
			return
		}
		if d.Data, d.err = how.decode(e.typ, int(e.schema), payload); d.err != nil {
			d.err = fmt.Errorf("event %d of %s: %w", e.version, e.stream, d.err)
		}
	})
	return events, nil
}

// shareOut calls one with 0 to n-1, from several goroutines where that is worth it.
func shareOut(n int, one func(int)) {
	workers := min(runtime.GOMAXPROCS(0), n/decodeAtOnce)
	if workers <= 1 {
		for i := range n {
			one(i)
		}
		return
	}
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for i := n * w / workers; i < n*(w+1)/workers; i++ {
				one(i)
			}
		})
	}
	group.Wait()
}

// Head is the last position that is safe to read: no event at or below it will appear any more. It never goes back.
func (s *Store) Head(ctx context.Context) (Position, error) {
	h, _, err := s.Heads(ctx)
	if err != nil {
		return 0, err
	}
	return h.Least(), nil
}

// Heads are the last positions safe to read in each range of slices.
type Heads [Ranges]Position

// Least is the last position safe to read in all ranges.
func (h Heads) Least() Position {
	least := h[0]
	for _, p := range h {
		least = min(least, p)
	}
	return least
}

// Heads asks the database, by the protocol in the package comment. end is the highest visible position, safe to read or not.
// No range's head ever goes back; a server whose log does is refused with *ServerChanged.
func (s *Store) Heads(ctx context.Context) (_ Heads, end Position, _ error) {
	var last int64
	var groups []int32
	var markers []int64
	var id pgtype.UUID
	var is identity
	before := s.server.memory()
	if err := s.pool.QueryRow(ctx, `SELECT last, groups, markers, last_id, system, timeline FROM eventstore.heads()`).
		Scan(&last, &groups, &markers, &id, &is.system, &is.timeline); err != nil {
		return Heads{}, 0, fmt.Errorf("read the head of the log: %w", err)
	}
	answer := found{identity: is, last: known{position: Position(last), id: id.Bytes}, there: before.seen.id}
	if answer.last.position == before.seen.position {
		answer.there = answer.last.id
	}
	if err := s.server.check(before, answer); err != nil {
		return Heads{}, 0, err
	}
	var h Heads
	for r := range h {
		h[r] = Position(last)
	}
	for i, g := range groups {
		if g >= Groups {
			continue // somebody else's lock, whose key looks like a marker
		}
		r := int(g) / (Groups / Ranges)
		h[r] = min(h[r], Position(markers[i]))
	}
	s.knownMu.Lock()
	defer s.knownMu.Unlock()
	for r := range h {
		h[r] = max(h[r], s.known[r])
	}
	s.known = h
	return h, Position(last), nil
}
