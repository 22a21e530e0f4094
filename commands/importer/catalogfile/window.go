package catalogfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// maxRecord bounds the memory one row of a CSV file or one offer of a YML file
// can take, in bytes.
const maxRecord = 4 << 20

// window is the part of a file that was read and not yet used. Unlike a
// bufio.Reader it grows to the record at hand, and it knows the line.
type window struct {
	in   io.Reader
	buf  []byte
	used int
	line int // where text begins, from 1
	eof  bool
}

func newWindow(in io.Reader) *window { return &window{in: in, line: 1} }

// text is valid until the next fill.
func (w *window) text() []byte { return w.buf[w.used:] }

// fill reads more. It at least doubles a long text, so that scanning a record again after each fill stays linear.
func (w *window) fill() error {
	w.buf = append(w.buf[:0], w.text()...)
	w.used = 0
	have, want := len(w.buf), max(sniffSize, len(w.buf))
	w.buf = slices.Grow(w.buf, want)
	n, err := io.ReadFull(w.in, w.buf[have:have+want])
	w.buf = w.buf[:have+n]
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		w.eof = true
		return nil
	}
	if err != nil {
		return fmt.Errorf("read line %d: %w", w.line, err)
	}
	return nil
}

// drop passes n bytes by.
func (w *window) drop(n int) {
	w.line += countLines(w.buf[w.used : w.used+n])
	w.used += n
}

// dropLine skips the rest of the line, however long it is.
func (w *window) dropLine() error {
	for {
		if end := lineEnd(w.text(), w.eof); end >= 0 {
			w.drop(end)
			return nil
		}
		w.drop(len(bytes.TrimSuffix(w.text(), []byte{'\r'})))
		if err := w.fill(); err != nil {
			return err
		}
	}
}

// lineEnd is the length of the first line with its end sign, -1 when the end
// is not in sight.
func lineEnd(text []byte, eof bool) int {
	i := bytes.IndexAny(text, "\r\n")
	switch {
	case i < 0 && eof:
		return len(text)
	case i < 0:
		return -1
	case text[i] == '\n':
		return i + 1
	case i+1 < len(text) && text[i+1] == '\n':
		return i + 2
	case i+1 < len(text) || eof:
		return i + 1
	}
	return -1
}

// countLines counts \n, \r\n and the lone \r of old Mac files once each.
func countLines(text []byte) int {
	lines := bytes.Count(text, []byte{'\n'})
	for {
		i := bytes.IndexByte(text, '\r')
		if i < 0 {
			return lines
		}
		text = text[i+1:]
		if len(text) == 0 || text[0] != '\n' {
			lines++
		}
	}
}
