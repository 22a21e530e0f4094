package search

import (
	"cmp"
	"slices"

	"github.com/google/uuid"
)

// mostNeeds is how many needs a list shows.
const mostNeeds = 8

// needs counts the needs that hits answer, the most frequent first; needs that all or only one of them answer say nothing.
func (x *index) needs(hits []Hit) []NeedCount {
	among := make([]bool, len(x.products))
	for _, h := range hits {
		among[h.number] = true
	}
	var found []NeedCount
	for _, need := range x.lexicon.needs {
		count := 0
		for _, p := range x.postings["?"+need.Name] {
			if among[p.product] && x.products[p.product].alive && p.places&strong != 0 {
				count++
			}
		}
		if count > 1 && count < len(hits) {
			found = append(found, NeedCount{need, count})
		}
	}
	slices.SortStableFunc(found, func(a, b NeedCount) int { return cmp.Compare(b.Count, a.Count) })
	return found[:min(len(found), mostNeeds)]
}

// owners are the brands and categories that a query names, those of the most goods first.
func (x *index) owners(q query) (brands, categories []uuid.UUID) {
	byBrand, byCategory := map[uuid.UUID]int{}, map[uuid.UUID]int{}
	for _, u := range q.units {
		if u.lacks {
			continue
		}
		for key, share := range u.alternatives {
			if share < shareBegun {
				continue
			}
			for _, p := range x.postings[key] {
				product := &x.products[p.product]
				if !product.alive {
					continue
				}
				if p.places&inBrand != 0 {
					byBrand[product.BrandID]++
				}
				if p.places&(inCategory|inShared) != 0 {
					byCategory[product.CategoryID]++
				}
				if p.places&inParent != 0 {
					byCategory[product.ParentID]++
				}
			}
		}
	}
	return mostFirst(byBrand), mostFirst(byCategory)
}

func mostFirst(counts map[uuid.UUID]int) []uuid.UUID {
	delete(counts, uuid.Nil)
	var ids []uuid.UUID
	for id := range counts {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.String(), b.String()))
	})
	return ids
}
