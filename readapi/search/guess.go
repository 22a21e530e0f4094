package search

import (
	"strings"
	"unicode/utf8"

	"shop/readapi/words"
)

// isTold is whether descriptions have a unit; what they have in Kazakh says nothing of a Russian search.
func (r *reading) isTold(u unit) bool {
	for key := range u.alternatives {
		if (r.kazakh || !strings.Contains(key, kazakhKey) && !strings.Contains(key, rootKey)) && r.has(key)&inAbout != 0 {
			return true
		}
	}
	return false
}

// guess gives a unit that names nothing in the shop what it may be the beginning of, or a slip for. A word that Russian or a
// description has is no slip. It says whether it found something.
func (r *reading) guess(u *unit, said []term) bool {
	word := said[0].token.Text
	good := r.analyzer.good(word) || r.told[word] || r.isTold(*u)
	n := utf8.RuneCountInString(word)
	last := len(said) == 1
	var among map[string]bool
	if last && n <= lastRunes {
		among = r.following(r.said)
	}
	if last && (r.typing && n >= 2 || !good && n >= 3 || among != nil) {
		begun := r.begun(word, among)
		if len(begun) == 0 && among != nil && (r.typing && n >= 2 || !good && n >= 3) {
			begun = r.begun(word, nil)
		}
		if len(begun) > 0 {
			for key, share := range begun {
				u.alternatives[key] = max(u.alternatives[key], share)
			}
			u.places = r.placesOf(*u)
			return true
		}
	}
	var near []*entry
	switch {
	case !good:
		near = r.near(word, r.typing && last)
	case u.places == 0 && !r.told[word] && !r.typing:
		near = r.misheard(word)
	}
	if len(near) == 0 {
		return false
	}
	for _, e := range near {
		keys := append([]string{kazakhKey + e.word}, r.analyzer.keys(e.word)...)
		meant := r.single(term{token: words.Token{Text: e.word}}, keys, r.lexicon.said([][]string{keys}, phrase.isAsked)[1])
		for key, share := range meant.alternatives {
			u.alternatives[key] = max(u.alternatives[key], share*shareCorrected)
		}
		u.adjective = meant.adjective
	}
	u.word, u.places, r.corrected = near[0].word, r.placesOf(*u), true
	r.understood[len(r.understood)-1] = near[0].word
	return u.places != 0
}
