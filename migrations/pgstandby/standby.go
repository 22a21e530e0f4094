package pgstandby

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/migrations"
	"shop/migrations/embeddedpg"
)

// Settings are those that a primary needs to have standbys.
var Settings = map[string]string{
	"wal_level": "replica", "max_wal_senders": "6", "wal_keep_size": "256MB", "max_connections": "200", "shared_buffers": "64MB",
	"shared_preload_libraries": "", "max_wal_size": "1GB", "wal_retrieve_retry_interval": "100ms", "wal_writer_delay": "10ms",
	"wal_receiver_timeout": "2s", "hot_standby_feedback": "on",
}

// Standby is a server that streams from another.
type Standby struct {
	// URL is its address.
	URL      string
	dir      string
	settings map[string]string
	restarts int

	cancel context.CancelFunc
	// ended is closed when the server is up, as server, or could not be started.
	ended  chan struct{}
	server *embeddedpg.Server
}

// startsWithin is how long a server may take to start.
const startsWithin = time.Minute

// Start copies a running primary into a new folder and starts the copy as its standby. name is what the primary calls it, for
// synchronous_standby_names.
func Start(ctx context.Context, primary *embeddedpg.Server, settings map[string]string, name string) (*Standby, error) {
	return StartKeptUp(ctx, primary, settings, name, 0)
}

// StartKeptUp is Start of a standby that comes back by itself when it is killed, up to restarts times a minute; 0: it stays down.
func StartKeptUp(ctx context.Context, primary *embeddedpg.Server, settings map[string]string, name string, restarts int) (*Standby, error) {
	dir, err := os.MkdirTemp("", "shop-standby-")
	if err != nil {
		return nil, err
	}
	// The server may run as another user, who must get in.
	if err := os.Chmod(dir, 0o755); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	s := &Standby{dir: dir, settings: maps.Clone(settings), restarts: restarts}
	if err := s.copyFrom(ctx, primary, name); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	s.Again()
	if err := s.until(ctx, "the standby streams", primary.URL(), "SELECT count(*) = 1 FROM pg_stat_replication WHERE state = 'streaming' AND application_name = $1", name); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := s.until(ctx, "the standby answers", s.URL, "SELECT pg_is_in_recovery()"); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Standby) copyFrom(ctx context.Context, primary *embeddedpg.Server, name string) error {
	conn, err := pgx.Connect(ctx, primary.URL())
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "SELECT pg_backup_start($1, true)", name); err != nil {
		return err
	}
	if err := copyServer(filepath.Join(primary.DataDir(), "postgres"), s.data()); err != nil {
		return err
	}
	var label string
	if err := conn.QueryRow(ctx, "SELECT labelfile FROM pg_backup_stop(false)").Scan(&label); err != nil {
		return err
	}
	at, err := url.Parse(primary.URL())
	if err != nil {
		return err
	}
	query := at.Query()
	for file, text := range map[string]string{
		"backup_label": label, "standby.signal": "",
		"local.conf": fmt.Sprintf("primary_conninfo = 'host=%s port=%s user=%s application_name=%s'\n", query.Get("host"), query.Get("port"), query.Get("user"), name),
	} {
		if err := giveFile(filepath.Join(s.data(), file), text, s.data()); err != nil {
			return err
		}
	}
	query.Set("host", s.data())
	at.RawQuery = query.Encode()
	s.URL = at.String()
	return nil
}

// data is the folder of the cluster.
func (s *Standby) data() string { return filepath.Join(s.dir, "postgres") }

// Again starts the standby, after Kill once more.
func (s *Standby) Again() {
	starting, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	s.cancel, s.ended = cancel, ended
	go func() {
		defer close(ended)
		server, err := embeddedpg.Start(starting, migrations.Embedded(embeddedpg.Options{
			DataDir: s.dir, StateDir: s.dir + "/state", Settings: s.settings, DieWithProcess: true, KeepUp: s.restarts > 0, MaxRestarts: s.restarts,
		}))
		if err == nil {
			s.server = server
		}
	}()
}

// Server is the standby's server once it is up; nil when it could not be started.
func (s *Standby) Server() *embeddedpg.Server {
	<-s.ended
	return s.server
}

// Promote makes it a primary, and waits until it is one or ctx ends. The statement that asks does not wait itself: meanwhile the recovery
// could cancel it.
func (s *Standby) Promote(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.URL)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "SELECT pg_promote(wait => false)"); err != nil {
		return err
	}
	for {
		var recovers bool
		if err := conn.QueryRow(ctx, "SELECT pg_is_in_recovery()").Scan(&recovers); err != nil || !recovers {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Freeze stops all its processes where they are; Thaw lets them go on.
func (s *Standby) Freeze() error { return s.signal(syscall.SIGSTOP) }

// Thaw is the end of Freeze.
func (s *Standby) Thaw() error { return s.signal(syscall.SIGCONT) }

// Kill ends it as a crash does.
func (s *Standby) Kill() error {
	if err := s.signal(syscall.SIGKILL); err != nil {
		return err
	}
	return s.end()
}

// end gives up a server, which may be up or not.
func (s *Standby) end() error {
	s.cancel()
	<-s.ended
	if s.server == nil {
		return nil
	}
	stopping, cancel := context.WithTimeout(context.Background(), startsWithin)
	defer cancel()
	err := s.server.Stop(stopping)
	s.server = nil
	return err
}

func (s *Standby) signal(signal syscall.Signal) error {
	postmaster, err := postmasterOf(s.data())
	if err != nil {
		return err
	}
	children := childrenOf(postmaster)
	if err := syscall.Kill(postmaster, signal); err != nil {
		return err
	}
	for _, child := range children {
		_ = syscall.Kill(child, signal) // some have ended already
	}
	return nil
}

// Close stops it and removes its folder.
func (s *Standby) Close() error {
	_ = s.Thaw() // frozen, it would not stop
	err := s.end()
	stopping, cancel := context.WithTimeout(context.Background(), startsWithin)
	defer cancel()
	return errors.Join(err, embeddedpg.StopAny(stopping, s.dir), os.RemoveAll(s.dir))
}

// until waits for a server to say true.
func (s *Standby) until(ctx context.Context, what, at, sql string, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, startsWithin)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, at)
		if err == nil {
			var yes bool
			err = conn.QueryRow(ctx, sql, args...).Scan(&yes)
			_ = conn.Close(context.WithoutCancel(ctx))
			if yes {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("never: %s: %w", what, errors.Join(ctx.Err(), err))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func postmasterOf(data string) (int, error) {
	text, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strconv.Atoi(first)
}

func childrenOf(pid int) (children []int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid)) // none without /proc
	for _, field := range strings.Fields(string(text)) {
		if child, err := strconv.Atoi(field); err == nil {
			children = append(children, child)
		}
	}
	return children
}

// copyServer copies the files of a running server; what vanishes on the way is not needed.
func copyServer(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case d.IsDir():
			if err := os.Mkdir(target, 0o700); err != nil {
				return err
			}
			return giveAs(target, from)
		case !d.Type().IsRegular(), rel == "postmaster.pid", rel == "postmaster.opts", filepath.Dir(rel) == "pg_wal", strings.HasPrefix(rel, ".s.PGSQL"):
			return nil
		}
		data, err := os.ReadFile(path) // #nosec G122 -- both folders belong to the database, where nobody else makes links
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return giveFile(target, string(data), from)
	})
}

func giveFile(path, text, as string) error {
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil { // #nosec G703 -- the path is one of the folder that was walked, or of a constant name
		return err
	}
	return giveAs(path, as)
}

// giveAs makes the owner of one file that of another.
func giveAs(path, as string) error {
	info, err := os.Stat(as)
	if err != nil {
		return err
	}
	owner := info.Sys().(*syscall.Stat_t)
	return os.Lchown(path, int(owner.Uid), int(owner.Gid))
}
