package search

import (
	"slices"

	"shop/readapi/words"
)

// purposeKey begins the keys of what a description says that a product is for, against or good at. Who asks what something is for is
// answered by it; what is looked for is not, so that a spray "for mats" is no mat.
const purposeKey = "для:"

// purposes are the words after which a text says what something is for; reliefs are the dictionary forms of verbs that say it too.
var (
	purposes = setOf("для", "от", "против", "при")
	reliefs  = setOf("снимать", "снять", "лечить", "убирать", "убрать", "растворять", "отмыть", "отмывать", "отстирать", "смывать", "заживлять", "устранять", "отпугивать", "удалять", "выводить", "сокращать", "снижать",
		"успокаивать", "разглаживать", "смягчать", "защищать", "укреплять", "восстанавливать", "распутывать", "полировать", "питать", "впитывать", "нейтрализовать", "обновлять", "сдерживать", "помогать", "охлаждать", "возвращать")
	// kazakhPurposes follow what something is for.
	kazakhPurposes = setOf("үшін", "арналған", "қарсы", "күтімі", "күтіміне")
)

// purposeNouns is how many things one "for" may list.
const purposeNouns = 8

func setOf(words ...string) map[string]bool {
	set := map[string]bool{}
	for _, word := range words {
		set[word] = true
	}
	return set
}

// aims follows a text to what it says that something is for: the nouns of the list after "для" and its like, at most purposeNouns.
type aims struct {
	on    bool
	nouns int
}

// next is whether a word is what something is for.
func (m *aims) next(a *analyzer, word, between string) bool {
	if m.on && (pauses(between) || m.nouns >= purposeNouns) {
		m.on = false
	}
	keys := a.keys(word)
	switch {
	case purposes[word] || slices.ContainsFunc(keys, func(key string) bool { return reliefs[key] }):
		m.on, m.nouns = true, 0
		return false
	case !m.on || word == "и" || word == "или":
		return false
	case m.nouns > 0 && !commas(between) && between != " и " && !words.IsAdjective(keys[0]):
		// What follows a noun without a comma belongs to it: для рук врачей.
		m.nouns++
		return m.nouns < purposeNouns
	case !words.IsAdjective(keys[0]):
		m.nouns++
	}
	return true
}

// misread takes out the needs that the words of a product only seem to say: what restores skin is for no damaged hair.
func (l *lexicon) misread(at map[string]uint16) {
	const called = inName | inNameLate | inCategory | inShared
	for _, n := range l.needs {
		if at["?"+n.Name] == 0 {
			continue
		}
		is := n.of == nil || slices.ContainsFunc(n.of, func(key string) bool { return at[key] != 0 })
		if !is || slices.ContainsFunc(n.not, func(key string) bool { return at[key]&called != 0 }) {
			delete(at, "?"+n.Name)
		}
	}
}
