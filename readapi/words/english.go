package words

import "strings"

// Singular is an English word without the ending of a plural, as far as its spelling tells: oils is oil, berries is berry. A word without one
// comes back as it is.
func Singular(word string) string {
	if len(word) < 4 || IsCyrillic(word) {
		return word
	}
	for _, kept := range []string{"ss", "us", "is", "'s"} {
		if strings.HasSuffix(word, kept) {
			return word
		}
	}
	if rest, ok := strings.CutSuffix(word, "ies"); ok {
		return rest + "y"
	}
	for _, hissing := range []string{"xes", "ches", "shes", "sses"} {
		if strings.HasSuffix(word, hissing) {
			return strings.TrimSuffix(word, "es")
		}
	}
	return strings.TrimSuffix(word, "s")
}
