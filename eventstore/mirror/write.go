package mirror

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/eventstore"
	"shop/eventstore/feed"
)

type event = feed.CloudEvent

// positionOf is that of an event whose message was checked.
func positionOf(e event) eventstore.Position {
	p, _ := strconv.ParseInt(e.Position, 10, 64)
	return eventstore.Position(p)
}

func readPlaces(ctx context.Context, pool *pgxpool.Pool) (map[int]*place, error) {
	rows, err := pool.Query(ctx, `SELECT range, position, last, epoch, made, seq FROM eventstore.copied`)
	if err != nil {
		return nil, fmt.Errorf("read the places of the copy: %w", err)
	}
	places := map[int]*place{}
	var r int
	var p place
	var seq int64
	_, err = pgx.ForEachRow(rows, []any{&r, &p.position, &p.last, &p.epoch, &p.made, &seq}, func() error {
		places[r] = &place{position: p.position, last: p.last, epoch: p.epoch, made: p.made.UTC(), seq: uint64(seq)}
		return nil
	})
	return places, err
}

// begin makes a copy of an empty database.
func (m *Mirror) begin(ctx context.Context, log uuid.UUID) error {
	epoch, err := m.Home.epoch(ctx)
	if err != nil {
		return err
	}
	var written bool
	if err := m.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM eventstore.events)`).Scan(&written); err != nil {
		return err
	}
	if written {
		return fmt.Errorf("the region's database has a log of its own (want an empty one for a copy of log %s): %w", log, ErrForked)
	}
	_, err = m.Pool.Exec(ctx, `INSERT INTO eventstore.copied (range, epoch, made) SELECT r, $1, $2 FROM generate_series(0, $3 - 1) r ON CONFLICT DO NOTHING`,
		epoch, time.Unix(0, 0), eventstore.Ranges)
	if err != nil {
		return fmt.Errorf("begin the copy: %w", err)
	}
	return nil
}

const (
	movePlace = `UPDATE eventstore.copied SET position = $1, last = $2, epoch = $3, made = $4, seq = $5 WHERE range = $6 AND position = $7`

	insertEvents = `INSERT INTO eventstore.events (position, id, stream, slice, version, type, schema, recorded_at, data, metadata)
		SELECT u.position, u.id, u.stream, u.slice, u.version, u.type, u.schema, u.at, u.data::json, u.about::json
		FROM unnest($1::bigint[], $2::uuid[], $3::text[], $4::smallint[], $5::bigint[], $6::text[], $7::smallint[], $8::timestamptz[], $9::text[], $10::text[])
			AS u (position, id, stream, slice, version, type, schema, at, data, about)`

	insertKeys = `INSERT INTO eventstore.person_keys (person, key, created_at, erased_at)
		SELECT * FROM unnest($1::uuid[], $2::bytea[], $3::timestamptz[], $4::timestamptz[]) ON CONFLICT (person) DO NOTHING`
)

// moveTo moves a range's place in a transaction; the lock of its row keeps others out.
func (m *Mirror) moveTo(ctx context.Context, tx pgx.Tx, r int, to, last eventstore.Position) error {
	p := m.ranges[r]
	tag, err := tx.Exec(ctx, movePlace, int64(to), int64(last), p.epoch, p.made, int64(p.seq), r, int64(p.position))
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return errElsewhere
	}
	return nil
}

// write adds events, and the keys of their persons, to the copy.
func (m *Mirror) write(ctx context.Context, r int, events []event, last eventstore.Position) error {
	p := m.ranges[r]
	upTo := p.upTo(last)
	c, err := columnsOf(events)
	if err != nil {
		return err
	}
	keys, err := m.missingKeys(ctx, c.persons)
	if err != nil {
		return err
	}
	err = pgx.BeginFunc(ctx, m.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SET LOCAL synchronous_commit = off"); err != nil {
			return err
		}
		if err := m.moveTo(ctx, tx, r, upTo, last); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		if len(keys.persons) > 0 {
			batch.Queue(insertKeys, keys.persons, keys.keys, keys.created, keys.erased)
		}
		batch.Queue(insertEvents, c.positions, c.ids, c.streams, c.slices, c.versions, c.types, c.schemas, c.times, c.data, c.about)
		batch.Queue("SELECT pg_notify($1, 'mirror')", eventstore.ChannelAppended)
		return tx.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		return fmt.Errorf("write range %d up to %d: %w", r, upTo, err)
	}
	p.position, p.last = upTo, last
	return nil
}

// columns are events as arrays for unnest.
type columns struct {
	positions, versions []int64
	ids                 [][16]byte
	streams, types      []string
	slices, schemas     []int16
	times               []time.Time
	data, about         []string
	persons             [][16]byte
}

func columnsOf(events []event) (c columns, err error) {
	seen := map[uuid.UUID]bool{}
	for _, e := range events {
		id, err := uuid.Parse(e.ID)
		if err != nil {
			return c, fmt.Errorf("event at %s: %w", e.Position, err)
		}
		version, err := strconv.ParseInt(e.StreamVersion, 10, 64)
		if err != nil {
			return c, fmt.Errorf("event at %s: %w", e.Position, err)
		}
		if e.SchemaVersion < 1 || e.SchemaVersion > math.MaxInt16 {
			return c, fmt.Errorf("event at %s: no event has schema %d", e.Position, e.SchemaVersion)
		}
		about, err := json.Marshal(eventstore.Metadata{
			CorrelationID: e.CorrelationID, CausationID: e.CausationID, Actor: e.Actor, Trace: e.TraceParent, Imported: e.Imported,
		})
		if err != nil {
			return c, err
		}
		person, err := eventstore.PersonOf(e.Data)
		if err != nil {
			return c, fmt.Errorf("event at %s: %w", e.Position, err)
		}
		if person != uuid.Nil && !seen[person] {
			seen[person] = true
			c.persons = append(c.persons, person)
		}
		c.positions, c.versions = append(c.positions, int64(positionOf(e))), append(c.versions, version)
		c.ids, c.streams, c.types = append(c.ids, id), append(c.streams, e.Subject), append(c.types, e.Type)
		c.slices, c.schemas = append(c.slices, eventstore.SliceOf(e.Subject)), append(c.schemas, int16(e.SchemaVersion))
		c.times, c.data, c.about = append(c.times, e.Time), append(c.data, string(e.Data)), append(c.about, string(about))
	}
	return c, nil
}

// keyRows are rows of person_keys as arrays.
type keyRows struct {
	persons         [][16]byte
	keys            [][]byte
	created, erased []*time.Time
}

// missingKeys are the home region's keys of those persons whom the copy does not know.
func (m *Mirror) missingKeys(ctx context.Context, persons [][16]byte) (keyRows, error) {
	if len(persons) == 0 {
		return keyRows{}, nil
	}
	rows, err := m.Pool.Query(ctx, `SELECT u.person FROM unnest($1::uuid[]) AS u (person) WHERE NOT EXISTS (SELECT FROM eventstore.person_keys k WHERE k.person = u.person)`, persons)
	if err != nil {
		return keyRows{}, err
	}
	missing, err := pgx.CollectRows(rows, pgx.RowTo[[16]byte])
	if err != nil {
		return keyRows{}, err
	}
	return m.keysOf(ctx, missing)
}

// keysOf are the home region's keys of some persons, all of them.
func (m *Mirror) keysOf(ctx context.Context, missing [][16]byte) (keyRows, error) {
	if len(missing) == 0 {
		return keyRows{}, nil
	}
	found, err := m.Home.keys(ctx, `SELECT person, key, created_at, erased_at FROM eventstore.person_keys WHERE person = ANY ($1)`, missing)
	if err != nil {
		return keyRows{}, err
	}
	if len(found.persons) < len(missing) {
		return keyRows{}, fmt.Errorf("the home region's database has %d of the keys of %d persons; it may be behind", len(found.persons), len(missing))
	}
	return found, nil
}

const movePlaces = `UPDATE eventstore.copied c SET position = u.upto FROM unnest($1::smallint[], $2::bigint[], $3::bigint[]) AS u (range, position, upto)
	WHERE c.range = u.range AND c.position = u.position RETURNING c.range`

// move moves ranges in which nothing happened up to where relays say so. A range that is being written moves with that.
func (m *Mirror) move(ctx context.Context) error {
	var ranges []int16
	var from, to []int64
	for r, p := range m.ranges {
		if !p.mu.TryLock() {
			continue
		}
		defer p.mu.Unlock()
		if upTo := p.upTo(p.position); upTo > p.position {
			ranges, from, to = append(ranges, int16(r)), append(from, int64(p.position)), append(to, int64(upTo))
		}
	}
	if len(ranges) == 0 {
		return nil
	}
	var moved []int16
	err := pgx.BeginFunc(ctx, m.Pool, func(tx pgx.Tx) error {
		batch := &pgx.Batch{}
		batch.Queue("SET LOCAL synchronous_commit = off")
		batch.Queue(movePlaces, ranges, from, to).Query(func(rows pgx.Rows) (err error) {
			moved, err = pgx.CollectRows(rows, pgx.RowTo[int16])
			return err
		})
		batch.Queue("SELECT pg_notify($1, 'mirror')", eventstore.ChannelAppended)
		return tx.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		return fmt.Errorf("move the places of the copy: %w", err)
	}
	if len(moved) < len(ranges) {
		return errElsewhere
	}
	for i, r := range ranges {
		m.ranges[r].position = eventstore.Position(to[i])
	}
	return nil
}
