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
