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
func (x *index) nameParts(at map[string]uint16, said []term, keys [][]string) {
	part := func(key string) { at[partKey+key] |= inName }
	for i, t := range said {
		if isOfCompound(said, i) {
			for _, key := range t.keys {
				part(key)
			}
			kinds := map[string]uint16{}
			x.means(kinds, keys[i:], t.lacks, t.purpose, inName)
			if i+2 < len(said) && said[i+1].tied {
				x.means(kinds, slices.Concat(keys[i:i+1], keys[i+2:]), t.lacks, t.purpose, inName)
			}
			for key := range kinds {
				if !isNeed(key) {
					part(key)
				}
			}
		}
		longest := 0
		for n := range x.lexicon.said(keys[i:], func(p phrase) bool { return p.asked && p.told && isKind(p.meaning) }) {
			longest = max(longest, n)
		}
		for j := 0; longest > 1 && j < longest; j++ {
			for _, key := range said[i+j].keys {
				part(key)
			}
		}
	}
}

// partly takes from what products are worth that are only partly what a unit asks for.
func (x *index) partly(u unit, worth []float32) {
	for key, share := range u.alternatives {
		if u.compound || share < shareMeaning || strings.HasPrefix(key, purposeKey) {
			continue
		}
		for _, p := range x.postings[partKey+key] {
			if worth[p.product] > worthPart {
				worth[p.product] -= worthPart
			}
		}
	}
}
