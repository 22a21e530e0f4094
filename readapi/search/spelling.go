package search

import (
	"slices"
	"strings"
	"unicode/utf8"

	"shop/domain/typo"
	"shop/readapi/words"
)

// Bounds of words written together or apart: the letters that a word made of others has, and each of its parts that says something.
const (
	joinedRunes = 7
	partedRunes = 40
	partRunes   = 4
	lastRunes   = 3
	mostParts   = 3
)

// spaced are fields with spaces where the shop's words end: маскадляволос is three words, пятно выводитель is one. A field that is known
// stays as it is.
func (x *index) spaced(fields []string) (spaced []string, changed bool) {
	for i := 0; i < len(fields); i++ {
		if i+1 < len(fields) && !(x.knows(fields[i]) && x.sells(fields[i+1])) {
			if joined, ok := x.joined(fields[i] + fields[i+1]); ok {
				spaced, changed = append(spaced, joined), true
				i++
				continue
			}
		}
		if !x.knows(fields[i]) && joinedRunes <= utf8.RuneCountInString(fields[i]) && utf8.RuneCountInString(fields[i]) <= partedRunes {
			if parts := x.parts(fields[i], mostParts); len(parts) > 1 {
				spaced, changed = append(spaced, parts...), true
				continue
			}
		}
		spaced = append(spaced, fields[i])
	}
	return spaced, changed
}

// joined is the word that sounds as two did together; a long one of a name may have a slip.
func (x *index) joined(both string) (string, bool) {
	if utf8.RuneCountInString(both) < joinedRunes || !words.IsCyrillic(both) {
		return "", false
	}
	sound := words.Sound(both)
	if same := x.bySound[sound]; len(same) > 0 {
		return preferred(same)[0].word, true
	}
	bag, length := words.Bag(sound), utf8.RuneCountInString(sound)
	if length <= joinedRunes+partRunes {
		return "", false
	}
	for e := range around(&x.byLength, length-1, length+1) {
		if e.places&(inName|inCategory) != 0 && words.MayBeNear(bag, e.bag, 1) && typo.Slips(sound, e.sound) == 1 {
			return e.word, true
		}
	}
	return "", false
}

// parts are the words of the shop that a text without spaces is made of, the last one not short; nil: it is not.
func (x *index) parts(text string, most int) []string {
	if x.sells(text) && utf8.RuneCountInString(text) >= lastRunes {
		return []string{text}
	}
	if most == 1 {
		return nil
	}
	for at := range text {
		first := text[:at]
		if !x.lexicon.silent[first] && (utf8.RuneCountInString(first) < partRunes || !x.sells(first)) || utf8.RuneCountInString(first) < 2 {
			continue
		}
		if rest := x.parts(text[at:], most-1); rest != nil {
			return append([]string{first}, rest...)
		}
	}
	return nil
}

// mostShort is the length of words with so few letters that a slip in them must leave their first one and be of a name.
const mostShort = 4

// nearShort are the words of names that a short Cyrillic word is one slip from; of three letters only those that begin and end as it does.
func (x *index) nearShort(word string) []*entry {
	sound := words.Sound(word)
	length := utf8.RuneCountInString(sound)
	if !words.IsCyrillic(word) || length < 3 || length > mostShort || words.IsKazakh(word) {
		return nil
	}
	first, _ := utf8.DecodeRuneInString(sound)
	last, _ := utf8.DecodeLastRuneInString(sound)
	var found []*entry
	for e := range around(&x.byLength, length-1, length+1) {
		if e.places&(inName|inBrand|inCategory) == 0 || !strings.HasPrefix(e.sound, string(first)) {
			continue
		}
		if n := utf8.RuneCountInString(e.sound); length == 3 && (n != 4 && n != 3 || !strings.HasSuffix(e.sound, string(last))) {
			continue
		}
		if typo.Slips(sound, e.sound) == 1 {
			found = append(found, e)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return preferred(found)
}

// nearStems are the words whose stems are nearest to that of a word: лавандавое has another ending than лавандовый, and one slip.
func (x *index) nearStems(word string) []*entry {
	stem := words.Sound(words.Stem(word))
	length := utf8.RuneCountInString(stem)
	if !words.IsCyrillic(word) || length < mostShort || words.IsKazakh(word) {
		return nil
	}
	bag := words.Bag(stem)
	least := max(1, words.Forgiven(stem))
	var found []*entry
	for e := range around(&x.byStem, max(mostShort, length-least), length+least) {
		if !words.MayBeNear(bag, e.stemBag, least) {
			continue
		}
		if length == mostShort && (e.places&(inName|inCategory) == 0 || utf8.RuneCountInString(e.stem) != length || !strings.HasPrefix(e.stem, stem[:1])) {
			continue
		}
		switch slips := typo.Slips(stem, e.stem); {
		case slips > least:
		case slips < least:
			found, least = []*entry{e}, slips
		default:
			found = append(found, e)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return preferred(found)
}

// brandsAs are the keys of brands that sound as a word: мирта is a myrtle and Mirta.
func (x *index) brandsAs(word string) (keys []string) {
	for _, e := range x.bySound[words.Sound(word)] {
		if e.places&inBrand != 0 && e.word != word && utf8.RuneCountInString(word) >= partRunes {
			keys = append(keys, x.analyzer.keys(e.word)...)
		}
	}
	return slices.Compact(keys)
}
