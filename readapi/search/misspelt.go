package search

import (
	"unicode/utf8"

	"shop/domain/typo"
	"shop/readapi/words"
)

// misspeltRunes is how long a word of a name has to be to be taken for a misspelling.
const misspeltRunes = 8

// spelling is a word and the set of its letters (words.Bag).
type spelling struct {
	word string
	bag  uint64
}

// misspelt are the keys of another word that a word of a name sounds like, if no dictionary has it and the lexicon says nothing of it: shops write
// мицелярная вода too.
func (x *index) misspelt(t term) []string {
	word := t.token.Text
	if !words.IsCyrillic(word) {
		return x.misspeltLatin(t)
	}
	if utf8.RuneCountInString(word) < misspeltRunes || x.analyzer.good(word) || x.lexicon.phrases[t.keys[0]] != nil {
		return nil
	}
	for _, e := range x.bySound[words.Sound(word)] {
		if e.word != word && words.IsCyrillic(e.word) && (x.analyzer.good(e.word) || x.lexicon.phrases[x.analyzer.keys(e.word)[0]] != nil) {
			return x.analyzer.keys(e.word)
		}
	}
	return nil
}

// misspeltLatin is misspelt for words in Latin letters: niacinimide is niacinamide. Of those the lexicon knows what names are made of.
func (x *index) misspeltLatin(t term) []string {
	word := t.token.Text
	if utf8.RuneCountInString(word) <= misspeltRunes || x.lexicon.phrases[t.keys[0]] != nil {
		return nil
	}
	bag := words.Bag(word)
	for _, known := range x.latin {
		if words.MayBeNear(bag, known.bag, 1) && typo.Slips(word, known.word) == 1 {
			return x.analyzer.keys(known.word)
		}
	}
	return nil
}
