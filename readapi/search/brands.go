package search

import (
	"slices"
	"strings"
	"unicode/utf8"

	"shop/domain/typo"
	"shop/readapi/words"
)

// heardRunes is how long the sound of a brand of several words has to be for a slip in it.
const heardRunes = 9

// mostBrandWords is how many words of a brand are heard.
const mostBrandWords = 4

// foreignBrand remembers a brand of several words that are not Cyrillic by how it sounds.
func (x *index) foreignBrand(brand string) {
	if fields := strings.Fields(words.Plain(brand)); len(fields) > 1 && !words.IsCyrillic(brand) {
		x.brands[words.Sound(strings.Join(fields, " "))] = fields
	}
}

// heard puts brands of several words in place of words in Cyrillic letters that sound like them: леди карамель is Lady Caramel, though the shop
// has a леди. Words that follow each other in a name stay.
func (x *index) heard(fields []string) (brands []string, changed bool) {
	for i := 0; i < len(fields); i++ {
		brand, n := x.brandAt(fields[i:])
		if n == 0 {
			brands = append(brands, fields[i])
			continue
		}
		brands, changed = append(brands, brand...), true
		i += n - 1
	}
	return brands, changed
}

// brandAt is the brand that some fields begin with by ear, and of how many words.
func (x *index) brandAt(fields []string) (brand []string, n int) {
	if len(fields) < 2 || !words.IsCyrillic(fields[0]) || x.isFollowed(fields[0], fields[1]) {
		return nil, 0
	}
	for n := 2; n <= min(len(fields), mostBrandWords) && words.IsCyrillic(fields[n-1]); n++ {
		said := words.Sound(strings.Join(fields[:n], " "))
		if exact := x.brands[said]; len(exact) == n {
			brand = exact
			continue
		}
		if near := x.brandNear(said, n); near != nil {
			brand = near
		}
	}
	return brand, len(brand)
}

// brandNear is the brand of n words that sounds nearly like what is said, the first by its sound of several.
func (x *index) brandNear(said string, n int) (brand []string) {
	first := ""
	for sound, words := range x.brands {
		if len(words) == n && (brand == nil || sound < first) && utf8.RuneCountInString(sound) >= heardRunes && typo.Slips(said, sound) == 1 {
			brand, first = words, sound
		}
	}
	return brand
}

// isFollowed is whether a name has a word after another.
func (x *index) isFollowed(first, second string) bool {
	return slices.ContainsFunc(x.analyzer.keys(first), func(key string) bool { return x.follows[key][second] })
}
