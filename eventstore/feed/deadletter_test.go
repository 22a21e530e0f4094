package feed

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"shop/eventstore"
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
	return Consumer{Name: "tallies", Handle: func(ctx context.Context, tx pgx.Tx, events []eventstore.Event) error {
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
func tallied(t *testing.T, s *eventstore.Store) map[string][2]int64 {
	t.Helper()
	rows, err := s.Pool().Query(t.Context(), `SELECT stream, version, sum FROM tallies`)
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
	if _, err := s.Pool().Exec(ctx, `CREATE TABLE tallies (stream text PRIMARY KEY, version bigint, sum bigint)`); err != nil {
		t.Fatal(err)
	}
	f, stop := run(t, s, Options{}, tallies(5))
	appendTo(t, s, "good", happened{N: 1})
	appendTo(t, s, "old", happened{N: 1}, odd{}, happened{N: 2}, happened{N: 3})
	last := appendTo(t, s, "wrong", happened{N: 1}, happened{N: 5}, happened{N: 2})
	waitFor(t, f, "tallies", last)
	before := tallied(t, s)

	// tried is a dry run as stream/version-in-order: what it says.
	tried := func(s *eventstore.Store, c Consumer, streams ...string) map[string][]string {
		t.Helper()
		trials, more, err := ControlOf(s).DryRun(ctx, "tallies", streams, c.Handle)
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
	newer := eventstore.Open(s.Pool(), mending{}, eventstore.Options{Logger: quiet})
	t.Cleanup(newer.Close)
	same("mended", tried(newer, tallies(0)), map[string][]string{"old": {"ok", "ok", "ok"}, "wrong": {"ok", "ok"}})
	if after := tallied(t, s); !maps.Equal(before, after) {
		t.Errorf("a dry run wrote: %v, before %v", after, before)
	}
	if letters, err := ControlOf(s).DeadLetters(ctx, "tallies"); err != nil || len(letters) != 5 || letters[0].Attempts != 1 {
		t.Errorf("after dry runs: %+v, %v", letters, err)
	}
	if _, _, err := ControlOf(s).DryRun(ctx, "tallies", nil, func(ctx context.Context, tx pgx.Tx, _ []eventstore.Event) error {
		_, err := tx.Exec(ctx, `SELECT FROM not_there`)
		return err
	}); err == nil {
		t.Error("a handler without its tables says nothing of the events")
	}

	// The newer program makes the attempt: nothing is left, and the read model is that of a fresh fold.
	stop()
	if n, err := ControlOf(newer).Retry(ctx, "tallies"); err != nil || n != 5 {
		t.Fatalf("%d to retry, %v", n, err)
	}
	_, stop = run(t, newer, Options{}, tallies(0))
	eventually(t, "nothing parked", func() bool {
		letters, err := ControlOf(s).DeadLetters(ctx, "")
		return err == nil && len(letters) == 0
	})
	stop()
	mended := tallied(t, s)
	if _, err := s.Pool().Exec(ctx, `TRUNCATE tallies; UPDATE eventstore.checkpoints SET position = 0`); err != nil {
		t.Fatal(err)
	}
	f, _ = run(t, newer, Options{}, tallies(0))
	waitFor(t, f, "tallies", last)
	if fresh := tallied(t, s); !maps.Equal(mended, fresh) || fresh["old"] != [2]int64{4, 1723} {
		t.Errorf("mended %v, folded afresh %v", mended, fresh)
	}

	// Who did it, and why.
	actions, err := ControlOf(s).Actions(ctx, "tallies", 10)
	if err != nil || len(actions) != 1 || actions[0].Actor != "staff:1" || actions[0].Reason != "mended" || actions[0].Action != "retry" || actions[0].Events != 5 {
		t.Errorf("actions: %+v, %v", actions, err)
	}
}

func TestActionsAreRecordedWithTheirAuthor(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	f, _ := run(t, s, Options{}, Consumer{Name: "c", Handle: func(context.Context, pgx.Tx, []eventstore.Event) error { return errors.New("never") }})
	at := appendTo(t, s, "a", happened{}, happened{})
	waitFor(t, f, "c", at)
	ctx := WithAuthor(t.Context(), Author{Actor: "cli:ana"})
	if err := errors.Join(ControlOf(s).Pause(ctx, "c"), ControlOf(s).Skip(ctx, "c", at-1, "a test"), ControlOf(s).Resume(t.Context(), "c")); err != nil {
		t.Fatal(err)
	}
	if err := ControlOf(s).Skip(ctx, "c", at-1, "again"); err == nil {
		t.Error("skipped twice")
	}
	if n, err := ControlOf(s).Retry(ctx, "c", "nowhere"); n != 0 || err != nil {
		t.Errorf("%d to retry, %v", n, err)
	}
	actions, err := ControlOf(s).Actions(ctx, "", 10)
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
	if skips, err := ControlOf(s).Actions(ctx, "c", 10, "skip"); err != nil || len(skips) != 1 || skips[0].Position != at-1 || !slices.Equal(skips[0].Streams, []string{"a"}) {
		t.Errorf("skips: %+v, %v", skips, err)
	}
	if one, err := ControlOf(s).DeadLetter(ctx, "c", at); err != nil || one.Version != 2 {
		t.Errorf("the other one: %+v, %v", one, err)
	}
	var none *NoDeadLetter
	if _, err := ControlOf(s).DeadLetter(ctx, "c", at-1); !errors.As(err, &none) {
		t.Errorf("the skipped one: %v", err)
	}
}
