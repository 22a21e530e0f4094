package importer

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxSlug is where a link made of a name is cut, at a word's end if there is one.
const maxSlug = 80

// latin spells Russian and Kazakh letters as the country's passports and road signs do, near enough to read.
var latin = map[rune]string{
	'а': "a", 'б': "b", 'в': "v", 'г': "g", 'д': "d", 'е': "e", 'ё': "e", 'ж': "zh", 'з': "z", 'и': "i", 'й': "i",
	'к': "k", 'л': "l", 'м': "m", 'н': "n", 'о': "o", 'п': "p", 'р': "r", 'с': "s", 'т': "t", 'у': "u", 'ф': "f",
	'х': "kh", 'ц': "ts", 'ч': "ch", 'ш': "sh", 'щ': "shch", 'ъ': "", 'ы': "y", 'ь': "", 'э': "e", 'ю': "yu", 'я': "ya",
	'ә': "a", 'ғ': "g", 'қ': "q", 'ң': "n", 'ө': "o", 'ұ': "u", 'ү': "u", 'һ': "h", 'і': "i",
	'ß': "ss", 'æ': "ae", 'ø': "o", 'œ': "oe", 'ł': "l", 'đ': "d", 'ı': "i",
}

// Slug makes a link of a text: a-z, 0-9 and single hyphens; empty when the text has no letter or digit it knows.
func Slug(text string) string {
	var b strings.Builder
	gap := false
	write := func(s string) {
		if gap && b.Len() > 0 && s != "" {
			b.WriteByte('-')
		}
		gap = gap && s == ""
		b.WriteString(s)
	}
	for _, r := range strings.ToLower(norm.NFC.String(text)) {
		if spelled, ok := latin[r]; ok {
			write(spelled)
			continue
		}
		// What is left are Latin letters, perhaps with accents, and everything else.
		base := []rune(norm.NFD.String(string(r)))[0]
		switch {
		case base >= 'a' && base <= 'z' || base >= '0' && base <= '9':
			write(string(base))
		case r == '\'' || r == '’' || unicode.Is(unicode.Mn, r):
		default:
			gap = true
		}
	}
	s := b.String()
	if len(s) <= maxSlug {
		return s
	}
	s = s[:maxSlug+1]
	if end := strings.LastIndexByte(s, '-'); end > maxSlug/2 {
		return s[:end]
	}
	return s[:maxSlug]
}

// joinSlugs is the link of several parts; a part that the ones before contain already is left out.
func joinSlugs(parts ...string) string {
	var joined string
	for _, part := range parts {
		part = Slug(part)
		switch {
		case part == "" || strings.Contains("-"+joined+"-", "-"+part+"-"):
		case joined == "":
			joined = part
		default:
			joined += "-" + part
		}
	}
	return joined
}
