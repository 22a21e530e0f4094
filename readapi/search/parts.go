package search

import "strings"

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
