package feed

import (
	"cmp"
	"slices"
)

// balance says which free shares a process should take and which of its own it should give up. All processes that see the
// same come to the same: shares are dealt like cards, name by name, to the live processes that can hold them, in the
// order of their start. So everybody has as many as others, give or take one, and while no process comes or goes nothing moves.
// A share is only taken when it is free; one that has too many gives up what others lack.
func balance(me string, live []LiveProcess, shares []Share) (take, yield []Share) {
	alive := map[string]bool{}
	for _, p := range live {
		alive[p.Holder] = true
	}
	shares = slices.Clone(shares)
	slices.SortFunc(shares, func(a, b Share) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Number, b.Number))
	})
	dealt := 0
	for start, end := 0, 0; start < len(shares); start = end {
		for end < len(shares) && shares[end].Name == shares[start].Name {
			end++
		}
		var able []string
		for _, p := range live {
			if slices.Contains(p.Can, shares[start].Name) {
				able = append(able, p.Holder)
			}
		}
		mine := 0
		for range shares[start:end] {
			if len(able) > 0 && able[dealt%len(able)] == me {
				mine++
			}
			dealt++
		}
		for _, s := range shares[start:end] {
			if s.Holder == me {
				if mine--; mine < 0 {
					yield = append(yield, s)
				}
			}
		}
		for _, s := range shares[start:end] {
			if mine > 0 && !alive[s.Holder] {
				mine--
				take = append(take, s)
			}
		}
	}
	return take, yield
}
