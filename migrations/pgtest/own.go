package pgtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"shop/migrations"
	"shop/migrations/embeddedpg"
)

// settings are for servers that live as long as a test run: nothing has to survive the machine.
var settings = map[string]string{
	"fsync":                    "off",
	"full_page_writes":         "off",
	"synchronous_commit":       "off",
	"shared_buffers":           "64MB",
	"max_connections":          "200",
	"shared_preload_libraries": "",
	"autovacuum_naptime":       "1d",
	"wal_level":                "replica",
	"max_wal_size":             "128MB", // of memory, for each process
	"min_wal_size":             "32MB",
}

// durable changes settings to those of production where it matters to a test of crashes.
var durable = map[string]string{"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on"}

const (
	templateDatabase = "shop"
	runPrefix        = "run-"
	cachePrefix      = "cluster-"
	// cacheAge is how long a cluster of other migrations (another branch's, perhaps) is kept unused.
	cacheAge = 24 * time.Hour
)

// memory is Linux's file system in memory: a copy of a database takes 10 ms there and 300 ms on a slow disk.
const memory = "/dev/shm"

// roomy says whether a folder exists and has place for the servers of a whole test run.
func roomy(dir string) bool {
	const enough = 2 << 30 // bytes
	var room syscall.Statfs_t
	return syscall.Statfs(dir, &room) == nil && uint64(room.Bavail)*uint64(room.Bsize) > enough
}

// startOwn starts the server of this process in a folder of its own.
func startOwn(ctx context.Context) (*server, error) {
	running, remove, err := startFrom(ctx, os.Getenv("SHOP_TEST_FSYNC") == "on", nil)
	if err != nil {
		return nil, err
	}
	address, err := url.Parse(running.URL())
	if err != nil {
		return nil, err
	}
	address.Path = "/postgres"
	// FILE_COPY needs no write-ahead log and is ten times as fast as the default when nothing is synced.
	return &server{url: address, template: templateDatabase, strategy: "STRATEGY FILE_COPY", stop: func() error {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		return errors.Join(running.Stop(ctx), remove())
	}}, nil
}

// Server starts a whole server for one test, which may kill it and start another on its DataDir, and stops
// what runs there when the test ends. Its database is migrated. Unlike the server behind Open it keeps what it
// has committed when its processes are killed. Settings go over those; nil for none.
func Server(t testing.TB, settings map[string]string) *embeddedpg.Server {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	more := maps.Clone(durable)
	maps.Copy(more, settings)
	s, remove, err := startFrom(ctx, false, more)
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := errors.Join(s.Stop(ctx), embeddedpg.StopAny(ctx, s.DataDir()), remove()); err != nil {
			t.Errorf("pgtest: stop the test's server: %v", err)
		}
	})
	return s
}

// startFrom starts a server on a copy of the kept cluster, made first if there is none for these
// migrations. The caller removes the copy.
func startFrom(ctx context.Context, writeThrough bool, more map[string]string) (_ *embeddedpg.Server, remove func() error, err error) {
	chosen := maps.Clone(settings)
	if writeThrough {
		maps.Copy(chosen, durable)
	}
	maps.Copy(chosen, more)
	base, err := baseDir(writeThrough)
	if err != nil {
		return nil, nil, err
	}
	kept, err := keptCluster(ctx, base)
	if err != nil {
		return nil, nil, err
	}
	dir, remove, err := runDir(base)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			remove()
		}
	}()
	if err := copyTree(filepath.Join(kept, "postgres"), filepath.Join(dir, "postgres")); err != nil {
		return nil, nil, fmt.Errorf("copy the kept cluster: %w", err)
	}
	started, err := embeddedpg.Start(ctx, embeddedpg.Options{DataDir: dir, Settings: chosen, DieWithProcess: true})
	if err != nil {
		return nil, nil, err
	}
	return started, remove, nil
}

// baseDir is the folder of all test servers of this user. Its name can be guessed, so it must be ours.
func baseDir(durable bool) (string, error) {
	parent := os.TempDir()
	if !durable && os.Getenv("TMPDIR") == "" && roomy(memory) {
		parent = memory
	}
	dir := filepath.Join(parent, "shop-pgtest-"+strconv.Itoa(os.Geteuid()))
	if err := os.Mkdir(dir, 0o711); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return "", err
	}
	if owner := info.Sys().(*syscall.Stat_t).Uid; !info.IsDir() || int(owner) != os.Geteuid() || info.Mode().Perm()&0o022 != 0 {
		return "", fmt.Errorf("%s belongs to uid %d with mode %v: it must be ours alone, remove it", dir, owner, info.Mode())
	}
	return dir, nil
}

// keptCluster is the folder of the stopped, migrated cluster that copies are made of.
func keptCluster(ctx context.Context, base string) (string, error) {
	name, err := fingerprint()
	if err != nil {
		return "", err
	}
	kept := filepath.Join(base, cachePrefix+name)
	unlock, err := lockFile(filepath.Join(base, "lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	now := time.Now()
	if os.Chtimes(kept, now, now) == nil {
		return kept, nil
	}
	sweepClusters(base, now)
	half, remove, err := runDirLocked(base)
	if err != nil {
		return "", err
	}
	defer remove()
	making, err := embeddedpg.Start(ctx, embeddedpg.Options{DataDir: half, Settings: settings, DieWithProcess: true})
	if err != nil {
		return "", err
	}
	if err := errors.Join(migrations.Up(ctx, making.URL()), making.Stop(ctx)); err != nil {
		return "", err
	}
	if err := os.Rename(half, kept); err != nil {
		return "", err
	}
	return kept, nil
}

// fingerprint changes with everything that a kept cluster depends on.
func fingerprint() (string, error) {
	bin, err := embeddedpg.FindBinaries()
	if err != nil {
		return "", err
	}
	info, err := os.Stat(filepath.Join(bin, "postgres"))
	if err != nil {
		return "", err
	}
	state, err := migrationsState()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %v %s", info.Size(), info.ModTime().UnixNano(), settings, state))
	return hex.EncodeToString(sum[:8]), nil
}

// migrationsState changes with every byte of the migrations.
func migrationsState() (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(migrations.Files(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(migrations.Files(), path)
		fmt.Fprintf(sum, "%s %d\n%s\n", path, len(text), text)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)[:8]), err
}

// sweepClusters removes kept clusters that nobody used for long.
func sweepClusters(base string, now time.Time) {
	found, _ := filepath.Glob(filepath.Join(base, cachePrefix+"*"))
	for _, dir := range found {
		if info, err := os.Stat(dir); err == nil && now.Sub(info.ModTime()) > cacheAge {
			os.RemoveAll(dir)
		}
	}
}

// runDir makes a folder for one server and removes those of runs that were killed. The folder carries a
// lock that the kernel holds for as long as this process lives.
func runDir(base string) (dir string, remove func() error, err error) {
	unlock, err := lockFile(filepath.Join(base, "lock"))
	if err != nil {
		return "", nil, err
	}
	defer unlock()
	return runDirLocked(base)
}

// runDirLocked is runDir for a caller who holds the lock of base.
func runDirLocked(base string) (dir string, remove func() error, err error) {
	old, _ := filepath.Glob(filepath.Join(base, runPrefix+"*"))
	for _, stale := range old {
		if free, err := tryLock(filepath.Join(stale, "alive")); err == nil && free != nil {
			removeRun(stale)
			free()
		}
	}
	if dir, err = os.MkdirTemp(base, runPrefix); err != nil {
		return "", nil, err
	}
	if err := os.Chmod(dir, 0o711); err != nil {
		return "", nil, err
	}
	release, err := tryLock(filepath.Join(dir, "alive"))
	if err != nil {
		return "", nil, err
	}
	return dir, func() error {
		defer release()
		return os.RemoveAll(dir)
	}, nil
}

// removeRun removes the folder of a run that was killed, and its server where the system did not end it.
func removeRun(dir string) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	embeddedpg.StopAny(ctx, dir)
	os.RemoveAll(dir)
}

func lockFile(path string) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_RDONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err == nil {
			return func() { file.Close() }, nil
		} else if !errors.Is(err, syscall.EINTR) {
			file.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
	}
}

// tryLock returns nil, nil when another process holds the lock.
func tryLock(path string) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_RDONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err != nil {
		file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = nil
		}
		return nil, err
	}
	return func() { file.Close() }, nil
}

// copyTree copies a stopped cluster with its owner and modes.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := to + strings.TrimPrefix(path, from)
		info, err := d.Info()
		if err != nil {
			return err
		}
		if d.IsDir() {
			err = os.Mkdir(target, info.Mode().Perm())
		} else {
			err = copyFile(path, target, info.Mode().Perm())
		}
		if err != nil {
			return err
		}
		owner := info.Sys().(*syscall.Stat_t)
		if int(owner.Uid) == os.Geteuid() {
			return nil
		}
		return os.Lchown(target, int(owner.Uid), int(owner.Gid))
	})
}

func copyFile(from, to string, mode fs.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}
