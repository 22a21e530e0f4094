package mail

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Folder keeps each message as a file TIME-KIND-ID.eml, for development and tests. A repeated message replaces itself.
type Folder struct{ Path string }

// Send writes the file whole or not at all.
func (f Folder) Send(_ context.Context, m Message) (err error) {
	msg, err := compose(m)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(f.Path, 0o700); err != nil {
		return fmt.Errorf("keep mail: %w", err)
	}
	id, _, _ := strings.Cut(m.ID, "@")
	name := m.Date.UTC().Format("20060102T150405Z") + "-" + string(m.Kind) + "-" + id + ".eml"
	temporary, err := os.CreateTemp(f.Path, ".new-*") // readable by its owner only
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
