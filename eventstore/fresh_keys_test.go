package eventstore

import (
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"

	"shop/migrations/pgtest"
)

// about is an append of one event about a person who may be new.
func about(stream string, expected Version, person uuid.UUID, name string) Append {
	return Append{Writes: []Write{{Stream: stream, Expected: expected, Events: []NewEvent{{Data: named{Person: person, Name: name, Note: "first"}}}}}}
}

// namesIn are the names that a store reads, by position; an erased one is empty.
func namesIn(t *testing.T, s *Store) []string {
	t.Helper()
	events, err := s.Read(t.Context(), Query{Range: -1})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range events {
		if n, ok := e.Data.(named); ok {
			names = append(names, n.Name)
		}
	}
	return names
}

// The key of a new person is written in the transaction of the event that it seals.
func TestAFreshKeyIsCommittedWithItsEvent(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	if _, err := s.Append(t.Context(), about("new", 0, uuid.New(), "Anna")); err != nil {
		t.Fatal(err)
	}
	if same := pgtest.All[bool](t, s.pool, `SELECT k.xmin = e.xmin FROM eventstore.person_keys k, eventstore.events e`); !slices.Equal(same, []bool{true}) {
		t.Errorf("key and event are of one transaction: %v", same)
	}
	if got := namesIn(t, s); !slices.Equal(got, []string{"Anna"}) {
		t.Errorf("read %q", got)
	}
}

// The person of an append may have got a key from another process a moment before: the event is sealed with that key.
func TestAFreshKeyGivesWayToTheOneThatIsThere(t *testing.T) {
	t.Parallel()
	s, _ := openWrapping(t)
	other := Open(s.pool, codec{}, Options{Keys: s.keys.ring, Logger: quiet})
	defer other.Close()
	person := uuid.New()
	if _, err := other.Append(t.Context(), about("theirs", 0, person, "Anna")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(t.Context(), about("ours", 0, person, "Boris")); err != nil { // this process has not heard of the key
		t.Fatal(err)
	}
	s.ReadKeysAnew()
	if got := namesIn(t, s); !slices.Equal(got, []string{"Anna", "Boris"}) {
		t.Errorf("read %q: what was said last is sealed with a key that is kept nowhere", got)
	}
}

// Of a person who was erased meanwhile nothing can be read, and nothing is kept of the key that was made.
func TestAFreshKeyOfAnErasedPersonIsKeptNowhere(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	other := Open(s.pool, codec{}, Options{Logger: quiet})
	defer other.Close()
	person := uuid.New()
	if err := other.ErasePerson(t.Context(), person); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(t.Context(), about("late", 0, person, "Anna")); err != nil {
		t.Fatal(err)
	}
	if got := namesIn(t, s); !slices.Equal(got, []string{""}) {
		t.Errorf("read %q of an erased person", got)
	}
	if n := pgtest.All[int64](t, s.pool, `SELECT count(*) FROM eventstore.person_keys WHERE key IS NOT NULL`)[0]; n != 0 {
		t.Errorf("%d keys are kept", n)
	}
}

// Appends about the same new person meet in one group, and each of its own new person in another.
func TestFreshKeysOfAGroup(t *testing.T) {
	t.Parallel()
	s, _ := openWrapping(t)
	person := uuid.New()
	var wait sync.WaitGroup
	for i := range 40 {
		wait.Go(func() {
			of := person
			if i%2 == 0 {
				of = uuid.New()
			}
			if _, err := s.Append(t.Context(), about(uuid.NewString(), 0, of, "Anna")); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	s.ReadKeysAnew()
	got := namesIn(t, s)
	if len(got) != 40 || slices.ContainsFunc(got, func(name string) bool { return name != "Anna" }) {
		t.Errorf("read %q, want 40 times the name", got)
	}
	if n := pgtest.All[int64](t, s.pool, `SELECT count(*) FROM eventstore.person_keys`)[0]; n != 21 {
		t.Errorf("%d keys, want 21", n)
	}
}
