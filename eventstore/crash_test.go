package eventstore

import (
	"context"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/migrations"
	"shop/migrations/embeddedpg"
)

// TestCrashTakesBackNothingThatWasPassed: positions that were taken but are not on disk when the server crashes are given
// out once more. A reader that outlives the crash must not have passed them.
func TestCrashTakesBackNothingThatWasPassed(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	dir, err := os.MkdirTemp("", "shop-crash-") // not t.TempDir: the server may run as another user, who must get in
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	server, err := embeddedpg.Start(ctx, migrations.Embedded(embeddedpg.Options{
		DataDir: dir, StateDir: dir + "/state", KeepUp: true, DieWithProcess: true,
		// Nobody else brings the WAL to the disk in the meantime.
		Settings: map[string]string{"autovacuum": "off", "checkpoint_timeout": "1h", "wal_writer_delay": "10s", "wal_level": "minimal", "max_wal_senders": "0"},
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stopping, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := server.Stop(stopping); err != nil {
			t.Error(err)
		}
	})
	if err := migrations.Up(ctx, server.URL()); err != nil {
		t.Fatal(err)
	}
	pool, err := pgxpool.New(ctx, server.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	s := Open(pool, codec{}, Options{Logger: quiet})
	t.Cleanup(s.Close)
	appendTo(t, s, "x", happened{})

	// An appender of one group has taken more positions than nextval writes ahead at a time, and does not commit.
	conn, err := pgx.Connect(ctx, server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	group := GroupOf(SliceOf("x")) + Groups/Ranges
	if _, err := conn.Exec(ctx, "BEGIN"); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(ctx, "SELECT eventstore.mark($1)", []int{group % Groups}); err != nil {
		t.Fatal(err)
	}
	var taken Position
	if err := conn.QueryRow(ctx, "SELECT max(nextval('eventstore.position')) FROM generate_series(1, 70)").Scan(&taken); err != nil {
		t.Fatal(err)
	}
	passed, _, err := s.Heads(ctx) // a reader of all ranges
	if err != nil {
		t.Fatal(err)
	}
	crash(t, pool, server.PID())
	eventually(t, "came back", func() bool { return pool.Ping(ctx) == nil })

	var present Position
	if err := pool.QueryRow(ctx, "SELECT eventstore.present()").Scan(&present); err != nil {
		t.Fatal(err)
	}
	if present >= taken {
		t.Fatalf("the sequence stands at %d after the crash and had given out %d: the crash took nothing back", present, taken)
	}
	position := appendTo(t, s, "x", happened{})
	if at := passed[SliceOf("x")/(Slices/Ranges)]; position <= at {
		t.Errorf("the first event after the crash has position %d, and readers had passed %d: it is lost to them", position, at)
	}
}

// crash ends a PostgreSQL with all its processes, as a power cut would.
func crash(t *testing.T, pool *pgxpool.Pool, postmaster int) {
	t.Helper()
	rows, err := pool.Query(t.Context(), "SELECT pid FROM pg_stat_activity")
	if err != nil {
		t.Fatal(err)
	}
	children, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(postmaster, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for _, pid := range children {
		_ = syscall.Kill(pid, syscall.SIGKILL) // some have ended with the postmaster
	}
}
