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
func Plain(text string) string { return spelling.Replace(strings.ToLower(text)) }

// Token is a word of a text.
type Token struct {
	// Text is the word as Plain spells it.
	Text string
	// From and To are the bytes of the plain text that it stands at.
	From, To int
}

// Tokens are the words and numbers of a plain text: runs of letters or of digits, so 50мл is two. A percent sign after a number is part of it,
// and so is the article of a French name: l'oreal is loreal.
func Tokens(plain string) []Token {
	var found []Token
	start, was := -1, 0
	end := func(i int) {
		if start >= 0 {
			found = append(found, Token{Text: shorten(apostrophes.Replace(plain[start:i])), From: start, To: i})
		}
		start = -1
	}
	for i, r := range plain {
		kind := 0
		switch {
		case isApostrophe(r) && was == 2 && utf8.RuneCountInString(plain[start:i]) == 1 && startsWithLetter(plain[i+utf8.RuneLen(r):]):
			continue
		case unicode.IsDigit(r):
			kind = 1
		case unicode.IsLetter(r):
			kind = 2
		}
		if kind != was || kind == 0 {
			end(i)
		}
		if kind != 0 && start < 0 {
			start = i
		}
		was = kind
		if r == '%' && len(found) > 0 && IsNumber(found[len(found)-1].Text) && strings.TrimLeft(plain[found[len(found)-1].To:i], " \u00a0\u202f") == "" {
			found[len(found)-1].Text += "%"
		}
	}
	end(len(plain))
	return found
}

var apostrophes = strings.NewReplacer("'", "", "’", "")

func isApostrophe(r rune) bool { return r == '\'' || r == '’' }

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
