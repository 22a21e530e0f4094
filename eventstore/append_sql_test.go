package eventstore

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// TestAGroupsEventsAreStoredWhereTheyBelong appends to streams that are there and streams that are not, to some of them twice.
func TestAGroupsEventsAreStoredWhereTheyBelong(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	for n := range 5 { // every second stream is there, at version 3
		if _, err := s.Append(ctx, Append{Writes: []Write{{Stream: fmt.Sprint("s-", 2*n), Events: some(3)}}}); err != nil {
			t.Fatal(err)
		}
	}
	type place struct {
		stream  string
		slice   int16
		version int64
		typ     string
		n       int
		at      time.Time
	}
	want := map[uuid.UUID]place{}
	base := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	versions := map[string]int64{"s-0": 3, "s-2": 3, "s-4": 3, "s-6": 3, "s-8": 3}
	var together []Append
	for n, stream := range []string{"s-9", "s-0", "s-3", "s-8", "s-1", "s-0", "s-9", "s-2", "s-7"} {
		a := Append{At: base.Add(time.Duration(n) * time.Hour), Writes: []Write{{Stream: stream, Expected: Version(versions[stream])}}}
		for k := range n%3 + 1 {
			id, data, p := uuid.Must(uuid.NewV7()), any(happened{N: 10*n + k}), place{stream: stream, slice: SliceOf(stream), typ: "test.happened", n: 10*n + k, at: a.At}
			if k == 1 {
				data, p.typ, p.n = named{Person: uuid.New(), Name: "A"}, "test.named", 0
			}
			versions[stream]++
			p.version = versions[stream]
			want[id] = p
			a.Writes[0].Events = append(a.Writes[0].Events, NewEvent{ID: id, Data: data})
		}
		together = append(together, a)
	}
	got, err := s.Append(ctx, together...)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := s.pool.Query(ctx, `SELECT id, stream, slice, version, type, coalesce((data->>'n')::int, 0), recorded_at, position
		FROM eventstore.events WHERE position > 15 ORDER BY position`)
	if err != nil {
		t.Fatal(err)
	}
	var id [16]byte
	var is place
	var position int64
	before := map[string]int64{}
	stored := 0
	_, err = pgx.ForEachRow(rows, []any{&id, &is.stream, &is.slice, &is.version, &is.typ, &is.n, &is.at, &position}, func() error {
		is.at = is.at.UTC()
		if stored++; is != want[id] {
			t.Errorf("position %d holds %+v, want %+v", position, is, want[id])
		}
		if is.version <= before[is.stream] {
			t.Errorf("%s: version %d comes after %d", is.stream, is.version, before[is.stream])
		}
		before[is.stream] = is.version
		return nil
	})
	if err != nil || stored != len(want) || got.Position != Position(position) {
		t.Errorf("%d of %d events, the last at %d, answered %d: %v", stored, len(want), position, got.Position, err)
	}
	for stream := range before {
		if got.Versions[stream] != Version(versions[stream]) {
			t.Errorf("%s is answered at version %d, want %d", stream, got.Versions[stream], versions[stream])
		}
	}
}

// TestFormerProgramsAppendBesideThisOne calls what programs before migration 0042 call.
func TestFormerProgramsAppendBesideThisOne(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	former := func(expected int64) (version int64, position *int64) {
		t.Helper()
		err := s.pool.QueryRow(ctx, `SELECT reached, placed FROM eventstore.append_one($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
			100, "s", SliceOf("s"), expected, GroupOf(SliceOf("s")), uuid.NewString(), "test.happened", 1, `{"n":1}`, `{}`, time.Now()).Scan(&version, &position)
		if err != nil {
			t.Fatal(err)
		}
		return version, position
	}
	if version, position := former(0); version != 1 || position == nil {
		t.Errorf("the former program's first event: version %d at %v", version, position)
	}
	if got, err := s.Append(ctx, Append{Writes: []Write{{Stream: "s", Expected: 1, Events: some(1)}}}); err != nil || got.Versions["s"] != 2 {
		t.Errorf("this program's event: %+v, %v", got, err)
	}
	if version, position := former(1); version != 2 || position != nil {
		t.Errorf("the former program's conflict: version %d at %v", version, position)
	}
}

// TestAnAppendIsNotPlannedAgain: PostgreSQL plans a statement of a function with each call when it believes that one plan does
// not do for all, and then an append costs nearly twice as much.
func TestAnAppendIsNotPlannedAgain(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	var explained []string
	config := s.pool.Config().ConnConfig.Copy()
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { explained = append(explained, n.Message) }
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	defer CloseAside(conn)
	for _, set := range []string{"LOAD 'auto_explain'", "SET auto_explain.log_level = 'notice'", "SET auto_explain.log_min_duration = 0",
		"SET auto_explain.log_nested_statements = on", "SET auto_explain.log_verbose = on"} {
		if _, err := conn.Exec(ctx, set); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 12 { // it settles for one plan after the fifth
		explained = nil
		var outcome string
		err := conn.QueryRow(ctx, `SELECT outcome FROM eventstore.append(100, ARRAY['a', 'b'], '{1,2}', $1, '{1,1}', '{1}', '{}', '{}', '{}', '{}',
			'{1,2}', '{1,1}', $2, '{t,t}', '{1,1}', '{"{}","{}"}', '{"{}","{}"}', '{2026-03-01,2026-03-01}')`,
			[]int64{int64(n), int64(n)}, []string{uuid.NewString(), uuid.NewString()}).Scan(&outcome)
		if err != nil || outcome != "done" {
			t.Fatalf("append: %s, %v", outcome, err)
		}
	}
	writes := 0
	for _, plan := range explained {
		if !strings.Contains(plan, "Insert on eventstore.") {
			continue
		}
		if writes++; !strings.Contains(plan, "Function Call: unnest($") { // a plan of its own has the values in place of parameters
			t.Errorf("planned again: %s", plan)
		}
	}
	if writes != 2 {
		t.Errorf("%d plans that write, want those of streams and of events: %q", writes, explained)
	}
}
