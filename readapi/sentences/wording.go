package sentences

import "strings"

// wording is a sentence with facts of the case: what stands between them in its source, and in each language it is told in.
type wording struct {
	source []string
	said   [][]string
}

// newWording reads a sentence and its translations, in which {} stands for a fact.
func newWording(source string, translations ...string) wording {
	w := wording{source: strings.Split(source, "{}")}
	for _, text := range translations {
		w.said = append(w.said, strings.Split(text, "{}"))
	}
	return w
}

// in is a text of this wording in a language; ok says whether the text is of it.
func (w wording) in(language int, text string) (told string, ok bool) {
	rest, ok := strings.CutPrefix(text, w.source[0])
	if !ok {
		return "", false
	}
	said, last := w.said[language], len(w.source)-1
	told = said[0]
	for n, after := range w.source[1:] {
		at := -1
		switch {
		case n+1 == last && strings.HasSuffix(rest, after):
			at = len(rest) - len(after)
		case n+1 < last && len(rest) > 0:
			at = 1 + strings.Index(rest[1:], after) // no fact is empty
		}
		if at < 1 {
			return "", false
		}
		told += rest[:at] + said[n+1]
		rest = rest[at+len(after):]
	}
	return told, rest == ""
}
