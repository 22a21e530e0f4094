package embeddedpg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// lock is a kernel lock on a file. The kernel frees it when the process ends, however it ends.
type lock struct{ file *os.File }

func openLock(path string) (*lock, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	return &lock{file}, nil
}

// acquire opens the lock and waits until this process alone holds it.
func acquire(ctx context.Context, path string) (*lock, error) {
	l, err := openLock(path)
	if err != nil {
		return nil, err
	}
	for {
		held, err := l.exclusive()
		if err != nil {
			l.release()
			return nil, err
		}
		if held {
			return l, nil
		}
		select {
		case <-ctx.Done():
			l.release()
			return nil, fmt.Errorf("another process is starting or stopping the server (%s): %w", path, ctx.Err())
		case <-time.After(poll):
		}
	}
}

// exclusive takes the lock for this process alone, if no other holds it. A share this process had is lost
// when the answer is false.
func (l *lock) exclusive() (bool, error) {
	err := l.flock(syscall.LOCK_EX | syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// share takes the lock together with any number of others. Nobody holds it exclusively for longer than
// the mutex that guards its use.
func (l *lock) share() error { return l.flock(syscall.LOCK_SH) }

func (l *lock) flock(how int) error {
	for {
		err := syscall.Flock(int(l.file.Fd()), how)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return fmt.Errorf("lock %s: %w", l.file.Name(), err)
		}
		return nil
	}
}

// release unlocks before it closes: a process that is just being started by another goroutine has the file
// open too for a moment, and closing alone would leave the lock with it.
func (l *lock) release() {
	l.flock(syscall.LOCK_UN)
	l.file.Close()
}
