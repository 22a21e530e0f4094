package search

import (
	"slices"
	"strings"
)

// partKey begins the keys of what is only a part of what a product is called: of масло in крем-масло, and of крем in тональный крем.
const partKey = "part:"

// worthPart is how much less a product is worth if what is looked for is only a part of what it is called: who asks for масло для тела finds
// oils before a крем-масло, and who asks for крем для лица other creams before foundation.
const worthPart = 0.6

// isOfCompound is whether the word at i is tied to the one before or after it.
func isOfCompound(said []term, i int) bool { return said[i].tied || i+1 < len(said) && said[i+1].tied }

// nameParts adds the keys of words and kinds that are parts of what a product is called, by the words of its name.
func (x *index) nameParts(at map[string]uint16, said []term, keys [][]string, under map[int]bool) {
	part := func(key string) { at[partKey+key] |= inName }
	for i, t := range said {
		if isOfCompound(said, i) {
			for _, key := range t.keys {
				part(key)
			}
			kinds := map[string]uint16{}
			x.tell(kinds, said, keys, i, under[i], inName, inName)
			for key := range kinds {
				if !isNeed(key) {
					part(key)
				}
			}
		}
		longest := x.longestKind(keys[i:])
		for j := 0; longest > 1 && j < longest; j++ {
			for _, key := range said[i+j].keys {
				part(key)
			}
		}
	}
}

// partly takes from what products are worth that are only partly what a unit asks for.
func (x *index) partly(u unit, worth []float32) {
	if u.compound {
		return
	}
	parts := map[int32]bool{}
	for key, share := range u.alternatives {
		if share < shareMeaning || strings.HasPrefix(key, purposeKey) {
			continue
		}
		for _, p := range x.postings[partKey+key] {
			if !parts[p.product] && worth[p.product] > worthPart {
				parts[p.product] = true
				worth[p.product] -= worthPart
			}
		}
	}
}

// unboundKey is the key of products whose names and categories say no part of the body but the face.
const unboundKey = "unbound"

// elsewhereClass is the class of words for the parts of the body that are no face.
const elsewhereClass = "elsewhere"

// bind adds unboundKey to the keys of a product whose name and category say no part of the body but the face, and returns which of the parts of
// partClasses they say, a bit each.
func (x *index) bind(at map[string]uint16) (parts uint16) {
	const called = inName | inNameLate | inCategory | inShared
	says := func(class string) bool {
		return slices.ContainsFunc(x.lexicon.classes[class], func(key string) bool { return at[key]&called != 0 })
	}
	if !says(elsewhereClass) {
		at[unboundKey] |= inCategory
	}
	for i, class := range partClasses {
		if says(class) {
			parts |= 1 << i
		}
	}
	return parts
}

// faced lets goods that say no part of the body answer the face beside a need: who asks for what is for oily skin of the face finds a toner for
// oily skin.
func (x *index) faced(units []unit) {
	isFace := func(u unit) bool { return !u.lacks && u.alternatives[faceWord] > 0 }
	if !slices.ContainsFunc(units, isFace) || !slices.ContainsFunc(units, func(u unit) bool { return !u.lacks && x.isNeeded(u) }) {
		return
	}
	for _, u := range units {
		if isFace(u) {
			u.alternatives[unboundKey] = 1
		}
	}
}

// faceWord is the dictionary form of the face.
const faceWord = "лицо"

// partClasses are the classes of words for the parts of the body, first the face.
var partClasses = []string{"face", "eyes", "lips", "hands", "feet", "body", "hair", "nails", "teeth"}

// worthElsewhere is how much less a product is worth whose name or category says another part of the body than a need was asked for with, and
// worthNowhere if they say none.
const (
	worthElsewhere = 5
	worthNowhere   = 2
)

// names is whether a unit has a word of a class, or is one.
func (u unit) names(class []string) bool {
	return slices.ContainsFunc(class, func(key string) bool {
		return u.alternatives[key] == 1 || slices.ContainsFunc(u.spelled, func(keys []string) bool { return slices.Contains(keys, key) })
	})
}

// elsewhere takes from what products are worth that are for another part of the body than a unit says: swellings below the eyes are no swollen
// feet. What says no part is for the face.
func (x *index) elsewhere(u unit, worth []float32, touched []int32) {
	var here uint16
	for i, class := range partClasses {
		if u.names(x.lexicon.classes[class]) {
			here |= 1 << i
		}
	}
	if here == 0 {
		return
	}
	for _, n := range touched {
		less := float32(0)
		switch parts := x.products[n].parts; {
		case parts&here != 0:
		case parts != 0:
			less = worthElsewhere
		case here&1 == 0: // not for the face
			less = worthNowhere
		}
		if worth[n] > less {
			worth[n] -= less
		}
	}
}
