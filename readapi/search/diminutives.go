package search

import (
	"slices"

	"shop/readapi/words"
)

// undiminished are the keys of what a diminutive that names nothing in the shop is of, if names have it: кремик is крем.
func (r *reading) undiminished(t term) []string {
	if t.silent || t.lacks || words.IsKazakh(t.token.Text) || r.stands(t.keys) {
		return nil
	}
	return r.baseOf(t)
}

// enlarged adds to a unit the diminutives that names have of its word: мешок is мешочек.
func (r *reading) enlarged(u *unit, t term) {
	for _, key := range t.keys {
		for _, small := range r.diminished[key] {
			u.alternatives[small] = shareCorrected
		}
	}
	u.places = r.placesOf(*u)
}

// diminish remembers a word of a name by what it is the diminutive of.
func (x *index) diminish(t term) {
	if !words.IsCyrillic(t.token.Text) || words.IsKazakh(t.token.Text) || !x.analyzer.good(t.token.Text) {
		return
	}
	for _, lemma := range t.keys {
		for _, base := range words.Undiminished(lemma, true) {
			if x.analyzer.good(base) {
				x.diminished[base] = slices.Compact(slices.Sorted(slices.Values(slices.Concat(x.diminished[base], t.keys))))
			}
		}
	}
}

// baseOf are the keys of what a word is the diminutive of, if names have it, or what the lexicon says that it means.
func (x *index) baseOf(t term) []string {
	if !words.IsCyrillic(t.token.Text) {
		return nil
	}
	good := x.analyzer.good(t.token.Text)
	forms := x.analyzer.keys(t.token.Text)
	if !good {
		forms = append(slices.Clone(forms), forms[0]+"а") // масочк, which is all that is left of масочку
	}
	for _, form := range forms {
		for _, base := range words.Undiminished(form, good) {
			if x.isOfNames(base) {
				return x.analyzer.keys(base)
			}
		}
	}
	return nil
}

// isOfNames is whether names of goods or categories have a word, or what the lexicon says that it means.
func (x *index) isOfNames(word string) bool {
	const ofNames = inName | inNameLate | inCategory | inShared
	said := x.analyzer.keys(word)
	if x.vocabulary[word] != nil {
		said = slices.Concat(said, x.lexicon.said([][]string{said}, phrase.isAsked)[1])
	}
	return slices.ContainsFunc(said, func(key string) bool {
		return slices.ContainsFunc(x.postings[key], func(p posting) bool { return p.places&ofNames != 0 && x.products[p.product].alive })
	})
}
