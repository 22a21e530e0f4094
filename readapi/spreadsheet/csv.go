package spreadsheet

import (
	"encoding/csv"
	"io"
	"regexp"
	"strings"
)

// NewCSV writes RFC 4180 after a byte order mark, by which spreadsheets know UTF-8. Its cells go through Text, but for numbers.
func NewCSV(to io.Writer) (*csv.Writer, error) {
	if _, err := io.WriteString(to, "\uFEFF"); err != nil {
		return nil, err
	}
	out := csv.NewWriter(to)
	out.UseCRLF = true
	return out, nil
}

// otherNumber are texts of which a spreadsheet keeps no more than a number: it drops zeros before, and digits behind the eleventh when it
// saves what it shows.
var otherNumber = regexp.MustCompile(`^(0[0-9]+|[0-9]{12,}|[0-9]+(\.[0-9]+)?[eE][+-]?[0-9]+)$`)

// Text is a text as a cell: an apostrophe stands before what a spreadsheet would compute, or take for another number.
func Text(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) || otherNumber.MatchString(text) {
		return "'" + text
	}
	return text
}

// Texts are texts as cells.
func Texts(texts ...string) []string {
	for i, text := range texts {
		texts[i] = Text(text)
	}
	return texts
}
