package main

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// TestAnalystsReadTheColumnsThatAreWritten: orders.sql names the columns of a line, which DuckDB would otherwise fill with nothing.
func TestAnalystsReadTheColumnsThatAreWritten(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("orders.sql")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`columns = \{orders: 'STRUCT\((.*)\)\[\]'\}`).FindStringSubmatch(string(text))
	if found == nil {
		t.Fatalf("no columns in %s", text)
	}
	var read, written []string
	for _, column := range strings.Split(found[1], ", ") {
		name, _, _ := strings.Cut(column, " ")
		read = append(read, strings.Trim(name, `"`))
	}
	of := reflect.TypeFor[order]()
	for i := range of.NumField() {
		written = append(written, of.Field(i).Tag.Get("json"))
	}
	if !reflect.DeepEqual(read, written) {
		t.Errorf("orders.sql reads %v, the consumer writes %v", read, written)
	}
}
