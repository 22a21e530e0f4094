package embeddedpg

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	port = "5432"

	// poll is the pause between two looks at a file or process that cannot be waited for.
	poll = 5 * time.Millisecond

	// maxLinger is how long the backends of a postmaster that was killed may take to notice and end.
	maxLinger = 10 * time.Second
)

// Server is a running PostgreSQL that this process uses.
type Server struct {
	dataDir   string
	cluster   cluster
	users     *lock
	mutexPath string
	log       *slog.Logger
	// pid is 0 while no server runs.
	pid       atomic.Int64
	socketDir string
	url       string
	reused    bool
	// ended is closed when the server that runs now no longer does, gone when there will be no other.
	ended, gone chan struct{}
	// child: the server that runs now is a child of this process.
	child bool

	stop    sync.Once
	stopErr error
	// stopping is closed when Stop was called.
	stopping chan struct{}
	// left is closed when this process no longer uses the server.
	left chan struct{}
}

// Start returns a server on opts.DataDir that accepts connections and has the database Options.Name: it finds the one
// already running there or starts one, after making the cluster if there is none. It waits for crash
// recovery as long as ctx allows. On failure nothing this call started keeps running.
func Start(ctx context.Context, opts Options) (_ *Server, err error) {
	if opts.DataDir == "" {
		return nil, errors.New("embedded PostgreSQL: DataDir is empty")
	}
	if opts, err = opts.complete(); err != nil {
		return nil, err
	}
	if opts.DataDir, err = filepath.Abs(opts.DataDir); err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	if err := makePassable(opts.DataDir); err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	mutexPath := filepath.Join(opts.DataDir, "postgres.lock")
	mutex, err := acquire(ctx, mutexPath)
	if err != nil {
		return nil, fmt.Errorf("data folder %s is not usable: %w", opts.DataDir, err)
	}
	defer mutex.release()

	users, err := openLock(filepath.Join(opts.DataDir, "postgres.users"))
	if err != nil {
		return nil, fmt.Errorf("data folder %s is not usable: %w", opts.DataDir, err)
	}
	s := &Server{
		dataDir: opts.DataDir, users: users, mutexPath: mutexPath, log: opts.Logger,
		gone: make(chan struct{}), left: make(chan struct{}), stopping: make(chan struct{}),
	}
	defer func() {
		if err != nil {
			users.release()
			close(s.left)
		}
	}()
	alone, err := users.exclusive()
	if err != nil {
		return nil, err
	}
	if s.cluster, err = openCluster(opts); err != nil {
		return nil, err
	}
	if err := s.reuse(ctx, opts, alone); err != nil {
		return nil, err
	}
	if s.pid.Load() == 0 {
		if err := s.launch(ctx, opts); err != nil {
			return nil, err
		}
	}
	if err := ensureDatabase(ctx, s.url); err != nil {
		if !s.reused {
			hurry, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxLinger)
			defer cancel()
			s.end(hurry)
		}
		return nil, err
	}
	if err := users.share(); err != nil {
		return nil, err
	}
	go s.oversee(opts)
	return s, nil
}

// URL connects to the database Options.Name as the owner of everything.
func (s *Server) URL() string { return s.url }

// DataDir is the folder the server was started on, as an absolute path.
func (s *Server) DataDir() string { return s.dataDir }

// PID is the process number of the server's postmaster; 0 while it is being started anew.
func (s *Server) PID() int { return int(s.pid.Load()) }

// Reused says that the server was already running when Start found it.
func (s *Server) Reused() bool { return s.reused }

// Done is closed when the server is no longer running, whatever ended it. With Options.KeepUp a server that was not shut
// down but died is started anew first, and Done is closed only when that fails or happens too often.
func (s *Server) Done() <-chan struct{} { return s.gone }

// Stop gives up the use of the server, and shuts it down when no other process uses it: sessions are ended,
// nothing committed is lost. When ctx ends first, the server is stopped at once and recovers at its next
// start. Further calls return what the first returned.
func (s *Server) Stop(ctx context.Context) error {
	s.stop.Do(func() {
		close(s.stopping)
		s.stopErr = s.leave(ctx)
	})
	return s.stopErr
}

func (s *Server) leave(ctx context.Context) error {
	defer close(s.left)
	defer s.users.release()
	mutex, err := acquire(ctx, s.mutexPath)
	if err != nil {
		return fmt.Errorf("stop PostgreSQL: %w", err)
	}
	defer mutex.release()
	last, err := s.users.exclusive()
	if err != nil {
		return fmt.Errorf("stop PostgreSQL: %w", err)
	}
	if !last {
		s.log.Info("PostgreSQL stays on for another process", "pid", s.PID())
		return nil
	}
	return s.end(ctx)
}

// end shuts down the server that runs on the cluster now, which another process may have started after ours
// had crashed, and waits until it is gone.
func (s *Server) end(ctx context.Context) error {
	pm, err := s.cluster.postmaster()
	if err != nil || pm.pid == 0 {
		return err
	}
	if err := terminate(ctx, s.cluster.dir, pm.pid); err != nil {
		return err
	}
	removeSocketDir(pm.socketDir)
	s.log.Info("PostgreSQL stopped", "pid", pm.pid)
	return nil
}

// terminate asks the postmaster for a fast shutdown, and for an immediate one when ctx ends.
func terminate(ctx context.Context, dir string, pid int) error {
	if err := shutdown(ctx, dir, pid, syscall.SIGINT); err == nil {
		return nil
	} else if ctx.Err() == nil {
		return fmt.Errorf("stop PostgreSQL (process %d): %w", pid, err)
	}
	hurry, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxLinger)
	defer cancel()
	if err := shutdown(hurry, dir, pid, syscall.SIGQUIT); err != nil {
		return fmt.Errorf("stop PostgreSQL (process %d): %w", pid, err)
	}
	return fmt.Errorf("PostgreSQL (process %d) was stopped at once and recovers at its next start: %w", pid, ctx.Err())
}

// shutdown sends the signal and waits until the postmaster is gone.
func shutdown(ctx context.Context, dir string, pid int, signal syscall.Signal) error {
	for sent := false; isPostmaster(pid, dir); {
		if !sent {
			if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
				return err
			}
			sent = true
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(poll):
		}
	}
	return nil
}

// reuse adopts a server that already runs on the cluster, and leaves the pid 0 when there is none. When nobody
// else uses it and its settings are not the ones wanted, it is stopped to be started anew.
func (s *Server) reuse(ctx context.Context, opts Options, alone bool) error {
	if !s.cluster.exists {
		return nil
	}
	for {
		pm, err := s.cluster.postmaster()
		if err != nil {
			return err
		}
		if pm.pid == 0 || !isPostmaster(pm.pid, s.cluster.dir) {
			return nil
		}
		if pm.status == "ready" {
			if alone && s.cluster.conf(opts.confFile()) != opts.conf() {
				s.log.Info("PostgreSQL is restarted for new settings", "pid", pm.pid)
				return s.end(ctx)
			}
			if s.url == "" {
				s.socketDir, s.url, s.reused = pm.socketDir, connString(pm.socketDir, opts.Name), true
			} else if pm.socketDir != s.socketDir {
				return fmt.Errorf("another process started PostgreSQL at another place, %s", pm.socketDir)
			}
			s.pid.Store(int64(pm.pid))
			s.log.Info("PostgreSQL is already running", "pid", pm.pid, "data", s.cluster.dir, "others", !alone)
			s.ended, s.child = make(chan struct{}), false
			go s.watch(pm.pid, s.ended)
			return nil
		}
		// Starting, recovering or stopping: it will be ready or gone.
		select {
		case <-ctx.Done():
			return fmt.Errorf("PostgreSQL (process %d) is %s: %w", pm.pid, pm.status, ctx.Err())
		case <-time.After(poll):
		}
	}
}

// watch closes ended for a server that is not a child of this process and so cannot be waited for.
func (s *Server) watch(pid int, ended chan<- struct{}) {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-s.left:
			return
		case <-tick.C:
			if !isPostmaster(pid, s.cluster.dir) {
				close(ended)
				return
			}
		}
	}
}

// ensureDatabase makes the database in a new cluster, and waits while the server recovers from the
// crash of one of its processes.
func ensureDatabase(ctx context.Context, databaseURL string) error {
	config, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return err
	}
	conn, err := dial(ctx, config)
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == "3D000" { // invalid_catalog_name: no such database
		conn, err = createDatabase(ctx, config)
	}
	if err != nil {
		return fmt.Errorf("connect to the embedded PostgreSQL: %w", err)
	}
	return conn.Close(ctx)
}

func createDatabase(ctx context.Context, config *pgx.ConnConfig) (*pgx.Conn, error) {
	maintenance := config.Copy()
	maintenance.Database = "postgres"
	conn, err := dial(ctx, maintenance)
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+config.Database); err != nil {
		return nil, fmt.Errorf("create database %s: %w", config.Database, err)
	}
	return dial(ctx, config)
}

// dial connects, again while the server says that it is not yet ready.
func dial(ctx context.Context, config *pgx.ConnConfig) (*pgx.Conn, error) {
	for {
		conn, err := pgx.ConnectConfig(ctx, config)
		var refused *pgconn.PgError
		if !errors.As(err, &refused) || refused.Code != "57P03" { // cannot_connect_now
			return conn, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(poll):
		}
	}
}

// connString is the address of the database name for its owner of the same name.
func connString(socketDir, name string) string {
	q := url.Values{"host": {socketDir}, "port": {port}, "user": {name}, "sslmode": {"disable"}}
	// In such an address, unlike in a form, a plus is a plus.
	return "postgres:///" + name + "?" + strings.ReplaceAll(q.Encode(), "+", "%20")
}

// StopAny shuts down whatever server runs on a data folder, without regard to who uses it, and does nothing
// when there is none. It is for folders whose owner is known to be dead.
func StopAny(ctx context.Context, dataDir string) error {
	c, err := openCluster(Options{DataDir: dataDir})
	if err != nil || !c.exists {
		return err
	}
	s := &Server{cluster: c, log: slog.New(slog.DiscardHandler)}
	return s.end(ctx)
}
