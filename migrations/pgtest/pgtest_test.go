package pgtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"shop/migrations"
	"shop/migrations/embeddedpg"
)

// childEnv makes this test binary start the server of a test process and wait to be killed.
const childEnv = "PGTEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		s, err := shared()
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(s.url.Query().Get("host"))
		os.Stdout.Close()
		select {}
	}
	Main(m)
}

func scan[T any](t *testing.T, databaseURL, sql string) T {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var answer T
	if err := conn.QueryRow(t.Context(), sql).Scan(&answer); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return answer
}

func TestEveryTestHasItsOwnDatabase(t *testing.T) {
	t.Parallel()
	one, other := Open(t), Open(t)
	if _, err := one.Exec(t.Context(), "CREATE TABLE mine ()"); err != nil {
		t.Fatal(err)
	}
	for name, db := range map[string]interface {
		QueryRow(context.Context, string, ...any) pgx.Row
	}{"one": one, "other": other} {
		var mine, migrated bool
		err := db.QueryRow(t.Context(), "SELECT to_regclass('mine') IS NOT NULL, to_regclass('eventstore.events') IS NOT NULL").Scan(&mine, &migrated)
		if err != nil || mine != (name == "one") || !migrated {
			t.Errorf("%s: mine %v, migrated %v, %v", name, mine, migrated, err)
		}
	}
}

func TestDatabaseEndsWithItsTest(t *testing.T) {
	t.Parallel()
	var name string
	t.Run("test", func(t *testing.T) {
		databaseURL := URL(t)
		name = scan[string](t, databaseURL, "SELECT current_database()")
		left, err := pgx.Connect(t.Context(), databaseURL)
		if err != nil {
			t.Fatal(err)
		}
		// Dropping must not wait for it.
		t.Cleanup(func() { left.Close(context.Background()) })
	})
	if scan[bool](t, URL(t), "SELECT EXISTS (SELECT FROM pg_database WHERE datname = '"+name+"')") {
		t.Errorf("%s still exists", name)
	}
}

func TestEmptyDatabase(t *testing.T) {
	t.Parallel()
	if got := scan[bool](t, EmptyURL(t), "SELECT to_regnamespace('eventstore') IS NULL AND to_regnamespace('shop_migrations') IS NULL"); !got {
		t.Error("the database is not empty")
	}
}

func TestServerKeepsWhatItCommitted(t *testing.T) {
	t.Parallel()
	s := Server(t, map[string]string{"work_mem": "5MB"})
	for setting, want := range map[string]string{"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "work_mem": "5MB"} {
		if got := scan[string](t, s.URL(), "SHOW "+setting); got != want {
			t.Errorf("%s = %s, want %s", setting, got, want)
		}
	}
	conn, err := pgx.Connect(t.Context(), s.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), "CREATE TABLE kept AS SELECT 7 AS n"); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(s.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-s.Done()
	again, err := embeddedpg.Start(t.Context(), migrations.Embedded(embeddedpg.Options{DataDir: s.DataDir()}))
	if err != nil {
		t.Fatal(err)
	}
	defer again.Stop(context.Background())
	if got := scan[int](t, again.URL(), "SELECT n FROM kept"); got != 7 {
		t.Errorf("n = %d", got)
	}
}

func TestKilledTestProcessLeavesNothing(t *testing.T) {
	t.Parallel()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childEnv+"=1", "SHOP_TEST_DATABASE_URL=", "SHOP_TEST_FSYNC=")
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	said, err := bufio.NewReader(out).ReadString('\n')
	child.Process.Kill()
	child.Wait()
	cluster := strings.TrimSpace(said)
	if _, statErr := os.Stat(cluster); err != nil || statErr != nil {
		t.Fatalf("the child says %q, %v, %v", said, err, statErr)
	}

	base, err := baseDir(false)
	if err != nil {
		t.Fatal(err)
	}
	_, remove, err := runDir(base)
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	if _, err := os.Stat(filepath.Dir(cluster)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the next run left %s: %v", filepath.Dir(cluster), err)
	}
}

func TestExternalServer(t *testing.T) {
	t.Parallel()
	running := Server(t, nil)
	for range 2 {
		s, err := useExternal(t.Context(), running.URL())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.admin.Close(context.Background()) })
		if got := scan[bool](t, s.fresh(t, s.template), "SELECT to_regclass('eventstore.events') IS NOT NULL"); !got {
			t.Error("the database is not migrated")
		}
	}
	if got := scan[int](t, running.URL(), "SELECT count(*) FROM pg_database WHERE datistemplate AND datname LIKE 'pgtest%'"); got != 1 {
		t.Errorf("%d templates", got)
	}
	if _, err := useExternal(t.Context(), "host=localhost"); err == nil {
		t.Error("an address that cannot be given another database was taken")
	}
}

func TestFoldersOfOthersAreRefused(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	base, err := baseDir(true)
	if err != nil || !strings.HasPrefix(base, dir) {
		t.Fatalf("%s, %v", base, err)
	}
	if err := os.Chmod(base, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := baseDir(true); err == nil {
		t.Error("a folder that everybody may write to was taken")
	}
}
