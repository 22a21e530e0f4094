package catalogfile

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// csvSource reads a CSV file. Unlike encoding/csv it bounds the memory of a
// record and recovers from broken quotes: the record at fault is reported, and
// reading resumes in the line after its first one, because a quote left open
// has usually swallowed good lines.
type csvSource struct {
	*window
	comma   byte
	columns []Field // by position; empty for a column that is ignored
	silent  map[Field]bool
	rate    *big.Rat
}

func openCSV(text io.Reader, m mapping, rate *big.Rat, warn func(string, ...any)) (*csvSource, error) {
	c := &csvSource{window: newWindow(text), rate: rate}
	if err := c.findHeader(m); err != nil {
		return nil, err
	}
	header, _, err := c.record()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoHeader, err)
	}
	var ignored []string
	c.columns, ignored, err = fieldsOf(header, m)
	if err != nil {
		return nil, err
	}
	c.silent = map[Field]bool{Name: !c.states(Name), Price: !c.states(Price)}
	if len(ignored) > 0 {
		warn("columns ignored: %s", strings.Join(ignored, ", "))
	}
	return c, nil
}

// findHeader skips blank lines and Excel's sep= line and chooses the delimiter
// under which the first record names most of our columns.
func (c *csvSource) findHeader(m mapping) error {
	for {
		end := lineEnd(c.text(), c.eof)
		switch {
		case end == 0:
			return ErrEmpty
		case end < 0 && len(c.text()) >= maxRecord:
			return fmt.Errorf("%w: it is longer than %d MiB", ErrNoHeader, maxRecord>>20)
		case end < 0:
			if err := c.fill(); err != nil {
				return err
			}
			continue
		}
		line := strings.ToLower(strings.Trim(string(c.text()[:end]), " \r\n"))
		if strings.TrimSpace(line) == "" {
			c.drop(end)
			continue
		}
		if len(line) == len("sep=;") && strings.HasPrefix(line, "sep=") {
			c.drop(end)
			c.comma = line[4]
			return nil
		}
		best, most := byte(';'), -1
		for _, comma := range []byte{';', ',', '\t', '|'} {
			if cells, _, v := scanRecord(c.text(), comma, c.eof); v == complete {
				if known := knownHeaders(cells, m)*1000 + len(cells); known > most {
					best, most = comma, known
				}
			}
		}
		c.comma = best
		return nil
	}
}

func knownHeaders(header []string, m mapping) int {
	n := 0
	for _, h := range header {
		if _, mapped := m.byHeader[mappingKey(h)]; mapped {
			n++
		} else if _, known := fieldOfAlias[normalHeader(h)]; known {
			n++
		}
	}
	return n
}

// fieldsOf maps columns to fields, and refuses a header that names too few.
func fieldsOf(header []string, m mapping) (columns []Field, ignored []string, err error) {
	columns = m.fields(header)
	taken := map[Field]bool{}
	for i, field := range columns {
		taken[field] = true
		if h := oneLine(header[i]); field == "" && h != "" {
			ignored = append(ignored, shorten(h))
		}
	}
	for _, theirs := range slices.Sorted(maps.Keys(m.byHeader)) {
		if field := m.byHeader[theirs]; !slices.ContainsFunc(header, func(h string) bool { return mappingKey(h) == theirs }) {
			return nil, nil, fmt.Errorf("%w: there is no column %q for %s", ErrNoHeader, theirs, field)
		}
	}
	delete(taken, "")
	// A list of articles may say no more than what changes: prices, or stock.
	changes := taken[Article] && len(taken) > 1 && (taken[Price] || !taken[DiscountedPrice] && !taken[OldPrice])
	for _, needed := range []Field{Name, Price} {
		if !taken[needed] && !changes {
			return nil, nil, fmt.Errorf("%w: none is recognised as %s; it says: %s",
				ErrNoHeader, needed, shorten(strings.Join(header, ", ")))
		}
	}
	return columns, ignored, nil
}

func (c *csvSource) states(field Field) bool { return slices.Contains(c.columns, field) }

func (c *csvSource) next() (Row, error) {
	for {
		cells, line, err := c.record()
		if err != nil {
			return Row{}, err
		}
		if blank(cells) {
			continue
		}
		if len(cells) < len(c.columns) || !blank(cells[len(c.columns):]) {
			return Row{}, &RowError{Line: line, Reason: fmt.Sprintf("has %d cells, the header has %d", len(cells), len(c.columns))}
		}
		e := entry{line: line, cells: make(map[Field]string, len(c.columns)), silent: c.silent, rate: c.rate}
		for i, field := range c.columns {
			if field != "" {
				e.cells[field] = unguarded(cells[i])
			}
		}
		return e.row()
	}
}

func blank(cells []string) bool {
	return !slices.ContainsFunc(cells, func(cell string) bool { return strings.TrimSpace(cell) != "" })
}

// record answers the cells of the next record and the line where it begins.
func (c *csvSource) record() (cells []string, line int, err error) {
	line = c.line
	for {
		cells, size, v := scanRecord(c.text(), c.comma, c.eof)
		var reason string
		switch {
		case v == complete && size == 0:
			return nil, line, io.EOF
		case v == complete:
			c.drop(size)
			return cells, line, nil
		case v == brokenQuotes:
			reason = "broken quotes: a quote inside a quoted cell must be doubled, and the last one closed"
		case len(c.text()) >= maxRecord:
			reason = fmt.Sprintf("the row is larger than %d MiB", maxRecord>>20)
		default:
			if err := c.fill(); err != nil {
				return nil, line, err
			}
			continue
		}
		if err := c.dropLine(); err != nil {
			return nil, line, err
		}
		return nil, line, &RowError{Line: line, Reason: fmt.Sprintf("cell %d: %s", len(cells)+1, reason)}
	}
}

type verdict int

const (
	complete verdict = iota
	needsMore
	brokenQuotes
)

// scanRecord takes the first record of text apart. Size is its length with
// the line's end; zero at the end of the file. When the verdict is not
// complete, cells are those before the one at fault.
func scanRecord(text []byte, comma byte, eof bool) (cells []string, size int, v verdict) {
	if len(text) == 0 {
		if eof {
			return nil, 0, complete
		}
		return nil, 0, needsMore
	}
	ends := string([]byte{comma, '\r', '\n'})
	at := 0
	for {
		var cell string
		if at < len(text) && text[at] == '"' {
			quoted, length, v := scanQuoted(text[at:], comma, eof)
			if v != complete {
				return cells, 0, v
			}
			cell, at = quoted, at+length
		} else {
			length := bytes.IndexAny(text[at:], ends)
			if length < 0 {
				if !eof {
					return cells, 0, needsMore
				}
				length = len(text) - at
			}
			cell, at = string(text[at:at+length]), at+length
		}
		switch {
		case at == len(text):
			if !eof {
				return cells, 0, needsMore
			}
			return append(cells, cell), at, complete
		case text[at] == comma:
			cells = append(cells, cell)
			at++
		default: // \r or \n
			length := lineEnd(text[at:], eof)
			if length < 0 {
				return cells, 0, needsMore
			}
			return append(cells, cell), at + length, complete
		}
	}
}

// scanQuoted reads a cell that begins with a quote, up to the delimiter.
func scanQuoted(text []byte, comma byte, eof bool) (cell string, length int, v verdict) {
	doubled := false
	at := 1
	for {
		quote := bytes.IndexByte(text[at:], '"')
		if quote < 0 {
			if eof {
				return "", 0, brokenQuotes
			}
			return "", 0, needsMore
		}
		at += quote
		if at+1 == len(text) && !eof {
			return "", 0, needsMore
		}
		if at+1 < len(text) && text[at+1] == '"' {
			doubled = true
			at += 2
			continue
		}
		cell = string(text[1:at])
		if doubled {
			cell = strings.ReplaceAll(cell, `""`, `"`)
		}
		at++
		for at < len(text) && text[at] == ' ' {
			at++
		}
		if at < len(text) && text[at] != comma && text[at] != '\r' && text[at] != '\n' {
			return "", 0, brokenQuotes
		}
		return cell, at, complete
	}
}
