package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"shop/eventstore"
)

// shape is the version of the columns; a data set is not continued in another.
const shape = 1

const manifestFile = "manifest.json"

// manifest says what a data set's folder holds. Files it does not name do not count.
type manifest struct {
	Dataset string `json:"dataset"`
	Format  string `json:"format"`
	Shape   int    `json:"shape"`
	Masked  bool   `json:"masked"`
	Month   string `json:"month,omitempty"`
	// Position is how far the log was written.
	Position eventstore.Position `json:"position"`
	Parts    []part              `json:"parts"`
}

// part is a file of a data set.
type part struct {
	// File is below the data set's folder, with forward slashes.
	File string `json:"file"`
	// From and To are the positions the run covered, both inclusive.
	From  eventstore.Position `json:"from"`
	To    eventstore.Position `json:"to"`
	Rows  int64               `json:"rows"`
	Bytes int64               `json:"bytes"`
}

// openManifest reads a folder's manifest, or begins one. It refuses what would mix two kinds of files.
func openManifest(dir, name string, o Options) (*manifest, error) {
	fresh := &manifest{Dataset: name, Format: o.Format, Shape: shape, Masked: !o.Unmasked, Month: o.Month, Parts: []part{}}
	stored, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		fresh.Position = max(0, o.From-1)
		return fresh, nil
	}
	if err != nil {
		return nil, err
	}
	m := &manifest{}
	if err := json.Unmarshal(stored, m); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, manifestFile), err)
	}
	differs := func(what string, has, wanted any) error {
		return fmt.Errorf("%w: %s is %v, not %v; choose another --out", ErrOther, what, has, wanted)
	}
	switch {
	case m.Dataset != name:
		return nil, differs("dataset", m.Dataset, name)
	case m.Format != o.Format:
		return nil, differs("format", m.Format, o.Format)
	case m.Shape != shape:
		return nil, differs("shape", m.Shape, shape)
	case m.Masked == o.Unmasked:
		return nil, differs("masked", m.Masked, !o.Unmasked)
	case m.Month != o.Month:
		return nil, differs("month", fmt.Sprintf("%q", m.Month), fmt.Sprintf("%q", o.Month))
	case o.From > 0 && o.From != m.Position+1:
		return nil, fmt.Errorf("%w: it goes on at position %d by itself", ErrOther, m.Position+1)
	}
	return m, nil
}

// sweep removes what runs left that did not come to their end. It knows its own files by their names.
func (m *manifest) sweep(dir string) error {
	counted := map[string]bool{}
	for _, p := range m.Parts {
		counted[filepath.Join(dir, filepath.FromSlash(p.File))] = true
	}
	found, err := filepath.Glob(filepath.Join(dir, "month=*", "*"))
	if err != nil {
		return err
	}
	for _, file := range found {
		name := filepath.Base(file)
		ours := strings.HasPrefix(name, unfinished) || strings.HasPrefix(name, partPrefix) && strings.HasSuffix(name, "."+m.Format)
		if ours && !counted[file] {
			if err := os.Remove(file); err != nil {
				return err
			}
		}
	}
	return nil
}

// save replaces the manifest in one step.
func (m *manifest) save(dir string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, unfinished+"*")
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, manifestFile))
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// lock keeps a second run out; the system lets go when a process ends.
func lock(dir string) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, ".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(ErrBusy, f.Close())
	}
	return func() { f.Close() }, nil
}
