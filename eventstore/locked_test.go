package eventstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/eventstore/turn"
)

// TestDecisionsUnderTheLockAreNeverOvertaken: several stores add to one stream, each over the version that it sees under the lock,
// while another one appends without asking.
func TestDecisionsUnderTheLockAreNeverOvertaken(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	const stores, each = 3, 20
	var all sync.WaitGroup
	for i := range stores {
		other := Open(s.pool, codec{}, Options{Logger: quiet})
		t.Cleanup(other.Close)
		all.Go(func() {
			known := Version(0)
			for n := range each {
				results, err := other.AppendLocked(t.Context(), Lock{Streams: []From{{"hot", known}, {fmt.Sprint("own-", i), 0}}}, func(_ context.Context, at Locked) []Append {
					for _, e := range at.Events["hot"] {
						if e.Version != known+1 {
							t.Errorf("version %d after %d", e.Version, known)
						}
						known = e.Version
					}
					a := to("hot", known)
					a.Writes = append(a.Writes, to(fmt.Sprint("own-", i), Version(n)).Writes...)
					return []Append{a, to("hot", known+1)}
				})
				if err != nil || results[0].Err != nil || results[1].Err != nil {
					t.Errorf("%v: %+v", err, results)
					return
				}
				known = results[1].Appended.Versions["hot"]
			}
		})
	}
	for range each {
		mustAppend(t, s, to("hot", AnyVersion))
	}
	all.Wait()
	if events, err := s.Stream(t.Context(), "hot", 0, 0); err != nil || len(events) != 2*stores*each+each {
		t.Errorf("%d events: %v", len(events), err)
	}
}

func TestUnderTheLockEachIsRefusedForItself(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	keyed := func(a Append, k string) Append { a.Key = &Key{Scope: "s", Key: k}; return a }
	mustAppend(t, s, keyed(to("x", 0), "used"))
	results, err := s.AppendLocked(ctx, Lock{Streams: []From{{"a", 0}, {"x", 1}, {"x", 0}, {"unused", 0}}}, func(_ context.Context, at Locked) []Append {
		if len(at.Events["x"]) != 1 || len(at.Events) != 1 {
			t.Errorf("read %v", at.Events)
		}
		other, err := at.Load(ctx, From{Stream: "x"}, From{Stream: "a"})
		if err != nil || len(other["x"]) != 1 {
			t.Errorf("loaded %v: %v", other, err)
		}
		return []Append{
			to("a", 0),                // 0 fits
			to("elsewhere", 0),        // 1 is not locked
			to("elsewhere", 1),        // 2 decided over 1
			keyed(to("a", 1), "used"), // 3 key used
			to("a", 2),                // 4 decided over 3
			keyed(to("x", 1), "k"),    // 5 fits
			keyed(to("x", 2), "k"),    // 6 repeats 5
			{Writes: []Write{{"x", 2, nil}, {"a", AnyVersion, some(1)}}}, // 7 decided over 6
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"", "conflict", "conflict", "key_used", "conflict", "", "key_used", "conflict"} {
		if err := results[i].Err; err == nil && want != "" || err != nil && outcomeOf(err) != want {
			t.Errorf("append %d: %v, want %q", i, err, want)
		}
	}
	var rows int
	if err := s.pool.QueryRow(ctx, "SELECT count(*) FROM eventstore.streams").Scan(&rows); err != nil || rows != 2 {
		t.Errorf("%d streams: %v", rows, err)
	}
	if results, err := s.AppendLocked(ctx, Lock{Streams: []From{{"b", 0}}}, func(context.Context, Locked) []Append { return nil }); err != nil || len(results) != 0 {
		t.Errorf("nothing was decided: %v, %v", results, err)
	}
	s.Close()
	if _, err := s.AppendLocked(ctx, Lock{}, nil); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// TestClaimsUnderTheLock: a quota that was not counted under the lock cannot be claimed of.
func TestClaimsUnderTheLock(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	claim := func(owner byte, quota string) Claim {
		return Claim{Quota: []byte(quota), Owner: [16]byte{owner}, Amount: 1, MostOwners: 1, Exact: true}
	}
	with := func(a Append, c Claim) Append { a.Claims = []Claim{c}; return a }
	results, err := s.AppendLocked(ctx, Lock{Streams: []From{{"a", 0}, {"b", 0}, {"c", 0}}, Claims: []Claim{claim(1, "q")}}, func(context.Context, Locked) []Append {
		return []Append{with(to("a", 0), claim(1, "q")), with(to("b", 0), claim(2, "q")), with(to("c", 0), claim(3, "r"))}
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"", "quota_full", "conflict"} {
		if err := results[i].Err; err == nil && want != "" || err != nil && outcomeOf(err) != want {
			t.Errorf("append %d: %v, want %q", i, err, want)
		}
	}
}

// TestALostAnswerUnderTheLockIsNotDecidedTwice: the commit came through, but its answer was lost.
func TestALostAnswerUnderTheLockIsNotDecidedTwice(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	appendTo(t, s, "hot", happened{})
	decided := 0
	u := &underLock{store: s, lock: Lock{Streams: []From{{"hot", 0}, {"other", 0}}}, decide: func(_ context.Context, at Locked) []Append {
		decided++
		return []Append{to("hot", Version(len(at.Events["hot"]))), to("other", 5), to("hot", 2)}
	}}
	for range 2 {
		if err := s.on(ctx, func(conn *pgx.Conn) error { return u.transact(ctx, conn) }); err != nil {
			t.Fatal(err)
		}
		if r := u.results; r[0].Appended.Versions["hot"] != 2 || r[0].Appended.Position != 2 || outcomeOf(r[1].Err) != "conflict" || r[2].Appended.Versions["hot"] != 3 {
			t.Errorf("%+v", r)
		}
		u.sent = true
	}
	if events, err := s.Stream(ctx, "hot", 0, 0); err != nil || len(events) != 3 || decided != 1 {
		t.Errorf("%d events after %d decisions: %v", len(events), decided, err)
	}
	// And one that did not come through.
	u.group = group(t, s, to("hot", 9))
	u.of, u.answers, u.sent = []int{0}, []answer{{}}, true
	if err := s.on(ctx, func(conn *pgx.Conn) error { return u.transact(ctx, conn) }); err != nil || decided != 2 {
		t.Errorf("%v, decided %d times", err, decided)
	}
}

// TestALockIsLostByWhoIsStopped: the server ends a transaction whose process says nothing; it decides again.
func TestALockIsLostByWhoIsStopped(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	appendTo(t, s, "hot", happened{})
	decided := 0
	began := time.Now()
	results, err := s.AppendLocked(t.Context(), Lock{Streams: []From{{"hot", 0}}}, func(_ context.Context, at Locked) []Append {
		if decided++; decided == 1 {
			beside := make(chan error)
			go func() {
				_, err := s.Append(t.Context(), to("hot", 1))
				beside <- err
			}()
			if err := <-beside; err != nil {
				t.Errorf("beside a stopped process: %v, after %s", err, time.Since(began))
			}
		}
		return []Append{to("hot", Version(len(at.Events["hot"])))}
	})
	if err != nil || results[0].Err != nil || decided != 2 {
		t.Errorf("%+v, %v, decided %d times", results, err, decided)
	}
	if events, err := s.Stream(t.Context(), "hot", 0, 0); err != nil || len(events) != 3 {
		t.Errorf("%d events: %v", len(events), err)
	}
}

// TestOfATurnEachSaysWhatItLocksWhenItHasIt: what comes while another has the turn is known when the turn comes. The wait is bounded, and
// neither having a turn nor waiting for one looks like a marker of the log.
func TestOfATurnEachSaysWhatItLocksWhenItHasIt(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	appendTo(t, s, "hot", happened{})
	holder, err := s.pool.Acquire(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Release()
	end := func() {
		if _, err := holder.Exec(ctx, "ROLLBACK"); err != nil {
			t.Error(err)
		}
	}
	take := func() {
		if err := turn.Take(ctx, holder.Conn(), []string{"cold", "hot"}, time.Minute, time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	take()
	said, done := make(chan Version, 1), make(chan error, 1)
	wait := func(bound time.Duration) {
		results, err := s.AppendLocked(ctx, Lock{Turns: []string{"hot"}, TurnWait: bound, Then: func() Lock {
			events, err := s.Stream(ctx, "hot", 0, 0)
			if err != nil {
				t.Error(err)
			}
			said <- Version(len(events))
			return Lock{Streams: []From{{"hot", Version(len(events))}}}
		}}, func(_ context.Context, at Locked) []Append {
			if n := len(at.Events["hot"]); n > 0 {
				t.Errorf("%d events came in its turn", n)
			}
			return []Append{to("hot", AnyVersion)}
		})
		if err == nil {
			err = results[0].Err
		}
		done <- err
	}
	go wait(time.Minute)
	locks := func(what string) (n int) {
		if err := s.pool.QueryRow(ctx, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND "+what).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for locks("NOT granted") == 0 {
		if len(said) > 0 {
			t.Fatal("it said what it locks before its turn")
		}
	}
	if n := locks("objsubid = 1"); n != 0 {
		t.Errorf("%d locks may be read as markers", n)
	}
	appendTo(t, s, "hot", happened{})
	if head, err := s.Head(ctx); err != nil || head != 2 {
		t.Errorf("the head while a turn is had and another waited for: %d, %v", head, err)
	}
	end()
	if err := <-done; err != nil || <-said != 2 {
		t.Errorf("in its turn: %v", err)
	}
	// Whoever keeps a turn keeps nobody up.
	take()
	go wait(time.Millisecond)
	if err := <-done; err != nil || <-said != 3 {
		t.Errorf("without its turn: %v", err)
	}
	end()
	if n := locks("true"); n != 0 {
		t.Errorf("%d turns are left", n)
	}
}
