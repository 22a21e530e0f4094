package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"shop/readapi/words"
)

// relaidAll are all fields as typed on the other keyboard layout, if only so all are words.
func (x *index) relaidAll(fields []string) (relaid []string, changed bool) {
	odd := func(field string) bool {
		return slices.ContainsFunc(words.Tokens(field), func(t words.Token) bool {
			return !x.knows(t.Text) && !x.isKazakh(t.Text) && words.Unit(t.Text) == "" && x.baseOf(term{token: t, keys: x.analyzer.keys(t.Text)}) == nil
		}) || len(words.Tokens(field)) == 0
	}
	if !slices.ContainsFunc(fields, odd) {
		return fields, false
	}
	for _, other := range words.OtherLayouts(strings.Join(fields, " ")) {
		other := strings.Fields(other)
		if !slices.ContainsFunc(other, odd) && slices.ContainsFunc(other, isLong) {
			return other, true
		}
	}
	return fields, false
}

// isLong is whether a field has a long word.
func isLong(field string) bool {
	return slices.ContainsFunc(words.Tokens(field), func(t words.Token) bool { return utf8.RuneCountInString(t.Text) >= partRunes })
}

// unfolded are fields with the Kazakh words that were typed in Russian letters: кургак тери. A Russian word is only one among those that are none.
func (x *index) unfolded(fields []string) (unfolded []string, changed bool) {
	russian := func(f string) bool { return x.analyzer.good(f) || x.vocabulary[f] != nil || x.lexicon.silent[f] }
	kazakh := func(f string) string {
		if !words.IsCyrillic(f) || words.IsKazakh(f) || utf8.RuneCountInString(f) < lastRunes {
			return ""
		}
		return words.Unfolded(f, x.folded)
	}
	unfolded = slices.Clone(fields)
	for i, f := range fields {
		if base := x.kazakhCase(f); base != "" && !x.sells(f) && !x.told[f] && len(fields) > 1 && !slices.ContainsFunc(fields, func(other string) bool { return other != f && !x.sells(other) }) {
			unfolded[i], changed = base, true // шашка маска is шашқа маска
		}
	}
	if changed {
		return unfolded, true
	}
	// Russian words with Kazakh endings say that the others are Kazakh too: тис пастасы is тіс пастасы.
	ends := func(f string) bool {
		named := func(word string) bool {
			e := x.vocabulary[word]
			return e != nil && e.places&(inName|inCategory|inShared) != 0
		}
		return !x.analyzer.good(f) && !named(f) && words.IsCyrillic(f) && words.HasFoldedSuffix(f, func(stem string) bool { return utf8.RuneCountInString(stem) >= partRunes && named(stem) })
	}
	// So do words of the lexicon that no Russian has: коз айналасына is көз айналасына.
	ofLexicon := func(f string) bool {
		e := x.vocabulary[f]
		return e != nil && e.places == 0 && words.IsCyrillic(f) && !x.analyzer.good(f)
	}
	if !slices.ContainsFunc(fields, func(f string) bool {
		return ofLexicon(f) || words.IsKazakh(f) || x.lexicon.kazakh[f] || !russian(f) && kazakh(f) != "" || ends(f)
	}) {
		return fields, false
	}
	for i, f := range fields {
		if word := kazakh(f); word != "" && (!russian(f) || !x.stands(x.analyzer.keys(f)) && !x.lexicon.silent[f]) {
			unfolded[i], changed = word, true
		}
	}
	return unfolded, changed
}

// relaid is a field as typed on the other keyboard layout, if only so the shop knows it.
func (x *index) relaid(field string) (string, bool) {
	if x.knows(field) {
		return "", false
	}
	other := words.OtherLayout(field)
	if words.IsCyrillic(field) && (len(words.Tokens(other)) > 1 || utf8.RuneCountInString(field) < lastRunes) {
		return "", false // джо is no l;j
	}
	if other == field || !x.sells(other) || strings.ContainsAny(field, "0123456789") && utf8.RuneCountInString(strings.TrimRight(other, "0123456789%")) < 2 {
		return "", false // b3 is no и3
	}
	return other, true
}

// knows is whether all words of a field have a meaning, here or in Russian.
func (x *index) knows(field string) bool {
	tokens := words.Tokens(field)
	return len(tokens) > 0 && !slices.ContainsFunc(tokens, func(t words.Token) bool {
		return !(x.vocabulary[t.Text] != nil || x.lexicon.silent[t.Text] || x.told[t.Text] || words.IsNumber(strings.TrimSuffix(t.Text, "%")) || x.analyzer.good(t.Text) || x.stands(x.analyzer.keys(t.Text)))
	})
}

// sells is whether all words of a field are of names, brands, categories, compositions or the lexicon.
func (x *index) sells(field string) bool {
	tokens := words.Tokens(field)
	return len(tokens) > 0 && !slices.ContainsFunc(tokens, func(t words.Token) bool {
		return !(x.vocabulary[t.Text] != nil || x.lexicon.silent[t.Text] || x.stands(x.analyzer.keys(t.Text)))
	})
}

func (x *index) stands(keys []string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return x.has(key)&strong != 0 })
}

// mostBegun bounds how many words a beginning may stand for.
const mostBegun = 40

// begun are the keys of the words of the goods that begin so, and what they mean; among: of these alone, nil: of all.
func (r *reading) begun(word string, among map[string]bool) map[string]float32 {
	from, _ := slices.BinarySearchFunc(r.sorted, word, func(e *entry, word string) int { return cmp.Compare(e.word, word) })
	keys := map[string]float32{}
	n := 0
	for _, e := range r.sorted[from:] {
		if !strings.HasPrefix(e.word, word) || n > mostBegun {
			break
		}
		if among != nil && !among[e.word] {
			continue
		}
		n++
		mine := r.analyzer.keys(e.word)
		if e.places&strong != 0 {
			for _, key := range mine {
				keys[key] = shareBegun
			}
		}
		if utf8.RuneCountInString(word) < partRunes {
			continue
		}
		for _, meaning := range r.lexicon.said([][]string{mine}, func(p phrase) bool { return p.asked && !p.lack && p.meaning[0] != '!' })[1] {
			if r.has(meaning)&strong != 0 {
				keys[meaning] = shareBegun * shareMeaning
			}
		}
	}
	return keys
}

// following are the words that names have after the one before the last of a search: крем для р; nil: they have none.
func (r *reading) following(said []term) (among map[string]bool) {
	if len(said) < 2 {
		return nil
	}
	for _, key := range said[len(said)-2].keys {
		for word := range r.follows[key] {
			if among == nil {
				among = map[string]bool{}
			}
			among[word] = true
		}
	}
	return among
}

// beside are the words before a time or a place.
var beside = setOf("в", "во", "на", "к", "до", "после", "перед")

// before is the word before a term; empty: it is the first.
func (r *reading) before(t term) string {
	if i := slices.IndexFunc(r.terms, func(other term) bool { return other.token.From == t.token.From }); i > 0 {
		return r.terms[i-1].token.Text
	}
	return ""
}
