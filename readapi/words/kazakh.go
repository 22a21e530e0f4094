package words

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// A Kazakh word is a stem and suffixes in a fixed order: plural, whose, case; before them -lı (with) and -sız (without). All vowels of
// native suffixes agree with the last vowel of the stem: those after back vowels are in the first list, those after front vowels in
// the second.
var (
	afterBack = []string{"лар", "дар", "тар", "ның", "дың", "тың", "ға", "қа", "на", "а", "ны", "ды", "ты", "да", "та", "нда", "дан", "тан", "нан", "мен", "бен", "пен", "сы", "ы", "ым", "ың", "м", "ң", "лы", "ғы", "қы", "лық", "дық", "тық",
		"у", "уға", "уды", "ын", "сын", "ына", "сына"}
	afterFront = []string{"лер", "дер", "тер", "нің", "дің", "тің", "ге", "ке", "не", "е", "ні", "ді", "ті", "де", "те", "нде", "ден", "тен", "нен", "мен", "бен", "пен", "сі", "і", "ім", "ің", "м", "ң", "лі", "гі", "кі", "лік", "дік", "тік",
		"у", "уге", "уді", "ін", "сін", "іне", "сіне"}
	without = []string{"сыз", "сіз"}
)

const (
	backVowels  = "аоұыяё"
	frontVowels = "әөүіе"
	// longestKazakh is how many suffixes one after the other are stripped.
	longestKazakh = 4
)

// IsKazakh is whether a word has a letter that Russian does not have.
func IsKazakh(word string) bool { return strings.ContainsAny(word, "әғқңөұүһі") }

var folded = strings.NewReplacer("ә", "а", "ғ", "г", "қ", "к", "ң", "н", "ө", "о", "ұ", "у", "ү", "у", "һ", "х", "і", "и")

// Folded is a Kazakh word in Russian letters alone, as people type it on a Russian keyboard.
func Folded(word string) string { return folded.Replace(word) }

// foldedSuffixes are suffixes of Kazakh words in Russian letters, several of them together among them.
var foldedSuffixes = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{"": true}
	for range 2 {
		longer := map[string]bool{}
		for begun := range set {
			for _, suffix := range slices.Concat(afterBack, afterFront) {
				longer[begun+Folded(suffix)] = true
			}
		}
		maps.Copy(set, longer)
	}
	return set
})

// Unfolded finds the word that one in Russian letters is a form of, among words by how they are folded; empty: none.
func Unfolded(word string, known map[string]string) (base string) {
	unsuffixed(word, func(stem string) bool { base = known[stem]; return base != "" })
	return base
}

// HasFoldedSuffix is whether a word is one of those that known knows with a Kazakh suffix in Russian letters: пастасы is паста.
func HasFoldedSuffix(word string, known func(string) bool) bool {
	return unsuffixed(word, func(stem string) bool { return stem != word && known(stem) })
}

// unsuffixed tries a word without each of its suffixes in Russian letters, the longest rest first, until one is found.
func unsuffixed(word string, found func(stem string) bool) bool {
	for end := len(word); end > 0; {
		if stem := word[:end]; utf8.RuneCountInString(stem) > 1 && foldedSuffixes()[word[end:]] && found(stem) {
			return true
		}
		_, n := utf8.DecodeLastRuneInString(word[:end])
		end -= n
	}
	return false
}

// KazakhStems are the words that this one may be a form of, itself first. A suffix is stripped only where its vowel agrees with the stem's.
func KazakhStems(word string) []string {
	found := []string{word}
	last := found
	for range longestKazakh {
		var shorter []string
		for _, w := range last {
			for _, stem := range strip(w) {
				if !slices.Contains(found, stem) {
					found, shorter = append(found, stem), append(shorter, stem)
				}
			}
		}
		last = shorter
	}
	return found
}

func strip(word string) []string {
	var stems []string
	for i, suffixes := range [][]string{afterBack, afterFront} {
		for _, suffix := range suffixes {
			stem, ok := strings.CutSuffix(word, suffix)
			if !ok || utf8.RuneCountInString(stem) < 2 {
				continue
			}
			if v := lastVowel(stem); v == 0 || strings.ContainsRune([]string{backVowels, frontVowels}[i], v) {
				stems = append(stems, stem)
				if strings.IndexAny(suffix, "ыі") == 0 {
					if whole := unelided(stem, suffix); whole != "" {
						stems = append(stems, whole)
					}
				}
				// Before a vowel п, к and қ at the end of a stem soften: тарақ, тарағы.
				if strings.IndexAny(suffix, "ыіуеа") == 0 {
					for soft, hard := range map[string]string{"б": "п", "г": "к", "ғ": "қ"} {
						if rest, ok := strings.CutSuffix(stem, soft); ok {
							stems = append(stems, rest+hard)
						}
					}
				}
			}
		}
	}
	return stems
}

// unelided is a stem with the vowel that it loses before another: ернім is of ерін, аузым of ауыз; empty: it lost none.
func unelided(stem, suffix string) string {
	letters := []rune(stem)
	n := len(letters)
	if n < 3 || !strings.ContainsRune("рлнйузғ", letters[n-2]) || !strings.ContainsRune("нзлмпт", letters[n-1]) {
		return ""
	}
	vowel, _ := utf8.DecodeRuneInString(suffix)
	return string(letters[:n-1]) + string(vowel) + string(letters[n-1:])
}

// formers make other words of a Kazakh verb or noun, longest first: жуатын, which washes, and жуғыш, a washer, are both of жу.
var kazakhFormers = []string{"атын", "етін", "йтын", "йтін", "лық", "лік", "дық", "дік", "тық", "тік", "ғыш", "гіш", "қыш", "кіш", "ған", "ген", "қан", "кен", "лы", "лі", "ды", "ді", "ты", "ті", "ыш", "іш", "ып", "іп", "йді", "йды", "ады", "еді", "ймін", "ймын", "у", "ю"}

// kazakhRoot is how many letters a root has at least.
const kazakhRoot = 4

// KazakhRoot is what the forms of a Kazakh word and what is made of it have in common, by taking away the longest suffix again and again. It
// need not be a word.
func KazakhRoot(word string) string {
	for range longestKazakh {
		shortest := word
		for _, stem := range strip(word) {
			if n := utf8.RuneCountInString(stem); n >= kazakhRoot && n < utf8.RuneCountInString(shortest) {
				shortest = stem
			}
		}
		for _, former := range kazakhFormers {
			if stem, ok := strings.CutSuffix(word, former); ok && utf8.RuneCountInString(stem) >= kazakhRoot && utf8.RuneCountInString(stem) < utf8.RuneCountInString(shortest) {
				shortest = stem
			}
		}
		if shortest == word {
			break
		}
		word = shortest
	}
	last, n := utf8.DecodeLastRuneInString(word)
	if hard := map[rune]string{'б': "п", 'г': "к", 'ғ': "қ"}[last]; hard != "" {
		return word[:len(word)-n] + hard
	}
	return word
}

// IsKazakhAim is whether a Kazakh word has a case that says what something is for or from: балаға, шаштан.
func IsKazakhAim(word string) bool {
	return utf8.RuneCountInString(word) > 4 && slices.ContainsFunc([]string{"ға", "ге", "қа", "ке", "дан", "ден", "тан", "тен", "нан", "нен"}, func(ending string) bool { return strings.HasSuffix(word, ending) })
}

// Without is the stem of a Kazakh word that says what is lacking: иіссіз, without smell, is иіс.
func Without(word string) (stem string, ok bool) {
	for _, suffix := range without {
		if stem, ok := strings.CutSuffix(word, suffix); ok && utf8.RuneCountInString(stem) >= 2 {
			return stem, true
		}
	}
	return "", false
}

// lastVowel is the last vowel that says which suffixes follow: у, и, ю and э do not; 0: there is none.
func lastVowel(word string) rune {
	i := strings.LastIndexAny(word, backVowels+frontVowels)
	if i < 0 {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(word[i:])
	return r
}
