package search

import (
	_ "embed"
	"fmt"
	"regexp"
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
	// of are the keys of a class of words, one of which goods for it have; not are those of which no name or category of theirs has one.
	of, not []string
	// titled are the keys of the words of the first thing that its title says.
	titled [][]string
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
	// classes are the keys of the words of each class.
	classes map[string][]string
	// members are all words of the lexicon, for correcting slips.
	members []string
}

// phrase is one way to say something.
type phrase struct {
	// words are the keys that each word may have, in order.
	words   [][]string
	meaning string
	// asked: shoppers say it; told: goods say it.
	asked, told bool
	// lack: it only counts after "without".
	lack bool
	// whole: its silent words count too, as the buying in buying a house.
	whole bool
	// turned: it is said the other way round, as мыло жидкое.
	turned bool
}

// isAsked is whether shoppers say it, and not after "without".
func (p phrase) isAsked() bool { return p.asked && !p.lack }

// isOwnKind is whether it is what goods of a kind of their own are called.
func (p phrase) isOwnKind() bool { return p.asked && p.told && isKind(p.meaning) }

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
	keyPhrases   = 500  // that begin with one word
	classKeys    = 2000 // of one class, which a phrase is compared with
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
	l := &lexicon{phrases: map[string][]phrase{}, silent: map[string]bool{}, silentSounds: map[string]bool{}, soft: map[string]bool{}, prices: map[string]priceOrder{}, kazakh: map[string]bool{}, classes: map[string][]string{}}
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
	// Phrases may name classes that come after them.
	for _, line := range lines {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), classLine); ok {
			l.class(rest, a)
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
	for _, named := range classNamed.FindAllStringSubmatch(words.Plain(line), -1) {
		if l.classes[named[1]] == nil {
			return false
		}
	}
	if class, ok := strings.CutPrefix(line, classLine); ok {
		name, list, ok := strings.Cut(class, "=")
		return ok && len(words.Tokens(words.Plain(name))) == 1 && strings.Trim(list, " ,") != ""
	}
	switch line[0] {
	case '$':
		return l.priced(line)
	case '?':
		return l.need(strings.Split(line[1:], "|"), a)
	case '!':
		if strings.Trim(line, "!, ") == "" {
			return false
		}
		for i, name := range strings.Split(line[1:], ",") {
			kind := phrase{meaning: "!" + id + "." + strconv.Itoa(i), told: true}
			own, also, _ := strings.Cut(name, ">")
			l.put(a, strings.Split(also, "="), kind)
			kind.asked = true
			l.put(a, strings.Split(own, "="), kind)
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

// need reads a need: its name and classes, its titles, what shoppers ask and what goods say.
func (l *lexicon) need(parts []string, a *analyzer) bool {
	if len(parts) != 5 || strings.TrimSpace(parts[0]) == "" {
		return false
	}
	n := Need{Title: strings.TrimSpace(parts[1]), TitleKK: strings.TrimSpace(parts[2])}
	for i, field := range strings.Fields(parts[0]) {
		switch class, ok := strings.CutPrefix(field, "!&"); {
		case i == 0:
			n.Name = field
		case ok:
			n.not = l.classes[class]
		default:
			n.of = l.classes[strings.TrimPrefix(field, "&")]
		}
	}
	title := words.Tokens(firstOf(words.Plain(n.Title)))
	for i, t := range title {
		if word := (term{keys: a.keys(t.Text), after: isAfter(title, i)}); word.after {
			n.titled = append(n.titled, word.meant())
		} else if !l.isSilent(a, t.Text) {
			n.titled = append(n.titled, slices.Concat(word.keys, roots(word.keys)))
		}
	}
	l.needs = append(l.needs, n)
	for text := range strings.SplitSeq(parts[3], ",") {
		asked, only := strings.CutPrefix(strings.TrimSpace(text), ">")
		l.put(a, []string{asked}, phrase{meaning: "?" + n.Name, asked: true, told: !only})
	}
	l.put(a, strings.Split(parts[4], ","), phrase{meaning: "?" + n.Name, told: true})
	return true
}

// firstOf is the first of the things that a title lists.
func firstOf(title string) string {
	title, _, _ = strings.Cut(title, ",")
	title, _, _ = strings.Cut(title, " и ")
	return title
}

// titles are the words of the titles of the needs among meanings.
func (l *lexicon) titles(meanings []string) (titles [][][]string) {
	for _, n := range l.needs {
		if slices.Contains(meanings, "?"+n.Name) {
			titles = append(titles, n.titled)
		}
	}
	return titles
}

// put adds ways to say a thing. Silent words are left out of them, unless nothing else is in one.
func (l *lexicon) put(a *analyzer, texts []string, p phrase) {
	for _, text := range texts {
		p.words, p.whole, p.turned = nil, false, false
		text, kazakh := strings.CutPrefix(strings.TrimSpace(text), kazakhKey)
		plain := words.Plain(text)
		tokens := tokensOf(plain)
		says := len(tokens) - count(tokens, func(t words.Token) bool { return l.isSilent(a, t.Text) })
		p.whole = len(tokens) > 1 && says < 2 && (p.meaning[0] == '!' || p.meaning[0] == '>' && p.told)
		for i, t := range tokens {
			if len(tokens) > 1 && !p.whole && l.isSilent(a, t.Text) {
				continue
			}
			word := term{after: isAfter(tokens, i)}
			if t.From > 0 && plain[t.From-1] == '&' {
				word.keys = l.classes[t.Text]
			} else {
				word.keys = l.member(a, t.Text, kazakh, len(tokens) > 1, p.asked)
				slices.Sort(word.keys)
			}
			p.words = append(p.words, word.meant())
		}
		if len(p.words) == 0 || len(p.words) > phraseWords || len(p.words) == 1 && len(tokens) > 1 && words.IsNumber(p.words[0][0]) {
			continue // 23 февраля is not all of 23
		}
		l.file(p)
		if len(p.words) == 2 && (p.meaning[0] == '?' || slices.ContainsFunc(p.words[0], words.IsAdjective)) {
			p.words, p.turned = [][]string{p.words[1], p.words[0]}, true // мыло жидкое, волосы секутся
			l.file(p)
		}
	}
}

// member remembers a word of the lexicon, and returns its keys. phrased: it is one of several words. asked: shoppers say it.
func (l *lexicon) member(a *analyzer, word string, kazakh, phrased, asked bool) []string {
	keys := []string{kazakhKey + word}
	if kazakh {
		l.kazakh[word] = true
	} else {
		keys = append(keys, a.keys(word)...)
	}
	switch {
	case phrased && words.IsKazakh(word):
		keys = append(keys, rootKey+words.KazakhRoot(word))
		for _, stem := range words.KazakhStems(word)[1:] {
			if asked && utf8.RuneCountInString(stem) >= stemRunes {
				keys = append(keys, kazakhKey+stem) // ауыз иісі, ауыздан иіс
			}
		}
	case phrased && asked && !kazakh:
		keys = append(keys, a.acts(a.keys(word))...)
	}
	if !words.IsNumber(word) {
		l.members = append(l.members, word)
	}
	return keys
}

// classLine is what the line of a class begins with; without the blank it is a phrase that names a class.
const classLine = "& "

// classNamed is a class in a phrase.
var classNamed = regexp.MustCompile(`(?:^|[ ,=>|!])&(\p{L}+)`)

// class files the words of a class. It may hold another one that comes before it: skin = &face, тело.
func (l *lexicon) class(line string, a *analyzer) {
	name, list, _ := strings.Cut(line, "=")
	name = strings.TrimSpace(words.Plain(name))
	for text := range strings.SplitSeq(list, ",") {
		text, kazakh := strings.CutPrefix(strings.TrimSpace(words.Plain(text)), kazakhKey)
		if len(l.classes[name]) > classKeys {
			break
		}
		if other, ok := strings.CutPrefix(text, "&"); ok {
			l.classes[name] = append(l.classes[name], l.classes[other]...)
			continue
		}
		if tokens := words.Tokens(text); len(tokens) > 0 {
			l.classes[name] = append(l.classes[name], l.member(a, tokens[0].Text, kazakh, true, true)...)
		}
	}
	l.classes[name] = slices.Compact(slices.Sorted(slices.Values(l.classes[name])))
}

func count[T any](list []T, is func(T) bool) (n int) {
	for _, t := range list {
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
		if !slices.ContainsFunc(keys[i], func(key string) bool { _, ok := slices.BinarySearch(with[i], key); return ok }) {
			return false
		}
	}
	return true
}
