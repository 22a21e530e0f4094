package embeddedpg

import (
	"fmt"
	"io"
	"os"
	"strings"
)

const (
	// maxLog is the size in bytes at which a start puts the log aside.
	maxLog = 16 << 20
	// tailLines are enough of a log's end to tell why a server did not start.
	tailLines = 15
)

// openLog opens the server's log to append to, and says where this run's part begins.
func openLog(path string) (*os.File, int64, error) {
	if info, err := os.Stat(path); err == nil && info.Size() > maxLog {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, 0, fmt.Errorf("put the PostgreSQL log aside: %w", err)
		}
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, 0, fmt.Errorf("open the PostgreSQL log: %w", err)
	}
	from, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		file.Close()
		return nil, 0, fmt.Errorf("open the PostgreSQL log: %w", err)
	}
	return file, from, nil
}

// tail is the end of a log, of what was written after from.
func tail(path string, from int64) string {
	file, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer file.Close()
	text, err := io.ReadAll(io.NewSectionReader(file, from, maxLog))
	if err != nil {
		return err.Error()
	}
	return lastLines(string(text)) + "\n(log: " + path + ")"
}

func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return "\n" + strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}
