package readapi

import (
	"regexp"
	"slices"
	"testing"
)

// TestTheProgramsDocumentsAreInBothLanguages: the Kazakh text has the sections, the items, the numbers of laws and the placeholders of the Russian
// one, after the sentence that says which of both decides.
func TestTheProgramsDocumentsAreInBothLanguages(t *testing.T) {
	t.Parallel()
	parts := regexp.MustCompile(`<h2>\d+|</?[a-z]+|№ [0-9-]+[IV]+|INCI|Kaspi|\b24\b|basket|shop_epoch|mailto:[^"]*`)
	lead := regexp.MustCompile(`^<p>Бұл аударма: [^<]*</p>\s*`)
	shop := ShopView{LegalName: "ТОО «Дала»", Address: "Алматы", Email: "shop@dala.example"}
	for name := range builtIn {
		title, russian := BuiltInDocument(name, false, shop)
		titleKK, kazakh := BuiltInDocument(name, true, shop)
		if title == titleKK || title == "" || titleKK == "" || !lead.MatchString(kazakh) {
			t.Errorf("%s: %q and %q", name, title, titleKK)
		}
		want, got := parts.FindAllString(russian, -1), parts.FindAllString(lead.ReplaceAllString(kazakh, ""), -1)
		slices.Sort(want)
		slices.Sort(got)
		if len(want) < 30 || !slices.Equal(got, want) {
			t.Errorf("%s has %q, want %q", name, got, want)
		}
	}
}
