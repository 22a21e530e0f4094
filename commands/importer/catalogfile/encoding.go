package catalogfile

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	letters "unicode"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// sniffSize is how much text a guess about format or encoding looks at.
const sniffSize = 64 << 10

// unreadable replaces everything in the decoded text that is no character:
// bytes outside the encoding, NUL and other control characters. It is a
// private character that XML allows. A field that holds it is refused.
const unreadable = '\uF8FF'

var (
	bomUTF8    = []byte("\xEF\xBB\xBF")
	bomUTF16LE = []byte("\xFF\xFE")
	bomUTF16BE = []byte("\xFE\xFF")

	xmlDeclaration = regexp.MustCompile(`^\s*<\?xml[^>]*encoding\s*=\s*["']([A-Za-z0-9._-]+)["']`)
)

// decode answers the file as clean UTF-8 whatever it was written in.
func decode(file io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(file, sniffSize)
	head, err := in.Peek(sniffSize)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("read the beginning of the file: %w", err)
	}
	if len(head) == 0 {
		return nil, ErrEmpty
	}
	if kind := binaryKind(head); kind != "" {
		return nil, fmt.Errorf("%w: this is %s", ErrNotCatalog, kind)
	}

	var text io.Reader
	switch {
	case bytes.HasPrefix(head, bomUTF8):
		_, _ = in.Discard(len(bomUTF8)) // cannot fail: the bytes were peeked
		text = in
	case bytes.HasPrefix(head, bomUTF16LE), bytes.HasPrefix(head, bomUTF16BE):
		utf16 := unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM)
		text = transform.NewReader(in, utf16.NewDecoder())
	case wide(head, 1):
		text = transform.NewReader(in, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder())
	case wide(head, 0):
		text = transform.NewReader(in, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder())
	default:
		text = &guessing{in: in}
		if declared := xmlDeclaration.FindSubmatch(head); declared != nil {
			name := string(declared[1])
			enc, canonical := charset.Lookup(name)
			if enc == nil {
				return nil, fmt.Errorf("%w: unknown encoding %q", ErrNotCatalog, name)
			}
			// UTF-8 and windows-1251 are so often declared for one another
			// that the text itself is the better witness.
			if canonical != "utf-8" && canonical != "windows-1251" && canonical != "windows-1252" {
				text = transform.NewReader(in, enc.NewDecoder())
			}
		}
	}
	return bufio.NewReaderSize(transform.NewReader(text, cleaner{}), sniffSize), nil
}

// cleaner makes UTF-8 of anything: bytes that are no character become unreadable, invisible characters are removed.
type cleaner struct{ transform.NopResetter }

func (cleaner) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		r, size := rune(src[nSrc]), 1
		if r >= utf8.RuneSelf {
			if !atEOF && !utf8.FullRune(src[nSrc:]) {
				return nDst, nSrc, transform.ErrShortSrc
			}
			if r, size = utf8.DecodeRune(src[nSrc:]); size == 1 {
				r = unreadable
			}
		}
		r = clean(r)
		if r >= 0 {
			if nDst+utf8.RuneLen(r) > len(dst) {
				return nDst, nSrc, transform.ErrShortDst
			}
			nDst += utf8.EncodeRune(dst[nDst:], r)
		}
		nSrc += size
	}
	return nDst, nSrc, nil
}

func clean(r rune) rune {
	switch {
	case r == '\n', r == '\r', r == '\t':
		return r
	case r == '\v', r == '\f', r == '\u2028', r == '\u2029':
		return ' ' // soft line breaks of word processors
	case r >= 0x80 && r < 0xA0:
		// C1 controls are bytes of windows-1252 that someone took for Latin-1.
		if r = charmap.Windows1252.DecodeByte(byte(r)); r != utf8.RuneError {
			return r
		}
		return unreadable
	case r < ' ', r == 0x7F, r == 0xFFFE, r == 0xFFFF:
		return unreadable
	case r == utf8.RuneError:
		return ' ' // an older conversion lost a character here; it cannot be had back
	case r == '\uFEFF', r == '\u200B', r == '\u00AD':
		return -1 // BOMs of joined files, zero-width spaces, soft hyphens
	}
	return r
}

// wide tells UTF-16 without a BOM by the upper bytes of its characters, which stand at odd places (little endian) or
// at even ones: 0 in Latin text, 4 in Cyrillic.
func wide(head []byte, place int) bool {
	pairs := min(len(head), 1024) / 2
	upper, other, latin := 0, 0, 0
	for i := range pairs {
		switch head[2*i+place] {
		case 0:
			upper, latin = upper+1, latin+1
		case 4:
			upper++
		}
		if head[2*i+1-place] == 0 {
			other++
		}
	}
	return latin > 0 && other == 0 && upper*10 >= pairs*9
}

// guessing passes ASCII on and settles between UTF-8 and the old encodings at the
// first byte that tells them apart, however late it comes.
type guessing struct {
	in      *bufio.Reader
	decided io.Reader
}

func (g *guessing) Read(p []byte) (int, error) {
	if g.decided != nil {
		return g.decided.Read(p)
	}
	head, err := g.in.Peek(sniffSize)
	if len(head) == 0 {
		return 0, err
	}
	ascii := 0
	for ascii < len(head) && ascii < len(p) && head[ascii] < utf8.RuneSelf {
		ascii++
	}
	if ascii > 0 || len(p) == 0 {
		copy(p, head[:ascii])
		_, _ = g.in.Discard(ascii) // cannot fail: the bytes were peeked
		return ascii, nil
	}
	if looksUTF8(head) {
		g.decided = g.in
	} else {
		g.decided = transform.NewReader(g.in, oldEncoding(head).NewDecoder())
	}
	return g.decided.Read(p)
}

// looksUTF8 forgives single broken bytes: in Russian text of windows-1251
// hardly two neighbours form a UTF-8 sequence.
func looksUTF8(text []byte) bool {
	good, bad := 0, 0
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1:
			if !utf8.FullRune(text) {
				return good > bad || bad == 0 // cut by the end of the sample
			}
			bad++
		case size > 1:
			good++
		}
		text = text[size:]
	}
	return good > bad
}

// oldEncodings are those of one byte a letter in which Russian files come, the likeliest first.
var oldEncodings = []*charmap.Charmap{charmap.Windows1251, charmap.CodePage866, charmap.KOI8R}

// frequency is how many of a thousand letters of Russian text are this one (after the national corpus).
var frequency = map[rune]int{
	'о': 110, 'е': 85, 'а': 80, 'и': 74, 'н': 67, 'т': 63, 'с': 55, 'р': 47, 'в': 45, 'л': 44, 'к': 35, 'м': 32, 'д': 30,
	'п': 28, 'у': 26, 'я': 20, 'ы': 19, 'ь': 17, 'г': 17, 'з': 16, 'б': 16, 'ч': 14, 'й': 12, 'х': 10, 'ж': 9, 'ш': 7,
	'ю': 6, 'ц': 5, 'щ': 4, 'э': 3, 'ф': 3, 'ё': 1,
}

// oldEncoding is the one in which the text is most like Russian.
func oldEncoding(text []byte) *charmap.Charmap {
	best, most := oldEncodings[0], likeness(oldEncodings[0], text)
	for _, other := range oldEncodings[1:] {
		if l := likeness(other, text); l > most {
			best, most = other, l
		}
	}
	return best
}

// likeness adds up how common the letters are. Capitals inside words, and signs that no catalog has, speak against it.
func likeness(encoding *charmap.Charmap, text []byte) int {
	sum, small := 0, false
	for _, b := range text {
		r := encoding.DecodeByte(b)
		switch {
		case letters.IsUpper(r):
			if sum += frequency[letters.ToLower(r)]; small {
				sum -= 100
			}
		case letters.IsLetter(r):
			sum += frequency[r]
		case r >= 0x80 && !strings.ContainsRune("«»„“”–—…№°™®·•\u00a0", r):
			sum -= 50
		}
		small = letters.IsLower(r)
	}
	return sum
}

func binaryKind(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return "an Excel workbook or a zip archive; save it as CSV first"
	case bytes.HasPrefix(head, []byte("\xD0\xCF\x11\xE0")):
		return "an old Excel workbook; save it as CSV first"
	case bytes.HasPrefix(head, []byte("\x1F\x8B")):
		return "a gzip archive; unpack it first"
	case bytes.HasPrefix(head, []byte("%PDF")):
		return "a PDF"
	case bytes.HasPrefix(head, []byte("\x89PNG")), bytes.HasPrefix(head, []byte("\xFF\xD8\xFF")):
		return "a picture"
	}
	return ""
}
