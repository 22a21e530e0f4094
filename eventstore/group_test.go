package eventstore

import (
	"context"
	"errors"
	"testing"

	"github.com/google/uuid"
)

// group makes the members of one group out of appends, as the queue would.
func group(t *testing.T, s *Store, appends ...Append) []*pending {
	t.Helper()
	members := make([]*pending, len(appends))
	for i, a := range appends {
		var err error
		if members[i], err = s.prepare(t.Context(), []Append{a}); err != nil {
			t.Fatal(err)
		}
	}
	return members
}

// TestGroupMembersDoNotHarmEachOther sends the same mixed groups down both paths.
func TestGroupMembersDoNotHarmEachOther(t *testing.T) {
	t.Parallel()
	stored := uuid.Must(uuid.NewV7())
	shared := uuid.Must(uuid.NewV7())
	key := func(k string) *Key { return &Key{Scope: "s", Key: k} }
	keyed := func(a Append, k string) Append { a.Key = key(k); return a }
	withID := func(a Append, id uuid.UUID) Append { a.Writes[0].Events[0].ID = id; return a }
	both := func(a, b Append) Append { a.Writes = append(a.Writes, b.Writes...); return a }

	appends := []Append{
		to("x", 1),                                    // 0 fits
		to("x", 1),                                    // 1 conflict: the one before took it
		to("x", 2),                                    // 2 fits after the first
		to("x", AnyVersion),                           // 3 fits always
		keyed(to("k1", 0), "used"),                    // 4 key used in the database
		keyed(to("k2", 0), "fresh"),                   // 5 fits
		keyed(to("k3", 0), "fresh"),                   // 6 key used by 5
		withID(to("d1", 0), shared),                   // 7 fits
		withID(to("d2", 0), shared),                   // 8 duplicate of 7
		both(to("m1", 0), to("x", 0)),                 // 9 conflict in its second stream; m1 must not count
		to("m1", 0),                                   // 10 fits
		to("gone", 5),                                 // 11 conflict
		keyed(to("x", 0), "refused"),                  // 12 conflict; its key stays free
		keyed(to("k4", 0), "refused"),                 // 13 fits with that key
		both(to("y", AnyVersion), to("y2", 0)),        // 14 fits
		{Writes: []Write{{Stream: "x", Expected: 4}}}, // 15 a condition that holds
	}
	want := map[int]string{1: "conflict", 4: "key_used", 6: "key_used", 8: "duplicate", 9: "conflict", 11: "conflict", 12: "conflict"}

	for name, commit := range map[string]func(*Store, []*pending) ([]answer, error){
		"judged": func(s *Store, g []*pending) ([]answer, error) {
			return s.commitJudged(context.Background(), g, 0)
		},
		"queue": func(s *Store, g []*pending) ([]answer, error) { return s.commit(g), nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, ctx := openStore(t), t.Context()
			if _, err := s.Append(ctx, keyed(withID(to("x", 0), stored), "used")); err != nil {
				t.Fatal(err)
			}
			answers, err := commit(s, group(t, s, appends...))
			if err != nil {
				t.Fatal(err)
			}
			for i, a := range answers {
				got := ""
				if a.err != nil {
					got = outcomeOf(a.err)
				}
				if got != want[i] {
					t.Errorf("append %d: %q (%v), want %q", i, got, a.err, want[i])
				}
			}
			if got := answers[3].appended.Versions["x"]; got != 4 {
				t.Errorf("x is at %d after its third member, want 4", got)
			}
			var conflict *VersionConflict
			if errors.As(answers[1].err, &conflict) && conflict.Actual != 2 {
				t.Errorf("the conflict tells of version %d, want 2", conflict.Actual)
			}
			var missing int
			if err := s.pool.QueryRow(ctx, `SELECT count(*) FROM eventstore.streams s
				WHERE version <> (SELECT count(*) FROM eventstore.events e WHERE e.stream = s.name) OR version = 0`).Scan(&missing); err != nil || missing != 0 {
				t.Errorf("%d streams disagree with their events (%v)", missing, err)
			}
			events, err := s.Read(ctx, Query{Range: -1})
			if err != nil || len(events) != 10 {
				t.Errorf("%d events are stored, want 10 (%v)", len(events), err)
			}
			for i, a := range answers {
				if a.err == nil && a.appended.Position > 0 {
					found := false
					for _, e := range events {
						found = found || e.Position == a.appended.Position && a.appended.Versions[e.Stream] == e.Version
					}
					if !found {
						t.Errorf("append %d ended at %d, where its last event is not", i, a.appended.Position)
					}
				}
			}
		})
	}
}

func TestAStoredEventIDDoesNotSpoilTheGroup(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	id := uuid.Must(uuid.NewV7())
	first := to("x", 0)
	first.Writes[0].Events[0].ID = id
	if _, err := s.Append(ctx, first); err != nil {
		t.Fatal(err)
	}
	again := to("y", 0)
	again.Writes[0].Events[0].ID = id
	members := group(t, s, to("a", 0), again, to("b", 0))
	var duplicate *DuplicateEvent
	for i, got := range s.commit(members) {
		if !got.alone {
			t.Fatalf("member %d was not sent on alone: %v", i, got.err)
		}
		_, err := s.appendAlone(ctx, members[i], got.lost)
		if i == 1 && !(errors.As(err, &duplicate) && duplicate.ID == id) || i != 1 && err != nil {
			t.Errorf("member %d: %v", i, err)
		}
	}
}
