package readapi

import (
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
	for name, rules := range map[string]ruleValues{"full": full, "empty": {}} {
		for _, placeholder := range content.Placeholders {
			if got := rules.fill(placeholder); got == "" || strings.ContainsAny(got, "{}") {
				t.Errorf("%s rules: %s is shown as %q", name, placeholder, got)
			}
		}
	}
}
