package catalogfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"
)

// maxRows bounds the articles remembered to find duplicates.
const maxRows = 1_000_000

// Options adapt the reader to a file that was not made for this shop. The zero
// value reads the documented formats.
type Options struct {
	// Columns names, for our fields, the header under which the file has
	// them: {"category": "Label"}. For YML it names an element, a param or,
	// with a leading @, an attribute of the offer: {"article": "@id"}.
	// What is not mapped is recognised as usual.
	Columns map[string]string
	// PriceRate is a decimal number by which every price is multiplied, for
	// lists in another currency: "540". Empty means prices are in tenge.
	PriceRate string
}

// Reader answers the rows of one catalog file. It is not safe for concurrent
// use.
type Reader struct {
	rows     rowSource
	seen     map[string]int // article to line
	failed   error
	warnings []string
}

// rowSource is one of the two formats. Its errors are *RowError, io.EOF, or
// fatal.
type rowSource interface {
	next() (Row, error)
	states(Field) bool
}

// Open recognises the format and encoding of file and reads up to its first
// row. The name is used in error texts only, where it is not empty. Errors wrap ErrEmpty,
// ErrNotCatalog or ErrNoHeader, or come from file.
func Open(file io.Reader, name string, opts Options) (*Reader, error) {
	r, err := open(file, opts)
	if err != nil && name != "" {
		return nil, fmt.Errorf("catalog file %s: %w", name, err)
	}
	return r, err
}

func open(file io.Reader, opts Options) (*Reader, error) {
	m, err := columnMapping(opts.Columns)
	if err != nil {
		return nil, err
	}
	rate, err := parseRate(opts.PriceRate)
	if err != nil {
		return nil, err
	}
	text, xml, err := begin(file)
	if err != nil {
		return nil, err
	}
	r := &Reader{seen: map[string]int{}}
	if xml {
		r.rows, err = openYML(text, m.byHeader, rate)
	} else {
		r.rows, err = openCSV(text, m, rate, r.warn)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// begin decodes a file and looks at its beginning: XML, or else CSV.
func begin(file io.Reader) (text *bufio.Reader, xml bool, err error) {
	if text, err = decode(file); err != nil {
		return nil, false, err
	}
	head, err := text.Peek(sniffSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, fmt.Errorf("read the beginning of the file: %w", err)
	}
	if head = bytes.TrimSpace(head); len(head) == 0 {
		return nil, false, ErrEmpty
	}
	return text, head[0] == '<', nil
}

// States tells whether the file speaks of a field at all. A CSV file without
// the column says nothing about it, and what a product has there should stay;
// an empty cell says that there is nothing. YML speaks of everything but the fields of Says.
func (r *Reader) States(field Field) bool { return r.rows.states(field) }

// Says tells whether a row speaks of the barcode, the shelf, the line of few pieces or a text in Kazakh: its file states the field, or
// the row itself has it, as an offer of YML.
func (r *Reader) Says(row *Row, field Field) bool {
	switch field {
	case GTIN:
		return row.GTIN != "" || r.States(field)
	case Shelf:
		return row.Shelf != "" || r.States(field)
	case LowLine:
		return row.LowLine != nil || r.States(field)
	}
	return row.Kazakh[field] != "" || r.States(field)
}

// Warnings are remarks about the file as a whole, such as columns that were
// not understood.
func (r *Reader) Warnings() []string { return slices.Clone(r.warnings) }

func (r *Reader) warn(format string, args ...any) {
	r.warnings = append(r.warnings, fmt.Sprintf(format, args...))
}

// Next answers the next row. A *RowError says that one row was left out and
// Next may be called again; io.EOF that there are no more rows; any other
// error is final.
func (r *Reader) Next() (Row, error) {
	if r.failed != nil {
		return Row{}, r.failed
	}
	row, err := r.rows.next()
	if err != nil {
		var bad *RowError
		if !errors.As(err, &bad) {
			r.failed = err
		}
		return Row{}, err
	}
	if line, taken := r.seen[row.Article]; taken {
		return Row{}, &RowError{row.Line, Article, fmt.Sprintf("%q stands already in line %d", row.Article, line)}
	}
	if len(r.seen) == maxRows {
		r.failed = fmt.Errorf("%w: more than %d", ErrTooLong, maxRows)
		return Row{}, r.failed
	}
	r.seen[strings.Clone(row.Article)] = row.Line
	return row, nil
}

func parseRate(rate string) (*big.Rat, error) {
	if rate == "" {
		return nil, nil
	}
	value, ok := plainDecimal(strings.ReplaceAll(rate, ",", "."))
	if !ok || value.Sign() <= 0 {
		return nil, fmt.Errorf("price rate %q is not a positive decimal number", rate)
	}
	return value, nil
}
