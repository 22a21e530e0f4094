package check

import (
	"fmt"
	"slices"
)

// Move leads a model to another state.
type Move[S comparable] struct {
	Who, Did string
	To       S
}

// Walk goes to every state of a model there is, nearest first. It ends at the first that is wrong, with the way there,
// which is a shortest one.
func Walk[S comparable](start S, moves func(S) []Move[S], wrong func(S) string) (found string, way []string, states int) {
	type visit struct {
		Move[S]
		from int
	}
	visits := []visit{{Move: Move[S]{To: start}}}
	seen := map[S]bool{start: true}
	for at := 0; at < len(visits); at++ {
		if found := wrong(visits[at].To); found != "" {
			for ; at > 0; at = visits[at].from {
				v := visits[at]
				way = append(way, fmt.Sprintf("%-50s %v", v.Who+" "+v.Did, v.To))
			}
			slices.Reverse(way)
			return found, way, len(visits)
		}
		for _, m := range moves(visits[at].To) {
			if !seen[m.To] {
				seen[m.To] = true
				visits = append(visits, visit{m, at})
			}
		}
	}
	return "", nil, len(visits)
}
