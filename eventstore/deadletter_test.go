package eventstore

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// mending is the codec of tests with an upcaster for what it could not read before.
type mending struct{ codec }

func (mending) Decode(typ string, schema int, payload []byte) (any, error) {
	if typ == "test.odd" {
		return happened{N: 7}, nil
	}
	return codec{}.Decode(typ, schema, payload)
}

// tallies folds events into a sum per stream, and refuses one number.
func tallies(refused int) Consumer {
	return Consumer{Name: "tallies", Handle: func(ctx context.Context, tx pgx.Tx, events []Event) error {
		for _, e := range events {
			d := e.Data.(happened)
			if d.N == refused {
				return errors.New("this number is refused")
			}
			if _, err := tx.Exec(ctx, `INSERT INTO tallies AS t VALUES ($1, $2, $3)
				ON CONFLICT (stream) DO UPDATE SET version = $2, sum = t.sum * 10 + $3`, e.Stream, int64(e.Version), d.N); err != nil {
				return err
			}
		}
		return nil
	}}
}

// tallied is what tallies wrote: per stream the last version and the digits in the order of folding.
func tallied(t *testing.T, s *Store) map[string][2]int64 {
	t.Helper()
	rows, err := s.pool.Query(t.Context(), `SELECT stream, version, sum FROM tallies`)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][2]int64{}
	var stream string
	var at [2]int64
	if _, err := pgx.ForEachRow(rows, []any{&stream, &at[0], &at[1]}, func() error { got[stream] = at; return nil }); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestDryRunTellsWhatARetryWouldDo(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	ctx := WithAuthor(t.Context(), Author{Actor: "staff:1", Reason: "mended"})
	if _, err := s.pool.Exec(ctx, `CREATE TABLE tallies (stream text PRIMARY KEY, version bigint, sum bigint)`); err != nil {
		t.Fatal(err)
	}
	f, stop := run(t, s, FeedOptions{}, tallies(5))
	appendTo(t, s, "good", happened{N: 1})
	appendTo(t, s, "old", happened{N: 1}, odd{}, happened{N: 2}, happened{N: 3})
	last := appendTo(t, s, "wrong", happened{N: 1}, happened{N: 5}, happened{N: 2})
	waitFor(t, f, "tallies", last)
	before := tallied(t, s)

	// tried is a dry run as stream/version-in-order: what it says.
	tried := func(s *Store, c Consumer, streams ...string) map[string][]string {
		t.Helper()
		trials, more, err := s.DryRun(ctx, "tallies", streams, c.Handle)
		if err != nil || more {
			t.Fatalf("dry run: more %v, %v", more, err)
		}
		said := map[string][]string{}
		for _, trial := range trials {
			what := "ok"
			if !trial.OK {
				what = "not reached"
			}
			for _, reason := range []string{"is not known", "this number is refused"} {
				if strings.Contains(trial.Error, reason) {
					what = reason
				}
			}
			said[trial.Stream] = append(said[trial.Stream], what)
		}
		return said
	}
	same := func(what string, got, want map[string][]string) {
		t.Helper()
		if !maps.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	same("as it is", tried(s, tallies(5)), map[string][]string{
		"old": {"is not known", "not reached", "not reached"}, "wrong": {"this number is refused", "not reached"},
	})
	same("one stream", tried(s, tallies(5), "wrong"), map[string][]string{"wrong": {"this number is refused", "not reached"}})
	// A newer program, with an upcaster and without the mistake.
	newer := Open(s.pool, mending{}, Options{Logger: quiet})
	t.Cleanup(newer.Close)
	same("mended", tried(newer, tallies(0)), map[string][]string{"old": {"ok", "ok", "ok"}, "wrong": {"ok", "ok"}})
	if after := tallied(t, s); !maps.Equal(before, after) {
		t.Errorf("a dry run wrote: %v, before %v", after, before)
	}
	if letters, err := s.DeadLetters(ctx, "tallies"); err != nil || len(letters) != 5 || letters[0].Attempts != 1 {
		t.Errorf("after dry runs: %+v, %v", letters, err)
	}
	if _, _, err := s.DryRun(ctx, "tallies", nil, func(ctx context.Context, tx pgx.Tx, _ []Event) error {
		_, err := tx.Exec(ctx, `SELECT FROM not_there`)
		return err
	}); err == nil {
		t.Error("a handler without its tables says nothing of the events")
	}

	// The newer program makes the attempt: nothing is left, and the read model is that of a fresh fold.
	stop()
	if n, err := newer.RetryDeadLetters(ctx, "tallies"); err != nil || n != 5 {
		t.Fatalf("%d to retry, %v", n, err)
	}
	_, stop = run(t, newer, FeedOptions{}, tallies(0))
	eventually(t, "nothing parked", func() bool {
		letters, err := s.DeadLetters(ctx, "")
		return err == nil && len(letters) == 0
	})
	stop()
	mended := tallied(t, s)
	if _, err := s.pool.Exec(ctx, `TRUNCATE tallies; UPDATE eventstore.checkpoints SET position = 0`); err != nil {
		t.Fatal(err)
	}
	f, _ = run(t, newer, FeedOptions{}, tallies(0))
	waitFor(t, f, "tallies", last)
	if fresh := tallied(t, s); !maps.Equal(mended, fresh) || fresh["old"] != [2]int64{4, 1723} {
		t.Errorf("mended %v, folded afresh %v", mended, fresh)
	}

	// Who did it, and why.
	actions, err := s.Actions(ctx, "tallies", 10)
	if err != nil || len(actions) != 1 || actions[0].Actor != "staff:1" || actions[0].Reason != "mended" || actions[0].Action != "retry" || actions[0].Events != 5 {
		t.Errorf("actions: %+v, %v", actions, err)
	}
}

func TestActionsAreRecordedWithTheirAuthor(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	f, _ := run(t, s, FeedOptions{}, Consumer{Name: "c", Handle: func(context.Context, pgx.Tx, []Event) error { return errors.New("never") }})
	at := appendTo(t, s, "a", happened{}, happened{})
	waitFor(t, f, "c", at)
	ctx := WithAuthor(t.Context(), Author{Actor: "cli:ana"})
	if err := errors.Join(s.Pause(ctx, "c"), s.SkipDeadLetter(ctx, "c", at-1, "a test"), s.Resume(t.Context(), "c")); err != nil {
		t.Fatal(err)
	}
	if err := s.SkipDeadLetter(ctx, "c", at-1, "again"); err == nil {
		t.Error("skipped twice")
	}
	if n, err := s.RetryDeadLetters(ctx, "c", "nowhere"); n != 0 || err != nil {
		t.Errorf("%d to retry, %v", n, err)
	}
	actions, err := s.Actions(ctx, "", 10)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, a := range actions {
		said = append(said, a.Actor+" "+a.Action+" "+a.Reason)
	}
	// What came to nothing is not there.
	if want := []string{"system resume ", "cli:ana skip a test", "cli:ana pause "}; !slices.Equal(said, want) {
		t.Errorf("recorded %q, want %q", said, want)
	}
	if skips, err := s.Actions(ctx, "c", 10, "skip"); err != nil || len(skips) != 1 || skips[0].Position != at-1 || !slices.Equal(skips[0].Streams, []string{"a"}) {
		t.Errorf("skips: %+v, %v", skips, err)
	}
	if one, err := s.DeadLetter(ctx, "c", at); err != nil || one.Version != 2 {
		t.Errorf("the other one: %+v, %v", one, err)
	}
	var none *NoDeadLetter
	if _, err := s.DeadLetter(ctx, "c", at-1); !errors.As(err, &none) {
		t.Errorf("the skipped one: %v", err)
	}
}

func TestBrowse(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	ctx := t.Context()
	person, erased := uuid.New(), uuid.New()
	write := func(stream, actor, correlation, trace string, data ...any) Position {
		var events []NewEvent
		for _, d := range data {
			events = append(events, NewEvent{Data: d})
		}
		return mustAppend(t, s, Append{Writes: []Write{{Stream: stream, Expected: AnyVersion, Events: events}},
			Metadata: Metadata{Actor: actor, CorrelationID: correlation, Trace: trace}}).Position
	}
	const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for range 20 {
		write("order-1", "guest", "r1", "", happened{}, happened{})
	}
	write("order-2", "staff:7", "r2", trace, named{Person: person, Name: "Айгерим", Phones: []string{"+7701"}, City: "Алматы"})
	write("stock-1", "staff:8", "r3", "", named{Person: erased, Name: "Nobody", City: "Астана"}, odd{})
	last := write("order-1", "guest", "r4", "", happened{})
	if err := s.ErasePerson(ctx, erased); err != nil {
		t.Fatal(err)
	}
	found := func(q Search, open bool) []Recorded {
		t.Helper()
		q.Limit = max(q.Limit, 7)
		var all []Recorded
		for pages := 0; ; pages++ {
			page, next, err := s.Browse(ctx, q, open)
			if err != nil || pages > 100 {
				t.Fatal(pages, err)
			}
			all = append(all, page...)
			if next == 0 {
				break
			}
			q.Before = next
		}
		for i, r := range all {
			if i > 0 && r.Position >= all[i-1].Position {
				t.Errorf("%d after %d", r.Position, all[i-1].Position)
			}
			if q.Before = 0; !q.Matches(&r) {
				t.Errorf("%+v is found and does not match %+v", r, q)
			}
		}
		return all
	}
	for _, c := range []struct {
		q    Search
		want int
	}{
		{Search{}, 44}, {Search{After: last - 2}, 2}, {Search{Before: 3}, 2}, {Search{Before: 3, After: 1}, 1},
		{Search{Stream: "order-1"}, 41}, {Search{Stream: "order-*"}, 42}, {Search{Stream: "order-1", Before: 11}, 10}, {Search{Stream: "nothing"}, 0},
		{Search{Types: []string{"test.named"}}, 2}, {Search{Types: []string{"test.named", "test.odd"}}, 3},
		{Search{Actor: "staff:7"}, 1}, {Search{Actor: "staff:*"}, 3}, {Search{Actor: "%"}, 0},
		{Search{Trace: "r2"}, 1}, {Search{Trace: trace}, 1}, {Search{Trace: "0af7651916cd43dd8448eb211c80319c"}, 1},
		{Search{Stream: "order-*", Actor: "staff:*", Types: []string{"test.named"}}, 1},
	} {
		if got := found(c.q, false); len(got) != c.want {
			t.Errorf("%+v finds %d, want %d", c.q, len(got), c.want)
		}
	}

	// Personal fields are there only for who asks for them, and not those of the erased.
	look := func(stream, typ string, open bool) (Recorded, map[string]any) {
		t.Helper()
		got := found(Search{Stream: stream, Types: []string{typ}}, open)
		if len(got) != 1 {
			t.Fatalf("%d of %s", len(got), stream)
		}
		var fields map[string]any
		if err := json.Unmarshal(got[0].Payload, &fields); err != nil {
			t.Fatal(err)
		}
		return got[0], fields
	}
	if r, fields := look("order-2", "test.named", true); fields["name"] != "Айгерим" || r.Closed != nil || r.Erased || r.Unreadable != nil {
		t.Errorf("open: %+v", r)
	}
	if r, fields := look("order-2", "test.named", false); fields["city"] != "Алматы" || len(fields) != 2 || !slices.Equal(r.Closed, []string{"name", "phones"}) || r.Erased {
		t.Errorf("closed: %+v %s", r, r.Payload)
	}
	for _, open := range []bool{true, false} {
		if r, fields := look("stock-1", "test.named", open); fields["name"] != nil || !r.Erased || r.Unreadable != nil || !slices.Equal(r.Closed, []string{"name", "phones"}) {
			t.Errorf("erased, open %v: %+v %s", open, r, r.Payload)
		}
		if r, _ := look("stock-1", "test.odd", open); r.Unreadable == nil || string(r.Payload) != "{}" {
			t.Errorf("odd: %+v", r)
		}
	}
	if r, err := s.RecordedAt(ctx, last, false); err != nil || r.Stream != "order-1" {
		t.Errorf("the last: %+v, %v", r, err)
	}
	if r, err := s.RecordedAt(ctx, last+1, false); err != nil || r != nil {
		t.Errorf("none: %+v, %v", r, err)
	}
}
