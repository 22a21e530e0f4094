package anchor_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	events "shop/domain/anchor"
	"shop/domain/staff"
	"shop/eventstore"
	"shop/eventstore/anchor"
	"shop/eventstore/registry"
	"shop/migrations/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// sealed is a log with a clock of its own.
type sealed struct {
	*anchor.Log
	t   *testing.T
	db  *pgxpool.Pool
	now time.Time
	// persons are those of its events.
	persons []uuid.UUID
}

// openSealed opens a log that was anchored on so many days, with three persons' events before each anchor.
func openSealed(t *testing.T, days int) *sealed {
	t.Helper()
	s := &sealed{t: t, db: pgtest.Open(t), now: time.Date(2026, 3, 3, 7, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return s.now }
	store := eventstore.Open(s.db, registry.New(), eventstore.Options{Clock: clock})
	t.Cleanup(store.Close)
	s.Log = &anchor.Log{Store: store, DB: s.db, Key: []byte(strings.Repeat("k", 32)), Clock: clock}
	for range days {
		s.add(3)
		if written := s.due(); len(written) != 1 {
			t.Fatalf("a day has %d anchors", len(written))
		}
		s.now = s.now.Add(24 * time.Hour)
	}
	return s
}

func (s *sealed) add(n int) {
	s.t.Helper()
	for range n {
		id := uuid.New()
		s.persons = append(s.persons, id)
		_, err := s.Store.Append(s.t.Context(), eventstore.Append{Writes: []eventstore.Write{{Stream: staff.Stream(id), Events: []eventstore.NewEvent{
			{Data: staff.Added{ID: id, Email: fmt.Sprintf("p%d@shop.example", len(s.persons)), Role: staff.Support, At: s.now}},
		}}}, Metadata: eventstore.Metadata{Actor: "system:test"}})
		if err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *sealed) due() []events.Anchored {
	s.t.Helper()
	written, err := s.Due(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return written
}

// behind does what somebody does who may do anything in the database.
func (s *sealed) behind(sql string, args ...any) {
	s.t.Helper()
	tag, err := s.db.Exec(s.t.Context(), sql, args...)
	if err != nil || tag.RowsAffected() != 1 {
		s.t.Fatalf("%s: %v, %v", sql, tag, err)
	}
}

func TestALogIsAnchoredOnceADay(t *testing.T) {
	t.Parallel()
	s := openSealed(t, 3)
	seen, err := s.Verify(t.Context(), nil)
	// Each anchor covers three events, and the anchor before.
	if err != nil || seen.Anchors != 3 || seen.Events != 11 {
		t.Fatalf("verified %+v, %v", seen, err)
	}
	if first := s.due(); len(first) != 1 || first[0].Count != 1 {
		t.Errorf("a silent day: %+v", first)
	}
	s.now = s.now.Add(23 * time.Hour)
	s.add(1)
	if early := s.due(); len(early) != 0 {
		t.Errorf("within a day: %+v", early)
	}
	s.now = s.now.Add(time.Hour)
	if next := s.due(); len(next) != 1 || next[0].Count != 2 {
		t.Errorf("the next day: %+v", next)
	}
	if head, err := s.Store.Head(t.Context()); err != nil || int64(head) <= s.covered() {
		t.Errorf("an anchor covers itself: head %d, %v", head, err)
	}
}

// covered is the last position that anchors cover.
func (s *sealed) covered() int64 {
	s.t.Helper()
	seen, err := s.Verify(s.t.Context(), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return seen.UpTo
}

// TestWhatIsChangedBehindTheLogIsFound: each way to forge the second day's events names the second day.
func TestWhatIsChangedBehindTheLogIsFound(t *testing.T) {
	t.Parallel()
	for name, forge := range map[string]func(s *sealed){
		"another role": func(s *sealed) {
			s.behind(`UPDATE eventstore.events SET data = replace(data::text, 'support', 'admin')::json WHERE stream = $1`, staff.Stream(s.persons[4]))
		},
		"another author": func(s *sealed) {
			s.behind(`UPDATE eventstore.events SET metadata = replace(metadata::text, 'system:test', 'staff:1')::json WHERE stream = $1`, staff.Stream(s.persons[4]))
		},
		"another time": func(s *sealed) {
			s.behind(`UPDATE eventstore.events SET recorded_at = recorded_at - interval '1 hour' WHERE stream = $1`, staff.Stream(s.persons[4]))
		},
		"an event less": func(s *sealed) {
			s.behind(`DELETE FROM eventstore.events WHERE stream = $1`, staff.Stream(s.persons[4]))
		},
		"an anchor's hash": func(s *sealed) {
			s.behind(`UPDATE eventstore.events SET data = jsonb_set(data::jsonb, '{hash}', '"00"')::json WHERE stream = $1 AND version = 2`, events.Stream)
		},
		"an anchor less": func(s *sealed) {
			s.behind(`DELETE FROM eventstore.events WHERE stream = $1 AND version = 2`, events.Stream)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openSealed(t, 3)
			forge(s)
			_, err := s.Verify(t.Context(), nil)
			var broken *anchor.Broken
			day := "2026-03-04"
			if name == "an anchor less" {
				day = "2026-03-05" // the next one finds that it is missing
			}
			if !errors.As(err, &broken) || !strings.Contains(err.Error(), day) {
				t.Errorf("verified: %v", err)
			}
		})
	}
}

// TestAnEventMoreIsFound: one that is planted where a position is free.
func TestAnEventMoreIsFound(t *testing.T) {
	t.Parallel()
	s := openSealed(t, 1)
	// An append that was rolled back leaves a hole.
	var hole int64
	if err := s.db.QueryRow(t.Context(), `SELECT nextval('eventstore.position')`).Scan(&hole); err != nil {
		t.Fatal(err)
	}
	s.add(3)
	s.due()
	if _, err := s.Verify(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	s.behind(`INSERT INTO eventstore.events (position, slice, schema, version, id, recorded_at, stream, type, data, metadata)
		SELECT $2, slice, schema, 1, gen_random_uuid(), recorded_at, 'staff-forged', type, data, metadata FROM eventstore.events WHERE stream = $1`, staff.Stream(s.persons[4]), hole)
	var broken *anchor.Broken
	if _, err := s.Verify(t.Context(), nil); !errors.As(err, &broken) || !strings.Contains(err.Error(), "there are 5 events, there were 4") {
		t.Errorf("verified: %v", err)
	}
}

// TestWhoHasNoKeyCannotSign: a log that was written again with anchors of its own is found.
func TestWhoHasNoKeyCannotSign(t *testing.T) {
	t.Parallel()
	s := openSealed(t, 2)
	own := *s.Log
	own.Key = []byte(strings.Repeat("x", 32))
	if _, err := own.Verify(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "a key that this shop does not have") {
		t.Errorf("with another key: %v", err)
	}
	own.Others = true
	if seen, err := own.Verify(t.Context(), nil); err != nil || seen.Anchors != 2 || seen.Others != 2 {
		t.Errorf("as imported: %+v, %v", seen, err)
	}
	// The forger takes an anchor's place, names the right key and signs with another.
	s.behind(`DELETE FROM eventstore.events WHERE stream = $1 AND version = 2`, events.Stream)
	var named string
	if err := s.db.QueryRow(t.Context(), `SELECT data->>'key' FROM eventstore.events WHERE stream = $1`, events.Stream).Scan(&named); err != nil {
		t.Fatal(err)
	}
	s.behind(`INSERT INTO eventstore.events (position, slice, schema, version, id, recorded_at, stream, type, data, metadata)
		SELECT position + 1000, slice, schema, 2, gen_random_uuid(), recorded_at, stream, type,
			json_build_object('from', (data->>'up_to')::bigint, 'up_to', position, 'count', 1, 'hash', data->>'hash', 'key', $2::text, 'signature', data->>'signature'), metadata
		FROM eventstore.events WHERE stream = $1`, events.Stream, named)
	if _, err := s.Verify(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "its signature is not the shop's") {
		t.Errorf("with a forged anchor: %v", err)
	}
}

// TestErasingDoesNotBreakTheChain: the key goes, the event stays.
func TestErasingDoesNotBreakTheChain(t *testing.T) {
	t.Parallel()
	s := openSealed(t, 2)
	s.behind(`UPDATE eventstore.person_keys SET key = NULL, erased_at = now() WHERE person = $1`, s.persons[1])
	if seen, err := s.Verify(t.Context(), nil); err != nil || seen.Anchors != 2 {
		t.Errorf("verified %+v, %v", seen, err)
	}
}
