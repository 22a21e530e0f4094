package readapi

import (
	"slices"
	"strings"
	"testing"

	"shop/domain/content"
)

// What staff may leave to the rules is what is put in when it is shown, whatever the rules have.
func TestEveryPlaceholderIsFilled(t *testing.T) {
	t.Parallel()
	full := ruleValues{MinimumSum: 7000, SameDayUntil: 12}
	full.Tiers = append(full.Tiers, struct {
		From    int64 `json:"from"`
		Percent int64 `json:"percent"`
	}{30000, 5})
	full.Delivery = append(full.Delivery, struct {
		City     string `json:"city"`
		Price    int64  `json:"price"`
		FreeFrom int64  `json:"free_from"`
	}{"Алматы", 1900, 15000})
	for name, rules := range map[string]*ruleValues{"full": &full, "empty": {}} {
		for _, placeholder := range content.Placeholders {
			for _, in := range []language{russian, kazakh} {
				if got := rules.fill(placeholder, in); got == "" || strings.ContainsAny(got, "{}") {
					t.Errorf("%s rules: %s is shown as %q", name, placeholder, got)
				}
			}
		}
	}
}

func TestTextsAreDividedAtTheirHeadings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                        {},
		"<p>a</p>":                {"<p>a</p>"},
		"<h2>a</h2><p>b<br>c</p>": {"<h2>a</h2><p>b<br>c</p>"},
		"<p>a</p>\n<h2>b</h2>\n<p>c</p><h2>d</h2>":               {"<p>a</p>", "<h2>b</h2>\n<p>c</p>", "<h2>d</h2>"},
		"<ul><li><h2>a</h2><img src=\"/a\"></li></ul><h2>b</h2>": {"<ul><li><h2>a</h2><img src=\"/a\"></li></ul>", "<h2>b</h2>"},
	} {
		if got := inParts(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
}
