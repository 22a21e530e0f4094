package mail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Folder keeps each message as a file TIME-KIND-ID.eml, for development and tests. A repeated message replaces itself.
// Letters are readable by whoever can read the folder, so none is kept for long: Sweep removes old letters, Forget those to an
// erased person.
type Folder struct {
	Path string
	// Kept is how long a letter stays; 0: for ever.
	Kept time.Duration
}

// Send writes the file whole or not at all. It does not store the last letter to an erased person, because nothing would
// delete it later.
func (f Folder) Send(_ context.Context, m Message) (err error) {
	msg, err := compose(m)
	if err != nil {
		return err
	}
	if f.Kept > 0 && m.Kind == KindAccountErased {
		return nil
	}
	if err := os.MkdirAll(f.Path, 0o700); err != nil {
		return fmt.Errorf("keep mail: %w", err)
	}
	id, _, _ := strings.Cut(m.ID, "@")
	name := m.Date.UTC().Format("20060102T150405Z") + "-" + string(m.Kind) + "-" + id + ".eml"
	temporary, err := os.CreateTemp(f.Path, unfinished+"*") // readable by its owner only
	if err != nil {
		return fmt.Errorf("keep mail: %w", err)
	}
	defer os.Remove(temporary.Name())
	if _, err := msg.WriteTo(temporary); err != nil {
		temporary.Close()
		return fmt.Errorf("keep mail: %w", err)
	}
	if err := temporary.Close(); err != nil {
		return fmt.Errorf("keep mail: %w", err)
	}
	if err := os.Rename(temporary.Name(), filepath.Join(f.Path, filepath.Base(name))); err != nil {
		return fmt.Errorf("keep mail: %w", err)
	}
	return nil
}

// unfinished begins the name of a letter that is being written.
const unfinished = ".new-"

// letters are the names of the files in the folder that Send made.
func (f Folder) letters() ([]fs.DirEntry, error) {
	entries, err := os.ReadDir(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return !e.Type().IsRegular() || filepath.Ext(e.Name()) != ".eml" && !strings.HasPrefix(e.Name(), unfinished)
	}), err
}

// Sweep removes letters that were written longer ago than Kept and says how many.
func (f Folder) Sweep(now time.Time) (removed int, err error) {
	if f.Kept <= 0 {
		return 0, nil
	}
	letters, err := f.letters()
	for _, letter := range letters {
		info, wrong := letter.Info()
		if wrong == nil && now.Sub(info.ModTime()) > f.Kept {
			if wrong = os.Remove(filepath.Join(f.Path, letter.Name())); wrong == nil {
				removed++
			}
		}
		if wrong != nil && !errors.Is(wrong, fs.ErrNotExist) {
			err = errors.Join(err, wrong)
		}
	}
	if err != nil {
		return removed, fmt.Errorf("remove old mail: %w", err)
	}
	return removed, nil
}

// Run sweeps every so often until ctx ends.
func (f Folder) Run(ctx context.Context, every time.Duration, log *slog.Logger) {
	for {
		if _, err := f.Sweep(time.Now()); err != nil {
			log.ErrorContext(ctx, "sweep the folder of letters", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(every):
		}
	}
}

// Forget removes the letters to any of some addresses, however they are written, and says how many.
func (f Folder) Forget(addresses ...string) (removed int, err error) {
	letters, err := f.letters()
	if err != nil {
		return 0, fmt.Errorf("forget mail: %w", err)
	}
	for _, letter := range letters {
		path := filepath.Join(f.Path, letter.Name())
		to, wrong := recipients(path)
		if wrong == nil && slices.ContainsFunc(to, func(a string) bool {
			return slices.ContainsFunc(addresses, func(b string) bool { return strings.EqualFold(a, b) })
		}) {
			if wrong = os.Remove(path); wrong == nil {
				removed++
			}
		}
		if wrong != nil && !errors.Is(wrong, fs.ErrNotExist) {
			err = errors.Join(err, wrong)
		}
	}
	if err != nil {
		return removed, fmt.Errorf("forget mail: %w", err)
	}
	return removed, nil
}

// recipients are the addresses that a letter goes to; none of a file that is no whole letter, which gets its name later.
func recipients(path string) ([]string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	letter, err := mail.ReadMessage(bytes.NewReader(content))
	if err != nil {
		return nil, nil
	}
	list, err := letter.Header.AddressList("To")
	if err != nil {
		return nil, nil
	}
	addresses := make([]string, len(list))
	for i, a := range list {
		addresses[i] = a.Address
	}
	return addresses, nil
}
