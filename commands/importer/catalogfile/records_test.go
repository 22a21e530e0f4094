package catalogfile

import (
	"reflect"
	"strings"
	"testing"
)

func TestRecords(t *testing.T) {
	t.Parallel()
	const file = "sep=,\nArticle,Name\n\nA-1,\"two\nlines\"\nA-2,\"broken\nA-3,'=1+1\nA-4\n"
	got, err := Records(strings.NewReader(file), Options{}, map[int]bool{4: true, 6: true, 7: true, 8: true, 99: true})
	if want := map[int][]string{4: {"A-1", "two\nlines"}, 7: {"A-3", "'=1+1"}, 8: {"A-4"}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	const catalog = `<?xml version="1.0"?><yml_catalog><shop></shop></yml_catalog>`
	if got, err := Records(strings.NewReader(catalog), Options{}, map[int]bool{1: true}); err != nil || len(got) > 0 {
		t.Errorf("of XML: %v, %v", got, err)
	}
}

// TestAColumnCanBeLeftOut: a field without a header is read from no column, also from one whose header says it.
func TestAColumnCanBeLeftOut(t *testing.T) {
	t.Parallel()
	const file = "Артикул;Цена;Остаток\nA-1;900;7\n"
	options := Options{Columns: map[string]string{"stock": ""}}
	headers, err := Headers(strings.NewReader(file), options)
	if want := []Header{{"Артикул", Article}, {"Цена", Price}, {"Остаток", ""}}; err != nil || !reflect.DeepEqual(headers, want) {
		t.Errorf("%v, %v", headers, err)
	}
	rows, err := Open(strings.NewReader(file), "", options)
	if err != nil {
		t.Fatal(err)
	}
	if row, err := rows.Next(); err != nil || row.Stock != nil || row.Price != 900 {
		t.Errorf("%+v, %v", row, err)
	}
	if _, err := Open(strings.NewReader(file), "", Options{Columns: map[string]string{"stock": "", "price": "", "article": ""}}); err == nil {
		t.Error("a file of which nothing is read is accepted")
	}
}
