package migrations_test

import (
	"context"
	"io/fs"
	"net"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
	"golang.org/x/sync/errgroup"

	"shop/migrations"
	"shop/migrations/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func connect(t *testing.T, databaseURL string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func scan[T any](t *testing.T, conn *pgx.Conn, sql string) T {
	t.Helper()
	var answer T
	if err := conn.QueryRow(t.Context(), sql).Scan(&answer); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return answer
}

func exec(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func mustFail(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in: %v", part, err)
		}
	}
}

func files(t *testing.T) int {
	t.Helper()
	names, err := fs.Glob(migrations.Files(), "*.sql")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d migrations, %v", len(names), err)
	}
	return len(names)
}

func TestUpAtOnceOnAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	// Several rounds: without the lock most of them, not all, would fail.
	for range 4 {
		url := pgtest.EmptyURL(t)
		var all errgroup.Group
		for range 8 {
			all.Go(func() error { return migrations.Up(t.Context(), url) })
		}
		if err := all.Wait(); err != nil {
			t.Fatal(err)
		}
		version, err := migrations.Version(t.Context(), url)
		if err != nil || version != files(t) {
			t.Errorf("version %d of %d, %v", version, files(t), err)
		}
	}
}

func TestUpAgainDoesNothing(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	conn := connect(t, url)
	const state = "SELECT (SELECT xmin::text FROM shop_migrations.version) || ' ' || count(*) FROM pg_class"
	before := scan[string](t, conn, state)
	if err := migrations.Up(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	if after := scan[string](t, conn, state); after != before {
		t.Errorf("before %s, after %s", before, after)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	url := pgtest.EmptyURL(t)
	for _, applied := range []bool{false, true} {
		list, err := migrations.List(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) != files(t) {
			t.Errorf("%d migrations of %d", len(list), files(t))
		}
		for i, m := range list {
			if m.Number != i+1 || m.Applied != applied || !strings.HasSuffix(m.Name, ".sql") {
				t.Errorf("%d: %+v", i, m)
			}
		}
		if err := migrations.Up(t.Context(), url); err != nil {
			t.Fatal(err)
		}
	}
}

func TestBrokenMigrationChangesNothing(t *testing.T) {
	t.Parallel()
	url := pgtest.EmptyURL(t)
	good := &fstest.MapFile{Data: []byte("CREATE TABLE first (note text DEFAULT '{{ not a template }}');")}
	broken := &fstest.MapFile{Data: []byte("-- Описание\nCREATE TABLE second ();\nCREATE TABEL third ();\n")}
	err := migrations.UpFrom(t.Context(), url, fstest.MapFS{"0001_good.sql": good, "0002_broken.sql": broken})
	mustFail(t, err, "0002_broken.sql:3", "the database stays at the version before it", "TABEL")
	if version, err := migrations.Version(t.Context(), url); err != nil || version != 1 {
		t.Errorf("version %d, %v", version, err)
	}
	conn := connect(t, url)
	if got := scan[bool](t, conn, "SELECT to_regclass('first') IS NOT NULL AND to_regclass('second') IS NULL"); !got {
		t.Error("the broken file left something behind, or took something away")
	}

	repaired := &fstest.MapFile{Data: []byte("CREATE TABLE second ();")}
	if err := migrations.UpFrom(t.Context(), url, fstest.MapFS{"0001_good.sql": good, "0002_broken.sql": repaired}); err != nil {
		t.Fatal(err)
	}
	if version, err := migrations.Version(t.Context(), url); err != nil || version != 2 {
		t.Errorf("version %d, %v", version, err)
	}
}

func TestNumbersHaveNoGaps(t *testing.T) {
	t.Parallel()
	some := &fstest.MapFile{Data: []byte("SELECT 1")}
	err := migrations.UpFrom(t.Context(), pgtest.EmptyURL(t), fstest.MapFS{"0001_a.sql": some, "0003_c.sql": some})
	mustFail(t, err, "Missing migration 2")
}

func TestDatabaseOfANewerProgram(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	exec(t, connect(t, url), "UPDATE shop_migrations.version SET version = version + 1")
	mustFail(t, migrations.Up(t.Context(), url), "run the newer program")
}

// A serving role cannot migrate, and is told why all the same.
func TestServingRoleMigratesNothing(t *testing.T) {
	t.Parallel()
	server := pgtest.Server(t, nil)
	conn := connect(t, server.URL())
	exec(t, conn, "CREATE ROLE waiter LOGIN PASSWORD 'secret'")
	serving := server.URL() + "&user=waiter&password=secret"
	if err := migrations.Up(t.Context(), server.URL()); err != nil {
		t.Fatal(err)
	}
	if _, err := migrations.Grant(t.Context(), server.URL(), "waiter"); err != nil {
		t.Fatal(err)
	}
	if err := migrations.Up(t.Context(), serving); err != nil {
		t.Errorf("a database that is migrated: %v", err)
	}
	exec(t, conn, "UPDATE shop_migrations.version SET version = version - 1")
	mustFail(t, migrations.Up(t.Context(), serving), "role waiter may not migrate")
	exec(t, conn, "UPDATE shop_migrations.version SET version = version + 2")
	mustFail(t, migrations.Up(t.Context(), serving), "run the newer program")
}

// An operator's server: not the one the tests share, and a user with no rights but on one database.
func TestOrdinaryUserOfAnotherServer(t *testing.T) {
	t.Parallel()
	server := pgtest.Server(t, nil)
	exec(t, connect(t, server.URL()), "CREATE ROLE merchant LOGIN PASSWORD 'secret'")
	exec(t, connect(t, server.URL()), "CREATE DATABASE merchant OWNER merchant TEMPLATE template0")
	config, err := pgx.ParseConfig(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	url := "postgres://merchant:secret@/merchant?host=" + config.Host
	if err := migrations.Up(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	if got := scan[int](t, connect(t, url), "SELECT count(*) FROM eventstore.events"); got != 0 {
		t.Errorf("%d events in a new database", got)
	}
	if last := scan[int64](t, connect(t, url), "SELECT last FROM eventstore.heads()"); last != 0 {
		t.Errorf("the log of a new database ends at %d", last)
	}
}

func TestDatabaseThatCannotHoldEveryLetter(t *testing.T) {
	t.Parallel()
	server := pgtest.Server(t, nil)
	exec(t, connect(t, server.URL()), "CREATE DATABASE bytes TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C'")
	mustFail(t, migrations.Up(t.Context(), strings.Replace(server.URL(), "/shop?", "/bytes?", 1)), "bytes", "SQL_ASCII", "UTF8")
}

func TestServerVersions(t *testing.T) {
	t.Parallel()
	for reported, refusal := range map[string]string{
		"14.9 (Debian 14.9-1.pgdg120+1)": "the server is PostgreSQL 14.9",
		"9.6.24":                         "needs 15 or later",
		"unheard of":                     "does not say its version",
		"CockroachDB 13.0.0":             "the server is CockroachDB",
		"15.2-YB-2025.1.0.0-b168":        "the server is YugabyteDB",
	} {
		mustFail(t, migrations.Up(t.Context(), impostor(t, reported)), refusal)
	}
	for _, reported := range []string{"15.0", "18.4", "19devel", "17beta1"} {
		conn := connect(t, impostor(t, reported))
		if err := migrations.CheckServer(conn); err != nil {
			t.Errorf("%s: %v", reported, err)
		}
	}
}

func TestNoServer(t *testing.T) {
	t.Parallel()
	mustFail(t, migrations.Up(t.Context(), "postgres://shop@/shop?host="+t.TempDir()), "connect to PostgreSQL")
}

// impostor is the address of a server that greets as PostgreSQL of some version would, and does no more.
func impostor(t *testing.T, version string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		backend := pgproto3.NewBackend(conn, conn)
		if _, err := backend.ReceiveStartupMessage(); err != nil {
			return
		}
		backend.Send(&pgproto3.AuthenticationOk{})
		backend.Send(&pgproto3.ParameterStatus{Name: "server_version", Value: strings.TrimPrefix(version, "CockroachDB ")})
		if strings.HasPrefix(version, "CockroachDB ") {
			backend.Send(&pgproto3.ParameterStatus{Name: "crdb_version", Value: "CockroachDB CCL v24.3.1"})
		}
		backend.Send(&pgproto3.ParameterStatus{Name: "server_encoding", Value: "UTF8"})
		backend.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
		if err := backend.Flush(); err != nil {
			return
		}
		backend.Receive() // Terminate
	}()
	t.Cleanup(func() {
		listener.Close()
		<-done
	})
	return "postgres://shop@" + listener.Addr().String() + "/shop?sslmode=disable"
}
