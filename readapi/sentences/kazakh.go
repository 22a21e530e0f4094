package sentences

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"regexp"
	"strings"
	"sync"
)

// kazakhText has a Russian sentence and its Kazakh one a line, apart by a bar. {} stands for a fact of the case, which both have in
// the same order. A machine made the translation, and it needs a native reader.
//
//go:embed kazakh.txt
var kazakhText string

// wording is a sentence with facts of the case.
type wording struct {
	russian *regexp.Regexp
	kazakh  []string
}

// kazakhWords are the sentences without facts, by the Russian one, and those with facts.
var kazakhWords = sync.OnceValues(func() (map[string]string, []wording) {
	plain, facts := map[string]string{}, []wording(nil)
	for line := range strings.Lines(kazakhText) {
		russian, kazakh, _ := strings.Cut(strings.TrimSpace(line), "|")
		if !strings.Contains(russian, "{}") {
			plain[russian] = kazakh
			continue
		}
		pattern := strings.ReplaceAll(regexp.QuoteMeta(russian), `\{\}`, `(.+?)`)
		facts = append(facts, wording{regexp.MustCompile("^" + pattern + "$"), strings.Split(kazakh, "{}")})
	}
	return plain, facts
})

// InKazakh is a sentence for shoppers in Kazakh; one that has no Kazakh words stays as it is.
func InKazakh(sentence string) string {
	plain, facts := kazakhWords()
	if said, known := plain[sentence]; known {
		return said
	}
	for _, f := range facts {
		found := f.russian.FindStringSubmatch(sentence)
		if found == nil {
			continue
		}
		said := f.kazakh[0]
		for i, fact := range found[1:] {
			said += fact + f.kazakh[i+1]
		}
		return said
	}
	return sentence
}

// Translated is the body of an answer with its sentences in Kazakh. It is for bodies that are made of sentences, as refusals are: what the
// catalog says is not in them, but for names within a sentence.
func Translated(body any) any {
	encoded, err := json.Marshal(body)
	if err != nil {
		return body
	}
	var read any
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber() // sums stay as they were written
	if decoder.Decode(&read) != nil {
		return body
	}
	return translated(read)
}

// translated has every sentence of a JSON value in Kazakh.
func translated(value any) any {
	switch v := value.(type) {
	case string:
		return InKazakh(v)
	case []any:
		for i := range v {
			v[i] = translated(v[i])
		}
	case map[string]any:
		for key := range v {
			if key != "calculation" { // prices and names, no refusal
				v[key] = translated(v[key])
			}
		}
	}
	return value
}
