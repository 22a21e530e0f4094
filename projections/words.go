package projections

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"shop/domain"
	"shop/domain/catalog"
	"shop/eventstore"
)

// Word is a row of catalog.word: a word that the catalog has used, for correcting typos. Words are only ever
// added. The key names the range, so that streams of different ranges share no row.
type Word struct {
	Key  string `json:"key"`
	Word string `json:"word"`
}

var words = Table[Word]{
	Name: "word", Key: "key", KeyType: "text",
	DDL: `CREATE TABLE word (
		key  text PRIMARY KEY,
		word text NOT NULL
	)`,
	Indexes: `CREATE INDEX word_by_likeness ON word USING gist (word gist_trgm_ops (siglen = 64))`,
	Events: []domain.Event{
		catalog.ProductDescribed{}, catalog.BrandAdded{}, catalog.BrandChanged{}, catalog.CategoryAdded{}, catalog.CategoryChanged{},
	},
	Keys: func(event eventstore.Event) []string {
		var text string
		switch e := event.Data.(type) {
		case catalog.ProductDescribed:
			text = e.Text.Name + " " + e.Text.Composition
		case catalog.BrandAdded:
			text = e.Brand.Name
		case catalog.BrandChanged:
			text = e.Brand.Name
		case catalog.CategoryAdded:
			text = e.Category.Name
		case catalog.CategoryChanged:
			text = e.Category.Name
		}
		keys := vocabulary(text)
		for i, word := range keys {
			keys[i] = word + "/" + strconv.Itoa(eventstore.RangeOf(event.Slice))
		}
		return keys
	},
	Fold: func(key string, w *Word, _ eventstore.Event) bool {
		w.Key = key
		w.Word, _, _ = strings.Cut(key, "/")
		return true
	},
}

// vocabulary is the distinct words of a text that are worth correcting to: 3 to 40 letters, at most 500 of them.
func vocabulary(text string) []string {
	var found []string
	seen := map[string]bool{}
	lower := strings.ReplaceAll(strings.ToLower(text), "ё", "е")
	for word := range strings.FieldsFuncSeq(lower, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if n := utf8.RuneCountInString(word); n < 3 || n > 40 || seen[word] {
			continue
		}
		seen[word] = true
		found = append(found, word)
		if len(found) == 500 {
			break
		}
	}
	return found
}
