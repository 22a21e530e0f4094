package dataset

import (
	"encoding/csv"
	"io"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// rowsAtOnce is how many rows go to the Parquet writer together.
const rowsAtOnce = 512

// parquetFile writes rows as Parquet, with zstd.
type parquetFile[R any] struct {
	to   *parquet.GenericWriter[R]
	rows []R
}

func newParquet[R any](w io.Writer) *parquetFile[R] {
	return &parquetFile[R]{
		to:   parquet.NewGenericWriter[R](w, parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}), parquet.CreatedBy("shop", "1", "dataset")),
		rows: make([]R, 0, rowsAtOnce),
	}
}

func (p *parquetFile[R]) row(row R) error {
	if p.rows = append(p.rows, row); len(p.rows) < rowsAtOnce {
		return nil
	}
	return p.hand()
}

// hand gives the writer the rows it does not have yet.
func (p *parquetFile[R]) hand() error {
	_, err := p.to.Write(p.rows)
	clear(p.rows) // their texts may go
	p.rows = p.rows[:0]
	return err
}

func (p *parquetFile[R]) flush() error {
	if err := p.hand(); err != nil {
		return err
	}
	return p.to.Flush()
}

func (p *parquetFile[R]) close() error {
	if err := p.hand(); err != nil {
		return err
	}
	return p.to.Close()
}

// csvFile writes the same rows as CSV: UTF-8 with a byte-order mark, which Excel asks for, times as
// 2006-01-02T15:04:05.000000Z, nothing for null.
type csvFile[R any] struct {
	to      *csv.Writer
	columns []csvColumn
	cells   []string
}

type csvColumn struct {
	name     string
	optional bool
	text     func(reflect.Value) string
}

func newCSV[R any](w io.Writer) *csvFile[R] {
	f := &csvFile[R]{columns: csvColumns(reflect.TypeFor[R]())}
	_, _ = io.WriteString(w, "\ufeff") // what fails here fails again below
	f.to = csv.NewWriter(w)
	for _, c := range f.columns {
		f.cells = append(f.cells, c.name)
	}
	_ = f.to.Write(f.cells)
	return f
}

// csvColumns reads the columns from the tags that Parquet reads them from.
func csvColumns(row reflect.Type) []csvColumn {
	columns := make([]csvColumn, row.NumField())
	for i := range columns {
		name, options, _ := strings.Cut(row.Field(i).Tag.Get("parquet"), ",")
		c := csvColumn{name: name, optional: strings.Contains(options, "optional")}
		switch kind := row.Field(i).Type.Kind(); {
		case strings.Contains(options, "timestamp"):
			c.text = func(v reflect.Value) string {
				return time.UnixMicro(v.Int()).UTC().Format("2006-01-02T15:04:05.000000Z")
			}
		case strings.Contains(options, "date"):
			c.text = func(v reflect.Value) string { return time.Unix(v.Int()*24*60*60, 0).UTC().Format(time.DateOnly) }
		case kind == reflect.Bool:
			c.text = func(v reflect.Value) string { return strconv.FormatBool(v.Bool()) }
		case kind == reflect.String:
			c.text = func(v reflect.Value) string { return inert(v.String()) }
		default:
			c.text = func(v reflect.Value) string { return strconv.FormatInt(v.Int(), 10) }
		}
		columns[i] = c
	}
	return columns
}

// inert keeps a spreadsheet from calculating what somebody wrote.
func inert(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}

func (f *csvFile[R]) row(row R) error {
	v := reflect.ValueOf(&row).Elem()
	for i, c := range f.columns {
		cell := v.Field(i)
		if c.optional && cell.IsZero() {
			f.cells[i] = ""
			continue
		}
		f.cells[i] = c.text(cell)
	}
	return f.to.Write(f.cells)
}

func (f *csvFile[R]) flush() error {
	f.to.Flush()
	return f.to.Error()
}

func (f *csvFile[R]) close() error { return f.flush() }
