package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"shop/migrations/embeddedpg"
)

// runPrefix begins the name of the folder of one server.
const runPrefix = "run-"

// memory is Linux's file system in memory: a copy of a database takes 10 ms there and 300 ms on a slow disk.
const memory = "/dev/shm"

// roomy says whether a folder exists and has place for the servers of a whole test run.
func roomy(dir string) bool {
	const enough = 2 << 30 // bytes
	var room syscall.Statfs_t
	return syscall.Statfs(dir, &room) == nil && uint64(room.Bavail)*uint64(room.Bsize) > enough
}

// baseDir is the folder of all test servers of this user. Its name can be guessed, so it must be ours.
func baseDir(onDisk bool) (string, error) {
	parent := os.TempDir()
	if !onDisk && roomy(memory) {
		parent = memory
	}
	dir := filepath.Join(parent, "shop-pgtest-"+strconv.Itoa(os.Geteuid()))
	if err := os.Mkdir(dir, 0o711); err == nil {
		// Whatever the umask: the account of a server that root starts must pass.
		if err := os.Chmod(dir, 0o711); err != nil {
			return "", err
		}
	} else if !errors.Is(err, fs.ErrExist) {
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
