package search

import (
	"slices"
	"strings"

	"shop/domain/typo"
	"shop/readapi/words"
)

// lackedBy are the keys of what a derived adjective says is lacking: бессульфатный is without sulphates, if the lexicon knows them.
func (r *reading) lackedBy(t term) []string {
	if t.silent || t.lacks || r.vocabulary[t.token.Text] != nil {
		return nil
	}
	for _, without := range []string{"без", "бес"} {
		rest, ok := strings.CutPrefix(t.token.Text, without)
		if !ok {
			continue
		}
		keys := r.analyzer.keys(rest)
		keys = slices.Concat(keys, roots(keys), roots([]string{words.Stem(rest) + "ый"}))
		if r.lexicon.said([][]string{keys}, func(p phrase) bool { return p.asked && p.lack })[1] != nil {
			return keys
		}
	}
	return nil
}

// mendPhrases exchanges words that nobody knows for those that they are slips for, where that makes a phrase of the lexicon with the words
// around them: гиалуроновоя кислота is hyaluronic acid, and not any acid. Of two slips beside each other both may: гилауроновая кислата.
func (r *reading) mendPhrases(said []term, keys [][]string) {
	if len(said) == 1 {
		return
	}
	near := make([][]*entry, len(said)+1) // the last is of no word
	stands := make([]bool, len(said)+1)
	for i, t := range said {
		word := t.token.Text
		if stands[i] = r.stands(keys[i]); t.lacks || words.IsNumber(word) || stands[i] {
			continue
		}
		if !r.knows(word) {
			near[i] = r.near(word, false)
		}
		if words.IsCyrillic(word) && !r.kazakh && !r.inPhrase(keys, i) {
			near[i] = slices.Concat(near[i], r.byEar[words.Ear(word)]) // блеск для гупп, потчи для глаз
			if r.lexicon.said(keys[i:i+1], phrase.isAsked) == nil {
				near[i] = append(near[i], r.slipped(word)...) // кре для рук
			}
			if same := r.analyzer.keys(word); r.analyzer.good(word) {
				near[i] = slices.DeleteFunc(near[i], func(e *entry) bool {
					return slices.Equal(r.analyzer.keys(e.word), same) || len(e.word) <= len(word) && words.Ear(e.word) != words.Ear(word)
				})
			}
		}
	}
	for i := range said {
		old := keys[i]
		for _, e := range near[i] {
			if keys[i] = r.mended(e); r.inPhrase(keys, i) || r.inPhraseWith(keys, i, near[i+1]) || !r.knows(said[i].token.Text) && r.isBeside(said, stands, i, e.word) {
				said[i].token.Text, said[i].keys, r.corrected = e.word, keys[i], true
				break
			}
			keys[i] = old
		}
	}
}

// isBeside is whether names have a word that is one slip from the one at i beside one that stands beside it and that the goods have.
func (r *reading) isBeside(said []term, stands []bool, i int, word string) bool {
	if typo.Slips(said[i].token.Text, word) != 1 {
		return false
	}
	return i > 0 && stands[i-1] && r.isFollowed(said[i-1].token.Text, word) || stands[i+1] && r.isFollowed(word, said[i+1].token.Text)
}

// mended are the keys of the word that another is a slip for.
func (r *reading) mended(e *entry) []string {
	return append([]string{kazakhKey + e.word}, r.analyzer.keys(e.word)...)
}

// inPhraseWith is whether the word at i is in a phrase once the next one, which may be a slip for these, is mended.
func (r *reading) inPhraseWith(keys [][]string, i int, near []*entry) bool {
	return slices.ContainsFunc(near, func(e *entry) bool {
		old := keys[i+1]
		defer func() { keys[i+1] = old }()
		keys[i+1] = r.mended(e)
		return r.inPhrase(keys, i)
	})
}

// reach is before which term the phrases that begin at i end: побриться без раздражения is no раздражение от бритья.
func (r *reading) reach(said []term, keys [][]string, i int) int {
	upto := i + 1
	for upto < len(said) && said[upto].lacks == said[i].lacks {
		upto++
	}
	if said[i].lacks {
		for n := range r.lexicon.said(keys[i:], func(p phrase) bool { return p.asked && p.lack }) {
			upto = max(upto, i+n) // без солей алюминия
		}
	}
	return upto
}

// phrasesAt are the meanings of the phrases that begin at a term and end before another, by how many words each takes.
func (r *reading) phrasesAt(keys [][]string, i, upto int) map[int][]string {
	t := r.said[i]
	// A крем для жирной кожи is no жирный крем.
	apart := i+1 < upto && r.said[i+1].purpose && !t.purpose && areAdjectives(r.analyzer.keys(r.said[i+1].token.Text))
	phrases := r.lexicon.said(keys[i:upto], func(p phrase) bool { return p.asked && p.lack == t.lacks && !(apart && p.turned) })
	if len(phrases) < 2 && !t.lacks {
		if phrases == nil {
			phrases = map[int][]string{}
		}
		for n, meanings := range r.lexicon.said(r.inPhrases[i:upto], func(p phrase) bool { return p.asked && !p.lack && !(apart && p.turned) }) {
			if phrases[n] == nil && n > 1 {
				phrases[n] = meanings
			}
		}
	}
	if len(phrases) == 0 && !t.lacks && !r.stands(keys[i]) {
		phrases = r.lexicon.said([][]string{roots(t.keys)}, func(p phrase) bool { return p.asked && !p.lack && len(p.words) == 1 })
	}
	if r.before(t) == "под" {
		for n := range phrases {
			phrases[n] = slices.DeleteFunc(phrases[n], isKind) // крем под подгузник is no подгузник
		}
	}
	return phrases
}

// known is whether the goods or the lexicon have a word, or it says little: nothing else may stand between the words of a need.
func (r *reading) known(t term, keys [][]string) bool {
	return r.stands(keys[0]) || r.isSoft(t) || r.lexicon.said(keys, phrase.isAsked) != nil
}

// whole is the kind of goods that a phrase of a search names which silent words are part of; empty: none does, or goods are called something beside it,
// as in духи в подарок маме.
func (r *reading) whole() string {
	keys := make([][]string, len(r.terms))
	for i, t := range r.terms {
		keys[i] = append([]string{kazakhKey + t.token.Text}, t.keys...)
	}
	for i := range keys {
		for n, meanings := range r.lexicon.said(keys[i:], func(p phrase) bool { return p.whole && p.asked }) {
			for j := range keys {
				if t := r.terms[j]; (j < i || j >= i+n) && !t.silent && !words.IsNumber(t.token.Text) && r.inName(t.keys) {
					return ""
				}
			}
			return meanings[0]
		}
	}
	return ""
}

// inName is whether goods are called by a word with these keys.
func (r *reading) inName(keys []string) bool {
	return slices.ContainsFunc(keys, func(key string) bool {
		return slices.ContainsFunc(r.postings[key], func(p posting) bool { return p.places&inName != 0 })
	})
}

// mostApart is how far apart the two words of a need may be: сухая и чувствительная кожа, мешки и морщины под глазами.
const mostApart = 3

// apart makes a unit of a need, or of something done, whose first word is at i and whose second is further on, and says whether it did.
func (r *reading) apart(said []term, keys [][]string, i int) bool {
	which := areAdjectives(r.analyzer.keys(said[i].token.Text))
	act := slices.ContainsFunc(keys[i], func(key string) bool { return strings.HasPrefix(key, actKey) })
	for j := i + 2; j < len(said) && j <= i+mostApart; j++ {
		if said[j].lacks || !r.known(said[j-1], keys[j-1:]) || which && !areAdjectives(r.analyzer.keys(said[j-1].token.Text)) {
			break // сухой шампунь для волос is for no сухие волосы
		}
		meanings := r.lexicon.said([][]string{keys[i], keys[j]}, func(p phrase) bool {
			// стирка шёлковой блузки, маски для лица тканевые
			return p.asked && !p.lack && (p.meaning[0] == '?' || p.meaning[0] == '>' && act || isKind(p.meaning) && areAdjectives(said[j].keys))
		})[2]
		if len(meanings) == 0 {
			continue
		}
		u := unit{word: said[i].token.Text, alternatives: map[string]float32{}}
		r.mean(&u, meanings)
		r.add(u)
		if r.paired == nil {
			r.paired = map[int]bool{}
		}
		r.paired[j] = true
		return true
	}
	return false
}

// isKind is whether a meaning is a kind of goods of its own.
func isKind(meaning string) bool { return meaning[0] == '!' }

// areAdjectives is whether a word with these keys says which, not what.
func areAdjectives(keys []string) bool {
	return len(keys) > 0 && !slices.ContainsFunc(keys, func(key string) bool { return !words.IsAdjective(key) })
}

// inPhrase is whether a phrase of several words that shoppers ask for holds the word at i.
func (r *reading) inPhrase(keys [][]string, i int) bool {
	for from := max(0, i-phraseWords+1); from <= i; from++ {
		for n := range r.lexicon.said(keys[from:], phrase.isAsked) {
			if n > 1 && from+n > i {
				return true
			}
		}
	}
	return false
}

// otherNames are the meanings that what is lacking has as something to look for: without mint is without Mentha too.
func (r *reading) otherNames(said []term, i, n int) (names []string) {
	keys := make([][]string, n)
	for j := range n {
		keys[j] = said[i+j].keys
	}
	for length, meanings := range r.lexicon.said(keys, func(p phrase) bool { return p.asked && p.told && !p.lack && p.meaning[0] == '=' }) {
		if length == n {
			names = append(names, meanings...)
		}
	}
	return names
}

// phrase makes units of several words that mean something together. A need is one unit. Otherwise each word is one that the meaning
// answers too: кремы are for лицо by their category, without the phrase.
func (r *reading) phrase(said []term, keys [][]string, meanings []string, i, n int) {
	var needs, others []string
	for _, m := range meanings {
		if m[0] == '?' {
			needs = append(needs, m)
		} else {
			others = append(others, m)
		}
	}
	if len(needs) > 0 {
		u := unit{word: said[i].token.Text, alternatives: map[string]float32{}}
		r.mean(&u, meanings)
		u.places = r.placesOf(u)
		for _, t := range said[i : i+n] {
			u.spelled = append(u.spelled, r.wordsOf(t))
		}
		u.titles = r.lexicon.titles(needs)
		r.add(u)
		return
	}
	for j := range n {
		alone := r.lexicon.said(keys[i+j:i+j+1], func(p phrase) bool { return p.asked && !p.lack && !isKind(p.meaning) })
		u := r.single(said[i+j], keys[i+j], alone[1])
		for _, m := range others {
			u.alternatives[m] = shareSaid
			if m[0] == '>' {
				u.alternatives[m] = shareWanted
			}
		}
		u.places, u.phrased = r.placesOf(u), true
		r.add(u)
	}
}

// without makes a unit of a need that begins with "without", such as без слёз, and says how many terms it took; 0: there is none.
func (r *reading) without(said []term, keys [][]string, i int) int {
	for n, meanings := range r.lexicon.said(slices.Concat([][]string{{"без"}}, keys[i:]), phrase.isAsked) {
		if n < 2 {
			continue
		}
		for j := range n - 1 {
			r.understood = append(r.understood, said[i+j].token.Text)
		}
		u := unit{word: said[i].token.Text, alternatives: map[string]float32{}}
		r.mean(&u, meanings)
		r.add(u)
		return n - 1
	}
	return 0
}
