package dataset

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"shop/eventstore"
)

// Stream writes a data set up to a position as one file, as it comes: from o.From on, with the rows of all months unless
// o.Month chooses one. It keeps at most some tens of megabytes; o.Dir is not used. What was written before an error is no
// whole file.
func Stream(ctx context.Context, log Log, name string, w io.Writer, upTo eventstore.Position, o Options) (rows int64, err error) {
	table, err := tableOf(name, o)
	if err == nil {
		s := table.open(o)
		s.parts().stream(w, o)
		if err = fold(ctx, log, s, max(0, o.From-1), upTo, o); err == nil {
			err = s.parts().end()
		}
		rows = s.parts().rows
	}
	if err != nil {
		return 0, fmt.Errorf("stream the data set %s: %w", name, err)
	}
	return rows, nil
}

// Description says what is in a data set.
type Description struct {
	Name string `json:"name"`
	// About says what one row is.
	About   string   `json:"about"`
	Columns []Column `json:"columns"`
	Formats []string `json:"formats"`
}

// Column is one of a data set. Type is text, integer, boolean, timestamp, date or json; money is integers of tenge.
type Column struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	About string `json:"about"`
}

// Describe tells of all data sets, by name.
func Describe() []Description {
	var all []Description
	for _, name := range Names() {
		d := Description{Name: name, About: tables[name].about, Formats: []string{Parquet, CSV}}
		for field := range tables[name].row.Fields() {
			column, options, _ := strings.Cut(field.Tag.Get("parquet"), ",")
			d.Columns = append(d.Columns, Column{column, columnType(field.Type.Kind(), strings.Split(options, ",")), field.Tag.Get("about")})
		}
		all = append(all, d)
	}
	return all
}

func columnType(kind reflect.Kind, options []string) string {
	for _, named := range []string{"timestamp", "date", "json"} {
		if slices.ContainsFunc(options, func(o string) bool { return strings.HasPrefix(o, named) }) {
			return named
		}
	}
	switch kind {
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "text"
	}
	return "integer"
}

// Known says whether there is a data set of a name.
func Known(name string) bool { _, known := tables[name]; return known }

var _ Log = (*eventstore.Store)(nil)
