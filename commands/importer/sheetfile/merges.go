package sheetfile

import (
	"archive/zip"
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/thedatashed/xlsxreader"
)

// merge is a merged cell: its column, counted from 0, and the rows that it covers, counted from 1. Of several columns the first has the value.
type merge struct{ column, first, last int }

// mergesOf reads which cells of a sheet cover several rows, first rows first. They stand behind the rows, which are read on their own.
func mergesOf(book *xlsxreader.XlsxFile, sheet string) ([]merge, error) {
	part := (&xlsxreader.XlsxFileCloser{XlsxFile: *book}).GetSheetFileForSheetName(sheet)
	if part == nil {
		return nil, ErrDamaged
	}
	var merges []merge
	err := eachMerge(part, func(ref string) error {
		m, ok := parseMerge(ref)
		if !ok {
			return ErrDamaged
		}
		if m.last > m.first && m.column < maxColumns {
			merges = append(merges, m)
		}
		if len(merges) > maxRows {
			return ErrTooLarge
		}
		return nil
	})
	slices.SortStableFunc(merges, func(a, b merge) int { return cmp.Compare(a.first, b.first) })
	return merges, err
}

func eachMerge(part *zip.File, do func(ref string) error) error {
	content, err := part.Open()
	if err != nil {
		return ErrDamaged
	}
	defer content.Close()
	for decoder := xml.NewDecoder(content); ; {
		token, err := decoder.RawToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return ErrDamaged
		}
		start, is := token.(xml.StartElement)
		if !is || start.Name.Local != "mergeCell" {
			continue
		}
		for _, attribute := range start.Attr {
			if attribute.Name.Local != "ref" {
				continue
			}
			if err := do(attribute.Value); err != nil {
				return err
			}
		}
	}
}

// parseMerge reads a range such as F2:G4.
func parseMerge(ref string) (merge, bool) {
	from, to, is := strings.Cut(ref, ":")
	column, first, ok := parseCell(from)
	_, last, toOK := parseCell(to)
	return merge{column, first, last}, is && ok && toOK
}

// parseCell reads the name of a cell: its column, counted from 0, and its row, counted from 1.
func parseCell(name string) (column, row int, ok bool) {
	digits := strings.IndexFunc(name, func(r rune) bool { return r >= '0' && r <= '9' })
	if digits < 1 || digits > 3 {
		return 0, 0, false
	}
	for _, letter := range name[:digits] {
		if letter < 'A' || letter > 'Z' {
			return 0, 0, false
		}
		column = column*26 + int(letter-'A') + 1
	}
	row, err := strconv.Atoi(name[digits:])
	return column - 1, row, err == nil && row > 0
}

// covers gives the rows of a sheet, one after the other, the values of merged cells that cover them.
type covers struct {
	merges []merge // those that begin further down
	open   map[int]cover
}

type cover struct {
	last  int
	value string
}

// fill puts the values into the empty cells of a row. A row without any value of its own stays empty.
func (c *covers) fill(row int, cells []string) []string {
	own := slices.ContainsFunc(cells, func(cell string) bool { return cell != "" })
	for column, cover := range c.open {
		switch {
		case row > cover.last:
			delete(c.open, column)
			continue
		case !own:
			continue
		}
		for len(cells) <= column {
			cells = append(cells, "")
		}
		if cells[column] == "" {
			cells[column] = cover.value
		}
	}
	for ; len(c.merges) > 0 && c.merges[0].first <= row; c.merges = c.merges[1:] {
		if m := c.merges[0]; m.first == row && m.column < len(cells) && cells[m.column] != "" {
			c.open[m.column] = cover{m.last, cells[m.column]}
		}
	}
	return cells
}
