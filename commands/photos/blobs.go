package photos

import (
	"bytes"
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

// Place is Blobs that know whose they are.
type Place interface {
	Blobs
	Has(ctx context.Context, name string) (bool, error)
	// Each calls do with every name, in any order, until it fails.
	Each(ctx context.Context, do func(name string) error) error
	// Mark is the shop whose photos these are; empty: it does not say.
	Mark(ctx context.Context) (string, error)
	SetMark(ctx context.Context, shop string) error
	// String is what people call it.
	String() string
}

// Folder is a Place in a folder, which is made when first needed. Names begin with two letters or digits, by which they
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

// Has is whether there is a file with the name.
func (f Folder) Has(_ context.Context, name string) (bool, error) {
	_, err := os.Stat(f.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Each calls do with every file that Put has written.
func (f Folder) Each(ctx context.Context, do func(name string) error) error {
	err := filepath.WalkDir(string(f), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if name := d.Name(); len(name) > 2 && name[0] != '.' && f.path(name) == filepath.Clean(path) {
			return do(name)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nothing was put yet
	}
	return err
}

func (f Folder) String() string { return string(f) }

// Moved is what Move did.
type Moved struct {
	// Copied were not there yet, Known were, with the same content.
	Copied, Known int
	Bytes         int64
}

// Move copies all blobs, and then whose they are, from one place to another that is empty or of the same shop. It deletes nothing, compares what
// was written with what was read, and goes on where it was interrupted. progress may be nil.
func Move(ctx context.Context, from, to Place, progress func(Moved)) (m Moved, err error) {
	shop, err := from.Mark(ctx)
	if err != nil {
		return m, err
	}
	if shop == "" {
		return m, fmt.Errorf("%s is no shop's place of photos: it has no %s", from, marker)
	}
	there, err := to.Mark(ctx)
	if err != nil {
		return m, err
	}
	if there != "" && there != shop {
		return m, &Foreign{to.String(), shop, "its file " + marker + " is of another shop"}
	}
	err = from.Each(ctx, func(name string) error {
		content, err := contentOf(ctx, from, name)
		if err != nil {
			return err
		}
		known, err := contentOf(ctx, to, name)
		switch {
		case err == nil && bytes.Equal(known, content):
			m.Known++
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return err
		case err == nil:
			return fmt.Errorf("%s has another %s than %s: delete the one that is wrong", to, name, from)
		default:
			if err := to.Put(ctx, name, content); err != nil {
				return err
			}
			written, err := contentOf(ctx, to, name)
			if err != nil {
				return err
			}
			if !bytes.Equal(written, content) {
				return fmt.Errorf("%s of %s is not as it was written", name, to)
			}
			m.Copied++
			m.Bytes += int64(len(content))
		}
		if progress != nil {
			progress(m)
		}
		return nil
	})
	if err != nil {
		return m, fmt.Errorf("move blobs: %w", err)
	}
	return m, to.SetMark(ctx, shop)
}

func contentOf(ctx context.Context, b Blobs, name string) ([]byte, error) {
	file, err := b.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}
