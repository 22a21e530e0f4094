package keyring

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// stamp tells whether a file changed.
type stamp struct {
	changed time.Time
	size    int64
	inode   uint64
}

func stampOf(path string) (stamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}, err
	}
	return stampOfInfo(info), nil
}

func stampOfInfo(info fs.FileInfo) stamp {
	s := stamp{changed: info.ModTime(), size: info.Size()}
	if of, ok := info.Sys().(*syscall.Stat_t); ok {
		s.inode = of.Ino
	}
	return s
}

// mostBytes is more than any key file has.
const mostBytes = 64 << 10

// read reads a key file and checks who else may.
func read(path string) (_ []key, _ stamp, err error) {
	text, info, err := readText(path)
	if err != nil {
		return nil, stamp{}, err
	}
	keys, err := parse(text)
	if err != nil {
		return nil, stamp{}, fmt.Errorf("key file %s: %w", path, err)
	}
	return keys, stampOfInfo(info), nil
}

func readText(path string) ([]byte, fs.FileInfo, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("key file: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, fmt.Errorf("key file: %w", err)
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, nil, fmt.Errorf("key file %s is no file", path)
	case info.Mode().Perm()&0o037 != 0:
		return nil, nil, fmt.Errorf("key file %s has mode %04o, so others may read or change it: chmod 0600", path, info.Mode().Perm())
	case info.Size() > mostBytes:
		return nil, nil, fmt.Errorf("key file %s has %d bytes, which no key file has", path, info.Size())
	}
	text, err := io.ReadAll(io.LimitReader(f, mostBytes))
	if err != nil {
		return nil, nil, fmt.Errorf("key file: %w", err)
	}
	return text, info, nil
}

const heading = "# Keys of the shop: the first wraps, all of them unwrap. Keep a copy apart from the database and its backups.\n"

// Add makes a key in a file, which is made if there is none, readable by its owner only: in the first place, or, with last, in the
// last, where it only unwraps until it is moved up. made says whether the file is new.
func Add(path string, last bool) (id ID, made bool, err error) {
	line, id := Make()
	text, info, err := readText(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = write(path, []byte(heading+line), nil)
		return id, true, err
	case err != nil:
		return ID{}, false, err
	}
	if _, err := parse(text); err != nil {
		return ID{}, false, fmt.Errorf("key file %s: %w", path, err)
	}
	if last {
		text = append(append(bytes.TrimRight(text, "\n"), '\n'), line...)
	} else {
		text = append([]byte(line), text...)
	}
	return id, false, write(path, text, info)
}

// write puts a file in place with all of its text or not at all. A new one refuses to replace another; one that is replaced, of,
// gives its mode and owner.
func write(path string, text []byte, of fs.FileInfo) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return fmt.Errorf("key file: %w", err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if of != nil {
		err = f.Chmod(of.Mode().Perm())
		if owner, ok := of.Sys().(*syscall.Stat_t); ok && err == nil && int(owner.Uid) != os.Geteuid() {
			err = f.Chown(int(owner.Uid), int(owner.Gid))
		}
	}
	if err == nil {
		_, err = f.Write(text)
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		if of == nil {
			err = os.Link(f.Name(), path)
		} else {
			err = os.Rename(f.Name(), path)
		}
	}
	if err != nil {
		return fmt.Errorf("key file: %w", err)
	}
	// The name must outlive a crash, too: without the file nothing opens any more.
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("key file: %w", err)
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil {
		return fmt.Errorf("key file: %w", err)
	}
	return nil
}
