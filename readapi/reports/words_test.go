package reports_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"shop/readapi/reports"
)

// The staff app says in Russian and Kazakh what the reports say in English; vitest holds the two languages to each other.
func TestStaffAppHasWordsForEachReport(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../web/staff/analytics/texts/reports-ru.ts")
	if err != nil {
		t.Fatal(err)
	}
	words := string(text)
	has := func(name string) bool {
		return regexp.MustCompile(`(?m)^ +'?` + regexp.QuoteMeta(name) + `'?: \[`).MatchString(words)
	}
	for _, r := range reports.All() {
		if !has(r.Name) {
			t.Errorf("the report %s has no words", r.Name)
		}
		for _, c := range r.Columns {
			if c.Title != "" && !has(c.Key) && !has(r.Name+"."+c.Key) {
				t.Errorf("the column %s of %s has no words", c.Key, r.Name)
			}
		}
		for _, note := range r.Notes {
			if !strings.Contains(words, note) {
				t.Errorf("the note %q has no words", note)
			}
		}
	}
}
