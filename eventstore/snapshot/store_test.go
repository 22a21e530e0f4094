package snapshot_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"path/filepath"
	"testing"

	"github.com/google/uuid"

	"shop/eventstore"
	"shop/eventstore/keyring"
	"shop/eventstore/snapshot"
	"shop/migrations/pgtest"
)

type counted struct{ N int }

func (counted) EventType() string { return "counted" }

// plain is a codec of nothing.
type plain struct{}

func (plain) Encode(any) (eventstore.Encoded, error) {
	return eventstore.Encoded{Type: "counted", Schema: 1, Payload: []byte("{}")}, nil
}
func (plain) Decode(string, int, []byte) (any, error) { return counted{}, nil }

func newRing(t *testing.T) *keyring.Ring {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keys")
	if _, _, err := keyring.Add(path, false); err != nil {
		t.Fatal(err)
	}
	ring, err := keyring.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

// TestOnlyTheKeyFileMakesSnapshots: whoever writes to the table without it, or with another, is not believed.
func TestOnlyTheKeyFileMakesSnapshots(t *testing.T) {
	t.Parallel()
	pool, ring := pgtest.Open(t), newRing(t)
	open := func(ring *keyring.Ring) *snapshot.Store {
		log := eventstore.Open(pool, plain{}, eventstore.Options{Keys: ring})
		t.Cleanup(log.Close)
		return snapshot.Of(log)
	}
	log := eventstore.Open(pool, plain{}, eventstore.Options{})
	t.Cleanup(log.Close)
	id := uuid.New()
	if _, err := log.Append(t.Context(), eventstore.Append{Writes: []eventstore.Write{{Stream: "s-1", Events: []eventstore.NewEvent{{ID: id, Data: counted{}}}}}}); err != nil {
		t.Fatal(err)
	}
	taken := snapshot.Snapshot{Stream: "s-1", Shape: "s/1", Version: 1, Event: id, State: []byte(`{"n":1}`)}
	finds := func(by *snapshot.Store) bool {
		t.Helper()
		found, err := by.Find(t.Context(), map[string]string{"s-1": "s/1"})
		if err != nil || found["s-1"].Length != 1 {
			t.Fatalf("%+v, %v", found, err)
		}
		return found["s-1"].Snapshot != nil
	}
	ours := open(ring)
	if err := ours.Save(t.Context(), taken); err != nil || !finds(ours) {
		t.Fatalf("what was written is not found: %v", err)
	}
	if finds(open(newRing(t))) || finds(open(nil)) {
		t.Error("a snapshot of another key file is used")
	}
	// Somebody who knows how sums are made, and has no key file.
	h := sha256.New()
	forged := []byte(`{"n":9}`)
	for _, part := range [][]byte{[]byte("s-1"), []byte("s/1"), binary.BigEndian.AppendUint64(nil, 1), id[:], forged} {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write(part)
	}
	if _, err := pool.Exec(context.Background(), "UPDATE eventstore.snapshots SET state = $1, sum = $2", forged, h.Sum(nil)); err != nil {
		t.Fatal(err)
	}
	if finds(ours) {
		t.Error("a snapshot that nobody with the key file wrote is used")
	}
	if !finds(open(nil)) {
		t.Error("the sum was not forged well: the test proves nothing")
	}

	// One of an event that is not in the log is not written.
	taken.Event = uuid.New()
	if _, err := pool.Exec(t.Context(), "TRUNCATE eventstore.snapshots"); err != nil {
		t.Fatal(err)
	}
	if err := ours.Save(t.Context(), taken); err != nil || finds(ours) {
		t.Errorf("a snapshot of an event that is not in the log: %v", err)
	}
}
