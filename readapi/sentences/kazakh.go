package sentences

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"strings"
	"sync"
)

// kazakhText has a Russian sentence and its Kazakh one a line, apart by a bar. {} stands for a fact of the case, which both have in
// the same order. A machine made the translation, and it needs a native reader.
//
//go:embed kazakh.txt
var kazakhText string

// kazakhWords are the sentences without facts, by the Russian one, and those with facts.
var kazakhWords = sync.OnceValues(func() (map[string]string, []wording) {
	plain, facts := map[string]string{}, []wording(nil)
	for line := range strings.Lines(kazakhText) {
		russian, kazakh, _ := strings.Cut(strings.TrimSpace(line), "|")
		if !strings.Contains(russian, "{}") {
			plain[russian] = kazakh
			continue
		}
		facts = append(facts, newWording(russian, kazakh))
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
		if said, ok := f.in(0, sentence); ok {
			return said
		}
	}
	return sentence
}

// Translated is the body of an answer with its sentences in Kazakh. It is for bodies that are made of sentences, as refusals are: what the
// catalog says is not in them, but for names within a sentence.
func Translated(body any) any { return translatedBy(InKazakh, body) }

// TranslatedForStaff is Translated in a language of staff.
func TranslatedForStaff(language string, body any) any {
	return translatedBy(func(sentence string) string { return ForStaff(language, sentence) }, body)
}

func translatedBy(in func(sentence string) string, body any) any {
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
	return translated(in, read)
}

// translated has every sentence of a JSON value in another language.
func translated(in func(sentence string) string, value any) any {
	switch v := value.(type) {
	case string:
		return in(v)
	case []any:
		for i := range v {
			v[i] = translated(in, v[i])
		}
	case map[string]any:
		for key := range v {
			if key != "calculation" { // prices and names, no refusal
				v[key] = translated(in, v[key])
			}
		}
	}
	return value
}
