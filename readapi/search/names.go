package search

import (
	"strings"
	"unicode/utf8"

	"shop/readapi/words"
)

// details begin what a name in Latin letters adds to what a product is, as in "firming sheet mask with clay".
var details = map[string]bool{"with": true, "for": true, "in": true, "spf": true, "x": true}

// kindAt is where among the words of a name stand those that say what the product is: the first two, in Latin letters the last two before
// its details and how much there is of it.
func kindAt(name string, terms, said []term) (from, to int) {
	if words.IsCyrillic(name) {
		return 0, 2
	}
	for i, t := range terms {
		if i > 1 && details[t.token.Text] {
			break
		}
		if !t.silent {
			to++
		}
	}
	for to > 2 && (words.IsNumber(said[to-1].token.Text) || words.Unit(said[to-1].token.Text) != "") {
		to--
	}
	return to - 2, to
}

// called is a name without what searches do not tell apart.
func called(name string) string { return strings.Join(strings.Fields(words.Plain(name)), " ") }

// initials are those of a brand of three words or more, as people call it: ABH; empty: it has fewer.
func initials(brand string) string {
	tokens := words.Tokens(words.Plain(brand))
	if len(tokens) < 3 {
		return ""
	}
	var b strings.Builder
	for _, t := range tokens {
		first, _ := utf8.DecodeRuneInString(t.Text)
		b.WriteRune(first)
	}
	return b.String()
}
