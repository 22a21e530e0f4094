package sentences

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// staffText has a sentence for staff a line, in English, Russian and Kazakh, apart by bars. {} stands for a fact of the case, which all
// three have in the same order; of two lines that fit a text the first counts. Kazakh that a line leaves out is in kazakhText.
// A machine made the translation, and it needs a native reader.
//
//go:embed staff.txt
var staffText string

// staffLanguages are the languages of staffText, in its order.
var staffLanguages = []string{"en", "ru", "kk"}

// staffWords are the sentences without facts and those with facts, each by its English and by its Russian.
var staffWords = sync.OnceValues(func() (map[string][]string, []wording) {
	plain, facts := map[string][]string{}, []wording(nil)
	for line := range strings.Lines(staffText) {
		said := strings.Split(strings.TrimSpace(line), "|")
		if said[2] == "" {
			said[2] = InKazakh(said[1])
		}
		for _, source := range said[:2] {
			if strings.Contains(source, "{}") {
				facts = append(facts, newWording(source, said...))
			} else if plain[source] == nil {
				plain[source] = said
			}
		}
	}
	return plain, facts
})

// ForStaff is a sentence for staff in a language of their pages: ru, kk or en. One that is in none of the sentences stays as it is, and
// so does one in no language of these.
func ForStaff(language, sentence string) string {
	at := slices.Index(staffLanguages, language)
	if at < 0 || sentence == "" {
		return sentence
	}
	said, _ := sentenceIn(at, sentence)
	return said
}

func sentenceIn(at int, sentence string) (said string, known bool) {
	plain, facts := staffWords()
	if said := plain[sentence]; said != nil {
		return said[at], true
	}
	// What is wrong stands behind where it is, as in "cell 3: …", or behind the more general, as in "not a catalog file: …".
	where, what, both := strings.Cut(sentence, ": ")
	if both {
		first, knownFirst := sentenceIn(at, where)
		second, knownSecond := sentenceIn(at, what)
		if where, what = first, second; knownFirst && knownSecond {
			return where + ": " + what, true
		}
		known = knownSecond
	}
	for _, f := range facts {
		if said, ok := f.in(at, sentence); ok {
			return said, true
		}
	}
	if known { // behind the name of a field
		return where + ": " + what, true
	}
	return sentence, false
}
