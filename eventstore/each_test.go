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
	results := s.AppendEach(ctx, rest("a", 0), rest("moved", 0), rest("a", 1), to("", 0), used, again, Append{})
	for i, want := range []string{"", "conflict", "", "failed", "", "key_used", ""} {
		if err := results[i].Err; err == nil && want != "" || err != nil && outcomeOf(err) != want {
			t.Errorf("append %d: %v, want %q", i, err, want)
		}
	}
	var conflict *VersionConflict
	if !errors.As(results[1].Err, &conflict) || *conflict != (VersionConflict{Stream: "moved", Expected: 0, Actual: 1}) {
		t.Errorf("the conflict: %v", results[1].Err)
	}
	for stream, want := range map[string]int{"a": 2, "moved": 1, "hot": 2, "d": 1, "e": 0} {
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

// TestAnAppendThatWasDecidedOverARefusedOneIsRefused: another process brought a stream exactly to the version that a refused append
// would have left. The next ones were decided over that one's events, not over those which are there.
func TestAnAppendThatWasDecidedOverARefusedOneIsRefused(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*Append){
		"conflict": func(*Append) {},
		"key used": func(a *Append) { a.Writes[0].Expected, a.Key = 1, &Key{Scope: "s", Key: "used"} },
	} {
		s, ctx := openStore(t), t.Context()
		appendTo(t, s, "stock", happened{})
		first := to("key", 0)
		first.Key = &Key{Scope: "s", Key: "used"}
		mustAppend(t, s, first)
		both := func(a, b Append) Append { a.Writes = append(a.Writes, b.Writes...); return a }
		refused := to("stock", 0)
		spoil(&refused)
		over := 1 + refused.Writes[0].Expected
		if name == "key used" {
			appendTo(t, s, "stock", happened{}) // as if it had been written
			over = 2
		}
		results := s.AppendEach(ctx, refused, both(to("stock", over), to("other", 0)), to("other", 1), to("free", 0))
		for i, want := range []bool{false, false, false, true} {
			if err := results[i].Err; (err == nil) != want {
				t.Errorf("%s: append %d: %v", name, i, err)
			}
		}
		var conflict *VersionConflict
		if !errors.As(results[1].Err, &conflict) || conflict.Stream != "stock" || conflict.Expected != over || conflict.Actual != over {
			t.Errorf("%s: who was decided over the refused one: %v", name, results[1].Err)
		}
		if events, err := s.Stream(ctx, "other", 0, 0); err != nil || len(events) > 0 {
			t.Errorf("%s: %d events over what is not there: %v", name, len(events), err)
		}
	}
}

// TestAConditionOnAStreamThatIsNotThereLeavesNoRow: an append may expect that a stream does not exist and write nothing to it.
func TestAConditionOnAStreamThatIsNotThereLeavesNoRow(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	a := to("x", 0)
	a.Writes = append(a.Writes, Write{Stream: "absent", Expected: 0})
	mustAppend(t, s, a)
	var rows int
	if err := s.pool.QueryRow(ctx, "SELECT count(*) FROM eventstore.streams").Scan(&rows); err != nil || rows != 1 {
		t.Errorf("%d streams: %v", rows, err)
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
