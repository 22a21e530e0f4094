package photos

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Blobs keeps files by name; a name's content never changes. Put of a name that is there may do nothing. Open of one that
// is not is fs.ErrNotExist, Delete of one that is not is fine.
type Blobs interface {
	Put(ctx context.Context, name string, content []byte) error
	Open(ctx context.Context, name string) (io.ReadSeekCloser, error)
	Delete(ctx context.Context, name string) error
}

// Folder is Blobs in a folder, which is made when first needed. Names begin with two letters or digits, by which they
// are spread over folders.
type Folder string

func (f Folder) path(name string) string { return filepath.Join(string(f), name[:2], name) }

// Put writes a file that is there whole or not at all, also after a crash.
func (f Folder) Put(_ context.Context, name string, content []byte) (err error) {
	path := f.path(name)
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("put blob: %w", err)
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return fmt.Errorf("put blob: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("put blob: %w", errors.Join(err, file.Close(), os.Remove(file.Name())))
		}
	}()
	if _, err = file.Write(content); err != nil {
		return err
	}
	if err = file.Sync(); err != nil {
		return err
	}
	if err = os.Rename(file.Name(), path); err != nil {
		return err
	}
	return file.Close()
}

// Open reads a file.
func (f Folder) Open(_ context.Context, name string) (io.ReadSeekCloser, error) {
	file, err := os.Open(f.path(name))
	if err != nil {
		return nil, fmt.Errorf("open blob: %w", err)
	}
	return file, nil
}

// Delete removes a file.
func (f Folder) Delete(_ context.Context, name string) error {
	if err := os.Remove(f.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete blob: %w", err)
	}
	return nil
}
