package search

import (
	"slices"
	"strings"
	"sync"

	"shop/readapi/words"
)

// analyzer turns words into keys, and remembers which.
type analyzer struct {
	russian *words.Russian
	mu      sync.RWMutex
	known   map[string][]string
}

// analyzed bounds how many words are remembered.
const analyzed = 200_000

func newAnalyzer() *analyzer {
	return &analyzer{russian: words.Dictionary(), known: map[string][]string{}}
}

// keys are the dictionary forms of a plain word; the word without its ending if the dictionary does not have it. An English plural is the
// singular too.
func (a *analyzer) keys(word string) []string {
	a.mu.RLock()
	keys, ok := a.known[word]
	a.mu.RUnlock()
	if ok {
		return keys
	}
	if words.IsCyrillic(word) {
		keys = a.russian.Lemmas(word)
	}
	if len(keys) == 0 {
		keys = []string{words.Stem(word)}
		if one := words.Singular(word); one != word {
			keys = append(keys, one)
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.known) >= analyzed {
		clear(a.known)
	}
	a.known[word] = keys
	return keys
}

// good is whether a word is one of the Russian language.
func (a *analyzer) good(word string) bool { return words.IsCyrillic(word) && a.russian.Known(word) }

// roots are keys of what is made from the same root as a word with these keys.
func roots(keys []string) []string {
	var found []string
	for _, key := range keys {
		if root := words.Root(key); root != "" {
			found = append(found, "~"+root)
		}
	}
	return found
}

// actKey begins the keys of what somebody does, as a verb, a participle or a noun: полоскать рот is полоскание рта, and ломающиеся ногти are
// ногти ломаются. They are of phrases alone.
const actKey = "~v:"

// acts are keys of what is done, of a word with these keys.
func (a *analyzer) acts(keys []string) []string {
	var found []string
	for _, key := range keys {
		if words.IsAction(key) {
			found = append(found, actKey+words.Root(key))
			continue
		}
		verbs := a.russian.VerbsOf(key)
		if len(verbs) == 0 {
			return nil // мыло is what one washes with
		}
		for _, verb := range verbs {
			found = append(found, actKey+words.Root(strings.TrimSuffix(verb, "ся")))
			if rest, ok := strings.CutPrefix(verb, "по"); ok && a.russian.IsVerb(rest) {
				found = append(found, actKey+words.Root(strings.TrimSuffix(rest, "ся")))
			}
		}
	}
	return found
}

// namesOfActs are the nouns of verbs among keys: выпадение of выпадать.
func (a *analyzer) namesOfActs(keys []string) (found []string) {
	for _, key := range keys {
		if a.russian.IsVerb(key) {
			root := words.Root(strings.TrimSuffix(key, "ся"))
			found = append(found, root+"ение", root+"ание")
		}
	}
	return found
}

// term is a word of a text as the index sees it.
type term struct {
	token words.Token
	keys  []string
	// silent: it says nothing. lacks: the text says that there is none of it. tied: a hyphen alone stands before it. after: the text says
	// "after" it, as in "после бритья" and "қырынудан кейін". purpose: it is what something is for or against.
	silent, lacks, tied, after, purpose bool
}

// afterKey begins the keys of what a text says "after" of, so that what is for the sun is not what is for after it.
const afterKey = "после:"

// meant are the keys by which the lexicon knows a word.
func (t term) meant() []string {
	if !t.after {
		return t.keys
	}
	keys := make([]string, len(t.keys))
	for i, key := range t.keys {
		keys[i] = afterKey + key
	}
	return keys
}

// isSilent is whether a word says nothing, as it is written or in all its dictionary forms.
func (l *lexicon) isSilent(a *analyzer, word string) bool {
	if l.silent[word] {
		return true
	}
	keys := a.keys(word)
	return len(keys) > 0 && !slices.ContainsFunc(keys, func(key string) bool { return !l.silent[key] })
}

// isAfter is whether a text says "after" of the token at i.
func isAfter(tokens []words.Token, i int) bool {
	return i > 0 && tokens[i-1].Text == "после" || i+1 < len(tokens) && strings.HasPrefix(tokens[i+1].Text, "кейін")
}

// months are those of days for presents, as Russian says them after a number.
var months = setOf("января", "февраля", "марта", "апреля", "мая", "июня", "июля", "августа", "сентября", "октября", "ноября", "декабря")

// isDay is whether the token at i is the day of a month: 8 марта is no 8.
func isDay(tokens []words.Token, i int) bool {
	return i+1 < len(tokens) && words.IsNumber(tokens[i].Text) && months[tokens[i+1].Text]
}

// age is what лет is a form of in nearly all texts: 6 лет are no summer.
const age = "год"

// vitamins are the Cyrillic letters that look or sound like a vitamin's.
var vitamins = map[string]string{"а": "a", "в": "b", "с": "c", "ц": "c", "е": "e"}

// tokensOf are the tokens of a plain text. The letter of a vitamin is Latin, however it was typed, and д/волос is для волос.
func tokensOf(plain string) []words.Token {
	tokens := words.Tokens(plain)
	for i := range tokens {
		if tokens[i].Text == "д" && strings.HasPrefix(plain[tokens[i].To:], "/") {
			tokens[i].Text = "для"
		}
		if latin, ok := vitamins[tokens[i].Text]; ok && (i > 0 && strings.HasPrefix(tokens[i-1].Text, "витамин") || i+1 < len(tokens) && tokens[i+1].Text == "дәрумені") {
			tokens[i].Text = latin
		}
	}
	return tokens
}

// terms reads a text. After "без", "ни" and "вместо" words are what is lacking, up to the end of the list.
func (l *lexicon) terms(a *analyzer, plain string) []term {
	tokens := tokensOf(plain)
	found := make([]term, 0, len(tokens))
	lacking, nouns := false, 0
	var aim aims
	for i, t := range tokens {
		between := ""
		if i > 0 {
			between = plain[tokens[i-1].To:t.From]
		}
		if lacking && (pauses(between) || nouns >= lackedNouns) {
			lacking = false
		}
		switch t.Text {
		case "без", "bez", "without", "ни", "вместо", "никакого", "никаких", "никакой":
			lacking, nouns = true, 0
			found = append(found, term{token: t, silent: true})
			continue
		case "нет", "жоқ", "free", "фри":
			if n := len(found); t.Text == "нет" && (n == 0 || !l.isLack(found[n-1])) && i+1 < len(tokens) && !commas(plain[t.To:tokens[i+1].From]) && !l.isSilent(a, tokens[i+1].Text) {
				lacking, nouns = true, 0 // паста, где нет фтора
				found = append(found, term{token: t, silent: true})
				continue
			}
			if n := len(found); n > 0 && !found[n-1].silent && (t.Text == "нет" || t.Text == "жоқ" || l.isLack(found[n-1])) {
				found[n-1].lacks = true
				found = append(found, term{token: t, silent: true})
				continue
			}
		case "емес":
			if n := len(found); n > 0 {
				found[n-1].silent = true // далап емес бальзам is a balm
			}
			found = append(found, term{token: t, silent: true})
			continue
		case "содержит", "содержат", "содержащий", "содержащая", "содержащее", "содержащие", "содержащую", "содержащего", "пахнет", "пахнут", "пахло", "пахнущий", "пахнущее", "пахнущая", "пахнущие":
			if n := len(found); n > 0 && found[n-1].token.Text == "не" {
				if next := i + 1; strings.HasPrefix(t.Text, "пах") && (next == len(tokens) || l.isSilent(a, tokens[next].Text)) {
					found = append(found, term{token: t, keys: a.keys("запах"), lacks: true}) // крем, который не пахнет
					continue
				}
				lacking, nouns = true, 0
				found = append(found, term{token: t, silent: true})
				continue
			}
		}
		here := term{token: t, keys: a.keys(t.Text), purpose: aim.next(a, t.Text, between), silent: l.isSilent(a, t.Text) || isDay(tokens, i), tied: between == "-" || between == "/", after: isAfter(tokens, i)}
		if n := len(found); n > 0 && l.silent[tokens[i-1].Text+" "+t.Text] {
			here.silent, found[n-1].silent = true, true // новый год
		}
		switch {
		case t.Text == "лет":
			here.keys = []string{age}
		case l.kazakh[t.Text]:
			here.keys = []string{t.Text}
		}
		here.purpose = here.purpose || i+1 < len(tokens) && kazakhPurposes[tokens[i+1].Text]
		if lacking {
			switch {
			case nouns == 0 && slices.ContainsFunc(here.keys, func(key string) bool { return contents[key] }):
				here.silent = true // без содержания ацетона
			case here.silent && t.Text != "и" && t.Text != "или":
				lacking = false
			case !here.silent:
				here.lacks = true
				if len(here.keys) == 0 || !words.IsAdjective(here.keys[0]) || declinesAsNoun(t.Text) {
					nouns++
					if i+1 < len(tokens) && tokens[i+1].Text != "и" && tokens[i+1].Text != "или" && !commas(plain[t.To:tokens[i+1].From]) {
						lacking = false
					}
				}
			}
		}
		found = append(found, here)
	}
	return found
}

// isLack is whether the lexicon knows what it is to lack a word: sulfate free, but not cruelty free.
func (l *lexicon) isLack(t term) bool {
	return l.said([][]string{append([]string{kazakhKey + t.token.Text}, t.keys...)}, func(p phrase) bool { return p.asked && p.lack })[1] != nil
}

// declinesAsNoun is whether a word in the genitive is of a noun that ends as adjectives do: алюминия is of алюминий.
func declinesAsNoun(word string) bool { return strings.HasSuffix(word, "ия") }

// contents are words between "without" and what is lacking that say nothing themselves.
var contents = setOf("содержание", "добавление", "использование", "применение", "примесь")

// lackedNouns is how many things one "without" may list.
const lackedNouns = 4

func pauses(between string) bool {
	for _, r := range between {
		switch r {
		case '.', '…', '!', '?', ':', ';', '»', '—', '(', ')', '\n':
			return true
		}
	}
	return false
}

func commas(between string) bool {
	for _, r := range between {
		if r == ',' {
			return true
		}
	}
	return false
}
