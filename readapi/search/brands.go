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
	for sound, brand := range x.brands {
		n := len(brand)
		if n > len(fields) || slices.ContainsFunc(fields[:n], func(f string) bool { return !words.IsCyrillic(f) }) {
			continue
		}
		said := words.Sound(strings.Join(fields[:n], " "))
		if said == sound || utf8.RuneCountInString(sound) >= heardRunes && typo.Slips(said, sound) == 1 {
			return brand, n
		}
	}
	return nil, 0
}

// isFollowed is whether a name has a word after another.
func (x *index) isFollowed(first, second string) bool {
	return slices.ContainsFunc(x.analyzer.keys(first), func(key string) bool { return x.follows[key][second] })
}
