package terminal

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

// Column is one column of a printed list.
type Column[R any] struct {
	title string
	// right aligns numbers.
	right bool
	text  func(R) string
}

// Left is a column of words.
func Left[R any](title string, text func(R) string) Column[R] { return Column[R]{title, false, text} }

// Right is a column of numbers.
func Right[R any](title string, text func(R) string) Column[R] { return Column[R]{title, true, text} }

// WriteList prints rows as an aligned table or as a JSON array.
func WriteList[R any](w io.Writer, format string, rows []R, columns ...Column[R]) error {
	if format == "json" {
		return WriteIndented(w, nonNil(rows))
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
			line[i] = OneLine(c.text(r))
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

func WriteIndented(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// OneLine keeps a cell from breaking the table, and a stored control character from reaching the terminal.
func OneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return ' '
		}
		return r
	}, s)
}

// Tenge writes an amount with spaces between thousands.
func Tenge(amount int64) string { return domain.Thousands(amount) }

func Moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(domain.Almaty).Format("02.01.2006 15:04:05")
}

// Progress tells how long work goes on: one line rewritten on a terminal, in a pipe a plain line now and then.
type Progress struct {
	w        io.Writer
	terminal bool
	Every    time.Duration
	last     time.Time
	// shown is the width of the line on the terminal.
	shown int
}

func NewProgress(w io.Writer) *Progress {
	p := &Progress{w: w, Every: 5 * time.Second, last: time.Now()}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.terminal, p.Every = true, 100*time.Millisecond
	}
	return p
}

// Say shows where the work stands, unless it was shown a moment ago.
func (p *Progress) Say(format string, args ...any) {
	if time.Since(p.last) < p.Every {
		return
	}
	p.show(fmt.Sprintf(format, args...))
}

// Clear leaves the line empty for other output.
func (p *Progress) Clear() {
	if p.terminal && p.shown > 0 {
		fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", p.shown))
		p.shown = 0
	}
}

func (p *Progress) show(line string) {
	p.last = time.Now()
	if !p.terminal {
		fmt.Fprintln(p.w, line)
		return
	}
	width := utf8.RuneCountInString(line)
	fmt.Fprintf(p.w, "\r%s%s", line, strings.Repeat(" ", max(0, p.shown-width)))
	p.shown = width
}

// Remaining guesses how long work of which a share is done will still take.
func Remaining(taken time.Duration, share float64) string {
	if share <= 0 {
		return "…"
	}
	return time.Duration(float64(taken)*(1-share)/share).Round(time.Second).String() + " to go"
}

// TestMoney marks what the test bank says was paid.
const TestMoney = "test bank: no money was taken"

// Signed is an amount with its sign, also when it grows.
func Signed(amount int64) string {
	if amount > 0 {
		return "+" + Tenge(amount)
	}
	return Tenge(amount)
}

// Short keeps a value from filling the screen; --format json has all of it.
func Short(value string) string {
	const most = 60
	if r := []rune(value); len(r) > most {
		return string(r[:most]) + "…"
	}
	return value
}
