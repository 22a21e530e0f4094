package dataset_test

import (
	"os"
	"regexp"
	"testing"

	"shop/projections/dataset"
)

// The staff app says in Russian and Kazakh what data sets say in English; vitest holds the two languages to each other.
func TestStaffAppHasWordsForEachDataSet(t *testing.T) {
	t.Parallel()
	words, err := os.ReadFile("../../web/staff/analytics/texts/data-ru.ts")
	if err != nil {
		t.Fatal(err)
	}
	has := func(name string) bool {
		return regexp.MustCompile(`(?m)^ +'?` + regexp.QuoteMeta(name) + `'?: '`).Match(words)
	}
	for _, set := range dataset.Describe() {
		if !has(set.Name) {
			t.Errorf("the data set %s has no words", set.Name)
		}
		for _, column := range set.Columns {
			if !has(column.Name) && !has(set.Name+"."+column.Name) {
				t.Errorf("the column %s of %s has no words", column.Name, set.Name)
			}
			if !has(column.Type) {
				t.Errorf("the type %s of %s.%s has no words", column.Type, set.Name, column.Name)
			}
		}
	}
}
