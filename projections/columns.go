package projections

import (
	"fmt"
	"reflect"
	"strings"

	"shop/domain"
)

// createTable is the statement that creates the table of rows R: a column for each field, in their order. Its type follows the field's
// (columnType); the tag sql names another. Pointers may be null. generated are columns that the database fills: name, type and the rest.
//
// Fingerprints take the statement letter by letter, so its blanks never change. Tables that were written with other blanks keep
// their text.
func createTable[R any](name, key string, generated ...string) string {
	var columns [][3]string // name, type, rest
	for field := range reflect.TypeFor[R]().Fields() {
		columns = append(columns, columnOf(field, key))
	}
	for _, text := range generated {
		column := strings.SplitN(text, " ", 3)
		columns = append(columns, [3]string(column))
	}
	widest, typed := 0, 0
	for _, c := range columns {
		widest = max(widest, len(c[0]))
		if c[2] != "" {
			typed = max(typed, len(c[1]))
		}
	}
	lines := make([]string, len(columns))
	for i, c := range columns {
		lines[i] = strings.TrimRight(fmt.Sprintf("\t\t%-*s %-*s %s", widest, c[0], typed, c[1], c[2]), " ")
	}
	return "CREATE TABLE " + name + " (\n" + strings.Join(lines, ",\n") + "\n\t)"
}

// columnOf is a field's column: name, type and what follows.
func columnOf(field reflect.StructField, key string) [3]string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	column := [3]string{name, field.Tag.Get("sql"), "NOT NULL"}
	of := field.Type
	if of.Kind() == reflect.Pointer {
		of, column[2] = of.Elem(), ""
	}
	if column[1] == "" {
		column[1] = columnType(of)
	}
	if name == key {
		column[2] = "PRIMARY KEY"
	}
	return column
}

// columnType is the type of the columns that hold values of a Go type: jsonb for structs and for what is rarer.
func columnType(of reflect.Type) string {
	switch of {
	case reflect.TypeFor[domain.ID]():
		return "uuid"
	case typeOfTime:
		return "timestamptz"
	case reflect.TypeFor[[]domain.ID]():
		return "uuid[]"
	case reflect.TypeFor[[]int64]():
		return "bigint[]"
	}
	switch of.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "boolean"
	case reflect.Int:
		return "integer"
	case reflect.Int64:
		return "bigint"
	}
	return "jsonb"
}
