package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokenRunes is how many letters of a word are read.
const tokenRunes = 40

// spelling reads letters without accents, and ё as е.
var spelling = strings.NewReplacer("ё", "е", "à", "a", "â", "a", "ä", "a", "á", "a", "ã", "a", "é", "e", "è", "e", "ê", "e", "ë", "e", "í", "i", "ì", "i", "î", "i", "ï", "i",
	"ó", "o", "ò", "o", "ô", "o", "ö", "o", "õ", "o", "ú", "u", "ù", "u", "û", "u", "ü", "u", "ç", "c", "ñ", "n", "ō", "o", "\u0301", "", "\u0308", "")

// Plain is a text as searches read it: small letters without accents, ё as е.
func Plain(text string) string { return oneScript(spelling.Replace(strings.ToLower(text))) }

// lookalikes are Latin letters as they look in Cyrillic.
var lookalikes = strings.NewReplacer("a", "а", "c", "с", "e", "е", "o", "о", "p", "р", "x", "х", "y", "у", "k", "к", "m", "м", "t", "т", "h", "н", "b", "в", "i", "і")

// oneScript spells words in Cyrillic letters without the Latin ones that look alike, such as the first of cыворотка. Words with other Latin letters
// stay as they are.
func oneScript(plain string) string {
	if !isMixed(plain) {
		return plain
	}
	var b strings.Builder
	for plain != "" {
		end := strings.IndexFunc(plain, func(r rune) bool { return !unicode.IsLetter(r) })
		if end < 0 {
			end = len(plain)
		}
		word := plain[:end]
		if isMixed(word) {
			if alike := lookalikes.Replace(word); strings.IndexFunc(alike, isLatin) < 0 {
				word = alike
			}
		}
		_, next := utf8.DecodeRuneInString(plain[end:])
		b.WriteString(word)
		b.WriteString(plain[end : end+next])
		plain = plain[end+next:]
	}
	return b.String()
}

// isMixed is whether letters of both alphabets stand beside each other.
func isMixed(text string) bool {
	var before rune
	for _, r := range text {
		if isLatin(before) && unicode.Is(unicode.Cyrillic, r) || isLatin(r) && unicode.Is(unicode.Cyrillic, before) {
			return true
		}
		before = r
	}
	return false
}

func isLatin(r rune) bool { return r >= 'a' && r <= 'z' }

// Token is a word of a text.
type Token struct {
	// Text is the word as the text spells it.
	Text string
	// From and To are the bytes of the text that it stands at.
	From, To int
}

// Tokens are the words and numbers of a text, in its own spelling: runs of letters or of digits, so 50мл is two. A percent sign after a number
// is part of it. An apostrophe after the first letter of a word is left out: l'oreal is loreal.
func Tokens(text string) []Token {
	var found []Token
	start, was, joined := -1, 0, false
	end := func(i int) {
		if start >= 0 {
			word := text[start:i]
			if joined {
				word = withoutApostrophes.Replace(word)
			}
			found = append(found, Token{Text: shorten(word), From: start, To: i})
		}
		start, joined = -1, false
	}
	for i, r := range text {
		kind := 0
		switch {
		case unicode.IsDigit(r):
			kind = 1
		case unicode.IsLetter(r), r == '\u0301':
			kind = 2
		case (r == '\'' || r == '’') && was == 2 && utf8.RuneCountInString(text[start:i]) == 1 && startsWithLetter(text[i+utf8.RuneLen(r):]):
			joined = true
			continue
		}
		if kind != was || kind == 0 {
			end(i)
		}
		if kind != 0 && start < 0 {
			start = i
		}
		was = kind
		if r == '%' && len(found) > 0 && IsNumber(found[len(found)-1].Text) && strings.TrimLeft(text[found[len(found)-1].To:i], " \u00a0\u202f") == "" {
			found[len(found)-1].Text += "%"
		}
	}
	end(len(text))
	return found
}

var withoutApostrophes = strings.NewReplacer("'", "", "’", "")

func startsWithLetter(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(r)
}

func shorten(word string) string {
	if utf8.RuneCountInString(word) <= tokenRunes {
		return word
	}
	return string([]rune(word)[:tokenRunes])
}

// IsNumber is whether a token is made of digits.
func IsNumber(word string) bool { return word != "" && strings.Trim(word, "0123456789") == "" }

// Unit is a unit of packages as the catalog writes it; empty for other words.
func Unit(word string) string {
	switch word {
	case "мл", "ml", "миллилитр", "миллилитров":
		return "мл"
	case "л", "l", "литр", "литра", "литров":
		return "л"
	case "г", "гр", "g", "грамм", "граммов":
		return "г"
	case "кг", "kg":
		return "кг"
	case "шт", "штук", "штуки", "pcs":
		return "шт"
	}
	return ""
}
