package inci

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNamesThatAreNotKnownAreDoubted(t *testing.T) {
	t.Parallel()
	for composition, want := range map[string]string{
		"": "",
		"Aqua, Glycerin*, Helianthus Annuus (Sunflower) Seed Oil, 1,2-Hexanediol, parfum.": "",
		"INGREDIENTS: AQUA; Sodium  Hyaluronate\nTocopherol":                               "",
		"Aqua, Rosa Canina Fruit Oil*, Citric Acid. * Из органического земледелия.":        "",
		"Aqua (Water, Eau), CI 77491 [+/- CI 77492]":                                       "",
		"Вода, масло ши, Glycerin":                                                         "",
		"Aqua, Glycerinn, Niacinmaide, Tocopherol":                                         "Glycerinn→Glycerin; Niacinmaide→Niacinamide",
		"Aqua, Glyсerin": "Glyсerin→Glycerin", // its с is Cyrillic
		"Ures, Unobtainium Extract, unobtainium extract":                "Ures→Urea; Unobtainium Extract→",
		"Sodium Cocoyl Glutamat, Disodium Cocoyl Glutamate, Panthenool": "Sodium Cocoyl Glutamat→Sodium Cocoyl Glutamate; Panthenool→Panthenol",
		"Aqua, " + strings.Repeat("x", longestName+1):                   "",
		strings.Repeat("Aqua, ", mostNames) + "Unobtainium":             "",
		"((((, , ,,, ]]] Aqua ((":                                       "",
	} {
		said := []string{}
		for _, d := range Doubts(composition) {
			first := ""
			if len(d.Near) > 0 {
				first = d.Near[0]
			}
			said = append(said, fmt.Sprintf("%s→%s", d.Name, first))
		}
		if got := strings.Join(said, "; "); got != want {
			t.Errorf("%.60q: doubted %q, want %q", composition, got, want)
		}
	}
}

func TestTheListHasEachNameOnce(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for line := range strings.Lines(list) {
		name := strings.TrimSpace(line)
		if name == "" || strings.HasPrefix(name, "#") {
			continue
		}
		if k := key(name); k == "" || seen[k] {
			t.Errorf("%q stands twice, or is no name", name)
		} else {
			seen[k] = true
		}
	}
	if len(seen) < 600 {
		t.Errorf("%d names", len(seen))
	}
}

func FuzzDoubts(f *testing.F) {
	f.Add("Aqua, 1,2-Hexanediol (x), Glycerinn\n*")
	f.Fuzz(func(t *testing.T, composition string) {
		for _, d := range Doubts(composition) {
			if utf8.ValidString(composition) && !strings.Contains(composition, d.Name) || len(d.Near) > mostNear {
				t.Errorf("%q doubts %+v", composition, d)
			}
		}
	})
}
