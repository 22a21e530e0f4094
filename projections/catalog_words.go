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

// Word is a row of catalog.word: a word that the catalog has used, for correcting typos and other spellings. Words are only ever
// added. The key names the range, so that streams of different ranges share no row.
type Word struct {
	Key  string `json:"key"`
	Word string `json:"word"`
}

var words = Table[Word]{
	Name: "word", Key: "key", KeyType: "text",
	DDL:     soundFunction + ";\n\t" + createTable[Word]("word", "key", "sound text GENERATED ALWAYS AS (sound(word)) STORED"),
	Indexes: `CREATE INDEX word_by_sound ON word USING gist (sound gist_trgm_ops (siglen = 64))`,
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

// soundFunction spells a word of either alphabet in one way: шампунь, shampun and shampun' are all shampun, веледа and
// Weleda both veleda. Searches call it too, so both sides always agree.
const soundFunction = `CREATE FUNCTION sound(word text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT
	regexp_replace(regexp_replace(regexp_replace(regexp_replace(replace(replace(replace(replace(replace(replace(replace(replace(translate(
		regexp_replace(regexp_replace(regexp_replace(
			replace(replace(replace(replace(replace(replace(replace(replace(
				translate(word, 'абвгдезийклмнопрстуфхыэёәғқңөұүһіъь''', 'abvgdeziiklmnoprstufhieeagknouuhi'),
			'ж', 'zh'), 'ц', 'ts'), 'ч', 'ch'), 'ш', 'sh'), 'щ', 'sh'), 'ю', 'iu'), 'я', 'ia'), 'shch', 'sh'),
		'c([eiy])', 'ts\1', 'g'), 'c([^h]|$)', 'k\1', 'g'), '([bdfgklmnprstvz])[yj]o', '\1e', 'g'),
		'qwyj', 'kvii'),
		'x', 'ks'), 'ph', 'f'), 'th', 't'), 'kh', 'h'), 'ee', 'i'), 'oo', 'u'), 'ou', 'u'), 'sch', 'sh'),
	'(.)\1+', '\1', 'g'), 'iei', 'ei', 'g'), '^ie', 'e'), 'ie$', 'e') $$`

// vocabulary is the distinct words of a text that are worth correcting to: 3 to 40 letters, at most 500 of them.
func vocabulary(text string) []string {
	var found []string
	seen := map[string]bool{}
	lower := spelling.Replace(strings.ToLower(text))
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

// spelling is plain's for lower case.
var spelling = strings.NewReplacer("ё", "е", "à", "a", "â", "a", "ä", "a", "á", "a", "ã", "a", "é", "e", "è", "e", "ê", "e", "ë", "e", "í", "i", "ì", "i", "î", "i", "ï", "i",
	"ó", "o", "ò", "o", "ô", "o", "ö", "o", "õ", "o", "ú", "u", "ù", "u", "û", "u", "ü", "u", "ç", "c", "ñ", "n")
