package embeddedpg

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// back waits until a server answers under its old URL with another process number.
func back(t *testing.T, s *Server, than int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(poll) {
		if pid := s.PID(); pid != 0 && pid != than {
			if conn, err := pgx.Connect(t.Context(), s.URL()); err == nil {
				conn.Close(t.Context())
				return
			}
		}
		select {
		case <-s.Done():
			t.Fatal("the server is gone for good")
		default:
		}
		if time.Now().After(deadline) {
			t.Fatal("the server did not come back within a minute")
		}
	}
}

// whereverTheSocketIs runs a test on a folder whose socket is in the cluster, and on one whose path is too long for that.
func whereverTheSocketIs(t *testing.T, test func(t *testing.T, dir string)) {
	t.Helper()
	for name, folder := range map[string]func(*testing.T) string{
		"socket in the cluster": stockedDir,
		"socket elsewhere":      func(t *testing.T) string { return filepath.Join(tempDir(t), strings.Repeat("d", 100)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, folder(t))
		})
	}
}

// signal sends a signal to a process, which must be there.
func signal(t *testing.T, pid int, what syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, what); err != nil {
		t.Fatal(err)
	}
}

func TestServerThatDiesIsKeptUp(t *testing.T) {
	t.Parallel()
	whereverTheSocketIs(t, func(t *testing.T, dir string) {
		// A server whose data are safe, two processes that use it, the second not its parent.
		safe := map[string]string{"fsync": "on", "shared_buffers": "16MB"}
		first := start(t, Options{DataDir: dir, KeepUp: true, Settings: safe})
		second := start(t, Options{DataDir: dir, KeepUp: true, Settings: safe})
		url := first.URL()
		query[int](t, first, "WITH made AS (SELECT 1) SELECT * FROM made")
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(t.Context(), "CREATE TABLE kept AS SELECT 42 AS answer"); err != nil {
			t.Fatal(err)
		}
		defer conn.Close(context.Background())

		for range 2 {
			pid := first.PID()
			signal(t, pid, syscall.SIGKILL)
			back(t, first, pid)
			back(t, second, pid)
			if first.PID() != second.PID() || first.URL() != url || second.URL() != url {
				t.Fatalf("first is %d at %s, second %d at %s", first.PID(), first.URL(), second.PID(), second.URL())
			}
			if got := query[int](t, second, "SELECT answer FROM kept"); got != 42 {
				t.Errorf("answer = %d", got)
			}
		}
		stop(t, first)
		query[int](t, second, "SELECT 1")
		stop(t, second)
		gone(t, second)
		within(t, "Done of the second", second.Done()) // of the first only if it was faster both times
	})
}

func TestServerThatIsShutDownStaysDown(t *testing.T) {
	t.Parallel()
	s := start(t, Options{DataDir: stockedDir(t), KeepUp: true})
	signal(t, s.PID(), syscall.SIGINT) // as pg_ctl stop does
	within(t, "Done", s.Done())
}

func TestServerThatKeepsDyingIsGivenUp(t *testing.T) {
	t.Parallel()
	s := start(t, Options{DataDir: stockedDir(t), KeepUp: true})
	for range 5 {
		pid := s.PID()
		signal(t, pid, syscall.SIGKILL)
		for deadline := time.Now().Add(time.Minute); s.PID() == 0 || s.PID() == pid; time.Sleep(poll) {
			if time.Now().After(deadline) {
				t.Fatal("the server did not come back")
			}
		}
	}
	signal(t, s.PID(), syscall.SIGKILL)
	within(t, "Done", s.Done())
	if conn, err := pgx.Connect(t.Context(), s.URL()); err == nil {
		conn.Close(t.Context())
		t.Error("a server answers")
	}
}

func TestRestartThatFailsIsTriedAgain(t *testing.T) {
	t.Parallel()
	whereverTheSocketIs(t, func(t *testing.T, dir string) {
		var failures atomic.Int32
		s := start(t, Options{DataDir: dir, KeepUp: true, MaxRestarts: 60, Logger: slog.New(failed{&failures})})
		pid := s.PID()
		if err := s.cluster.write("local.conf", "no_setting = 1\n"); err != nil {
			t.Fatal(err)
		}
		signal(t, pid, syscall.SIGKILL)
		for deadline := time.Now().Add(time.Minute); failures.Load() == 0; time.Sleep(poll) {
			if time.Now().After(deadline) {
				t.Fatal("no restart failed within a minute")
			}
		}
		if err := s.cluster.write("local.conf", ""); err != nil {
			t.Fatal(err)
		}
		back(t, s, pid)
	})
}

// failed counts errors.
type failed struct{ *atomic.Int32 }

func (f failed) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelError }
func (f failed) Handle(context.Context, slog.Record) error        { f.Add(1); return nil }
func (f failed) WithAttrs([]slog.Attr) slog.Handler               { return f }
func (f failed) WithGroup(string) slog.Handler                    { return f }

func TestStopDuringARestartLeavesNothingRunning(t *testing.T) {
	t.Parallel()
	for range 5 {
		s := start(t, Options{DataDir: stockedDir(t), KeepUp: true})
		signal(t, s.PID(), syscall.SIGKILL)
		stop(t, s)
		within(t, "Done", s.Done())
		pm, err := s.cluster.postmaster()
		if err != nil && !errors.Is(err, syscall.ENOENT) || isPostmaster(pm.pid, s.cluster.dir) {
			t.Fatalf("process %d runs, %v", pm.pid, err)
		}
	}
}
