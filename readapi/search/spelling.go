package search

import (
	"cmp"
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
		if i+1 < len(fields) && !x.lexicon.silent[fields[i+1]] && !(x.knows(fields[i]) && (x.sells(fields[i+1]) || x.isKazakh(fields[i+1]))) {
			if joined, ok := x.joined(fields[i] + fields[i+1]); ok {
				spaced, changed = append(spaced, joined), true
				i++
				continue
			}
		}
		if n := utf8.RuneCountInString(fields[i]); n >= joinedRunes-1 && n <= partedRunes && !x.knows(fields[i]) && !x.isOfLexicon(fields[i]) {
			// A short field is only taken apart after a preposition: длярук.
			if parts := x.parts(fields[i], mostParts); len(parts) > 1 && (n >= joinedRunes || x.lexicon.silent[parts[0]] && utf8.RuneCountInString(parts[0]) >= lastRunes) {
				spaced, changed = append(spaced, parts...), true
				continue
			}
		}
		spaced = append(spaced, fields[i])
	}
	return spaced, changed
}

// isOfLexicon is whether shoppers say a word by itself, in any form or as a diminutive: антивозрастная is no "anti" and возрастная.
func (x *index) isOfLexicon(word string) bool {
	keys := x.analyzer.keys(word)
	form := words.IsKazakh(word) && slices.ContainsFunc(words.KazakhStems(word)[1:], func(stem string) bool { return x.vocabulary[stem] != nil }) // тесіктер is no тесік and тер
	return form || x.lexicon.said([][]string{keys}, phrase.isAsked)[1] != nil || x.baseOf(term{token: words.Token{Text: word}, keys: keys}) != nil
}

// isKazakh is whether a word is a form of a Kazakh one that the lexicon has.
func (x *index) isKazakh(word string) bool {
	return slices.ContainsFunc(words.KazakhStems(word), func(stem string) bool { return x.lexicon.phrases[kazakhKey+stem] != nil })
}

// isKazakhForm is whether a word that Russian does not have is a form of a Kazakh one without letters of its own: бетке is of бет.
func (x *index) isKazakhForm(word string) bool {
	return words.IsCyrillic(word) && !x.analyzer.good(word) && slices.ContainsFunc(words.KazakhStems(word)[1:], func(stem string) bool { return x.lexicon.kazakh[stem] })
}

// kazakhCase is the Kazakh word of which a word in Russian letters says what something is for; empty: it is no such word.
func (x *index) kazakhCase(word string) string {
	for _, ending := range []string{"ка", "ке", "га", "ге"} {
		base, ok := strings.CutSuffix(word, ending)
		if !ok {
			continue
		}
		if x.lexicon.kazakh[base] {
			return base
		}
		return x.folded[base]
	}
	return ""
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
	if length <= joinedRunes+partRunes || words.IsKazakh(both) {
		return "", false
	}
	for e := range around(&x.byLength, length-1, length+1) {
		if e.places&(inName|inCategory|inShared) != 0 && words.MayBeNear(bag, e.bag, 1) && typo.Slips(sound, e.sound) == 1 {
			return e.word, true
		}
	}
	return "", false
}

// parts are the words of the shop that a text without spaces is made of, the last one not short; nil: it is not.
func (x *index) parts(text string, most int) []string {
	if x.sells(text) && utf8.RuneCountInString(text) >= lastRunes && (!x.lexicon.silent[text] || utf8.RuneCountInString(text) == lastRunes) { // маслодля, but no сенсодин
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
	found := x.nearSpelled(word, words.Sound(word), func(e *entry) string { return e.sound })
	if len(found) == 0 {
		// ц is two letters as it sounds, and one on a keyboard.
		found = x.nearSpelled(word, word, func(e *entry) string { return e.word })
	}
	if len(found) == 0 {
		return nil
	}
	return preferred(found)
}

// nearSpelled are the short words of names that are one slip from a word, by one way to spell them.
func (x *index) nearSpelled(word, spelled string, of func(*entry) string) (found []*entry) {
	length := utf8.RuneCountInString(spelled)
	if !words.IsCyrillic(word) || length < 3 || length > mostShort || words.IsKazakh(word) {
		return nil
	}
	first, _ := utf8.DecodeRuneInString(spelled)
	last, _ := utf8.DecodeLastRuneInString(spelled)
	for e := range around(&x.byLength, length-1, length+1) {
		other := of(e)
		if e.places&(inName|inBrand|inCategory|inShared) == 0 || words.IsKazakh(e.word) || !strings.HasPrefix(other, string(first)) {
			continue
		}
		if n := utf8.RuneCountInString(other); length == 3 && (n != 4 && n != 3 || !strings.HasSuffix(other, string(last))) {
			continue
		}
		if typo.Slips(spelled, other) == 1 {
			found = append(found, e)
		}
	}
	return found
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
		if length == mostShort && (e.places&(inName|inCategory|inShared) == 0 || utf8.RuneCountInString(e.stem) != length || !strings.HasPrefix(e.stem, stem[:1])) {
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

// misheardRunes is how long a good word has to be to be taken for one that sounds like it.
const misheardRunes = 5

// misheard are the words of names that a word of the language which the shop never says is written for by ear or by two keys in the wrong
// order: скрап and скарб are скраб. A slip that makes another good word in any other way stays that word.
func (x *index) misheard(word string) (found []*entry) {
	runes := []rune(word)
	if len(runes) < misheardRunes || !words.IsCyrillic(word) || words.IsKazakh(word) {
		return nil
	}
	sells := func(e *entry) bool { return e != nil && e.places&(inName|inCategory|inShared) != 0 }
	for i := range len(runes) - 1 {
		runes[i], runes[i+1] = runes[i+1], runes[i]
		if e := x.vocabulary[string(runes)]; sells(e) {
			found = append(found, e)
		}
		runes[i], runes[i+1] = runes[i+1], runes[i]
	}
	heard, sound := words.Heard(word), words.Sound(word)
	for e := range around(&x.byLength, utf8.RuneCountInString(sound)-1, utf8.RuneCountInString(sound)+1) {
		if sells(e) && words.IsCyrillic(e.word) && words.Heard(e.word) == heard {
			found = append(found, e)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return preferred(found)
}

// respelled is a field as Russian spells it, if it is a Russian word in Latin letters: bez is без; an English plural is its singular.
func (x *index) respelled(field string) (string, bool) {
	if words.IsCyrillic(field) || x.knows(field) {
		return "", false
	}
	for _, plural := range []string{"s", "es"} {
		if one, ok := strings.CutSuffix(field, plural); ok && utf8.RuneCountInString(one) >= lastRunes && x.vocabulary[one] != nil {
			return one, true
		}
	}
	if same := x.bySound[words.Sound(field)]; len(same) > 0 && utf8.RuneCountInString(field) >= lastRunes {
		if e := preferred(same)[0]; x.analyzer.good(e.word) && !words.IsKazakh(e.word) {
			return e.word, true
		}
		return "", false
	}
	for _, word := range words.InCyrillic(field) {
		if x.lexicon.silent[word] || unsaid[word] || utf8.RuneCountInString(word) >= lastRunes && (x.analyzer.good(word) || x.vocabulary[word] != nil) {
			return word, true
		}
	}
	return "", false
}

// unsaid are the words after which something is lacking, that may be typed in Latin letters.
var unsaid = setOf("без", "нет")

// sameSound are the keys of brands and ingredients that sound as a word: мирта is a myrtle and Mirta, and аргинин is arginine.
func (x *index) sameSound(word string) (keys []string) {
	n, cyrillic, good := utf8.RuneCountInString(word), words.IsCyrillic(word), x.analyzer.good(word)
	titled := n >= partRunes || n == lastRunes && !good && !words.IsKazakh(word)
	for _, e := range x.bySound[words.Sound(word)] {
		abroad := cyrillic && !words.IsCyrillic(e.word)
		ingredient := e.places&inINCI != 0 && n > partRunes && abroad
		slip := n > partRunes && cyrillic && words.IsCyrillic(e.word) && !good && x.stands(x.analyzer.keys(e.word)) // календулла
		title := e.places&(inName|inNameLate) != 0 && titled && abroad                                              // ботаника is the line Botanica
		if (e.places&inBrand != 0 && n >= partRunes || ingredient || title || slip) && e.word != word {
			keys = append(keys, x.analyzer.keys(e.word)...)
		}
	}
	return slices.Compact(keys)
}

// kazakhSlips is how long a Kazakh word has to be for slips in it: there is no dictionary that says which are good.
const kazakhSlips = 6

// mostNear bounds how many words one slip may stand for.
const mostNear = 4

// relaidSlips is how long a word has to be for slips in it on the other keyboard layout.
const relaidSlips = 6

// near are the words of the vocabulary that need the fewest slips, in either alphabet and on either keyboard layout.
func (r *reading) near(word string, unfinished bool) []*entry {
	if utf8.RuneCountInString(word) < 3 {
		return nil
	}
	if heard := r.heardAs(word); len(heard) > 0 && !unfinished && len(r.bySound[words.Sound(word)]) == 0 {
		return heard
	}
	var best []*entry
	least := 0
	for i, spelled := range []string{word, words.OtherLayout(word)} {
		most := words.Forgiven(words.Sound(spelled))
		if words.IsKazakh(word) {
			most = min(most, 1) // ағартатын is no тазартатын
			if utf8.RuneCountInString(word) < kazakhSlips {
				most = 0
			}
		}
		found, slips := r.nearest(words.Sound(spelled), unfinished, most)
		if i > 0 && slips > 0 && utf8.RuneCountInString(word) < relaidSlips {
			continue
		}
		if len(found) > 0 && (i == 0 || len(best) == 0 || slips < least) {
			best, least = found, slips
		}
	}
	if (len(best) == 0 || least > 1) && !unfinished {
		if forms := r.nearForms(word); len(forms) > 0 {
			best = forms
		}
	}
	if len(best) == 0 && !unfinished {
		if best = r.nearShort(word); len(best) == 0 {
			best = r.nearStems(word)
		}
	}
	slices.SortStableFunc(best, func(a, b *entry) int { // шампнь is шампунь before Shaman
		return cmp.Compare(foreign(a.word, word), foreign(b.word, word))
	})
	return best
}

// heardAs are the long words of the vocabulary, and their forms, that are heard as a Russian word is and differ from it in a third of its letters
// at most, of them those that differ least.
func (x *index) heardAs(word string) []*entry {
	heard := slices.DeleteFunc(slices.Clone(x.byEar[words.Ear(word)]), func(e *entry) bool { return utf8.RuneCountInString(e.word) < formRunes })
	if len(heard) == 0 || !words.IsCyrillic(word) {
		return nil
	}
	least := utf8.RuneCountInString(word) / 3
	for _, e := range heard {
		least = min(least, typo.Slips(word, e.word))
	}
	heard = slices.DeleteFunc(heard, func(e *entry) bool { return typo.Slips(word, e.word) > least })
	return preferred(heard)
}

// heardRight puts words of the shop in place of fields that nobody knows and that are heard as they are, but for a last one that is unfinished.
func (x *index) heardRight(fields []string, typing bool) (changed bool) {
	for i, f := range fields {
		if typing && i == len(fields)-1 || x.knows(f) || len(x.bySound[words.Sound(f)]) > 0 {
			continue
		}
		if heard := x.heardAs(f); len(heard) > 0 && !x.lexicon.kazakh[heard[0].word] {
			fields[i], changed = heard[0].word, true
		}
	}
	return changed
}

// foreign is 1 for a word in another alphabet than the one that it is a slip for, otherwise 0.
func foreign(word, slip string) int {
	if words.IsCyrillic(word) == words.IsCyrillic(slip) {
		return 0
	}
	return 1
}

// formRunes is how long a word has to be for a slip in one of its forms.
const formRunes = 5

// nearForms are the words of the vocabulary, and the forms of those that are Russian, that a word is one letter from as it is spelled.
func (x *index) nearForms(word string) (found []*entry) {
	length := utf8.RuneCountInString(word)
	if length < formRunes || !words.IsCyrillic(word) || words.IsKazakh(word) {
		return nil
	}
	bag := words.Bag(word)
	for e := range around(&x.forms, length-1, length+1) {
		if words.MayBeNear(bag, e.bag, 1) && typo.Slips(word, e.word) == 1 {
			found = append(found, e)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return preferred(found)
}

// slipped are the words of the vocabulary, and their forms, that a word of two letters or more is one slip from as it is spelled, those that begin
// and end as it does first. Of a short word no letter is another: кэй is no мэй.
func (x *index) slipped(word string) (found []*entry) {
	length, bag := utf8.RuneCountInString(word), words.Bag(word)
	for e := range around(&x.forms, max(lastRunes, length-1), length+1) {
		if length <= lastRunes && utf8.RuneCountInString(e.word) == length && bag != e.bag {
			continue
		}
		if words.MayBeNear(bag, e.bag, 1) && !words.IsKazakh(e.word) && typo.Slips(word, e.word) == 1 {
			found = append(found, e)
		}
	}
	slices.SortStableFunc(found, func(a, b *entry) int { return cmp.Compare(ends(a.word, word), ends(b.word, word)) })
	return found
}

// ends is how many of its two ends a word does not share with another.
func ends(word, with string) (n int) {
	a, _ := utf8.DecodeRuneInString(word)
	b, _ := utf8.DecodeRuneInString(with)
	if a != b {
		n++
	}
	a, _ = utf8.DecodeLastRuneInString(word)
	b, _ = utf8.DecodeLastRuneInString(with)
	if a != b {
		n++
	}
	return n
}

// isNearSilent is whether a word that nobody knows is one slip from one that says nothing: средсво.
func (r *reading) isNearSilent(word string) bool {
	n := utf8.RuneCountInString(word)
	if n < formRunes && n >= lastRunes && !r.knows(word) {
		letters := []rune(word)
		for i := range n - 1 {
			letters[i], letters[i+1] = letters[i+1], letters[i]
			if r.lexicon.silent[string(letters)] {
				return true // дял is для
			}
			letters[i], letters[i+1] = letters[i+1], letters[i]
		}
	}
	if n < formRunes || r.knows(word) || len(r.bySound[words.Sound(word)]) > 0 {
		return false
	}
	for silent := range r.lexicon.silent {
		if m := utf8.RuneCountInString(silent); m > formRunes && m >= n-1 && m <= n+1 && typo.Slips(word, silent) == 1 {
			return true
		}
	}
	return false
}

func (x *index) nearest(sound string, unfinished bool, most int) (found []*entry, least int) {
	if same := x.bySound[sound]; len(same) > 0 && utf8.RuneCountInString(sound) >= 3 {
		return preferred(same), 0
	}
	if least = most; least == 0 {
		return nil, 0
	}
	bag, length := words.Bag(sound), utf8.RuneCountInString(sound)
	longest := length + least
	if unfinished && length >= 5 {
		longest = longestSound
	}
	for e := range around(&x.byLength, length-least, longest) {
		other := e.sound
		if unfinished && len(other) > len(sound)+least {
			other = string([]rune(other)[:min(length, utf8.RuneCountInString(other))])
		} else if !words.MayBeNear(bag, e.bag, least) {
			continue
		}
		slips := typo.Slips(sound, other)
		switch {
		case slips > least || slips > 1 && e.places == 0 && !x.leads(e.word):
		case slips < least:
			found, least = []*entry{e}, slips
		default:
			found = append(found, e)
		}
	}
	return preferred(found), least
}

// leads is whether goods have a word that only the lexicon has spelled so, or what it means. A slip of two letters is not taken for another one,
// such as one for what other shops sell.
func (x *index) leads(word string) bool {
	keys := append([]string{kazakhKey + word}, x.analyzer.keys(word)...)
	return x.stands(keys) || x.stands(x.lexicon.said([][]string{keys}, phrase.isAsked)[1])
}

// preferred are the few words that are likeliest meant: of names and brands before those of compositions.
func preferred(found []*entry) []*entry {
	rank := func(e *entry) int {
		switch {
		case e.places&(inName|inBrand|inCategory|inShared|inNameLate) != 0:
			return 0
		case e.places&inINCI != 0:
			return 2
		}
		return 1
	}
	found = slices.Clone(found)
	slices.SortStableFunc(found, func(a, b *entry) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.word, b.word)) })
	found = slices.DeleteFunc(found, func(e *entry) bool { return rank(e) != rank(found[0]) })
	return found[:min(len(found), mostNear)]
}
