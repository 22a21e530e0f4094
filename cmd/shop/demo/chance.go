package demo

import (
	"math/rand/v2"
	"sort"
)

// chance is true percent times in a hundred.
func chance(r *rand.Rand, percent int) bool { return r.IntN(100) < percent }

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// weighted is a value that is picked as often as its weight says.
type weighted[T any] struct {
	value  T
	weight int
}

func pickWeighted[T any](r *rand.Rand, from []weighted[T]) T {
	total := 0
	for _, w := range from {
		total += w.weight
	}
	at := r.IntN(total)
	for _, w := range from {
		if at -= w.weight; at < 0 {
			return w.value
		}
	}
	panic("demo: weights do not add up")
}

// ladder picks from many weights fast: step i ends at sums[i].
type ladder struct{ sums []int }

func newLadder(weights []int) ladder {
	l := ladder{make([]int, len(weights))}
	sum := 0
	for i, w := range weights {
		sum += w
		l.sums[i] = sum
	}
	return l
}

func (l ladder) pick(r *rand.Rand) int {
	at := r.IntN(l.sums[len(l.sums)-1])
	return sort.SearchInts(l.sums, at+1)
}
