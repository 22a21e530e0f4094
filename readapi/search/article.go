package search

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"shop/readapi/words"
)

var articleLike = regexp.MustCompile(`^[a-zа-я]{1,5}[-_ /.]?\d{3,}[-_ /.0-9a-zа-я]*$|^\d{4,}$`)

// numbered is what no goods are called, but articles are: a word and a long number.
var numbered = regexp.MustCompile(`^[a-z]{1,5}[-_ /.]?\d{5,}$`)

// articleNamed is what people write before an article.
var articleNamed = regexp.MustCompile(`^(артикул|арт|код товара|код|article|№)[ .:№]*`)

// byArticle finds products by article; ok: the text can only be one.
func (x *index) byArticle(plain string) (found []int32, ok bool) {
	plain = strings.TrimSpace(articleNamed.ReplaceAllString(plain, ""))
	if found, ok = x.byCode(plain); len(found) == 0 {
		digits := strings.IndexAny(plain, "0123456789")
		if digits > 0 && words.IsCyrillic(plain[:digits]) {
			if found, _ := x.byCode(words.Sound(plain[:digits]) + plain[digits:]); len(found) > 0 {
				return found, true // дл-10089 is dl-10089
			}
		}
		if found, other := x.byCode(words.OtherLayout(plain)); other && len(found) > 0 {
			return found, true // вд-10089 is dl-10089
		}
	}
	return found, ok
}

func (x *index) byCode(plain string) (found []int32, ok bool) {
	code := codeOf(plain)
	if len(code) < 3 || !strings.ContainsAny(code, "0123456789") {
		return nil, false
	}
	if found = x.begunBy(x.codes, code, true); len(found) == 0 && words.IsNumber(code) && len(code) >= 4 {
		found = x.begunBy(x.numbers, code, true)
	}
	if len(found) == 0 && len(code) >= 4 && !words.IsNumber(code) {
		found = x.begunBy(x.codes, code, false)
	}
	if len(found) > 0 {
		return found, true
	}
	letters := strings.TrimRight(plain[:strings.IndexAny(plain, "0123456789")], "-_ /.")
	isWord := x.isWord(letters) || x.isWord(words.OtherLayout(letters)) // свеча 200 г is no article
	return nil, articleLike.MatchString(plain) && (!isWord || numbered.MatchString(plain))
}

// isWord is whether what stands before a number may be a word of the shop's: a lone letter begins an article, though a name has it.
func (x *index) isWord(letters string) bool {
	return utf8.RuneCountInString(letters) > 1 && x.knows(letters)
}

// coded is a product with its article.
type coded struct {
	code    string
	product int32
}

func (c coded) compare(other coded) int {
	return cmp.Or(cmp.Compare(c.code, other.code), cmp.Compare(c.product, other.product))
}

// begunBy are the living products whose codes begin so, or with whole are so, in the index's order.
func (x *index) begunBy(list []coded, code string, whole bool) (found []int32) {
	from, _ := slices.BinarySearchFunc(list, coded{code, -1}, coded.compare)
	for _, c := range list[from:] {
		if whole && c.code != code || !strings.HasPrefix(c.code, code) {
			break
		}
		if x.products[c.product].alive {
			found = append(found, c.product)
		}
	}
	slices.Sort(found)
	return found
}

// codeOf is an article as people may spell it: small letters and digits alone.
func codeOf(article string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r >= 'а' && r <= 'я' {
			return r
		}
		return -1
	}, words.Plain(article))
}
