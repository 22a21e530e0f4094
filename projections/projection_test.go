package projections

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain"
	"shop/eventstore"
	"shop/migrations/pgtest"
)

// counter is a projection small enough to see Apply through.
type tally struct {
	Name  string   `json:"name"`
	Sum   int64    `json:"sum"`
	Notes []string `json:"notes"`
}

type added struct{ N int64 }
type cleared struct{}
type ignored struct{}

func (added) EventType() string   { return "tally.added" }
func (cleared) EventType() string { return "tally.cleared" }
func (ignored) EventType() string { return "tally.ignored" }

func tallies() Projection {
	return Projection{Name: "tally", Tables: []AnyTable{Table[tally]{
		Name: "tally", Key: "name", KeyType: "text",
		DDL: `CREATE TABLE tally (
			name text PRIMARY KEY, sum bigint NOT NULL, notes jsonb NOT NULL,
			doubled bigint GENERATED ALWAYS AS (sum * 2) STORED)`,
		Indexes: `CREATE INDEX tally_by_sum ON tally (sum); CREATE INDEX tally_by_doubled ON tally (doubled)`,
		Events:  []domain.Event{added{}, cleared{}},
		Keys:    keyAfter("tally-"), Stream: streamOf("tally-"),
		Fold: func(key string, t *tally, e eventstore.Event) bool {
			switch e := e.Data.(type) {
			case added:
				t.Name, t.Sum, t.Notes = key, t.Sum+e.N, append([]string{}, "“"+key+"”")
				return true
			case cleared:
				return false
			}
			panic("Apply passed an event nobody asked for")
		},
	}}}
}

func event(stream string, data domain.Event) eventstore.Event {
	return eventstore.Event{Stream: stream, Slice: eventstore.SliceOf(stream), Type: data.EventType(), Data: data}
}

func apply(t *testing.T, db *pgxpool.Pool, p Projection, events ...eventstore.Event) {
	t.Helper()
	err := pgx.BeginFunc(t.Context(), db, func(tx pgx.Tx) error { return p.Apply(t.Context(), tx, events) })
	if err != nil {
		t.Fatal(err)
	}
}

// prepare makes empty tables.
func prepare(t *testing.T, db *pgxpool.Pool, ps ...Projection) {
	t.Helper()
	for _, p := range ps {
		err := pgx.BeginFunc(t.Context(), db, func(tx pgx.Tx) error {
			return errors.Join(p.CreateTables(t.Context(), tx, p.Name), p.CreateIndexes(t.Context(), tx, p.Name))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestApplyInsertsUpdatesAndRemoves(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t)
	p := tallies()
	prepare(t, db, p)

	apply(t, db, p, event("tally-a", added{2}), event("tally-b", added{3}), event("tally-a", added{5}), event("other-a", ignored{}))
	expect(t, pgtest.All[string](t, db, "SELECT name || '=' || doubled || notes FROM tally.tally ORDER BY name"), `a=14["“a”"]`, `b=6["“b”"]`)

	apply(t, db, p, event("tally-a", added{1}), event("tally-b", cleared{}), event("tally-c", added{4}), event("tally-c", cleared{}))
	expect(t, pgtest.All[string](t, db, "SELECT name || '=' || sum FROM tally.tally ORDER BY name"), "a=8")

	apply(t, db, p, event("tally-a", cleared{}), event("tally-a", added{1}))
	expect(t, pgtest.All[string](t, db, "SELECT name || '=' || sum FROM tally.tally ORDER BY name"), "a=1")
}

func TestApplyLeavesUnchangedRowsAlone(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t)
	p := tallies()
	prepare(t, db, p)
	apply(t, db, p, event("tally-a", added{2}))
	before := pgtest.All[string](t, db, "SELECT ctid::text FROM tally.tally")
	apply(t, db, p, event("tally-a", added{0}))
	expect(t, pgtest.All[string](t, db, "SELECT ctid::text FROM tally.tally"), before...)
}

func TestApplyInHalvesEqualsApplyAtOnce(t *testing.T) {
	t.Parallel()
	var events []eventstore.Event
	for i := range 40 {
		stream := "tally-" + string(rune('a'+i%5))
		if i%7 == 6 {
			events = append(events, event(stream, cleared{}))
		} else {
			events = append(events, event(stream, added{int64(i)}))
		}
	}
	const sql = "SELECT name || '=' || sum FROM tally.tally ORDER BY name"
	p := tallies()
	whole := pgtest.Open(t)
	prepare(t, whole, p)
	apply(t, whole, p, events...)
	want := pgtest.All[string](t, whole, sql)
	if len(want) < 3 {
		t.Fatalf("too little to compare: %v", want)
	}
	halves := pgtest.Open(t)
	prepare(t, halves, p)
	for i := range events {
		apply(t, halves, p, events[i])
	}
	expect(t, pgtest.All[string](t, halves, sql), want...)
}

func TestManyNewRowsAtOnce(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t)
	p := tallies()
	prepare(t, db, p)
	var events []eventstore.Event
	for i := range int64(2 * copiedAtLeast) {
		e := event(fmt.Sprintf("tally-%02d", i), added{i})
		e.Version = 1
		events = append(events, e)
	}
	apply(t, db, p, events...)
	// Rows that are there meet new ones, and rows that come and go in one batch.
	for i := range events {
		events[i].Version = 2
	}
	more := event("tally-new", added{7})
	more.Version = 1
	gone := event("tally-gone", added{7})
	gone.Version = 1
	apply(t, db, p, append(events, more, gone, event("tally-gone", cleared{}))...)
	expect(t, pgtest.All[string](t, db, "SELECT count(*) || ' ' || sum(sum) || ' ' || min(notes ->> 0) FROM tally.tally"), "17 247 “00”")
}

func expect[T comparable](t *testing.T, got []T, want ...T) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}

func id(n byte) domain.ID { return uuid.UUID{15: n, 6: 0x40, 8: 0x80} }

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, domain.Almaty)
