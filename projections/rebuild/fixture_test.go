package rebuild

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain"
	"shop/eventstore"
	"shop/projections"
)

func id(n byte) domain.ID { return uuid.UUID{15: n, 6: 0x40, 8: 0x80} }

var (
	noon = time.Date(2026, 3, 2, 12, 0, 0, 0, domain.Almaty)
	soap = id(1)
	balm = id(2)
)

// tally is a row of a read model small enough to see the builder through.
type tally struct {
	Name  string   `json:"name"`
	Sum   int64    `json:"sum"`
	Notes []string `json:"notes"`
}

type added struct{ N int64 }
type cleared struct{}

func (added) EventType() string   { return "tally.added" }
func (cleared) EventType() string { return "tally.cleared" }

func tallies() projections.Projection {
	return projections.Projection{Name: "tally", Tables: []projections.AnyTable{projections.Table[tally]{
		Name: "tally", Key: "name", KeyType: "text",
		DDL: `CREATE TABLE tally (
			name text PRIMARY KEY, sum bigint NOT NULL, notes jsonb NOT NULL,
			doubled bigint GENERATED ALWAYS AS (sum * 2) STORED)`,
		Indexes: `CREATE INDEX tally_by_sum ON tally (sum); CREATE INDEX tally_by_doubled ON tally (doubled)`,
		Events:  []domain.Event{added{}, cleared{}},
		Keys:    keyAfter("tally-"),
		Stream:  func(key string) string { return "tally-" + key },
		Fold: func(key string, t *tally, e eventstore.Event) bool {
			switch e := e.Data.(type) {
			case added:
				t.Name, t.Sum, t.Notes = key, t.Sum+e.N, append([]string{}, "“"+key+"”")
				return true
			case cleared:
				return false
			}
			panic("the builder passed an event nobody asked for")
		},
	}}}
}

// keyAfter makes Keys for tables whose key is the rest of the stream's name.
func keyAfter(prefix string) func(eventstore.Event) []string {
	return func(e eventstore.Event) []string { return []string{strings.TrimPrefix(e.Stream, prefix)} }
}

func apply(t *testing.T, db *pgxpool.Pool, p projections.Projection, events ...eventstore.Event) {
	t.Helper()
	err := pgx.BeginFunc(t.Context(), db, func(tx pgx.Tx) error { return p.Apply(t.Context(), tx, events) })
	if err != nil {
		t.Fatal(err)
	}
}

func prepare(t *testing.T, db *pgxpool.Pool, ps ...projections.Projection) []string {
	t.Helper()
	fresh, err := Prepare(t.Context(), db, ps...)
	if err != nil {
		t.Fatal(err)
	}
	return fresh
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

func event(stream string, data domain.Event) eventstore.Event {
	return eventstore.Event{Stream: stream, Slice: eventstore.SliceOf(stream), Type: data.EventType(), Data: data}
}
