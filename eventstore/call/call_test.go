package call_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/eventstore/call"
	"shop/migrations/pgtest"
)

// tracer notes what it is told.
type tracer struct{ began, ended []string }

func (r *tracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceQueryStartData) context.Context {
	r.began = append(r.began, d.SQL)
	return ctx
}

func (r *tracer) TraceQueryEnd(_ context.Context, _ *pgx.Conn, d pgx.TraceQueryEndData) {
	said := d.CommandTag.String()
	if d.Err != nil {
		said = d.Err.Error()
	}
	r.ended = append(r.ended, said)
}

// connect is a connection to a database with the settings given, and its caller.
func connect(t *testing.T, set func(*pgx.ConnConfig)) (*pgx.Conn, call.Caller) {
	t.Helper()
	settings := pgtest.Open(t).Config()
	set(settings.ConnConfig)
	pool, err := pgxpool.NewWithConfig(t.Context(), settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	conn, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Release)
	return conn.Conn(), call.By(pool)
}

const echo = `SELECT $1::int, $2::text[], $3::json[]::text[], $4::timestamptz, $5::uuid[] IS NULL`

func TestACallAnswersWhatItWasGiven(t *testing.T) {
	t.Parallel()
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeExec} {
		told := &tracer{}
		conn, caller := connect(t, func(c *pgx.ConnConfig) { c.DefaultQueryExecMode, c.Tracer = mode, told })
		at := time.Date(2026, 11, 30, 15, 4, 5, 123_456_000, time.UTC)
		for n := range int32(3) {
			p := call.New().Int4(n).Texts([]string{"сүт", ""}).JSONs([][]byte{[]byte(`{"a": [1]}`)}).Time(at).UUIDs(nil)
			var (
				number       int32
				texts, jsons []string
				when         time.Time
				missing      bool
			)
			err := caller.Row(t.Context(), conn, echo, p, &number, &texts, &jsons, &when, &missing)
			p.Free()
			if err != nil || number != n || strings.Join(texts, "|") != "сүт|" || strings.Join(jsons, "|") != `{"a": [1]}` || !when.Equal(at) || !missing {
				t.Fatalf("%s: %d %q %q %s %t, %v", mode, number, texts, jsons, when, missing, err)
			}
		}
		var prepared int
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_prepared_statements WHERE statement = $1", echo).Scan(&prepared); err != nil {
			t.Fatal(err)
		}
		if want := mode == pgx.QueryExecModeCacheStatement; (prepared == 1) != want {
			t.Errorf("%s: %d statements were prepared", mode, prepared)
		}
		if len(told.began) < 3 || told.began[2] != echo || told.ended[2] != "SELECT 1" {
			t.Errorf("%s: told of %q, %q", mode, told.began, told.ended)
		}
	}
}

func TestACallThatFailsSaysWhyAndLeavesTheConnectionWell(t *testing.T) {
	t.Parallel()
	told := &tracer{}
	conn, caller := connect(t, func(c *pgx.ConnConfig) { c.Tracer = told })
	ask := func(ctx context.Context, sql string, p *call.Parameters, into ...any) error {
		defer p.Free()
		return caller.Row(ctx, conn, sql, p, into...)
	}
	var n int32
	var failed *pgconn.PgError
	if err := ask(t.Context(), "SELECT 1 / $1::int", call.New().Int4(0), &n); !errors.As(err, &failed) || failed.Code != "22012" {
		t.Errorf("division by zero: %v", err)
	}
	if last := len(told.ended) - 1; !strings.Contains(told.ended[last], "division by zero") {
		t.Errorf("the tracer was told %q", told.ended[last])
	}
	if err := ask(t.Context(), "SELECT $1", call.New().Int4(0), &n); !errors.As(err, &failed) {
		t.Errorf("a number as a text: %v", err)
	}
	if err := ask(t.Context(), "SELECT $1::int WHERE false", call.New().Int4(0), &n); !errors.Is(err, pgx.ErrNoRows) {
		t.Errorf("no row: %v", err)
	}
	var column pgx.ScanArgError
	if err := ask(t.Context(), "SELECT $1::int, 'a'::text", call.New().Int4(0), &n, &n); !errors.As(err, &column) || column.ColumnIndex != 1 {
		t.Errorf("a text into a number: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := ask(ended, "SELECT $1::int", call.New().Int4(0), &n); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
	if err := ask(t.Context(), "SELECT $1::int", call.New().Int4(7), &n); err != nil || n != 7 {
		t.Errorf("after all this: %d, %v", n, err)
	}
}
