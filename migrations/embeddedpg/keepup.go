package embeddedpg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// restartWindow: Options.MaxRestarts within it are taken for bad luck, more for something that restarting does not mend.
const restartWindow = time.Minute

// retryPause is between two restarts of which the first failed: a busy machine may need longer than [maxLinger] to let go of the files.
const retryPause = time.Second

// oversee closes gone when the server has ended for good.
func (s *Server) oversee(opts Options) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-s.stopping:
			cancel()
		case <-ctx.Done():
		}
	}()
	var restarts []time.Time
	for {
		select {
		case <-s.left:
			if !s.child && isPostmaster(s.PID(), s.cluster.dir) {
				return // it stays on for others, and nobody can wait for it
			}
			if s.child {
				<-s.ended
			}
			close(s.gone)
			return
		case <-s.ended:
		}
		if !opts.KeepUp || ctx.Err() != nil || s.shutDown() || !s.revive(ctx, opts, &restarts) {
			close(s.gone)
			return
		}
	}
}

// revive starts a server that died anew; restarts are the moments of the last tries. False: it died too often, or this process stops.
func (s *Server) revive(ctx context.Context, opts Options, restarts *[]time.Time) bool {
	s.log.Warn("PostgreSQL died and is started anew", "pid", s.PID())
	for {
		now := time.Now()
		*restarts = slices.DeleteFunc(*restarts, func(at time.Time) bool { return now.Sub(at) > restartWindow })
		if len(*restarts) == opts.MaxRestarts {
			s.log.Error("PostgreSQL died again; it is not started any more", "restarts", opts.MaxRestarts, "within", restartWindow)
			return false
		}
		*restarts = append(*restarts, now)
		err := s.restart(ctx, opts)
		if err == nil {
			return true
		}
		if ctx.Err() == nil {
			s.log.Error("PostgreSQL could not be started anew", "error", err)
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(retryPause):
		}
	}
}

// shutDown says that the server which ended did so in order: one that dies leaves its postmaster.pid behind.
func (s *Server) shutDown() bool {
	_, err := os.Stat(filepath.Join(s.cluster.dir, pidFile))
	return errors.Is(err, fs.ErrNotExist)
}

// restart brings the server back, or finds that another process that uses it has done so.
func (s *Server) restart(ctx context.Context, opts Options) error {
	mutex, err := acquire(ctx, s.mutexPath)
	if err != nil {
		return err
	}
	defer mutex.release()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("this process stops: %w", err)
	}
	s.pid.Store(0)
	if err := s.reuse(ctx, opts, false); err != nil || s.PID() != 0 {
		return err
	}
	return s.launch(ctx, opts)
}
