package eventstore

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestAConflictRefusesItsMemberAlone: of appends that are written together, one meets a stream that another process moved.
func TestAConflictRefusesItsMemberAlone(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	appendTo(t, s, "moved", happened{})
	rest := func(stream string, expected Version) Append {
		a := to(stream, expected)
		a.Writes = append(a.Writes, to("hot", AnyVersion).Writes...)
		return a
	}
	used := to("d", 0)
	used.Key = &Key{Scope: "s", Key: "k"}
	again := to("e", 0)
	again.Key = used.Key
	results := s.AppendEach(ctx, rest("a", 0), rest("moved", 0), rest("a", 1), rest("moved", 1), to("", 0), used, again, Append{})
	for i, want := range []string{"", "conflict", "", "", "failed", "", "key_used", ""} {
		if err := results[i].Err; err == nil && want != "" || err != nil && outcomeOf(err) != want {
			t.Errorf("append %d: %v, want %q", i, err, want)
		}
	}
	var conflict *VersionConflict
	if !errors.As(results[1].Err, &conflict) || *conflict != (VersionConflict{Stream: "moved", Expected: 0, Actual: 1}) {
		t.Errorf("the conflict: %v", results[1].Err)
	}
	for stream, want := range map[string]int{"a": 2, "moved": 2, "hot": 3, "d": 1, "e": 0} {
		if events, err := s.Stream(ctx, stream, 0, 0); err != nil || len(events) != want {
			t.Errorf("%s has %d events, want %d: %v", stream, len(events), want, err)
		}
	}
	if a, b := results[0].Appended, results[2].Appended; a.Versions["a"] != 1 || b.Versions["a"] != 2 || b.Position <= a.Position {
		t.Errorf("%+v, then %+v", a, b)
	}
	var transactions int
	if err := s.pool.QueryRow(ctx, "SELECT count(DISTINCT xmin::text) FROM eventstore.events WHERE stream IN ('a', 'hot', 'd')").Scan(&transactions); err != nil || transactions != 1 {
		t.Errorf("%d transactions: %v", transactions, err)
	}
}

// TestAHeldStreamFailsItsMemberAlone: nobody else waits for a stream that is not let go.
func TestAHeldStreamFailsItsMemberAlone(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	s.opts.Within = 2 * time.Second
	tx, err := s.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(context.Background())
	if _, err := tx.Exec(t.Context(), "INSERT INTO eventstore.streams VALUES ('held', 0, 0)"); err != nil {
		t.Fatal(err)
	}
	results := s.AppendEach(context.WithoutCancel(t.Context()), to("held", 0), to("free", 0), to("free", 1))
	if !errors.Is(results[0].Err, context.DeadlineExceeded) || results[1].Err != nil || results[2].Err != nil {
		t.Errorf("%v; %v; %v", results[0].Err, results[1].Err, results[2].Err)
	}
	s.Close()
	if results := s.AppendEach(t.Context(), to("x", 0)); !errors.Is(results[0].Err, ErrClosed) {
		t.Error(results[0].Err)
	}
}
