package eventstore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/migrations/pgtest"
)

func TestAppendThenRead(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	id := uuid.Must(uuid.NewV7())
	got, err := s.Append(ctx, Append{
		Writes: []Write{
			{Stream: "b", Expected: 0, Events: []NewEvent{{ID: id, Data: happened{N: 1}}, {Data: happened{N: 2}}}},
			{Stream: "a", Expected: AnyVersion, Events: []NewEvent{{Data: happened{N: 3, Note: "до свидания \x00"}}}},
		},
		Metadata: Metadata{CorrelationID: "c", Actor: "guest"},
		At:       at,
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.Position != 3 || !maps.Equal(got.Versions, map[string]Version{"a": 1, "b": 2}) {
		t.Fatalf("appended %+v", got)
	}
	streams, err := s.Load(ctx, From{Stream: "a"}, From{Stream: "b", After: 1}, From{Stream: "none"})
	if err != nil {
		t.Fatal(err)
	}
	if len(streams) != 2 || len(streams["a"]) != 1 || len(streams["b"]) != 1 {
		t.Fatalf("loaded %+v", streams)
	}
	a := streams["a"][0]
	if a.Data != (happened{N: 3, Note: "до свидания \x00"}) || a.Metadata.CorrelationID != "c" || a.Metadata.Actor != "guest" ||
		!a.RecordedAt.Equal(at) || a.Slice != SliceOf("a") || a.Version != 1 || a.Type != "test.happened" || a.Schema != 1 {
		t.Errorf("loaded %+v", a)
	}
	all, err := s.Read(ctx, Query{Range: -1})
	if err != nil || len(all) != 3 {
		t.Fatalf("read %d events: %v", len(all), err)
	}
	b, err := s.Stream(ctx, "b", 0, 1)
	if err != nil || len(b) != 1 || b[0].ID != id || b[0].Version != 1 {
		t.Fatalf("stream b: %+v, %v", b, err)
	}
	if head, err := s.Head(ctx); err != nil || head != 3 {
		t.Errorf("head %d, %v", head, err)
	}
}

func TestEventsOfAFewKilobytesAreStoredPlainly(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	for length, plain := range map[int]bool{100: true, 5_000: true, 50_000: false} {
		stream := fmt.Sprint("s-", length)
		_, err := s.Append(ctx, Append{Writes: []Write{{Stream: stream, Events: []NewEvent{{Data: happened{Note: strings.Repeat("мыло ", length/9)}}}}}})
		if err != nil {
			t.Fatal(err)
		}
		var is bool
		if err := s.pool.QueryRow(ctx, "SELECT pg_column_compression(data) IS NULL FROM eventstore.events WHERE stream = $1", stream).Scan(&is); err != nil || is != plain {
			t.Errorf("%d bytes stored plainly: %t, %v", length, is, err)
		}
	}
}

func TestReadChooses(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	for i := range 40 {
		data := any(happened{N: i})
		if i%4 == 0 {
			data = named{Person: uuid.New(), Name: "A"}
		}
		if _, err := s.Append(ctx, Append{Writes: []Write{{Stream: fmt.Sprint("s-", i), Events: []NewEvent{{Data: data}}}}}); err != nil {
			t.Fatal(err)
		}
	}
	count := func(q Query) int {
		t.Helper()
		events, err := s.Read(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		last := q.After
		for _, e := range events {
			if e.Position <= last {
				t.Errorf("position %d after %d", e.Position, last)
			}
			if last = e.Position; q.Range >= 0 && RangeOf(e.Slice) != q.Range {
				t.Errorf("%s is in range %d, asked for %d", e.Stream, RangeOf(e.Slice), q.Range)
			}
		}
		return len(events)
	}
	if n := count(Query{Range: -1, After: 10, UpTo: 30}); n != 20 {
		t.Errorf("(10, 30] has %d events", n)
	}
	if n := count(Query{Range: -1, Types: []string{"test.named"}}); n != 10 {
		t.Errorf("%d events of a type", n)
	}
	if n := count(Query{Range: -1, After: 35, UpTo: 1000}); n != 5 {
		t.Errorf("%d events after 35", n)
	}
	if n := count(Query{Range: -1, Limit: 7}); n != 7 {
		t.Errorf("%d events of 7", n)
	}
	sum := 0
	for r := range Ranges {
		sum += count(Query{Range: r})
	}
	if sum != 40 {
		t.Errorf("the ranges hold %d events", sum)
	}
}

func TestAppendRefuses(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	id := uuid.Must(uuid.NewV7())
	key := &Key{Scope: "orders", Key: "k", Request: []byte("q"), Response: []byte("a")}
	if _, err := s.Append(ctx, Append{Writes: []Write{{Stream: "x", Expected: 0, Events: []NewEvent{{ID: id, Data: happened{}}}}}, Key: key}); err != nil {
		t.Fatal(err)
	}
	conflict := func(a Append, want VersionConflict) {
		t.Helper()
		_, err := s.Append(ctx, a)
		var got *VersionConflict
		if !errors.As(err, &got) || *got != want {
			t.Errorf("got %v, want %v", err, &want)
		}
	}
	conflict(to("x", 0), VersionConflict{Stream: "x", Expected: 0, Actual: 1})
	conflict(to("x", 2), VersionConflict{Stream: "x", Expected: 2, Actual: 1})
	conflict(to("new", 3), VersionConflict{Stream: "new", Expected: 3, Actual: 0})
	two := to("x", 7)
	two.Writes = append(two.Writes, to("y", 0).Writes...)
	conflict(two, VersionConflict{Stream: "x", Expected: 7, Actual: 1})

	again := to("y", 0)
	again.Key = key
	var used *KeyUsed
	if _, err := s.Append(ctx, again); !errors.As(err, &used) || used.Key.Key != "k" {
		t.Errorf("a used key: %v", err)
	}
	both := to("x", 0)
	both.Key = key
	if _, err := s.Append(ctx, both); !errors.As(err, &used) {
		t.Errorf("a used key goes before a conflict: %v", err)
	}
	var duplicate *DuplicateEvent
	if _, err := s.Append(ctx, Append{Writes: []Write{{Stream: "y", Expected: 0, Events: []NewEvent{{ID: id, Data: happened{}}}}}}); !errors.As(err, &duplicate) || duplicate.ID != id {
		t.Errorf("a used event id: %v", err)
	}
	fresh := uuid.Must(uuid.NewV7())
	twice := Append{Writes: []Write{{Stream: "y", Expected: 0, Events: []NewEvent{{ID: fresh, Data: happened{}}, {ID: fresh, Data: happened{}}}}}}
	if _, err := s.Append(ctx, twice); !errors.As(err, &duplicate) || duplicate.ID != fresh {
		t.Errorf("an id twice in one append: %v", err)
	}
	for _, bad := range []Append{
		to("", 0), to("a\x00b", 0), to("\xff", 0), to("z", -2),
		{Writes: []Write{{Stream: "z", Events: []NewEvent{{Data: 5}}}}},
		{Key: &Key{Scope: "\x00"}},
	} {
		if _, err := s.Append(ctx, bad); err == nil {
			t.Errorf("%+v was accepted", bad)
		}
	}

	var streams, events, keys int
	if err := s.pool.QueryRow(ctx, `SELECT (SELECT count(*) FROM eventstore.streams), (SELECT count(*) FROM eventstore.events),
		(SELECT count(*) FROM eventstore.idempotency_keys)`).Scan(&streams, &events, &keys); err != nil {
		t.Fatal(err)
	}
	if streams != 1 || events != 1 || keys != 1 {
		t.Errorf("refused appends left traces: %d streams, %d events, %d keys", streams, events, keys)
	}
	answered, ok, err := s.Recall(ctx, "orders", "k")
	if err != nil || !ok || string(answered.Request) != "q" || string(answered.Response) != "a" {
		t.Errorf("recalled %+v, %v, %v", answered, ok, err)
	}
	if n, err := s.ForgetKeys(ctx, time.Now().Add(time.Hour)); err != nil || n != 1 {
		t.Errorf("forgot %d keys: %v", n, err)
	}
	if _, ok, err := s.Recall(ctx, "orders", "k"); err != nil || ok {
		t.Errorf("a forgotten key was recalled: %v", err)
	}
}

func TestWritesToOneStreamFollowEachOther(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	got, err := s.Append(ctx, Append{Writes: []Write{
		{Stream: "x", Expected: 0, Events: some(2)},
		{Stream: "a", Expected: 0, Events: some(1)},
		{Stream: "x", Expected: 2, Events: some(1)},
	}})
	if err != nil || got.Versions["x"] != 3 {
		t.Fatalf("%+v, %v", got, err)
	}
	// Without events a write is a condition.
	_, err = s.Append(ctx, Append{Writes: []Write{{Stream: "x", Expected: 2}, {Stream: "b", Expected: 0, Events: some(1)}}})
	var conflict *VersionConflict
	if !errors.As(err, &conflict) {
		t.Errorf("a condition that does not hold: %v", err)
	}
	if got, err = s.Append(ctx, Append{Writes: []Write{{Stream: "x", Expected: 3}, {Stream: "b", Expected: 0, Events: some(1)}}}); err != nil || got.Versions["x"] != 3 {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err = s.Append(ctx, Append{Writes: []Write{{Stream: "x", Expected: 3}}}); err != nil || got.Position != 0 {
		t.Errorf("a condition alone: %+v, %v", got, err)
	}
	if got, err = s.Append(ctx, Append{}); err != nil || got.Position != 0 {
		t.Errorf("nothing: %+v, %v", got, err)
	}
}

func TestConcurrentAppendsShareTransactions(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	var group sync.WaitGroup
	const clients, each = 32, 20
	for c := range clients {
		group.Go(func() {
			for n := range each {
				if _, err := s.Append(ctx, to(fmt.Sprint("s-", c), Version(n))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	var events, transactions int
	if err := s.pool.QueryRow(ctx, `SELECT count(*), count(DISTINCT xmin::text) FROM eventstore.events`).Scan(&events, &transactions); err != nil {
		t.Fatal(err)
	}
	if events != clients*each || transactions >= events {
		t.Errorf("%d events in %d transactions", events, transactions)
	}
}

func TestOnlyOneOfManyWins(t *testing.T) {
	t.Parallel()
	// Two stores on one database are two processes to each other.
	pool := pgtest.Open(t)
	stores := []*Store{Open(pool, codec{}, Options{}), Open(pool, codec{}, Options{})}
	var won, lost int
	var mu sync.Mutex
	var group sync.WaitGroup
	for c := range 32 {
		group.Go(func() {
			a := to("hot", 0)
			a.Writes = append(a.Writes, to(fmt.Sprint("own-", c), 0).Writes...)
			_, err := stores[c%2].Append(t.Context(), a)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				won++
			case outcomeOf(err) == "conflict":
				lost++
			default:
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, s := range stores {
		s.Close()
	}
	if won != 1 || lost != 31 {
		t.Errorf("%d won, %d lost", won, lost)
	}
}

func TestACancelledCallerHarmsNobody(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	// A foreign transaction holds a stream, so that its appender waits.
	tx, err := s.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(context.Background())
	if _, err := tx.Exec(t.Context(), `INSERT INTO eventstore.streams VALUES ('held', 0, 0)`); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	members := group(t, s, to("held", 0), to("free", 0))
	s.opts.LockWait = time.Millisecond
	answers := s.commit(members)
	results := make(chan error, 1)
	go func() {
		_, err := s.appendAlone(ctx, members[0], false)
		results <- err
	}()
	if got := answers[1]; !got.alone {
		t.Fatalf("the free one was not sent on: %+v", got)
	}
	if _, err := s.appendAlone(t.Context(), members[1], false); err != nil {
		t.Errorf("the free one: %v", err)
	}
	cancel()
	if err := <-results; !errors.Is(err, context.Canceled) {
		t.Errorf("the cancelled one: %v", err)
	}
}

func TestABigAppendIsOneTransaction(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	const n = 2*chunk + 7
	writes := make([]Write, 300)
	for i := range writes {
		writes[i] = Write{Stream: fmt.Sprint("s-", i), Expected: 0, Events: some(n / 300)}
	}
	writes[0].Events = some(n - 299*(n/300))
	got, err := s.Append(ctx, Append{Writes: writes})
	if err != nil || got.Position != n {
		t.Fatalf("appended up to %d: %v", got.Position, err)
	}
	var transactions, bad int
	err = s.pool.QueryRow(ctx, `SELECT count(DISTINCT xmin::text),
		count(*) FILTER (WHERE version <> (data->>'n')::int) FROM eventstore.events`).Scan(&transactions, &bad)
	if err != nil || transactions != 1 || bad != 0 {
		t.Errorf("%d transactions, %d events out of order: %v", transactions, bad, err)
	}
	writes[299].Expected = 1
	if _, err := s.Append(ctx, Append{Writes: writes}); outcomeOf(err) != "conflict" {
		t.Errorf("a second time: %v", err)
	}
}

func TestCloseWaitsAndRefuses(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	var group sync.WaitGroup
	for c := range 50 {
		group.Go(func() {
			if _, err := s.Append(t.Context(), to(fmt.Sprint("s-", c), 0)); err != nil && !errors.Is(err, ErrClosed) {
				t.Error(err)
			}
		})
	}
	s.Close()
	group.Wait()
	if _, err := s.Append(t.Context(), to("late", 0)); !errors.Is(err, ErrClosed) {
		t.Errorf("an append after Close: %v", err)
	}
	s.Close()
}

// TestKeysAreForgottenInPortions: one that is in use holds up none of the others.
func TestKeysAreForgottenInPortions(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	const all = 2*forgetAtOnce + 10
	if _, err := s.pool.Exec(ctx, `INSERT INTO eventstore.idempotency_keys (scope, key, request, response, created_at)
		SELECT 's', n::text, '', '', now() - n * interval '1 second' FROM generate_series(1, $1::int) n`, all); err != nil {
		t.Fatal(err)
	}
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(context.Background())
	if _, err := tx.Exec(ctx, "SELECT FROM eventstore.idempotency_keys WHERE key = '5' FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	bounded, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if n, err := s.ForgetKeys(bounded, time.Now()); err != nil || n != all-1 {
		t.Errorf("forgot %d of %d: %v", n, all, err)
	}
}

func TestALostAnswerIsSettled(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	a := to("x", 0)
	a.Key = &Key{Scope: "s", Key: "k"}
	p := group(t, s, a)[0]
	if _, err := s.appendAlone(ctx, p, false); err != nil {
		t.Fatal(err)
	}
	// The first attempt was committed, but its caller heard only that the connection is gone.
	got, err := s.appendAlone(ctx, p, true)
	if err != nil || got.Versions["x"] != 1 || got.Position != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if events, err := s.Stream(ctx, "x", 0, 0); err != nil || len(events) != 1 {
		t.Errorf("%d events: %v", len(events), err)
	}
}

func TestAKeyIsUsedOnce(t *testing.T) {
	t.Parallel()
	pool := pgtest.Open(t)
	stores := []*Store{Open(pool, codec{}, Options{}), Open(pool, codec{}, Options{})}
	var won, used atomic.Int64
	var group sync.WaitGroup
	for c := range 32 {
		group.Go(func() {
			a := to(fmt.Sprint("own-", c), 0) // nothing but the key is shared
			a.Key = &Key{Scope: "s", Key: "k", Response: []byte{byte(c)}}
			_, err := stores[c%2].Append(t.Context(), a)
			switch {
			case err == nil:
				won.Add(1)
			case outcomeOf(err) == "key_used":
				used.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, s := range stores {
		s.Close()
	}
	if won.Load() != 1 || used.Load() != 31 {
		t.Errorf("%d won, %d were told of the key", won.Load(), used.Load())
	}
}
