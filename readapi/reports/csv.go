package reports

import (
	"fmt"
	"io"

	"shop/readapi/spreadsheet"
)

// WriteCSV writes the rows with a header, as package spreadsheet does. A percent has its decimal point.
func (a *Answer) WriteCSV(w io.Writer) error {
	out, err := spreadsheet.NewCSV(w)
	if err != nil {
		return err
	}
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
		return spreadsheet.Text(v)
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
