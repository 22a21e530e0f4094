package search

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"shop/readapi/words"
)

// Synonyms is the lexicon of a shop that has no block of content named synonyms.
//
//go:embed synonyms.txt
var Synonyms string

// Need is a problem or a type of skin that goods are for.
type Need struct {
	// Name is its name in addresses.
	Name string `json:"name"`
	// Title and TitleKK are for people, in Russian and Kazakh.
	Title   string `json:"title"`
	TitleKK string `json:"title_kk"`
}

// lexicon is what words of the trade mean.
type lexicon struct {
	phrases map[string][]phrase
	needs   []Need
	absent  []absence
	// silent are the words that say nothing, as they are written and as dictionary forms.
	silent map[string]bool
	// silentSounds is how silent words sound, for those in Latin letters.
	silentSounds map[string]bool
	// soft are the dictionary forms of words that say nothing unless a phrase or the goods' names have them.
	soft map[string]bool
	// prices are the words that ask for an order of prices.
	prices map[string]priceOrder
	// pricePhrases are those of them that are several words.
	pricePhrases []string
	// kazakh are words that are read as Kazakh, and as no form of a Russian one: бадам is no бад.
	kazakh map[string]bool
	// members are all words of the lexicon, for correcting slips.
	members []string
}

// phrase is one way to say something.
type phrase struct {
	// words are the keys that each word may have.
	words   [][]string
	meaning string
	// asked: shoppers say it; told: goods say it.
	asked, told bool
	// lack: it only counts after "without".
	lack bool
	// whole: its silent words count too, as the buying in buying a house.
	whole bool
}

// absence is what "without" may stand before.
type absence struct {
	meaning string
	// ingredients are beginnings or parts of names of which no ingredient has any.
	ingredients []string
}

// Bounds of a lexicon: what is beyond them is left out.
const (
	lexiconBytes = 512 << 10
	lexiconLines = 5000
	phraseWords  = 6
	keyPhrases   = 200 // that begin with one word
)

// LexiconError is a line of a lexicon that has no meaning.
type LexiconError struct {
	Line int
	Text string
}

func (e *LexiconError) Error() string { return fmt.Sprintf("line %d says nothing: %s", e.Line, e.Text) }

// CheckLexicon says which line of a lexicon cannot be read, as a *LexiconError; nil: all can.
func CheckLexicon(text string) error {
	_, err := readLexicon(text, newAnalyzer())
	return err
}

// readLexicon reads a lexicon; lines that it cannot read it leaves out, and returns the first as the error.
func readLexicon(text string, a *analyzer) (*lexicon, error) {
	l := &lexicon{phrases: map[string][]phrase{}, silent: map[string]bool{}, silentSounds: map[string]bool{}, soft: map[string]bool{}, prices: map[string]priceOrder{}, kazakh: map[string]bool{}}
	if len(text) > lexiconBytes {
		text = strings.ToValidUTF8(text[:lexiconBytes], "")
	}
	lines := strings.Split(strings.ToValidUTF8(text, " "), "\n")
	lines = lines[:min(len(lines), lexiconLines)]
	var first error
	// Silent words first: phrases are read without them.
	for _, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), "$") {
			l.priced(strings.TrimSpace(line))
		} else if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "~?"); ok {
			for word := range strings.SplitSeq(words.Plain(rest), ",") {
				for _, key := range a.keys(strings.TrimSpace(word)) {
					l.soft[key] = true
				}
			}
		} else if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "~"); ok {
			for word := range strings.SplitSeq(words.Plain(rest), ",") {
				word = strings.TrimSpace(word)
				l.silent[word] = true
				if utf8.RuneCountInString(word) >= 3 {
					l.silentSounds[words.Sound(word)] = true
				}
			}
		}
	}
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "~") {
			continue
		}
		if !l.read(line, i, a) && first == nil {
			first = &LexiconError{Line: i + 1, Text: line}
		}
	}
	slices.Sort(l.members)
	l.members = slices.Compact(l.members)
	return l, first
}

func (l *lexicon) read(line string, number int, a *analyzer) bool {
	id := strconv.Itoa(number)
	switch line[0] {
	case '$':
		return l.priced(line)
	case '?':
		parts := strings.Split(line[1:], "|")
		if len(parts) != 5 || strings.TrimSpace(parts[0]) == "" {
			return false
		}
		n := Need{Name: strings.TrimSpace(parts[0]), Title: strings.TrimSpace(parts[1]), TitleKK: strings.TrimSpace(parts[2])}
		l.needs = append(l.needs, n)
		for text := range strings.SplitSeq(parts[3], ",") {
			asked, only := strings.CutPrefix(strings.TrimSpace(text), ">")
			l.put(a, []string{asked}, phrase{meaning: "?" + n.Name, asked: true, told: !only})
		}
		l.put(a, strings.Split(parts[4], ","), phrase{meaning: "?" + n.Name, told: true})
	case '!':
		if strings.Trim(line, "!, ") == "" {
			return false
		}
		for i, name := range strings.Split(line[1:], ",") {
			l.put(a, []string{name}, phrase{meaning: "!" + id + "." + strconv.Itoa(i), asked: true, told: true})
		}
	case '-':
		names, ingredients, ok := strings.Cut(line[1:], "|")
		if !ok {
			return false
		}
		out := absence{meaning: "-" + id}
		for part := range strings.SplitSeq(words.Plain(ingredients), ",") {
			if part = strings.TrimSpace(part); part != "" {
				out.ingredients = append(out.ingredients, part)
			}
		}
		l.absent = append(l.absent, out)
		l.put(a, strings.Split(names, "="), phrase{meaning: out.meaning, asked: true, told: true, lack: true})
	default:
		same, wants, oneWay := strings.Cut(line, ">")
		names := strings.Split(same, "=")
		if !oneWay && len(names) < 2 {
			return false
		}
		if len(names) > 1 {
			l.put(a, names, phrase{meaning: "=" + id, asked: true, told: true})
		}
		if oneWay {
			l.put(a, names, phrase{meaning: ">" + id, asked: true})
			l.put(a, strings.Split(wants, ","), phrase{meaning: ">" + id, told: true})
		}
	}
	return true
}

// put adds ways to say a thing. Silent words are left out of them, unless nothing else is in one.
func (l *lexicon) put(a *analyzer, texts []string, p phrase) {
	for _, text := range texts {
		p.words, p.whole = nil, false
		text, kazakh := strings.CutPrefix(strings.TrimSpace(text), kazakhKey)
		tokens := tokensOf(words.Plain(text))
		says := len(tokens) - count(tokens, func(t words.Token) bool { return l.isSilent(a, t.Text) })
		p.whole = len(tokens) > 1 && says < 2 && p.meaning[0] == '!'
		for i, t := range tokens {
			if len(tokens) > 1 && !p.whole && l.isSilent(a, t.Text) {
				continue
			}
			word := term{keys: []string{kazakhKey + t.Text}, after: isAfter(tokens, i)}
			if kazakh {
				l.kazakh[t.Text] = true
			} else {
				word.keys = append(word.keys, a.keys(t.Text)...)
			}
			if len(tokens) > 1 {
				if words.IsKazakh(t.Text) {
					word.keys = append(word.keys, rootKey+words.KazakhRoot(t.Text))
					for _, stem := range words.KazakhStems(t.Text)[1:] {
						if p.asked && utf8.RuneCountInString(stem) >= stemRunes {
							word.keys = append(word.keys, kazakhKey+stem) // ауыз иісі, ауыздан иіс
						}
					}
				} else if !kazakh && p.asked {
					word.keys = append(word.keys, a.acts(a.keys(t.Text))...)
				}
			}
			p.words = append(p.words, word.meant())
			if !words.IsNumber(t.Text) {
				l.members = append(l.members, t.Text)
			}
		}
		if len(p.words) == 0 || len(p.words) > phraseWords {
			continue
		}
		l.file(p)
		if len(p.words) == 2 && (p.meaning[0] == '?' || slices.ContainsFunc(p.words[0], words.IsAdjective)) {
			p.words = [][]string{p.words[1], p.words[0]} // мыло жидкое, волосы секутся
			l.file(p)
		}
	}
}

func count(tokens []words.Token, is func(words.Token) bool) (n int) {
	for _, t := range tokens {
		if is(t) {
			n++
		}
	}
	return n
}

// file adds a phrase to those that begin with its first word.
func (l *lexicon) file(p phrase) {
	if len(p.words) == 1 && (p.lack || p.meaning[0] == '=') {
		russian := slices.DeleteFunc(slices.Clone(p.words[0]), func(key string) bool { return strings.HasPrefix(key, kazakhKey) })
		p.words[0] = append(p.words[0], roots(russian)...) // бессульфатный, пептидный
	}
	for _, key := range p.words[0] {
		if len(l.phrases[key]) < keyPhrases {
			l.phrases[key] = append(l.phrases[key], p)
		}
	}
}

// stemRunes is how many letters a stem of a Kazakh word in a phrase has at least.
const stemRunes = 3

// rootKey begins the roots of Kazakh words.
const rootKey = "kk~"

// kazakhKey begins the keys of words read as Kazakh.
const kazakhKey = "kk:"

// said finds the phrases that begin with the first of these words, each given by its keys, and how many words each takes.
func (l *lexicon) said(keys [][]string, wants func(phrase) bool) map[int][]string {
	var found map[int][]string
	for _, key := range keys[0] {
		for _, p := range l.phrases[key] {
			if !wants(p) || len(p.words) > len(keys) || !begins(keys, p.words) {
				continue
			}
			if found == nil {
				found = map[int][]string{}
			}
			if n := len(p.words); !slices.Contains(found[n], p.meaning) {
				found[n] = append(found[n], p.meaning)
			}
		}
	}
	return found
}

func begins(keys, with [][]string) bool {
	for i := 1; i < len(with); i++ {
		if !slices.ContainsFunc(with[i], func(key string) bool { return slices.Contains(keys[i], key) }) {
			return false
		}
	}
	return true
}
