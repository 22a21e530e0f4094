package search

import (
	"slices"
	"strings"

	"shop/readapi/words"
)

// carriers are the dictionary forms of words after which, and after whose adjectives, a description says what is in goods: экстракт ромашки,
// облепиховое масло.
var carriers = setOf("экстракт", "масло", "сок", "отвар", "вытяжка", "гидролат", "протеин", "порошок", "фермент", "комплекс")

// holders are the dictionary forms of verbs after which it says so too: содержит мёд, в основе лежит ланолин.
var holders = setOf("содержать", "входить", "обогатить", "обогащать", "обогащенный", "насытить", "насыщенный", "включать", "лежать", "составлять")

// scents are words for how goods smell.
var scents = setOf("запах", "аромат")

// mostContents is how many words one of them may list.
const mostContents = 8

// contentsOf are the numbers of the terms of a plain text that say what is in goods.
func contentsOf(a *analyzer, plain string, terms []term) map[int]bool {
	found := map[int]bool{}
	is := func(i int, set map[string]bool) bool {
		return slices.ContainsFunc(terms[i].keys, func(key string) bool { return set[key] })
	}
	for i := range terms {
		holds := is(i, holders)
		if explains(plain, terms, i) && words.IsCyrillic(terms[i].token.Text) && !terms[i].lacks {
			found[i] = true // ланолин – природный ингредиент
		}
		if !is(i, carriers) && !holds {
			continue
		}
		for j := i - 1; !holds && j >= 0 && areAdjectives(terms[j].keys) && !pauses(plain[terms[j].token.To:terms[j+1].token.From]); j-- {
			found[j] = true
		}
		for j := i + 1; j < len(terms) && j <= i+mostContents; j++ {
			t := terms[j]
			if pauses(plain[terms[j-1].token.To:t.token.From]) || details[t.token.Text] || t.lacks || is(j, carriers) || slices.ContainsFunc(t.keys, a.russian.IsVerb) {
				break
			}
			if !t.silent && words.IsCyrillic(t.token.Text) {
				found[j] = true
			}
		}
	}
	return found
}

// explains is whether a text says what the term at i is: a dash follows it.
func explains(plain string, terms []term, i int) bool {
	return i+1 < len(terms) && strings.ContainsAny(strings.TrimSpace(plain[terms[i].token.To:terms[i+1].token.From]), "–—")
}

// content adds the keys of a word of a description that says what is in goods, as those of a composition.
func (x *index) content(at map[string]uint16, keys [][]string) {
	for _, key := range slices.Concat(keys[0], roots(keys[0])) {
		at[key] |= inINCI
	}
	x.means(at, keys, false, true, inINCI)
}
