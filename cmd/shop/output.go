package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"shop/domain"
)

// column is one column of a printed list.
type column[R any] struct {
	title string
	// right aligns numbers.
	right bool
	text  func(R) string
}

// writeList prints rows as an aligned table or as a JSON array.
func writeList[R any](w io.Writer, format string, rows []R, columns ...column[R]) error {
	if format == "json" {
		return writeIndented(w, nonNil(rows))
	}
	cells := make([][]string, 0, len(rows)+1)
	head := make([]string, len(columns))
	for i, c := range columns {
		head[i] = c.title
	}
	cells = append(cells, head)
	for _, r := range rows {
		line := make([]string, len(columns))
		for i, c := range columns {
			line[i] = oneLine(c.text(r))
		}
		cells = append(cells, line)
	}
	widths := make([]int, len(columns))
	for _, line := range cells {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var out bytes.Buffer
	for _, line := range cells {
		var b strings.Builder
		for i, cell := range line {
			gap := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i > 0 {
				b.WriteString("  ")
			}
			if columns[i].right {
				b.WriteString(gap + cell)
			} else {
				b.WriteString(cell + gap)
			}
		}
		out.WriteString(strings.TrimRight(b.String(), " ") + "\n")
	}
	_, err := w.Write(out.Bytes())
	return err
}

func nonNil[R any](rows []R) []R {
	if rows == nil {
		return []R{}
	}
	return rows
}

func writeIndented(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// oneLine keeps a cell from breaking the table, and a stored control character from reaching the terminal.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return ' '
		}
		return r
	}, s)
}

// tenge writes an amount with spaces between thousands.
func tenge(amount int64) string { return domain.Thousands(amount) }

func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(domain.Almaty).Format("02.01.2006 15:04:05")
}

// progress tells how long work goes on: one line rewritten on a terminal, in a pipe a plain line now and then.
type progress struct {
	w        io.Writer
	terminal bool
	every    time.Duration
	last     time.Time
	// shown is the width of the line on the terminal.
	shown int
}

func newProgress(w io.Writer) *progress {
	p := &progress{w: w, every: 5 * time.Second, last: time.Now()}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.terminal, p.every = true, 100*time.Millisecond
	}
	return p
}

// say shows where the work stands, unless it was shown a moment ago.
func (p *progress) say(format string, args ...any) {
	if time.Since(p.last) < p.every {
		return
	}
	p.show(fmt.Sprintf(format, args...))
}

// clear leaves the line empty for other output.
func (p *progress) clear() {
	if p.terminal && p.shown > 0 {
		fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", p.shown))
		p.shown = 0
	}
}

func (p *progress) show(line string) {
	p.last = time.Now()
	if !p.terminal {
		fmt.Fprintln(p.w, line)
		return
	}
	width := utf8.RuneCountInString(line)
	fmt.Fprintf(p.w, "\r%s%s", line, strings.Repeat(" ", max(0, p.shown-width)))
	p.shown = width
}
