package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"shop/readapi/words"
)

// Bounds of a text that is kept.
const (
	impersonalRunes  = 80
	impersonalWords  = 6
	impersonalDigits = 4
)

// nameEndings are those of surnames and patronymics, in Russian and Kazakh.
var nameEndings = []string{"ов", "ова", "ев", "ева", "ин", "ина", "ский", "ская", "енко", "вич", "вна", "ұлы", "қызы", "улы", "кызы", "бек", "бай", "гүл", "гуль"}

// Impersonal is a search text as it may be kept for others to read; empty: it may be about a person. A text is dropped that has an @ or
// more digits than a size needs, that is long, that consists of several words of which neither Russian nor the shop knows one, or that has
// a word that ends as names do.
func (s *Index) Impersonal(text string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.index == nil {
		return ""
	}
	plain := strings.Join(strings.Fields(words.Plain(strings.ToValidUTF8(text, " "))), " ")
	digits := 0
	for _, r := range plain {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	tokens := words.Tokens(plain)
	if len(tokens) == 0 || len(tokens) > impersonalWords || digits > impersonalDigits || utf8.RuneCountInString(plain) > impersonalRunes || strings.ContainsAny(plain, "@/\\") {
		return ""
	}
	unknown := 0
	for _, t := range tokens {
		known := s.index.knows(t.Text)
		if !known {
			unknown++
		}
		// A form of another word, such as кремов, is no name.
		if known && (s.index.vocabulary[t.Text] != nil || !slices.Contains(s.index.analyzer.keys(t.Text), t.Text)) {
			continue
		}
		if slices.ContainsFunc(nameEndings, func(ending string) bool { return strings.HasSuffix(t.Text, ending) }) {
			return ""
		}
	}
	if unknown > 1 && unknown == len(tokens) {
		return "" // two words that nobody knows are likelier a name than goods
	}
	return plain
}
