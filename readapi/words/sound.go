package words

import (
	"math/bits"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// The letters of both alphabets, by what they sound like.
var (
	letterSounds = strings.NewReplacer("а", "a", "б", "b", "в", "v", "г", "g", "д", "d", "е", "e", "з", "z", "и", "i", "й", "i", "к", "k", "л", "l", "м", "m", "н", "n", "о", "o", "п", "p", "р", "r",
		"с", "s", "т", "t", "у", "u", "ф", "f", "х", "h", "ы", "i", "э", "e", "ё", "e", "ә", "a", "ғ", "g", "қ", "k", "ң", "n", "ө", "o", "ұ", "u", "ү", "u", "һ", "h", "і", "i", "ъ", "", "ь", "", "'", "",
		"ж", "zh", "ц", "ts", "ч", "ch", "ш", "sh", "щ", "sh", "ю", "iu", "я", "ia")
	afterC     = regexp.MustCompile(`c([eiy])`)
	hardC      = regexp.MustCompile(`c([^h]|$)`)
	hardCC     = regexp.MustCompile(`cc([aou])`)
	softO      = regexp.MustCompile(`([bdfgklmnprstvz])[yj]o`)
	doubled    = strings.NewReplacer("shch", "sh", "zhzh", "zh", "shsh", "sh", "chch", "ch")
	letterPair = strings.NewReplacer("q", "k", "w", "v", "y", "i", "j", "i")
	pairs      = []*strings.Replacer{strings.NewReplacer("x", "ks"), strings.NewReplacer("ph", "f"), strings.NewReplacer("th", "t"), strings.NewReplacer("kh", "h"), strings.NewReplacer("sch", "sh")}
	// latinPairs are of English and French words alone: a Russian ее is two letters.
	latinPairs = []*strings.Replacer{strings.NewReplacer("ee", "i"), strings.NewReplacer("oo", "u"), strings.NewReplacer("ou", "u")}
)

// Sound spells a word of either alphabet in one way: шампунь and shampun' are both shampun, веледа and Weleda both veleda.
func Sound(word string) string {
	s := letterSounds.Replace(word)
	s = doubled.Replace(s)
	s = hardCC.ReplaceAllString(s, "kk$1")
	s = hardC.ReplaceAllString(afterC.ReplaceAllString(s, "ts$1"), "k$1")
	s = letterPair.Replace(softO.ReplaceAllString(s, "${1}e"))
	if !IsCyrillic(word) {
		for _, p := range latinPairs {
			s = p.Replace(s)
		}
	}
	for _, p := range pairs {
		s = p.Replace(s)
	}
	var b strings.Builder
	var before rune
	for _, r := range s {
		if r != before {
			b.WriteRune(r)
		}
		before = r
	}
	s = strings.ReplaceAll(b.String(), "iei", "ei")
	if strings.HasPrefix(s, "ie") {
		s = s[1:]
	}
	if rest, ok := strings.CutSuffix(s, "ie"); ok {
		s = rest + "e"
	}
	return s
}

// Spelled are other sounds that people write a word with: w as у or в (Owen is оуэн and овен), j as дж and ey as и (Jo is джо, Inkey инки),
// ц as c (лица is lica), and the names of ingredients as Russian has them.
func Spelled(word string) []string {
	var found []string
	if strings.Contains(word, "w") {
		found = append(found, Sound(strings.ReplaceAll(word, "w", "u")))
	}
	if strings.Contains(word, "j") {
		found = append(found, Sound(strings.ReplaceAll(word, "j", "dzh")))
	}
	if rest, ok := strings.CutSuffix(word, "ey"); ok && len(rest) > 2 {
		found = append(found, Sound(rest+"i"))
	}
	if n := len(word); n > 5 && word[n-1] == 'e' && !strings.ContainsRune("aeiouy", rune(word[n-2])) {
		found = append(found, Sound(word[:n-1])) // arginine is аргинин
	}
	if rest, ok := strings.CutPrefix(word, "hy"); ok {
		found = append(found, Sound("gi"+rest)) // hydroxyapatite is гидроксиапатит
	}
	if strings.Contains(word, "ц") {
		found = append(found, Sound(strings.ReplaceAll(word, "ц", "к")))
	}
	if french := inFrench(word); french != word {
		found = append(found, Sound(french))
	}
	return found
}

// How French is read, as far as Russian hears it: rouge is руж and Baccarat баккара.
var (
	frenchSounds = strings.NewReplacer("eau", "o", "au", "o", "ou", "u", "oi", "ua", "gn", "n", "qu", "k", "ph", "f", "ge", "zhe", "gi", "zhi")
	frenchSilent = regexp.MustCompile(`([a-z]{3})(es|e|s|t|x|d|p)$`)
)

// inFrench spells a word in Latin letters as French is read; a word in other letters is itself.
func inFrench(word string) string {
	if IsCyrillic(word) || len(word) < 4 {
		return word
	}
	return frenchSilent.ReplaceAllString(frenchSounds.Replace(word), "$1")
}

// Latin letters as they stand for Russian ones, the longest first; of those with several ways of reading, each has its own list.
var (
	latinLetters = []string{"shch", "щ", "sch", "щ", "sh", "ш", "ch", "ч", "zh", "ж", "kh", "х", "ts", "ц", "yu", "ю", "ju", "ю", "iu", "ю", "ya", "я", "ja", "я", "ia", "я", "yo", "е", "jo", "е", "ye", "е", "yi", "ый", "iy", "ий", "ij", "ий", "yy", "ый", "ay", "ай", "ey", "ей", "oy", "ой", "uy", "уй",
		"a", "а", "b", "б", "v", "в", "g", "г", "d", "д", "e", "е", "z", "з", "i", "и", "j", "й", "k", "к", "l", "л", "m", "м", "n", "н", "o", "о", "p", "п", "r", "р", "s", "с", "t", "т", "u", "у", "f", "ф", "h", "х", "w", "в", "x", "кс", "q", "к", "'", "ь"}
	inCyrillic = []*strings.Replacer{
		strings.NewReplacer(slices.Concat(latinLetters, []string{"c", "ц", "y", "ы"})...),
		strings.NewReplacer(slices.Concat([]string{"yj", "ый", "ei", "ей", "oi", "ой", "ai", "ай"}, latinLetters, []string{"c", "ц", "y", "й"})...),
		strings.NewReplacer(slices.Concat(latinLetters, []string{"c", "к", "y", "и"})...),
		strings.NewReplacer(slices.Concat([]string{"shch", "щ", "sh", "щ"}, latinLetters, []string{"c", "ц", "y", "ы"})...),
	}
)

// InCyrillic are the ways to read a word in Latin letters as a Russian one, the likeliest first.
func InCyrillic(word string) (found []string) {
	for _, letters := range inCyrillic {
		if read := letters.Replace(word); !slices.Contains(found, read) {
			found = append(found, read)
		}
	}
	return found
}

// heardLetters are Russian letters that sound alike: unstressed vowels, and voiced letters where they lose their voice.
var heardLetters = strings.NewReplacer("о", "а", "е", "и", "б", "п", "в", "ф", "г", "к", "д", "т", "ж", "ш", "щ", "ш", "з", "с")

// Heard is how a Russian word sounds after its first letter: скрап and скраб are the same.
func Heard(word string) string {
	_, first := utf8.DecodeRuneInString(word)
	return word[:first] + heardLetters.Replace(word[first:])
}

// earLetters are spellings that Russians mix up where no dictionary helps, beside those of Heard.
var earLetters = strings.NewReplacer("тьс", "ц", "тс", "ц", "дс", "ц", "сч", "щ", "зч", "щ", "ы", "и", "э", "и", "е", "и", "й", "и", "о", "а", "ь", "", "ъ", "", "щ", "ш", "ж", "ш", "б", "п", "в", "ф", "г", "к", "д", "т", "з", "с", "я", "и")

// Ear is how somebody writes a Russian word by ear, whose letters may be wrong all over: парашок and порошок are the same.
func Ear(word string) string {
	var b strings.Builder
	var before rune
	for _, r := range earLetters.Replace(word) {
		if r != before {
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

// Forgiven is how many slips a word of this sound may hold and still be understood.
func Forgiven(sound string) int {
	switch n := utf8.RuneCountInString(sound); {
	case n < 5:
		return 0
	case n < 9:
		return 1
	default:
		return 2
	}
}

// Bag is the set of letters of a sound, for leaving out words that have too few in common without counting slips.
func Bag(sound string) uint64 {
	var set uint64
	for _, r := range sound {
		set |= 1 << (uint(r) % 64)
	}
	return set
}

// MayBeNear is false when sounds with these bags need more slips than this.
func MayBeNear(a, b uint64, slips int) bool {
	return bits.OnesCount64(a&^b) <= slips && bits.OnesCount64(b&^a) <= slips
}

// The same keys on the two layouts of a Russian keyboard.
const (
	latinKeys   = "qwertyuiop[]asdfghjkl;'zxcvbnm,.`"
	russianKeys = "йцукенгшщзхъфывапролджэячсмитьбюе"
)

var layouts = func() map[rune]rune {
	m := map[rune]rune{}
	latin, russian := []rune(latinKeys), []rune(russianKeys)
	for i := range latin {
		m[latin[i]] = russian[i]
	}
	// ё is read as е, so е alone stands for t, not for the key of ё.
	for i := range latin[:len(latin)-1] {
		m[russian[i]] = latin[i]
	}
	return m
}()

// kazakhKeys are the keys of Kazakh letters, which are digits and signs in the Latin layout.
var kazakhKeys = map[rune]rune{'2': 'ә', '3': 'і', '4': 'ң', '5': 'ғ', '8': 'ү', '9': 'ұ', '0': 'қ', '-': 'ө', '=': 'һ'}

// OtherLayouts are the text as if the keyboard had been switched, to Russian or Latin and to Kazakh.
func OtherLayouts(text string) []string {
	other := OtherLayout(text)
	kazakh := strings.Map(func(r rune) rune {
		if letter, ok := kazakhKeys[r]; ok {
			return letter
		}
		return r
	}, other)
	return []string{other, kazakh}
}

// OtherLayout is the text as if the keyboard had been switched.
func OtherLayout(text string) string {
	return strings.Map(func(r rune) rune {
		if other, ok := layouts[r]; ok {
			return other
		}
		return r
	}, text)
}
