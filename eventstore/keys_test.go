package eventstore

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"shop/eventstore/keyring"
	"shop/migrations/pgtest"
)

// openRing is the ring of a new key file.
func openRing(t *testing.T) *keyring.Ring {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.key")
	if _, _, err := keyring.Add(path, false); err != nil {
		t.Fatal(err)
	}
	ring, err := keyring.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

// openWrapping opens a store that wraps keys with a ring.
func openWrapping(t *testing.T) (*Store, *keyring.Ring) {
	t.Helper()
	ring := openRing(t)
	s := Open(pgtest.Open(t), codec{}, Options{Logger: quiet, Keys: ring})
	t.Cleanup(s.Close)
	return s, ring
}

// saying appends one event about a person; with first it may be the first.
func saying(t *testing.T, s *Store, person uuid.UUID, first bool) error {
	t.Helper()
	e := named{Person: person, Name: "Anna", Note: "first"}
	if !first {
		e.Note = "known"
	}
	_, err := s.Append(t.Context(), Append{Writes: []Write{{Stream: uuid.NewString(), Events: []NewEvent{{Data: e}}}}})
	return err
}

// A key that is missing is no erasure: nothing is read as empty, and no new key is made in its place. When the key comes, all
// opens that was said before.
func TestAMissingKeyIsNoErasure(t *testing.T) {
	t.Parallel()
	s, person := openStore(t), uuid.New()
	if err := saying(t, s, person, true); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{`CREATE TABLE aside AS TABLE eventstore.person_keys`, `DELETE FROM eventstore.person_keys`} {
		if _, err := s.pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	s.ReadKeysAnew()
	var missing *KeyMissing
	if _, err := s.Read(t.Context(), Query{Range: -1}); !errors.As(err, &missing) || missing.Person != person || !Transient(err) {
		t.Errorf("read: %v", err)
	}
	if err := saying(t, s, person, false); !errors.As(err, &missing) {
		t.Errorf("what is said of a person whose key is missing was taken: %v", err)
	}
	found, err := s.RecordedAt(t.Context(), 1, true)
	if err != nil || found.Erased || !errors.As(found.Unreadable, &missing) {
		t.Errorf("shown as %+v, %v", found, err)
	}
	if n := pgtest.All[int64](t, s.pool, `SELECT count(*) FROM eventstore.person_keys`); n[0] != 0 {
		t.Error("a new key was made in place of the missing one")
	}
	if _, err := s.pool.Exec(t.Context(), `INSERT INTO eventstore.person_keys SELECT * FROM aside`); err != nil {
		t.Fatal(err)
	}
	if err := saying(t, s, person, false); err != nil {
		t.Error(err)
	}
	events, err := s.Read(t.Context(), Query{Range: -1})
	if err != nil || len(events) != 2 || events[0].Erased || events[0].Data.(named).Name != "Anna" {
		t.Errorf("%+v, %v", events, err)
	}
}

func TestKeysOfPersonsAreWrapped(t *testing.T) {
	t.Parallel()
	s, ring := openWrapping(t)
	anna, boris := uuid.New(), uuid.New()
	for _, person := range []uuid.UUID{anna, boris} {
		if err := saying(t, s, person, true); err != nil {
			t.Fatal(err)
		}
	}
	if sizes := pgtest.All[int](t, s.pool, `SELECT DISTINCT octet_length(key) FROM eventstore.person_keys`); len(sizes) != 1 || sizes[0] != keyring.WrappedSize {
		t.Fatalf("keys of %v bytes", sizes)
	}
	if ids, _, err := s.Wrapping(t.Context()); err != nil || len(ids) != 1 || ids[0] != ring.First() {
		t.Errorf("wrapping keys %v, %v", ids, err)
	}
	s.ReadKeysAnew()
	if events, err := s.Read(t.Context(), Query{Range: -1}); err != nil || len(events) != 2 || events[0].Data.(named).Name != "Anna" {
		t.Fatalf("%+v, %v", events, err)
	}
	// In an exported file they are as they are, and another shop wraps them with its own.
	var log, keys bytes.Buffer
	if _, err := s.Export(t.Context(), &log, ExportOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ExportKeys(t.Context(), &keys); err != nil {
		t.Fatal(err)
	}
	other := Open(pgtest.Open(t), codec{}, Options{Logger: quiet, Keys: openRing(t)})
	defer other.Close()
	if _, err := other.Import(t.Context(), &log, ImportOptions{Keys: &keys}); err != nil {
		t.Fatal(err)
	}
	if events, err := other.Read(t.Context(), Query{Range: -1}); err != nil || len(events) != 2 || events[1].Data.(named).Name != "Anna" {
		t.Errorf("%+v, %v", events, err)
	}
	// Another shop's key file, and another person's key.
	var closed *KeyClosed
	foreign := Open(s.pool, codec{}, Options{Logger: quiet, Keys: openRing(t)})
	defer foreign.Close()
	if _, err := foreign.Read(t.Context(), Query{Range: -1}); !errors.As(err, &closed) || !Transient(err) || !strings.Contains(err.Error(), "not in the key file") {
		t.Errorf("with another shop's file: %v", err)
	}
	if _, err := s.pool.Exec(t.Context(), `UPDATE eventstore.person_keys SET key = (SELECT key FROM eventstore.person_keys WHERE person = $1) WHERE person = $2`, anna, boris); err != nil {
		t.Fatal(err)
	}
	s.ReadKeysAnew()
	if _, err := s.Read(t.Context(), Query{Range: -1}); !errors.Is(err, keyring.ErrDamaged) {
		t.Errorf("with another person's key: %v", err)
	}
	if err := s.ErasePerson(t.Context(), boris); err != nil {
		t.Fatal(err)
	}
	if events, err := s.Read(t.Context(), Query{Range: -1}); err != nil || events[0].Erased == events[1].Erased {
		t.Errorf("%+v, %v", events, err)
	}
}

// A key is erased between the look at it and its being wrapped anew: it stays erased.
func TestRewrapLeavesErasuresAlone(t *testing.T) {
	t.Parallel()
	s, ring := openWrapping(t)
	const persons = 2500
	if _, err := s.pool.Exec(t.Context(), fmt.Sprintf(`INSERT INTO eventstore.person_keys (person, key) SELECT gen_random_uuid(), sha256(n::text::bytea) FROM generate_series(1, %d) n`, persons)); err != nil {
		t.Fatal(err)
	}
	last := pgtest.All[uuid.UUID](t, s.pool, `SELECT person FROM eventstore.person_keys ORDER BY person DESC LIMIT 1`)[0]
	erased := false
	n, err := s.Rewrap(t.Context(), func(int64) {
		if !erased {
			erased = true
			if err := s.ErasePerson(t.Context(), last); err != nil {
				t.Error(err)
			}
		}
	})
	if err != nil || n != persons-1 {
		t.Errorf("%d, %v", n, err)
	}
	if again, err := s.Rewrap(t.Context(), nil); err != nil || again != 0 {
		t.Errorf("the second time %d, %v", again, err)
	}
	by, bare, err := s.PersonsByKey(t.Context())
	if err != nil || bare != 0 || by[ring.First()] != persons-1 {
		t.Errorf("%v, %d, %v", by, bare, err)
	}
}
