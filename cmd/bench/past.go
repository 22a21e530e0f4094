package main

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"shop/domain"
	"shop/domain/order"
	"shop/eventstore"
	"shop/eventstore/registry"
)

// pastBegan is when the long past begins; it ends about now.
var pastBegan = time.Date(2023, 1, 1, 3, 0, 0, 0, time.UTC)

// stepsToTenOrders is about how many steps of all stories come to ten orders; rather more, for nothing happens after now.
const stepsToTenOrders = 62

// fillPast copies a past of so many orders into an empty log. What the log checks of rows is made after them, as the
// migrations define it.
func fillPast(ctx context.Context, db *pgxpool.Pool, orders int64) (events int64, err error) {
	const drop = `ALTER TABLE eventstore.events DROP CONSTRAINT events_by_position, DROP CONSTRAINT one_event_per_version, DROP CONSTRAINT event_id_is_unique`
	const add = `ALTER TABLE eventstore.events ADD CONSTRAINT events_by_position PRIMARY KEY (position),
		ADD CONSTRAINT one_event_per_version UNIQUE (stream, version), ADD CONSTRAINT event_id_is_unique UNIQUE (id)`
	if _, err := db.Exec(ctx, drop); err != nil {
		return 0, err
	}
	p := &past{lots: make(chan []told, 8), rows: make(chan [][]any, 8), persons: map[uuid.UUID]bool{}}
	group, working := errgroup.WithContext(ctx)
	group.Go(func() error { return p.tell(working, orders) })
	group.Go(func() error { return p.encode(working) })
	group.Go(func() error {
		_, err := db.CopyFrom(working, pgx.Identifier{"eventstore", "events"},
			[]string{"position", "slice", "schema", "version", "id", "recorded_at", "stream", "type", "data", "metadata"}, p)
		return err
	})
	if err := group.Wait(); err != nil {
		return 0, fmt.Errorf("write a past of %d orders: %w", orders, err)
	}
	keys := make([][]any, 0, len(p.persons))
	for person := range p.persons {
		keys = append(keys, []any{person, keyOf(person)})
	}
	if _, err := db.CopyFrom(ctx, pgx.Identifier{"eventstore", "person_keys"}, []string{"person", "key"}, pgx.CopyFromRows(keys)); err != nil {
		return 0, fmt.Errorf("write keys: %w", err)
	}
	conn, err := db.Acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Release()
	for _, statement := range []string{
		"SET maintenance_work_mem = '512MB'", add,
		`INSERT INTO eventstore.streams (name, slice, version) SELECT stream, min(slice), max(version) FROM eventstore.events GROUP BY stream`,
		fmt.Sprintf("SELECT setval('eventstore.position', %d)", p.position),
		fmt.Sprintf("SELECT setval('order_numbers', %d)", firstOrder+orders),
		"VACUUM (ANALYZE, FREEZE) eventstore.events, eventstore.streams, eventstore.person_keys", "RESET maintenance_work_mem", "CHECKPOINT",
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return 0, fmt.Errorf("%s: %w", statement, err)
		}
	}
	return p.position, nil
}

// past writes a history as rows of COPY: one goroutine tells, one encodes, one copies.
type past struct {
	lots    chan []told
	rows    chan [][]any
	persons map[uuid.UUID]bool

	position int64
	now      [][]any
}

// tell makes up what happened.
func (p *past) tell(ctx context.Context, orders int64) error {
	defer close(p.lots)
	span := time.Since(pastBegan)
	h := newHistory(pastBegan, span*10/time.Duration(orders*stepsToTenOrders))
	for ended := false; !ended; {
		for len(h.queue) < 2000 && h.orders < orders {
			h.step()
		}
		ended = h.orders >= orders
		select {
		case p.lots <- h.queue:
		case <-ctx.Done():
			return ctx.Err()
		}
		h.queue = make([]told, 0, 2100)
	}
	return nil
}

func (p *past) encode(ctx context.Context) error {
	defer close(p.rows)
	events := registry.New()
	var at time.Time
	var about []byte
	for all := range p.lots {
		rows := make([][]any, len(all))
		for i, t := range all {
			p.position++
			if t.at != at {
				at = t.at
				var err error
				if about, err = json.Marshal(eventstore.Metadata{CorrelationID: idAt(at, uint64(p.position)).String(), Actor: "guest", Trace: trace}); err != nil {
					return err
				}
			}
			id := idAt(t.at, uint64(p.position))
			data, err := p.payload(events, id, &t)
			if err != nil {
				return err
			}
			name := t.event.EventType()
			rows[i] = []any{p.position, eventstore.SliceOf(t.stream), int16(events.Schema(name)), t.version, id, t.at, t.stream, name, data, about}
		}
		select {
		case p.rows <- rows:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// idAt is an id of version 7: a time and a number.
func idAt(at time.Time, n uint64) (id uuid.UUID) {
	binary.BigEndian.PutUint64(id[:], uint64(at.UnixMilli())<<16)
	binary.BigEndian.PutUint64(id[8:], n*0x9e3779b97f4a7c15)
	id[6], id[8] = 0x70|id[6]&0x0f, 0x80|id[8]&0x3f
	return id
}

// seal says whose key opens which fields of a payload.
type seal struct {
	Person uuid.UUID `json:"person"`
	Fields []string  `json:"fields"`
}

// sealedOrder is an order as the log keeps it: with its personal fields closed.
type sealedOrder struct {
	order.Placed
	Contact []byte `json:"contact"`
	Address []byte `json:"address"`
	Sealed  seal   `json:"$sealed"`
}

// payload is an event as it is stored.
func (p *past) payload(events *registry.Registry, id uuid.UUID, t *told) ([]byte, error) {
	personal, ok := t.event.(domain.HasPersonal)
	if !ok {
		encoded, err := events.Encode(t.event)
		return encoded.Payload, err
	}
	of := personal.Personal()
	about := seal{Person: of.Person, Fields: of.Fields}
	if about.Person == uuid.Nil { // a promo code that nobody's phone was asked for
		encoded, err := events.Encode(t.event)
		return encoded.Payload, err
	}
	p.persons[about.Person] = true
	block, err := aes.NewCipher(keyOf(about.Person))
	if err != nil {
		return nil, err
	}
	key, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	closed := func(field string, plain []byte) []byte {
		return key.Seal(nil, nil, plain, append(bytes.Clone(id[:]), field...))
	}
	// Orders are by far the most, so they are not encoded twice.
	if placed, ok := t.event.(order.Placed); ok {
		contact, contactErr := json.Marshal(placed.Contact)
		address, addressErr := json.Marshal(placed.Address)
		if err := errors.Join(contactErr, addressErr); err != nil {
			return nil, err
		}
		return json.Marshal(sealedOrder{placed, closed("contact", contact), closed("address", address), about})
	}
	open, err := events.Encode(t.event)
	if err != nil {
		return nil, err
	}
	var plain map[string]json.RawMessage
	if err := json.Unmarshal(open.Payload, &plain); err != nil {
		return nil, err
	}
	members := map[string]any{"$sealed": about}
	for name, value := range plain {
		if members[name] = value; slices.Contains(about.Fields, name) {
			members[name] = closed(name, value)
		}
	}
	return json.Marshal(members)
}

// keyOf is a person's key; in a made-up past it may be known from the person.
func keyOf(person uuid.UUID) []byte {
	key := sha256.Sum256(person[:])
	return key[:]
}

// Next, Values and Err are pgx.CopyFromSource.
func (p *past) Next() bool {
	if len(p.now) > 1 {
		p.now = p.now[1:]
		return true
	}
	rows, more := <-p.rows
	p.now = rows
	return more
}

func (p *past) Values() ([]any, error) { return p.now[0], nil }
func (p *past) Err() error             { return nil }
