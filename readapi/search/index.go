package search

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"shop/readapi/words"
)

// Product is what the index knows of a product.
type Product struct {
	ID                       uuid.UUID
	Article, Name, Size      string
	BrandID                  uuid.UUID
	Brand                    string
	CategoryID, ParentID     uuid.UUID
	Category, Parent         string
	Marks                    []string
	Description, Composition string
	// Price is what it costs now and FullPrice without a discount, in whole units of the currency.
	Price, FullPrice int64
	// Kazakh are the same texts in Kazakh, as far as there are any.
	Kazakh Wording
}

// Wording is what is said of a product in another language.
type Wording struct {
	Name, Size, Category, Parent, Description string
	Marks                                     []string
}

// Places of a product where a word may stand.
const (
	inName = 1 << iota
	inBrand
	inCategory
	inParent
	inMark
	inINCI
	inAbout
	inSize
	// inNeed: a description says so in words of a need.
	inNeed
	// inNameLate: not among the words of the name that say what the product is (kindAt).
	inNameLate
	// inShared: the category is called after several kinds, as масла и скрабы is.
	inShared
	// inNeedOften: a description says so more than once.
	inNeedOften
	places = 12
)

// worths are the worths of a match, by place.
var worths = [places]float32{9.5, 7, 5, 3, 4, 2.5, 1, 4, 4.5, 8, 3, 5}

// strong are the places in which a word says what a product is; a description alone does not.
const strong = inName | inBrand | inCategory | inParent | inMark | inINCI | inSize | inNeed | inNameLate | inShared | inNeedOften

// posting is a product that has a key, and where.
type posting struct {
	product int32
	places  uint16
}

// index is the goods on sale by their keys. Not safe for concurrent use.
type index struct {
	analyzer *analyzer
	lexicon  *lexicon
	products []indexed
	by       map[uuid.UUID]int32
	postings map[string][]posting
	gone     int
	// codes are the articles of products in order, numbers the same without their first letters.
	codes, numbers []coded
	// vocabulary holds the words that a slip may be meant as: of names, brands, categories, marks, compositions and the lexicon.
	vocabulary map[string]*entry
	bySound    map[string][]*entry
	entries    []*entry
	// byLength and byStem hold the entries by the letters of their sounds and stems: a slip is looked for among those of about its length.
	byLength, byStem [longestSound + 1][]*entry
	sorted           []*entry
	// forms hold the Russian words of the vocabulary as they are spelled, and their other forms, by their letters; inflected is the words
	// whose forms they are.
	forms     [longestSound + 1][]*entry
	inflected map[string]*entry
	// folded are the Kazakh words of the goods and of the lexicon by how they are spelled in Russian letters.
	folded map[string]string
	// follows are the words that follow another in names, by its keys: душа follows гель.
	follows map[string]map[string]bool
	// brands are the words of brands of several words, by how they sound.
	brands map[string][]string
	// latin are the long words of the lexicon in Latin letters, of which names may have misspellings.
	latin []spelling
	// diminished are the keys of diminutives in names, by what they are of.
	diminished map[string][]string
	// byEar holds the Russian words of the vocabulary and their forms by how they are heard.
	byEar map[string][]*entry
	// told are all words of descriptions: no slips, but nothing to find by.
	told map[string]bool
}

type indexed struct {
	Product
	// code is the article as letters and digits; called the plain name.
	code, called string
	// calledKazakh is the plain name in Kazakh; empty: it has none.
	calledKazakh string
	// parts are the parts of the body that its name and category say.
	parts uint16
	alive bool
}

// entry is a word of the vocabulary.
type entry struct {
	word, sound string
	// stem is how the word sounds without its ending; only of Cyrillic words.
	stem    string
	stemBag uint64
	bag     uint64
	// places is where the word stands; the lexicon has none.
	places uint16
}

func newIndex(a *analyzer, l *lexicon) *index {
	x := &index{analyzer: a, lexicon: l, by: map[uuid.UUID]int32{}, postings: map[string][]posting{}, vocabulary: map[string]*entry{}, inflected: map[string]*entry{}, folded: map[string]string{}, bySound: map[string][]*entry{}, told: map[string]bool{}, follows: map[string]map[string]bool{}, byEar: map[string][]*entry{}, diminished: map[string][]string{}, brands: map[string][]string{}}
	for _, word := range l.members {
		if utf8.RuneCountInString(word) > misspeltRunes && !words.IsCyrillic(word) {
			x.latin = append(x.latin, spelling{word, words.Bag(word)})
		}
		x.learn(word, 0)
	}
	for word := range l.silent {
		x.fold(word)
	}
	for word := range l.kazakh {
		if utf8.RuneCountInString(word) > lastRunes {
			x.folded[words.Folded(word)] = word
		}
	}
	return x
}

// remove takes a product out.
func (x *index) remove(id uuid.UUID) {
	if n, ok := x.by[id]; ok {
		x.products[n].alive = false
		x.gone++
		delete(x.by, id)
	}
}

// put adds a product, or exchanges it.
func (x *index) put(p Product) {
	x.remove(p.ID)
	n := int32(len(x.products))
	x.by[p.ID] = n
	x.products = append(x.products, indexed{Product: p, code: codeOf(p.Article), called: called(p.Name), calledKazakh: called(p.Kazakh.Name), alive: true})
	at := map[string]uint16{}
	x.text(at, p.Name, inName)
	x.text(at, p.Size, inSize)
	x.text(at, p.Brand, inBrand)
	x.text(at, initials(p.Brand), inBrand)
	x.foreignBrand(p.Brand)
	x.text(at, p.Category, categoryPlace(p.Category))
	x.text(at, p.Parent, inParent)
	for _, mark := range p.Marks {
		x.text(at, mark, inMark)
	}
	x.text(at, p.Composition, inINCI)
	x.text(at, p.Description, inAbout)
	x.wording(at, p.Kazakh)
	x.lexicon.misread(at)
	x.products[n].parts = x.bind(at)
	if composition := words.Plain(p.Composition); composition != "" {
		for _, a := range x.lexicon.absent {
			has := slices.ContainsFunc(a.ingredients, func(part string) bool {
				if begins, ok := strings.CutPrefix(part, "^"); ok {
					return strings.Contains(", "+composition, ", "+begins)
				}
				return strings.Contains(composition, part)
			})
			if !has {
				at["0"+a.meaning] |= inINCI
			}
		}
	}
	for key, places := range at {
		x.postings[key] = append(x.postings[key], posting{n, places})
	}
}

// categoryPlace is where the words of a category's name stand.
func categoryPlace(name string) uint16 {
	for word := range strings.FieldsSeq(name) {
		switch word {
		case "и", "мен", "пен", "бен", "and", "&":
			return inShared
		}
	}
	return inCategory
}

// wording adds the keys of what is said of a product in another language.
func (x *index) wording(at map[string]uint16, w Wording) {
	x.kazakhText(at, w.Name, inName)
	x.kazakhText(at, w.Size, inSize)
	x.kazakhText(at, w.Category, categoryPlace(w.Category))
	x.kazakhText(at, w.Parent, inParent)
	for _, mark := range w.Marks {
		x.kazakhText(at, mark, inMark)
	}
	x.kazakhText(at, w.Description, inAbout)
}

// kazakhText adds the keys of a Kazakh text, and the roots of its words.
func (x *index) kazakhText(at map[string]uint16, text string, place uint16) {
	x.text(at, text, place)
	tokens := words.Tokens(words.Plain(text))
	for i, t := range tokens {
		if x.lexicon.silent[t.Text] || !words.IsCyrillic(t.Text) {
			continue
		}
		x.fold(t.Text)
		key := rootKey + words.KazakhRoot(t.Text)
		at[key] |= place
		if place == inAbout && i+1 < len(tokens) && kazakhPurposes[tokens[i+1].Text] {
			at[purposeKey+key] |= inNeed
		}
	}
}

// text adds the keys of one text of a product.
func (x *index) text(at map[string]uint16, text string, place uint16) {
	if text == "" {
		return
	}
	if utf8.RuneCountInString(text) > indexedRunes {
		text = string([]rune(text)[:indexedRunes])
	}
	plain := words.Plain(text)
	terms := x.lexicon.terms(x.analyzer, plain)
	said, under, inside := x.saidIn(terms, plain, place)
	keys := make([][]string, len(said))
	for i, t := range said {
		keys[i] = t.meant()
	}
	from, to := 0, len(said)
	var needs mentions
	if place == inName {
		x.wholes(at, terms)
		x.nameParts(at, said, keys, under)
		from, to = kindAt(text, terms, said)
	}
	for i, t := range said {
		here := place
		if i < from || i >= to {
			here = inNameLate
		}
		x.number(at, said, i, here)
		if place != inAbout {
			if place == inName && i > 0 {
				x.follow(said[i-1], t)
			}
			x.learn(t.token.Text, here)
			if place == inName {
				x.diminish(t)
			}
		} else {
			x.told[t.token.Text] = true
		}
		for _, key := range t.keys {
			if t.lacks {
				at["-"+key] |= claimed(here)
				continue
			}
			if t.after && place != inAbout {
				at[afterKey+key] |= here // what is for after the sun is not for it
				continue
			}
			at[key] |= here
			if t.purpose && place == inAbout {
				at[purposeKey+key] |= inNeed
			}
			if t.after {
				at[afterKey+key] |= here
			}
			if place != inAbout {
				for _, root := range roots([]string{key}) {
					at[root] |= here
				}
			}
		}
		if inside[i] {
			x.content(at, keys[i:])
		}
		needs.merge(at, i, func(now map[string]uint16) { x.tell(now, said, keys, i, under[i], place, here) })
	}
}

// saidIn are the terms of a plain text that say something, and by their numbers those that something is under or for, and those that a description
// says to be in the goods.
func (x *index) saidIn(terms []term, plain string, place uint16) (said []term, under, inside map[int]bool) {
	said, under, inside = make([]term, 0, len(terms)), map[int]bool{}, map[int]bool{} // крем под подгузник is no подгузник
	var contents map[int]bool
	if place == inAbout {
		contents = contentsOf(x.analyzer, plain, terms)
	}
	for i, t := range terms {
		if t.silent {
			continue
		}
		if place == inName {
			t.keys = slices.Concat(t.keys, x.misspelt(t))
		}
		if contents[i] {
			inside[len(said)] = true
		}
		under[len(said)] = t.purpose || i > 0 && terms[i-1].token.Text == "под"
		said = append(said, t)
	}
	return said, under, inside
}

// claimed is the place of what a text says that a product is for or lacks: a description says that as well as any other text.
func claimed(place uint16) uint16 {
	if place == inAbout {
		return inNeed
	}
	return place
}

// indexedRunes is how much of a text is read.
const indexedRunes = 20_000

// learn adds a word to the vocabulary.
func (x *index) learn(word string, place uint16) {
	if e, ok := x.vocabulary[word]; ok {
		e.places |= place
		return
	}
	if n := utf8.RuneCountInString(word); n < 2 || words.IsNumber(strings.TrimSuffix(word, "%")) {
		return
	}
	sound := words.Sound(word)
	e := &entry{word: word, sound: sound, bag: words.Bag(sound), places: place}
	if words.IsCyrillic(word) {
		e.stem = words.Sound(words.Stem(word))
		e.stemBag = words.Bag(e.stem)
	}
	x.vocabulary[word] = e
	x.bySound[sound] = append(x.bySound[sound], e)
	for _, also := range words.Spelled(word) {
		x.bySound[also] = append(x.bySound[also], e)
	}
	x.entries = append(x.entries, e)
	if n := utf8.RuneCountInString(word); words.IsCyrillic(word) && n <= longestSound {
		x.forms[n] = append(x.forms[n], &entry{word: word, bag: words.Bag(word), places: place})
		x.hear(e)
	}
	x.inflect(e)
	x.fold(word)
	if n := utf8.RuneCountInString(e.sound); n <= longestSound {
		x.byLength[n] = append(x.byLength[n], e)
	}
	if n := utf8.RuneCountInString(e.stem); n > 0 && n <= longestSound {
		x.byStem[n] = append(x.byStem[n], e)
	}
}

// fold remembers how a Kazakh word is typed in Russian letters.
func (x *index) fold(word string) {
	if words.IsKazakh(word) {
		x.folded[words.Folded(word)] = word
	}
}

// follow remembers that one word follows another in a name.
func (x *index) follow(first, second term) {
	for _, key := range first.keys {
		if x.follows[key] == nil {
			x.follows[key] = map[string]bool{}
		}
		x.follows[key][second.token.Text] = true
	}
}

// hear files a Russian word by how it is heard.
func (x *index) hear(e *entry) {
	if n := utf8.RuneCountInString(e.word); n >= lastRunes && !words.IsKazakh(e.word) {
		ear := words.Ear(e.word)
		x.byEar[ear] = append(x.byEar[ear], e)
	}
}

// inflect adds the forms of a word that is new to the vocabulary.
func (x *index) inflect(e *entry) {
	if !words.IsCyrillic(e.word) || words.IsKazakh(e.word) {
		return
	}
	for _, lemma := range x.analyzer.keys(e.word) {
		if utf8.RuneCountInString(lemma) < formRunes-1 || x.inflected[lemma] != nil {
			continue
		}
		x.inflected[lemma] = e
		for _, form := range x.analyzer.russian.Forms(lemma) {
			if n := utf8.RuneCountInString(form); n <= longestSound && x.vocabulary[form] == nil {
				other := &entry{word: form, bag: words.Bag(form), places: e.places}
				x.forms[n] = append(x.forms[n], other)
				x.hear(other)
			}
		}
	}
}

// longestSound is the number of letters above which no slips are looked for in a word.
const longestSound = 48

// around are the entries of lists by length that have from this many letters to that many.
func around(lists *[longestSound + 1][]*entry, from, to int) iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		for n := max(0, from); n <= min(to, longestSound); n++ {
			for _, e := range lists[n] {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// finish makes an index ready for searches, after products were put or removed.
func (x *index) finish() {
	if len(x.codes) != len(x.products) {
		x.codes, x.numbers = x.codes[:0], x.numbers[:0]
		for n := range x.products {
			code := x.products[n].code
			x.codes = append(x.codes, coded{code, int32(n)})
			x.numbers = append(x.numbers, coded{strings.TrimLeft(code, "abcdefghijklmnopqrstuvwxyz"), int32(n)})
		}
		slices.SortFunc(x.codes, coded.compare)
		slices.SortFunc(x.numbers, coded.compare)
	}
	if len(x.sorted) != len(x.entries) {
		x.sorted = slices.Clone(x.entries)
		slices.SortFunc(x.sorted, func(a, b *entry) int { return cmp.Compare(a.word, b.word) })
	}
}

// has is where in the goods a key stands: some of the places once a strong one is among them.
func (x *index) has(key string) (places uint16) {
	for _, p := range x.postings[key] {
		if x.products[p.product].alive {
			if places |= p.places; places&strong != 0 {
				return places
			}
		}
	}
	return places
}
