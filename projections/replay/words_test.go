package replay

import (
	"os"
	"strings"
	"testing"
)

// The staff app says in Russian and Kazakh what a what-if run assumes; vitest holds the two languages to each other.
func TestStaffAppHasWordsForEachAssumption(t *testing.T) {
	t.Parallel()
	words, err := os.ReadFile("../../web/staff/analytics/texts/data-ru.ts")
	if err != nil {
		t.Fatal(err)
	}
	for _, assumption := range assumptions {
		if !strings.Contains(string(words), "'"+assumption+"'") {
			t.Errorf("the assumption %q has no words", assumption)
		}
	}
}
