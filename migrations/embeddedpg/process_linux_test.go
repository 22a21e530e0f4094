package embeddedpg

import (
	"context"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestServerDiesWithItsProcess(t *testing.T) {
	t.Parallel()
	dir := stockedDir(t)
	pid := killedShop(t, dir, true)
	s := &Server{cluster: cluster{dir: dir + "/postgres"}}
	s.pid.Store(int64(pid))
	gone(t, s)
}

// A backend that does not notice that its postmaster was killed, as one that sleeps on a lock of a killed process, holds nobody up for good.
func TestABackendThatOutlivesItsServerIsKilled(t *testing.T) {
	t.Parallel()
	s := start(t, Options{DataDir: stockedDir(t), KeepUp: true})
	conn, err := pgx.Connect(t.Context(), s.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	backend, pid := int(conn.PgConn().PID()), s.PID()
	signal(t, backend, syscall.SIGSTOP)
	signal(t, pid, syscall.SIGKILL)
	back(t, s, pid)
	if len(commandLine(backend)) > 0 {
		t.Errorf("process %d still is there", backend)
	}
	query[int](t, s, "SELECT 1")
}
