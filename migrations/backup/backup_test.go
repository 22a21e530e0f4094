package backup_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"shop/migrations/backup"
	"shop/migrations/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// Whoever makes a table decides whether a backup holds it: tables.go has two lists, and every table is in one of them.
func TestEveryTableIsKeptOrLeftOut(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t)
	tables := pgtest.All[string](t, db, `SELECT CASE WHEN n.nspname = 'public' THEN c.relname ELSE n.nspname || '.' || c.relname END
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'`)
	listed := slices.Concat(backup.Kept(), backup.LeftOut())
	for _, name := range tables {
		switch n := len(slices.DeleteFunc(slices.Clone(listed), func(one string) bool { return one != name })); n {
		case 0:
			t.Errorf("%s is in neither list of tables.go: can it be rebuilt from the log?", name)
		case 1:
		default:
			t.Errorf("%s is in both lists", name)
		}
	}
	for _, name := range listed {
		if !slices.Contains(tables, name) {
			t.Errorf("%s is listed, and there is no such table", name)
		}
	}
}

// odd are texts that a careless writer of COPY's format would break.
var odd = []string{"plain", "\\.", "a\n\\.\nb", "tab\tand \\ and \r", "", strings.Repeat("длинная строка ", 60_000)}

func filled(t *testing.T) *pgxpool.Pool {
	t.Helper()
	db := pgtest.Open(t)
	for i, text := range odd {
		if _, err := db.Exec(t.Context(), "INSERT INTO eventstore.idempotency_keys (scope, key, request, response) VALUES ($1, $2, $3, '')", text[:min(len(text), 600)], string(rune('a'+i)), []byte(text)); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(t.Context(), "INSERT INTO eventstore.consumer_actions (actor, action, consumer, reason) VALUES ('cli:test', 'pause', 'mails', $1)", text); err != nil {
			t.Fatal(err)
		}
	}
	for _, sql := range []string{
		"INSERT INTO eventstore.checkpoints (consumer, range, position) VALUES ('mails', 0, 7), ('orders', 0, 7)",
		"INSERT INTO missed_searches (day, query, times) VALUES ('2026-01-01', 'крем', 3), ('2026-01-01', 'Толегенова', 1)",
		"SELECT nextval('order_numbers') FROM generate_series(1, 12)",
		"INSERT INTO eventstore.events VALUES (41, 1, 1, 1, gen_random_uuid(), now(), 's', 't', '{\"a\": \"b\\\\n\"}', '{}')",
		"SELECT setval('eventstore.position', 43)",
	} {
		if _, err := db.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	return db
}

func written(t *testing.T, db *pgxpool.Pool) []byte {
	t.Helper()
	var file bytes.Buffer
	if _, err := backup.Write(t.Context(), db, &file, backup.Options{ReadModels: []string{"orders", "it's"}, Now: time.Unix(1, 0)}); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestARestoredDatabaseHasWhatTheBackupHolds(t *testing.T) {
	t.Parallel()
	db := filled(t)
	file := written(t, db)
	at := pgtest.EmptyURL(t)
	if _, err := backup.Restore(t.Context(), at, bytes.NewReader(file)); err != nil {
		t.Fatal(err)
	}
	copied, err := pgxpool.New(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	for _, table := range backup.Kept() {
		sql := "SELECT x::text FROM " + table + " x ORDER BY 1"
		want, got := pgtest.All[string](t, db, sql), pgtest.All[string](t, copied, sql)
		switch table {
		case "eventstore.checkpoints":
			want = slices.DeleteFunc(want, func(row string) bool { return strings.HasPrefix(row, "(orders,") })
		case "missed_searches":
			want = slices.DeleteFunc(want, func(row string) bool { return strings.Contains(row, "Толегенова") })
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s has %d rows, want %d", table, len(got), len(want))
		}
	}
	for sql, want := range map[string]int64{"SELECT nextval('order_numbers')": 100_013, "SELECT nextval('eventstore.position')": 44} {
		if got := pgtest.All[int64](t, copied, sql)[0]; got != want {
			t.Errorf("%s is %d, want %d", sql, got, want)
		}
	}
	if _, err := copied.Exec(t.Context(), "INSERT INTO eventstore.consumer_actions (actor, action, consumer) VALUES ('cli:test', 'pause', 'mails')"); err != nil {
		t.Errorf("the next row: %v", err)
	}
	if _, err := backup.Restore(t.Context(), at, bytes.NewReader(file)); !errors.Is(err, backup.ErrNotEmpty) {
		t.Errorf("restored twice: %v", err)
	}
}

func TestABrokenBackupLeavesNothing(t *testing.T) {
	t.Parallel()
	file := written(t, filled(t))
	unpacked, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	pack := func(text string) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = io.WriteString(w, text)
		_ = w.Close()
		return b.Bytes()
	}
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"cut":           {file[:len(file)*2/3], "unexpected EOF"},
		"its end lacks": {pack(string(plain[:bytes.LastIndexByte(plain[:len(plain)-1], '\n')+1])), "ends too early"},
		"a row lacks":   {pack(strings.Replace(string(plain), "2026-01-01\tкрем\t3\n", "", 1)), "rows, and"},
		"another table": {pack(strings.Replace(string(plain), `"table":"photos"`, `"table":"pg_authid"`, 1)), "does not know"},
		"another file":  {pack("{}\n"), "not a backup"},
		"no file":       {[]byte("nonsense"), "not a backup"},
		"a later one":   {pack(strings.Replace(string(plain), `"version":1`, `"version":9`, 1)), "format 9"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := pgtest.EmptyURL(t)
			if _, err := backup.Restore(t.Context(), at, bytes.NewReader(c.file)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%v, want %q", err, c.want)
			}
			db, err := pgxpool.New(t.Context(), at)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if there := pgtest.All[bool](t, db, "SELECT to_regclass('eventstore.events') IS NOT NULL")[0]; there && pgtest.All[int64](t, db, "SELECT count(*) FROM eventstore.events")[0] > 0 {
				t.Error("events of a broken backup are there")
			}
		})
	}
}
