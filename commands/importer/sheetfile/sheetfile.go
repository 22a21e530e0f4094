package sheetfile

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"strings"

	"github.com/thedatashed/xlsxreader"
)

// Bounds of a workbook: what its parts unpack to, in bytes, their number, and its rows and columns.
const (
	maxUnpacked = 128 << 20
	maxParts    = 2_000
	maxRows     = 200_000
	maxColumns  = 500
)

// Why a workbook is refused.
var (
	ErrMacros   = errors.New("the workbook has macros: save it as .xlsx without them")
	ErrTooLarge = errors.New("the workbook is too large once it is unpacked")
	ErrDamaged  = errors.New("the file is no Excel workbook, or is damaged")
)

// Is says whether a file begins as a workbook does.
func Is(file []byte) bool { return bytes.HasPrefix(file, []byte("PK\x03\x04")) }

// CSV is the first sheet of a workbook, with empty rows kept so that lines stay the sheet's. A merged cell is in each row that it covers.
func CSV(file []byte) ([]byte, error) {
	if err := check(file); err != nil {
		return nil, err
	}
	book, err := xlsxreader.NewReader(file)
	if err != nil || len(book.Sheets) == 0 {
		return nil, ErrDamaged
	}
	merges, err := mergesOf(book, book.Sheets[0])
	if err != nil {
		return nil, err
	}
	merged := covers{merges, map[int]cover{}}
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	w.Comma = ';'
	line := 0
	var failed error
	for row := range book.ReadRows(book.Sheets[0]) {
		switch { // the rest is still taken: the reader's goroutine ends with its last row
		case failed != nil:
			continue
		case row.Error != nil:
			failed = ErrDamaged
			continue
		case row.Index > maxRows:
			failed = ErrTooLarge
			continue
		}
		for ; line+1 < row.Index; line++ {
			out.WriteString("\n")
		}
		failed = write(w, row, &merged)
		line = max(line+1, row.Index)
	}
	return out.Bytes(), failed
}

func write(w *csv.Writer, row xlsxreader.Row, merged *covers) error {
	var cells []string
	for _, c := range row.Cells {
		at := c.ColumnIndex()
		if at >= maxColumns {
			return ErrTooLarge
		}
		for len(cells) <= at {
			cells = append(cells, "")
		}
		cells[at] = c.Value
	}
	if err := w.Write(merged.fill(row.Index, cells)); err != nil {
		return fmt.Errorf("write a row of a sheet: %w", err)
	}
	w.Flush()
	return w.Error()
}

// check looks at what the workbook says of its parts; a part that unpacks to more than it says is an error of the reader.
func check(file []byte) error {
	archive, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return ErrDamaged
	}
	if len(archive.File) > maxParts {
		return ErrTooLarge
	}
	var unpacked uint64
	for _, part := range archive.File {
		name := strings.ToLower(part.Name)
		if strings.HasSuffix(name, "vbaproject.bin") || strings.Contains(name, "macrosheets/") {
			return ErrMacros
		}
		if unpacked += part.UncompressedSize64; unpacked > maxUnpacked || part.UncompressedSize64 > maxUnpacked {
			return ErrTooLarge
		}
	}
	return nil
}
