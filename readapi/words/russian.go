package words

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

//go:embed all:dictionary
var files embed.FS

// Russian knows the forms of Russian words. The zero value knows none. It is safe for concurrent use.
type Russian struct {
	// words are the dictionary forms in order, a line each, with the names of their rules behind a slash. One text takes a quarter of
	// the memory of a map.
	words string
	// rules are by the ending that a form has.
	rules map[string][]rule
}

// rule makes a form of a word: strip at its end gives way to the ending that the rule is found by.
type rule struct {
	flag  byte
	strip string
	// before are the letters that each place at the word's end may have, last place last.
	before []letters
}

// letters are those that may, or with but may not, stand at a place; none: any.
type letters struct {
	set string
	but bool
}

// longestEnding is the length in letters of the longest ending that rules have.
const longestEnding = 8

// Dictionary is the dictionary that was built into the program; it knows no words when none was.
var Dictionary = sync.OnceValue(func() *Russian {
	file, err := files.Open("dictionary/ru.gz")
	if err != nil {
		return &Russian{} // built without the storefront
	}
	defer file.Close()
	d, err := read(file)
	if err != nil {
		panic(err) // The file is part of the program: a failure is a broken build.
	}
	return d
})

// Licence is the licence of the dictionary that was built into the program; empty: none was.
func Licence() string {
	text, err := fs.ReadFile(files, "dictionary/ru.license")
	if err != nil {
		return ""
	}
	return string(text)
}

func read(from io.Reader) (*Russian, error) {
	plain, err := gzip.NewReader(from)
	if err != nil {
		return nil, fmt.Errorf("read the Russian dictionary: %w", err)
	}
	text, err := io.ReadAll(plain)
	if err != nil {
		return nil, fmt.Errorf("read the Russian dictionary: %w", err)
	}
	rules, words, _ := bytes.Cut(text, []byte("\n\n"))
	d := &Russian{words: string(words), rules: map[string][]rule{}}
	for line := range strings.Lines(string(rules)) {
		parts := strings.Fields(line)
		if len(parts) != 4 {
			return nil, fmt.Errorf("read the Russian dictionary: %q is no rule", line)
		}
		add := nothing(parts[2])
		d.rules[add] = append(d.rules[add], rule{flag: parts[0][0], strip: nothing(parts[1]), before: places(parts[3])})
	}
	last := ""
	for line := range strings.Lines(d.words) {
		if line <= last {
			return nil, fmt.Errorf("read the Russian dictionary: %q is out of order", line)
		}
		last = line
	}
	return d, nil
}

// flags are the names of the rules of a dictionary form. It halves the text until one line is left.
func (d *Russian) flags(word string) (flags string, ok bool) {
	from, to := 0, len(d.words)
	for from < to {
		begin := strings.LastIndexByte(d.words[from:(from+to)/2], '\n') + 1 + from
		line, _, _ := strings.Cut(d.words[begin:to], "\n")
		form, flags, _ := strings.Cut(line, "/")
		switch strings.Compare(word, form) {
		case 0:
			return flags, true
		case -1:
			to = begin
		default:
			from = min(to, begin+len(line)+1)
		}
	}
	return "", false
}

func nothing(text string) string {
	if text == "0" {
		return ""
	}
	return text
}

// places reads a condition such as [^аеи]ь.
func places(condition string) []letters {
	if condition == "." {
		return nil
	}
	var found []letters
	for condition != "" {
		if set, rest, ok := strings.Cut(strings.TrimPrefix(condition, "["), "]"); ok && condition[0] == '[' {
			found = append(found, letters{set: strings.TrimPrefix(set, "^"), but: strings.HasPrefix(set, "^")})
			condition = rest
			continue
		}
		_, n := utf8.DecodeRuneInString(condition)
		found = append(found, letters{set: condition[:n]})
		condition = condition[n:]
	}
	return found
}

// fits is whether the end of a word has the letters that a rule wants there.
func (r rule) fits(word string) bool {
	for i := len(r.before) - 1; i >= 0; i-- {
		letter, n := utf8.DecodeLastRuneInString(word)
		if n == 0 || strings.ContainsRune(r.before[i].set, letter) == r.before[i].but {
			return false
		}
		word = word[:len(word)-n]
	}
	return true
}

// Lemmas are the dictionary forms of a word in small letters, with е for ё; none for a word that the dictionary does not have.
func (d *Russian) Lemmas(word string) []string {
	var found []string
	if _, ok := d.flags(word); ok {
		found = append(found, word)
	}
	end := len(word)
	for range longestEnding + 1 {
		for _, r := range d.rules[word[end:]] {
			whole := word[:end] + r.strip
			flags, ok := d.flags(whole)
			if ok && strings.IndexByte(flags, r.flag) >= 0 && r.fits(whole) && !slices.Contains(found, whole) {
				found = append(found, whole)
			}
		}
		_, n := utf8.DecodeLastRuneInString(word[:end])
		if n == 0 {
			break
		}
		end -= n
	}
	if flags, ok := d.flags(word); !ok || flags == "" {
		found = append(found, d.plural(word)...)
		found = append(found, d.oblique(word)...)
		found = append(found, d.listed(word)...)
		if len(found) == 0 || len(found) == 1 && found[0] == word {
			found = append(found, d.fleeting(word)...)
		}
	}
	for _, past := range []string{"ла", "ло", "ли"} {
		if stem, ok := strings.CutSuffix(word, past); ok && d.IsVerb(stem+"нуть") {
			found = append(found, stem+"нуть") // пересохли
		}
	}
	for _, ending := range []string{"й", "ям", "ями", "ях"} {
		if rest, ok := strings.CutSuffix(word, "ни"+ending); ok && len(found) == 0 {
			if _, ok := d.flags(rest + "ние"); ok {
				found = append(found, rest+"ние") // воспалений
			}
		}
	}
	if whole := irregular[word]; whole != "" {
		found = append(found, whole)
	}
	return distinct(found)
}

// distinct are the few words of a list, each once.
func distinct(list []string) []string {
	once := list[:0]
	for _, word := range list {
		if !slices.Contains(once, word) {
			once = append(once, word)
		}
	}
	return once
}

// irregular are the words of forms that the dictionary has as other words, or by themselves.
var irregular = map[string]string{"кожей": "кожа", "капель": "капля", "ушей": "ухо", "уши": "ухо", "ушам": "ухо", "ушами": "ухо", "ушах": "ухо", "детьми": "дети", "сны": "сон", "снов": "сон", "колени": "колено", "коленей": "колено", "коленям": "колено", "коленями": "колено", "коленях": "колено"}

// oblique finds the short word with a fleeting vowel that a form is of, рта and льном: the dictionary lists these for themselves.
func (d *Russian) oblique(word string) []string {
	for _, ending := range []string{"ами", "ом", "ам", "ах", "а", "у", "е", "ы"} {
		stem, ok := strings.CutSuffix(word, ending)
		if !ok || utf8.RuneCountInString(stem) > 4 {
			continue
		}
		last, n := utf8.DecodeLastRuneInString(stem)
		before := strings.TrimSuffix(stem[:len(stem)-n], "ь")
		for _, vowel := range []string{"о", "е"} {
			if _, ok := d.flags(before + vowel + string(last)); ok && n > 0 && before != "" {
				return []string{before + vowel + string(last)}
			}
		}
	}
	return nil
}

// listed finds the word that a form is of which the dictionary lists for itself, because its ending is stressed or its е is ё elsewhere:
// карандашом, свечой and щеках.
func (d *Russian) listed(word string) []string {
	for _, e := range []struct{ ending, whole string }{{"ом", ""}, {"ем", ""}, {"ой", "а"}, {"ей", "а"}} {
		stem, ok := strings.CutSuffix(word, e.ending)
		if last, _ := utf8.DecodeLastRuneInString(stem); !ok || !strings.ContainsRune("жшчщц", last) {
			continue
		}
		if flags, _ := d.flags(stem + e.whole); flags != "" {
			return []string{stem + e.whole}
		}
	}
	for _, ending := range []string{"ами", "ах", "ам", "у", "и", "ы"} {
		if stem, ok := strings.CutSuffix(word, ending); ok && utf8.RuneCountInString(stem) >= 3 {
			if flags, _ := d.flags(stem + "а"); flags != "" {
				return []string{stem + "а"} // щеках, слезами
			}
		}
	}
	return nil
}

// fleeting finds the longer or softer word with a fleeting vowel that a form is of, огурцом and углем, as oblique does.
func (d *Russian) fleeting(word string) (found []string) {
	for _, ending := range []string{"ями", "ом", "ем", "ям", "ях", "а", "у", "е", "я", "ю", "и"} {
		stem, ok := strings.CutSuffix(word, ending)
		runes := utf8.RuneCountInString(stem)
		if !ok || runes < 2 || runes > 4 && !strings.HasSuffix(stem, "ц") {
			continue
		}
		last, n := utf8.DecodeLastRuneInString(stem)
		before := strings.TrimSuffix(stem[:len(stem)-n], "ь")
		for _, whole := range []string{before + "о" + string(last) + "ь", before + "е" + string(last) + "ь", before + "е" + string(last)} {
			if _, ok := d.flags(whole); ok && !slices.Contains(found, whole) {
				found = append(found, whole)
			}
		}
	}
	return found
}

// plural finds the word that a genitive plural without an ending is of, мыл and пятен: the dictionary lists these for themselves.
func (d *Russian) plural(word string) []string {
	stems := []string{word}
	if last, n := utf8.DecodeLastRuneInString(word); n > 0 {
		rest := word[:len(word)-n]
		if vowel, m := utf8.DecodeLastRuneInString(rest); vowel == 'е' || vowel == 'о' {
			stems = append(stems, rest[:len(rest)-m]+string(last)) // a fleeting vowel
		}
	}
	var found []string
	if rest, ok := strings.CutSuffix(word, "ей"); ok {
		if _, ok := d.flags(rest + "и"); ok {
			found = append(found, rest+"и") // кудри, which have no singular
		}
	}
	if rest, ok := strings.CutSuffix(word, "цев"); ok {
		for _, rest := range []string{rest, strings.TrimSuffix(rest, "ь")} {
			if _, ok := d.flags(rest + "ец"); ok && !slices.Contains(found, rest+"ец") {
				found = append(found, rest+"ец") // младенцев, пальцев
			}
		}
	}
	for _, stem := range stems {
		for _, ending := range []string{"о", "а", "е", "я"} {
			if flags, _ := d.flags(stem + ending); flags != "" && utf8.RuneCountInString(stem) >= 3 {
				found = append(found, stem+ending)
			}
		}
	}
	return found
}

// Forms are the forms of a dictionary form, but those of verbs, which are many.
func (d *Russian) Forms(lemma string) (forms []string) {
	flags, ok := d.flags(lemma)
	if !ok || d.IsVerb(lemma) {
		return nil
	}
	for ending, rules := range d.rules {
		for _, r := range rules {
			if strings.IndexByte(flags, r.flag) < 0 {
				continue
			}
			if rest, ok := strings.CutSuffix(lemma, r.strip); ok && r.fits(lemma) && utf8.RuneCountInString(rest) > 1 {
				forms = append(forms, rest+ending)
			}
		}
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}

// IsVerb is whether a dictionary form is a verb: its past, with л in place of ть, is a form of the same word. A кровать is none.
func (d *Russian) IsVerb(lemma string) bool {
	rest, mine := strings.CutSuffix(lemma, "ся")
	if strings.HasSuffix(rest, "нуть") {
		_, ok := d.flags(lemma)
		return ok // пересохнуть, without a form пересохнул
	}
	past := ""
	if stem, ok := strings.CutSuffix(rest, "ть"); ok {
		past = stem + "л"
	} else if stem, ok := strings.CutSuffix(rest, "ти"); ok {
		past = stem // нанести, нанёс
	}
	if past == "" {
		return false
	}
	if mine {
		past += "ся"
	}
	return slices.Contains(d.Lemmas(past), lemma)
}

// participleEnds are the ends of participles, and of the verbs that they are made of.
var participleEnds = [][2]string{{"ающий", "ать"}, {"яющий", "ять"}, {"ующий", "овать"}, {"ующий", "евать"}, {"еющий", "еть"}, {"ущий", "уть"}, {"ящий", "ить"}, {"ящий", "еть"}, {"ящий", "ять"}, {"ащий", "ать"}, {"ащий", "ить"},
	{"вший", "ть"}, {"ший", "ть"}, {"ший", "нуть"}, {"анный", "ать"}, {"янный", "ять"}, {"енный", "ить"}, {"енный", "еть"}, {"тый", "ть"}}

// VerbsOf are the verbs that a dictionary form is a participle of, or the verb itself: ломающийся is of ломаться.
func (d *Russian) VerbsOf(lemma string) (verbs []string) {
	if d.IsVerb(lemma) {
		return []string{lemma}
	}
	rest, mine := strings.CutSuffix(lemma, "ся")
	if !mine && !IsAdjective(lemma) {
		return nil
	}
	for _, end := range participleEnds {
		stem, ok := strings.CutSuffix(rest, end[0])
		if !ok {
			continue
		}
		verb := stem + end[1]
		if mine {
			verb += "ся"
		}
		if utf8.RuneCountInString(stem) > 1 && d.IsVerb(verb) {
			verbs = append(verbs, verb)
		}
	}
	return verbs
}

// Known is whether the dictionary has the word, in any form.
func (d *Russian) Known(word string) bool { return len(d.Lemmas(word)) > 0 }

// endings are those of nouns and adjectives, longest first.
var endings = []string{"иями", "ями", "ами", "иям", "ией", "ого", "его", "ому", "ему", "ыми", "ими", "иях", "ов", "ев", "ом", "ем", "ах", "ях", "ам", "ям", "ой", "ей", "ою", "ую", "юю", "ая", "яя", "ое", "ее", "ые",
	"ие", "ый", "ий", "ым", "им", "ых", "их", "ия", "ию", "ии", "а", "я", "о", "е", "у", "ю", "ы", "и", "ь", "й"}

// Stem is a Russian word without its ending, for words that no dictionary has; others come back as they are.
func Stem(word string) string {
	if !IsCyrillic(word) {
		return word
	}
	for _, e := range endings {
		if rest, ok := strings.CutSuffix(word, e); ok && utf8.RuneCountInString(rest) >= 3 {
			return rest
		}
	}
	return word
}

// formers make adjectives, verbs and other nouns of a root, longest first. The number is how many letters have to be before it.
var formers = []struct {
	end   string
	least int
}{
	{"овывающий", 4}, {"ительный", 4}, {"ательный", 4}, {"ированный", 4}, {"ованный", 4}, {"ивающий", 4}, {"ывающий", 4}, {"ование", 4}, {"ивание", 4}, {"ывание", 4}, {"ивать", 4}, {"ывать", 4},
	{"овать", 4}, {"ающий", 4}, {"яющий", 4}, {"ующий", 4}, {"атель", 4}, {"итель", 4}, {"енный", 3}, {"еный", 3}, {"янный", 3}, {"анный", 4}, {"ание", 4}, {"ение", 4}, {"яние", 4}, {"овый", 3}, {"евый", 3},
	{"яной", 3}, {"аной", 3}, {"яный", 3}, {"ский", 3}, {"ской", 3}, {"истый", 3}, {"ный", 3}, {"ной", 3}, {"ать", 4}, {"ять", 4}, {"ить", 4}, {"еть", 4}, {"ый", 4}, {"ий", 4}, {"ой", 4}, {"а", 3}, {"я", 3},
	{"о", 3}, {"е", 3}, {"ь", 3}, {"й", 3}, {"и", 3}, {"ы", 3},
}

// Root is what a Russian dictionary form shares with the words made from it: лаванда and лавандовый both have лаванд.
func Root(lemma string) string {
	if !IsCyrillic(lemma) {
		return ""
	}
	for _, f := range formers {
		rest, ok := strings.CutSuffix(lemma, f.end)
		if ok && utf8.RuneCountInString(rest) >= f.least {
			// порошковый and порошок, мыльный and мыло, кофейный and кофе, хвойный and хвоя
			rest = strings.TrimSuffix(rest, "ь")
			if f.end == "ение" || f.end == "ять" {
				rest = inserted.Replace(rest + ".") // укрепление, укрепить
				rest = strings.TrimSuffix(rest, ".")
			}
			if n := utf8.RuneCountInString(rest); n > 3 {
				rest = strings.TrimSuffix(strings.TrimSuffix(rest, "й"), "е")
			}
			if n := utf8.RuneCountInString(rest); n > 4 {
				rest = strings.TrimSuffix(rest, "и") // алюминиевый and алюминий
			}
			return rest
		}
	}
	if rest, ok := strings.CutSuffix(lemma, "ок"); ok && utf8.RuneCountInString(rest) > 3 {
		return rest + "к"
	}
	return lemma
}

// inserted is the л that verbs and their nouns put in.
var inserted = strings.NewReplacer("вл.", "в", "пл.", "п", "бл.", "б", "мл.", "м")

// IsAction is whether a dictionary form has the ending of what somebody does.
func IsAction(lemma string) bool {
	return utf8.RuneCountInString(lemma) > 5 && (strings.HasSuffix(lemma, "ние") || strings.HasSuffix(lemma, "тие") || strings.HasSuffix(lemma, "тье"))
}

// diminutives are the endings of small things, and what they are of. Where good is false, the words of the language that end so are mostly
// no diminutives.
var diminutives = []struct {
	end, of string
	good    bool
}{{"очка", "ка", true}, {"очка", "а", true}, {"точка", "ть", true}, {"чка", "ча", false}, {"чок", "к", true}, {"улка", "ула", true}, {"ек", "ь", false}, {"ичка", "ица", true}, {"ечка", "ка", true}, {"ечечка", "еча", true}, {"ушечка", "а", false}, {"ичек", "ик", false}, {"ушек", "", false}, {"ушка", "а", false}, {"уська", "а", false}, {"юшка", "я", false}, {"ко", "о", false}, {"усик", "унь", false},
	{"ьце", "о", true}, {"ице", "о", true}, {"очек", "ок", true}, {"чик", "", true}, {"шик", "ш", true}, {"чик", "ь", true}, {"ик", "", false}, {"ик", "ь", false}, {"ька", "ь", false}, {"ушка", "", false}}

// Undiminished are the words that a dictionary form may be the diminutive of: масочка is of маска. good: it is a word of the language.
func Undiminished(lemma string, good bool) (found []string) {
	for _, d := range diminutives {
		if rest, ok := strings.CutSuffix(lemma, d.end); ok && (d.good || !good) && utf8.RuneCountInString(rest) >= 2 {
			found = append(found, rest+d.of)
		}
	}
	return found
}

// IsAdjective is whether a Russian dictionary form has the ending of one.
func IsAdjective(lemma string) bool {
	return utf8.RuneCountInString(lemma) > 4 && (strings.HasSuffix(lemma, "ый") || strings.HasSuffix(lemma, "ий") || strings.HasSuffix(lemma, "ой"))
}

// participles are the ends of what verbs make of adjectives.
var participles = []string{"ующ", "ающ", "яющ", "ящ", "ованн", "аем", "яем", "уем"}

// EndsAsParticiple is whether a word looks like a participle: скрабирующее, смываемая.
func EndsAsParticiple(word string) bool {
	if !EndsAsAdjective(word) {
		return false
	}
	stem := Stem(word)
	return slices.ContainsFunc(participles, func(end string) bool { return strings.HasSuffix(stem, end) })
}

// EndsAsAdjective is whether a word that no dictionary has looks like the form of an adjective: прозрчный.
func EndsAsAdjective(word string) bool {
	return utf8.RuneCountInString(word) > 5 && slices.ContainsFunc([]string{"ый", "ий", "ая", "яя", "ое", "ее", "ые", "ого", "его", "ую", "юю", "ым", "ых"}, func(end string) bool { return strings.HasSuffix(word, end) })
}

// IsCyrillic is whether a word has a Cyrillic letter.
func IsCyrillic(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool { return r >= 'а' && r <= 'я' || r >= 0x0400 && r < 0x0530 })
}
