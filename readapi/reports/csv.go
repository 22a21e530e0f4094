package reports

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
)

// WriteCSV writes the rows as RFC 4180 with a header, after a byte order mark that makes spreadsheets read UTF-8. A
// percent has its decimal point; a text that a spreadsheet would take for a formula begins with an apostrophe.
func (a *Answer) WriteCSV(w io.Writer) error {
	if _, err := io.WriteString(w, "\ufeff"); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	out.UseCRLF = true
	cells := make([]string, len(a.Columns))
	for i, c := range a.Columns {
		cells[i] = c.Title
	}
	if err := out.Write(cells); err != nil {
		return err
	}
	for _, row := range a.Rows {
		for i, c := range a.Columns {
			cells[i] = c.Cell(row[c.Key])
		}
		if err := out.Write(cells); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// Cell is a value as a text: a percent with its decimal point, nothing for null.
func (c Column) Cell(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		if v != "" && strings.ContainsRune("=+-@\t\r", rune(v[0])) {
			return "'" + v
		}
		return v
	case int64:
		if c.Kind == Percent {
			sign := ""
			if v < 0 {
				sign, v = "-", -v
			}
			return fmt.Sprintf("%s%d.%d", sign, v/10, v%10)
		}
	}
	return fmt.Sprint(value)
}

// FileName names the CSV file of an answer by report, days and position.
func (a *Answer) FileName() string {
	name := a.Report
	for _, day := range []*string{a.From, a.To} {
		if day != nil {
			name += "-" + *day
		}
	}
	return fmt.Sprintf("%s-at-%d.csv", name, a.Position)
}
