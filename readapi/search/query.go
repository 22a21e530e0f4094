package search

import (
	"slices"
	"strings"
	"unicode/utf8"

	"shop/readapi/words"
)

// Bounds of a search text; what is beyond them is left out.
const (
	queryRunes  = 200
	queryFields = 12
)

// unit is one thing that a search asks for.
type unit struct {
	// alternatives are keys that answer it, with the share of a match's worth that they have.
	alternatives map[string]float32
	// word is what the shopper wrote, or was understood as.
	word string
	// lacks: goods without it are asked for. Goods with one of excluded and no claim to the contrary do not answer.
	lacks    bool
	excluded []string
	// adjective: it says which, not what.
	adjective bool
	// beside: it is where or when, as в спортзал.
	beside bool
	// phrased: the lexicon has it as a phrase of several words.
	phrased bool
	// places is where in the goods its alternatives stand.
	places uint16
	// compound: it was typed as a part of a compound.
	compound bool
	// spelled are the keys of each word of a need: goods that say it so come before those that say it otherwise.
	spelled [][]string
	// titles are the words of the titles of needs: goods that say these come before those that say the need in other words.
	titles [][][]string
}

// query is an understood search.
type query struct {
	// plain is the text as searches read it, corrected what it was understood as if that differs.
	plain, corrected string
	units            []unit
	// head is the number of the unit that says what is looked for.
	head int
	// article: the text is an article, and products are those that have it.
	article  bool
	products []int32
	// budget is what the text says of prices.
	budget budget
	// strange is how many words the shop does not know.
	strange int
	// unclaimed: goods that do not say what they lack count too.
	unclaimed bool
}

// Shares of a match's worth that remain when the shopper wrote something else.
const (
	shareRoot      = 0.6
	shareSaid      = 0.97 // a phrase in other words
	shareMeaning   = 0.92
	shareWanted    = 0.8
	shareCorrected = 0.85
	shareBegun     = 0.75
	shareAbsent    = 0.4
)

// understand reads any text. typing: its last word is probably unfinished.
func (x *index) understand(text string, typing bool) query {
	if utf8.RuneCountInString(text) > queryRunes {
		text = string([]rune(text)[:queryRunes])
	}
	plain := strings.Join(strings.Fields(words.Plain(strings.ToValidUTF8(text, " "))), " ")
	q := query{plain: plain}
	if products, ok := x.byArticle(plain); ok {
		q.article, q.products = true, products
		return q
	}
	unpriced, budget := budgeted(plain)
	fields := strings.Fields(unpriced)
	fields = fields[:min(len(fields), queryFields)]
	fields, changed := x.relaidAll(fields)
	for i, f := range fields {
		other, ok := x.relaid(f)
		if !ok {
			other, ok = x.respelled(f)
		}
		if ok {
			fields[i], changed = other, true
		}
	}
	fields, heard := x.heard(fields)
	fields, folded := x.unfolded(fields)
	changed = changed || folded || heard
	changed = x.heardRight(fields, typing) || changed
	spaced, apart := x.spaced(fields)
	changed = changed || apart
	fields = spaced[:min(len(spaced), queryFields)]
	text = strings.Join(fields, " ")
	r := reading{index: x, typing: typing, text: text, terms: x.lexicon.terms(x.analyzer, text)}
	for _, t := range r.terms {
		r.kazakh = r.kazakh || words.IsKazakh(t.token.Text) || x.lexicon.kazakh[t.token.Text] || x.isKazakhForm(t.token.Text)
	}
	r.read()
	q.units, q.strange, q.budget = r.units, r.strange, budget
	q.budget.order = x.lexicon.priceOrderOf(r.terms, unpriced)
	q.head = x.kindBefore(headOf(q.units, r.kazakh), q.units)
	x.faced(q.units)
	if (changed || r.corrected) && len(q.units) > 0 {
		q.corrected = strings.Join(r.understood, " ")
		if unpriced != plain {
			q.corrected += " " + strings.TrimSpace(strings.Replace(plain, unpriced, "", 1))
		}
	}
	if q.corrected == plain {
		q.corrected = ""
	}
	return q
}

// headOf is the unit that says what is looked for: in Russian the first that is no adjective, in Kazakh the last that is not what it is for.
func headOf(units []unit, kazakh bool) int {
	is := func(u unit) bool { return !u.adjective && !u.lacks && !u.beside }
	if !slices.ContainsFunc(units, is) {
		is = func(u unit) bool { return !u.adjective && !u.lacks }
	}
	if kazakh {
		for _, aims := range []bool{false, true} {
			for i, u := range slices.Backward(units) {
				if is(u) && (aims || !words.IsKazakhAim(u.word)) {
					return i
				}
			}
		}
	}
	return max(0, slices.IndexFunc(units, is))
}

// kindBefore is the unit that says what is looked for, in a search with a kind of its own whose head no goods are called by: унисекс духи are духи.
func (x *index) kindBefore(head int, units []unit) int {
	kind := slices.IndexFunc(units, func(u unit) bool { return u.isKind() && u.places != 0 })
	if kind < 0 || head >= len(units) || units[head].isKind() || units[head].lacks {
		return head
	}
	for key := range units[head].alternatives {
		if slices.ContainsFunc(x.postings[key], func(p posting) bool { return p.places&(inName|inCategory|inShared|inBrand) != 0 }) {
			return head
		}
	}
	return kind
}

// reading makes units of terms.
type reading struct {
	*index
	// text is what the terms are of.
	text           string
	terms          []term
	typing, kazakh bool
	// said are the terms that say something; inPhrases are the keys that phrases of several words may have them by, those of what a
	// diminutive is of among them.
	said      []term
	inPhrases [][]string

	units      []unit
	understood []string
	strange    int
	corrected  bool
	// paired are the numbers of terms that are part of a need with one further before.
	paired map[int]bool
}

func (r *reading) read() {
	if kind := r.whole(); kind != "" {
		r.add(unit{word: r.terms[0].token.Text, alternatives: map[string]float32{kind: 1}})
		return
	}
	var said []term
	for i, t := range r.terms {
		if keys := r.lackedBy(t); len(keys) > 0 {
			t.keys, t.lacks = keys, true
		}
		if t.lacks && !t.silent && !words.IsNumber(t.token.Text) && !r.knows(t.token.Text) && !words.IsKazakh(t.token.Text) {
			if near := r.near(t.token.Text, false); len(near) > 0 {
				t.keys = r.analyzer.keys(near[0].word)
			}
		}
		if stem, ok := words.Without(t.token.Text); ok && !t.silent && r.vocabulary[t.token.Text] == nil {
			t.keys, t.lacks = r.kazakhKeys(stem), true
		}
		if t.silent || r.lexicon.silentSounds[words.Sound(t.token.Text)] && !words.IsCyrillic(t.token.Text) && r.vocabulary[t.token.Text] == nil || r.isNearSilent(t.token.Text) {
			r.terms[i].silent = true
			continue
		}
		if (!t.lacks || words.IsKazakh(t.token.Text)) && !words.IsNumber(t.token.Text) && words.IsCyrillic(t.token.Text) && (r.kazakh || !r.analyzer.good(t.token.Text) || !r.stands(t.keys)) {
			t.keys = slices.Concat(t.keys, r.kazakhKeys(t.token.Text))
		}
		if base := r.undiminished(t); base != nil {
			t.keys = base
		}
		said = append(said, t)
	}
	r.understood = nil
	if len(said) == 0 {
		said = r.unsilenced()
	}
	r.said = said
	keys := make([][]string, len(said))
	for i, t := range said {
		keys[i] = t.meant()
		if t.after && !slices.ContainsFunc(keys[i], func(key string) bool { return r.lexicon.phrases[key] != nil }) {
			keys[i] = slices.Concat(keys[i], t.keys) // what is after a sauna is for a sauna
		}
		if !t.after { // after shaving is no shaving
			keys[i] = slices.Concat(keys[i], r.analyzer.acts(r.analyzer.keys(t.token.Text)))
		}
	}
	r.mendPhrases(said, keys)
	r.inPhrases = make([][]string, len(said))
	for i, t := range said {
		if r.inPhrases[i] = keys[i]; !t.lacks && len(said) > 1 {
			r.inPhrases[i] = slices.Concat(keys[i], r.baseOf(t)) // зубные щёточки are called щётки, though there are щёточки of other kinds
		}
	}
	for i := 0; i < len(said); {
		i += r.next(said, keys, i)
	}
	// What was understood keeps the silent words where they were.
	heard := r.understood
	r.understood = nil
	for _, t := range r.terms {
		if t.silent {
			r.understood = append(r.understood, t.token.Text)
		} else if len(heard) > 0 {
			r.understood, heard = append(r.understood, heard[0]), heard[1:]
		}
	}
}

// unsilenced are the terms of a search that has silent words alone, as far as the lexicon knows more of them: эко.
func (r *reading) unsilenced() (said []term) {
	for i, t := range r.terms {
		if r.lexicon.said([][]string{t.meant()}, phrase.isAsked) != nil {
			r.terms[i].silent = false
			said = append(said, t)
		}
	}
	return said
}

// kazakhKeys are the keys of a word read as Kazakh: of its stems, and of what is a Russian word below Kazakh suffixes.
func (r *reading) kazakhKeys(word string) []string {
	var keys []string
	russian := !r.kazakh && r.analyzer.good(word)
	for i, stem := range words.KazakhStems(word) {
		if russian && i > 0 && utf8.RuneCountInString(stem) < 3 {
			continue // шины are no ши
		}
		keys = append(keys, kazakhKey+stem)
		if i > 0 && utf8.RuneCountInString(stem) >= 4 && r.vocabulary[stem] != nil {
			keys = append(keys, r.analyzer.keys(stem)...)
		}
		if i > 0 && r.lexicon.phrases[kazakhKey+stem] != nil {
			break // ерінге is ерін, not ер
		}
	}
	if !russian {
		keys = append(keys, rootKey+words.KazakhRoot(word))
	}
	return keys
}

// next makes units of the terms from i on, and says how many it took.
func (r *reading) next(said []term, keys [][]string, i int) int {
	t := said[i]
	word := t.token.Text
	if n := r.numeric(said, i); n > 0 {
		return n
	}
	phrases := r.phrasesAt(keys, i, r.reach(said, keys, i))
	longest := 0
	for n, meanings := range phrases {
		if slices.ContainsFunc(meanings, func(m string) bool { return m[0] != '?' || r.has(m) != 0 }) {
			longest = max(longest, n)
		}
	}
	if longest <= 1 && !t.lacks && r.apart(said, keys, i) {
		r.understood = append(r.understood, word)
		return 1
	}
	if r.paired[i] && longest <= 1 {
		r.understood = append(r.understood, word)
		return 1
	}
	if t.lacks && longest == 0 {
		if n := r.without(said, keys, i); n > 0 {
			return n
		}
	}
	if t.lacks {
		return r.lacking(said, phrases[longest], i, max(longest, 1))
	}
	before := len(r.units)
	defer func() {
		for j := range r.units[before:] {
			r.units[before+j].beside, r.units[before+j].compound = beside[r.before(t)], isOfCompound(said, i)
		}
	}()
	for j := range max(longest, 1) {
		r.understood = append(r.understood, said[i+j].token.Text)
	}
	if longest == 1 && r.isNote(t) {
		phrases[1] = slices.DeleteFunc(slices.Clone(phrases[1]), func(m string) bool { return isKind(m) && r.has(m) == 0 })
	}
	if whole := slices.IndexFunc(phrases[longest], isKind); whole >= 0 {
		if next := i + longest; next < len(said) && said[next].tied {
			return longest // a мочалка-мыло is мыло
		}
		m := phrases[longest][whole]
		r.add(unit{word: word, alternatives: map[string]float32{m: 1}})
		return longest
	}
	if longest > 1 {
		r.phrase(said, keys, phrases[longest], i, longest)
		if key := measured(said, i+longest-1); strings.HasPrefix(key, "spf") {
			r.understood = append(r.understood, said[i+longest].token.Text) // крем spf 50
			r.add(unit{word: key, adjective: true, alternatives: map[string]float32{key: 1}})
			return longest + 1
		}
		return longest
	}
	if i+1 < len(said) && r.isScent(t) {
		r.understood = append(r.understood, word)
		return 1
	}
	u := r.single(t, keys[i], phrases[1])
	if u.places&strong == 0 && !t.lacks {
		r.enlarged(&u, t)
	}
	if u.places&strong == 0 && r.isSoft(t) {
		return 1
	}
	if u.places&strong == 0 && !r.guess(&u, said[i:]) && u.places == 0 {
		r.strange++
	}
	r.add(u)
	return 1
}

// isNote is whether a word says what goods of another kind are like or hold: духи шоколад, скраб с чаем.
func (r *reading) isNote(t term) bool {
	before := r.before(t)
	return len(r.units) > 0 && (before == "с" || before == "со" || slices.ContainsFunc(r.units, func(u unit) bool { return (u.isKind() || u.phrased) && u.places != 0 }))
}

// isSoft is whether a word only counts where the goods have it: one that the lexicon says so of, and a verb, which says what one does with goods.
func (r *reading) isSoft(t term) bool {
	keys := r.analyzer.keys(t.token.Text)
	adverb := strings.HasSuffix(t.token.Text, "о")
	return words.EndsAsParticiple(t.token.Text) || len(keys) > 0 && !slices.ContainsFunc(keys, func(key string) bool {
		return !r.lexicon.soft[key] && !r.analyzer.russian.IsVerb(key) && !(adverb && words.IsAdjective(key))
	})
}

// isScent is whether a word only says that what follows is a scent: с запахом ванили.
func (r *reading) isScent(t term) bool {
	before := r.before(t)
	return (before == "с" || before == "со") && slices.ContainsFunc(t.keys, func(key string) bool { return scents[key] })
}

// single is a unit of one word.
func (r *reading) single(t term, keys, meanings []string) unit {
	keys = slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return strings.HasPrefix(key, actKey) })
	u := unit{word: t.token.Text, alternatives: map[string]float32{}}
	u.adjective = words.IsCyrillic(u.word) && !slices.ContainsFunc(keys, func(key string) bool {
		return !words.IsAdjective(key) && !r.analyzer.russian.IsVerb(key) && !strings.HasPrefix(key, kazakhKey) && !strings.HasPrefix(key, rootKey)
	})
	if !u.adjective && words.EndsAsAdjective(u.word) && !r.analyzer.good(u.word) && !r.stands(keys) {
		u.adjective = true
	}
	for _, key := range keys {
		u.alternatives[key] = 1
		if strings.HasPrefix(key, rootKey) {
			u.alternatives[key] = shareCorrected
		}
	}
	for _, key := range keys {
		if plain, ok := strings.CutPrefix(key, afterKey); ok {
			u.alternatives[plain] = 1
			if r.has(key)&strong != 0 {
				u.alternatives[plain] = shareRoot // a лосьон после бритья rather than a пена для бритья
			}
		}
	}
	for _, root := range roots(keys) {
		u.alternatives[root] = shareRoot
	}
	sounds := r.sameSound(u.word)
	for _, key := range sounds {
		u.alternatives[key] = max(u.alternatives[key], shareCorrected)
	}
	if len(meanings) == 0 && len(sounds) > 0 {
		meanings = r.lexicon.said([][]string{sounds}, phrase.isAsked)[1] // целюлит means what целлюлит does
	}
	if t.purpose && !r.stands(keys) {
		for _, key := range keys {
			u.alternatives[purposeKey+key] = shareWanted
		}
	}
	r.mean(&u, meanings)
	if slices.ContainsFunc(meanings, isNeed) {
		u.spelled, u.titles = [][]string{r.wordsOf(t)}, r.lexicon.titles(meanings)
	}
	u.places = r.placesOf(u)
	return u
}

// wordsOf are the keys by which a text may have a word of a need.
func (r *reading) wordsOf(t term) []string {
	if t.after {
		return t.meant()
	}
	var against []string
	for _, root := range roots(t.keys) {
		against = append(against, r.analyzer.keys("анти"+strings.TrimPrefix(root, "~")+"ный")...)
	}
	return slices.Concat(t.keys, roots(t.keys), against, r.analyzer.namesOfActs(t.keys))
}

// mean adds meanings to a unit.
func (r *reading) mean(u *unit, meanings []string) {
	for _, m := range meanings {
		share := float32(shareMeaning)
		if m[0] == '>' {
			share = shareWanted
		}
		u.alternatives[m] = max(u.alternatives[m], share)
	}
}

// lacking makes a unit of what shall not be in the goods.
func (r *reading) lacking(said []term, meanings []string, i, n int) int {
	u := unit{word: said[i].token.Text, lacks: true, alternatives: map[string]float32{}}
	for j := range n {
		r.understood = append(r.understood, said[i+j].token.Text)
		for _, key := range said[i+j].keys {
			if n == 1 {
				u.alternatives["-"+key] = 1
			}
			u.excluded = append(u.excluded, key)
		}
	}
	for _, m := range meanings {
		u.alternatives[m], u.alternatives["0"+m] = 1, shareAbsent
	}
	if len(meanings) == 0 {
		u.excluded = append(u.excluded, r.otherNames(said, i, n)...)
	}
	if len(meanings) > 0 {
		u.excluded = nil // the ingredients say it better
	}
	u.places = r.placesOf(u)
	r.add(u)
	return n
}

func (r *reading) add(u unit) {
	if u.places == 0 {
		u.places = r.placesOf(u)
	}
	if len(u.alternatives) > 0 || len(u.excluded) > 0 {
		r.units = append(r.units, u)
	}
}

func (r *reading) placesOf(u unit) (places uint16) {
	for key := range u.alternatives {
		places |= r.has(key)
	}
	return places
}
