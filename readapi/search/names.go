package search

import (
	"slices"
	"strings"
	"unicode/utf8"

	"shop/readapi/words"
)

// details begin what a name adds to what a product is, as in "firming sheet mask with clay" and "тушь для ресниц".
var details = map[string]bool{"with": true, "for": true, "in": true, "spf": true, "x": true,
	"для": true, "от": true, "против": true, "с": true, "со": true, "из": true, "без": true, "на": true, "в": true, "до": true, "после": true, "при": true, "под": true, "по": true}

// kindAt is where among the words of a name stand those that say what the product is. In a Russian name they follow the brand or title in Latin
// letters that it may begin with, up to the first detail, comma or quotation mark, and are two at least: Crayon Lèvres карандаш для губ. In Latin
// letters they are the last two before the details and how much there is of it.
func kindAt(name string, terms, said []term) (from, to int) {
	if words.IsCyrillic(name) {
		return russianKindAt(words.Plain(name), terms, len(said))
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

func russianKindAt(plain string, terms []term, most int) (from, to int) {
	begun := false
	for i, t := range terms {
		russian := words.IsCyrillic(t.token.Text)
		switch {
		case !begun && russian && !t.silent:
			if begun, from = true, to; t.tied && to > 0 {
				from-- // a CC-крем
			}
		case begun && (!russian || details[t.token.Text] || pauses(plain[terms[i-1].token.To:t.token.From]) || strings.ContainsAny(plain[terms[i-1].token.To:t.token.From], ",«\"")):
			return from, min(max(to, from+2), most)
		}
		if !t.silent {
			to++
		}
	}
	return from, to
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

// mostAdjectives is how many adjectives may stand between the two words of a phrase that a text has.
const mostAdjectives = 4

// pastAdjectives is the number of the first word after i that is no adjective, after mostAdjectives at most.
func pastAdjectives(said []term, i int) int {
	for j := i + 1; j < len(said) && j <= i+1+mostAdjectives; j++ {
		if !areAdjectives(said[j].keys) {
			return j
		}
	}
	return i + 1
}

// means adds the meanings of the phrases that begin with the first of these words. under: they are what something is for. Of kinds of goods of
// their own only the longest name counts: духи для дома are no духи.
func (x *index) means(at map[string]uint16, keys [][]string, lacks, under bool, place uint16) {
	found := x.lexicon.said(keys, func(p phrase) bool { return p.told && p.lack == lacks })
	longest := x.longestKind(keys)
	for n, meanings := range found {
		for _, meaning := range meanings {
			switch {
			case meaning[0] == '!' && (under || n < longest):
			case meaning[0] == '!':
				at[meaning] |= place & (inName | inBrand | inCategory | inShared)
			case meaning[0] == '?' || lacks:
				if place != inINCI {
					at[meaning] |= claimed(place)
				}
			default:
				at[meaning] |= place
			}
		}
	}
}

// longestKind is of how many words the longest name of a kind of its own is that begins with the first of some words.
func (x *index) longestKind(keys [][]string) (longest int) {
	for n := range x.lexicon.said(keys, phrase.isOwnKind) {
		longest = max(longest, n)
	}
	return longest
}

// tell adds what the word at i says together with those behind it, also past a word that it is tied to and past adjectives.
func (x *index) tell(at map[string]uint16, said []term, keys [][]string, i int, under bool, from, here uint16) {
	t := said[i]
	x.means(at, keys[i:], t.lacks, under, here)
	if i+2 < len(said) && said[i+1].tied {
		x.means(at, slices.Concat(keys[i:i+1], keys[i+2:]), t.lacks, under, here) // a гель-крем для душа is a гель для душа
	}
	if j := pastAdjectives(said, i); j > i+1 && (from == inName || areAdjectives(t.keys)) {
		x.means(at, slices.Concat(keys[i:i+1], keys[j:]), t.lacks, under, here) // сухих, ломких волос; пена для комфортного бритья
	}
}

// wholes adds the kinds of goods of their own whose names have words that say nothing elsewhere: тональное средство. What is for such goods is none.
func (x *index) wholes(at map[string]uint16, terms []term) {
	keys := make([][]string, len(terms))
	for i, t := range terms {
		keys[i] = t.keys
	}
	for i, t := range terms {
		if t.purpose || t.lacks || i > 0 && terms[i-1].token.Text == "под" {
			continue
		}
		for _, meanings := range x.lexicon.said(keys[i:], func(p phrase) bool { return p.told && p.whole }) {
			for _, meaning := range meanings {
				at[meaning] |= inName
			}
		}
	}
}
