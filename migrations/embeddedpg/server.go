package embeddedpg

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
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

	// orphanPatience is when those that have not are killed. One that waits for a lock whose holder was killed never would: it sleeps in the
	// kernel, and looks at nothing else.
	orphanPatience = 5 * time.Second

	// socketPrefix begins the name of a socket folder outside a cluster.
	socketPrefix = "pg-socket-"
)

// errFilesInUse is PostgreSQL's refusal to open files that the backends of a killed postmaster still use.
var errFilesInUse = errors.New("processes of a former server still use the database folder")

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

// launch starts a server on the cluster, made first if there is none.
func (s *Server) launch(ctx context.Context, opts Options) error {
	bin, err := prepareBinaries(ctx, opts, s.cluster.as)
	if err != nil {
		return err
	}
	began := time.Now()
	fresh := !s.cluster.exists
	if err := s.cluster.prepare(ctx, opts, bin); err != nil {
		return err
	}
	socketDir := s.socketDir
	if socketDir == "" {
		if socketDir, err = s.cluster.socketDir(ctx, bin); err != nil {
			return err
		}
	}
	for err = s.run(ctx, opts, bin, socketDir); errors.Is(err, errFilesInUse) && time.Since(began) < maxLinger; {
		if time.Since(began) > orphanPatience {
			s.killOrphans()
		}
		select {
		case <-ctx.Done():
		case <-time.After(20 * poll):
		}
		err = s.run(ctx, opts, bin, socketDir)
	}
	if err != nil {
		if s.url == "" { // else the next restart listens there
			removeSocketDir(socketDir)
		}
		return err
	}
	if s.url == "" {
		s.socketDir, s.url = socketDir, connString(socketDir, opts.Name)
	}
	s.log.Info("PostgreSQL started", "pid", s.PID(), "version", bin.version, "data", s.cluster.dir,
		"created", fresh, "took", time.Since(began).Round(time.Millisecond))
	return nil
}

// killOrphans ends backends whose postmaster is gone. What they have not committed is lost, as with it.
func (s *Server) killOrphans() {
	for _, pid := range backends(s.cluster.dir) {
		s.log.Warn("a process of the former PostgreSQL does not end and is killed", "pid", pid)
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended by itself
	}
}

// run starts the postmaster and waits until it accepts connections.
func (s *Server) run(ctx context.Context, opts Options, bin binaries, socketDir string) error {
	logFile, from, err := openLog(filepath.Join(opts.DataDir, "postgres.log"))
	if err != nil {
		return err
	}
	defer logFile.Close()

	cmd := s.cluster.as.command(context.WithoutCancel(ctx), s.cluster.dir, bin.path("postgres"), "-D", s.cluster.dir, "-k", socketDir, "-p", port)
	cmd.Stdout, cmd.Stderr = logFile, logFile
	started := make(chan error, 1)
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		if opts.DieWithProcess {
			// The system ties the server to the thread that started it, so that thread must stay.
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			dieWithThread(cmd)
		}
		err := cmd.Start()
		started <- err
		if err == nil {
			cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("start %s as %s: %w", bin.path("postgres"), s.cluster.as, err)
	}
	pid := cmd.Process.Pid
	wait := time.NewTicker(poll)
	defer wait.Stop()
	for {
		select {
		case <-exited:
			said := tail(logFile.Name(), from)
			if strings.Contains(said, "pre-existing shared memory block") {
				return fmt.Errorf("PostgreSQL did not start: %w: %s", errFilesInUse, said)
			}
			return fmt.Errorf("PostgreSQL did not start: %s", said)
		case <-ctx.Done():
			terminate(ctx, s.cluster.dir, pid)
			<-exited
			return fmt.Errorf("PostgreSQL did not become ready: %w; its log ends: %s", ctx.Err(), tail(logFile.Name(), from))
		case <-wait.C:
		}
		pm, err := s.cluster.postmaster()
		if err != nil || pm.pid != pid || pm.status != "ready" {
			continue
		}
		s.pid.Store(int64(pid))
		s.ended, s.child = exited, true
		return nil
	}
}

// socketDir is the cluster, or a fresh folder of the same account where the cluster's path is too long.
func (c *cluster) socketDir(ctx context.Context, bin binaries) (string, error) {
	if socketFits(c.dir) {
		return c.dir, nil
	}
	var tried error
	for _, parent := range []string{os.TempDir(), "/tmp"} {
		dir, err := os.MkdirTemp(parent, socketPrefix)
		if err == nil && !socketFits(dir) {
			err = fmt.Errorf("the path %s is too long for a socket", dir)
		}
		if err == nil {
			err = c.give(dir)
		}
		if err == nil {
			err = c.reachable(ctx, dir, bin)
		}
		if err == nil {
			return dir, nil
		}
		removeSocketDir(dir)
		tried = errors.Join(tried, err)
	}
	return "", fmt.Errorf("the path %s is too long for a socket and there is no other place for it: %w", c.dir, tried)
}

// removeSocketDir removes a folder that socketDir made, and none else: the name of the folder may come from
// a file that the server's account could have changed.
func removeSocketDir(dir string) {
	if !strings.HasPrefix(filepath.Base(dir), socketPrefix) {
		return
	}
	socket := filepath.Join(dir, ".s.PGSQL."+port)
	for _, path := range []string{socket, socket + ".lock", dir} {
		os.Remove(path)
	}
}

// makePassable makes a folder, if there is none, that other accounts can pass through and not look into,
// whatever the umask.
func makePassable(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o711); err != nil {
		return err
	}
	return os.Chmod(dir, 0o711)
}

// socketFits says whether a socket in the folder has a path short enough for the system, which keeps one
// byte of it for the final zero.
func socketFits(dir string) bool {
	return len(filepath.Join(dir, ".s.PGSQL."+port)) < len(syscall.RawSockaddrUnix{}.Path)
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
