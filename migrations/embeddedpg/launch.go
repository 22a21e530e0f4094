package embeddedpg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

const (
	// orphanPatience is how long a start waits for backends of a killed postmaster before it kills them. One that waits for a lock whose
	// holder was killed never ends by itself: it sleeps in the kernel, and looks at nothing else.
	orphanPatience = 5 * time.Second

	// socketPrefix begins the name of a socket folder outside a cluster.
	socketPrefix = "pg-socket-"
)

// errFilesInUse is PostgreSQL's refusal to open files that the backends of a killed postmaster still use.
var errFilesInUse = errors.New("processes of a former server still use the database folder")

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
