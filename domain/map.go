package domain

import (
	"iter"
	"maps"
	"slices"
	"strings"
)

// Map is an immutable map from strings: With and Without answer a new map that shares most of the old one, which
// stays as it was. States that hold one may be cached and read while newer ones are folded, at a logarithmic cost
// per event. The zero value is empty.
type Map[V any] struct {
	root *node[V]
	size int
}

// node is one key of a treap: ordered by key, heaped by weight. The weight is a hash of the key, so equal maps
// have equal shapes and no key order makes the tree a list.
type node[V any] struct {
	key         string
	weight      uint64
	value       V
	left, right *node[V]
}

// MapOf is the map with what a Go map holds, made faster than by adding one key after the other: the keys are sorted, and each
// becomes the last of the right spine, above what there weighs less (Vuillemin 1980, "A unifying look at data structures").
func MapOf[V any](all map[string]V) Map[V] {
	var spine []*node[V]
	for _, key := range slices.Sorted(maps.Keys(all)) {
		next := &node[V]{key: key, weight: weigh(key), value: all[key]}
		above := len(spine)
		for above > 0 && spine[above-1].weight < next.weight {
			above--
		}
		if above < len(spine) {
			next.left = spine[above]
		}
		if above > 0 {
			spine[above-1].right = next
		}
		spine = append(spine[:above], next)
	}
	if len(spine) == 0 {
		return Map[V]{}
	}
	return Map[V]{root: spine[0], size: len(all)}
}

// Len counts the keys.
func (m Map[V]) Len() int { return m.size }

// Get answers the value of key, and whether there is one.
func (m Map[V]) Get(key string) (V, bool) {
	for n := m.root; n != nil; {
		switch order := strings.Compare(key, n.key); {
		case order < 0:
			n = n.left
		case order > 0:
			n = n.right
		default:
			return n.value, true
		}
	}
	var none V
	return none, false
}

// All are the keys with their values, ascending by key.
func (m Map[V]) All() iter.Seq2[string, V] {
	return func(yield func(string, V) bool) { m.root.walk(yield) }
}

// walk says whether to continue.
func (n *node[V]) walk(yield func(string, V) bool) bool {
	return n == nil || n.left.walk(yield) && yield(n.key, n.value) && n.right.walk(yield)
}

// With is the map with key set to value.
func (m Map[V]) With(key string, value V) Map[V] {
	if _, known := m.Get(key); !known {
		m.size++
	}
	m.root = with(m.root, key, weigh(key), value)
	return m
}

// Without is the map without key.
func (m Map[V]) Without(key string) Map[V] {
	if _, known := m.Get(key); !known {
		return m
	}
	return Map[V]{root: without(m.root, key), size: m.size - 1}
}

// with copies the path to key. Rotations touch only the nodes just copied.
func with[V any](n *node[V], key string, weight uint64, value V) *node[V] {
	if n == nil {
		return &node[V]{key: key, weight: weight, value: value}
	}
	top := *n
	switch order := strings.Compare(key, n.key); {
	case order < 0:
		left := with(n.left, key, weight, value)
		if left.weight > top.weight {
			top.left, left.right = left.right, &top
			return left
		}
		top.left = left
	case order > 0:
		right := with(n.right, key, weight, value)
		if right.weight > top.weight {
			top.right, right.left = right.left, &top
			return right
		}
		top.right = right
	default:
		top.value = value
	}
	return &top
}

func without[V any](n *node[V], key string) *node[V] {
	top := *n
	switch order := strings.Compare(key, n.key); {
	case order < 0:
		top.left = without(n.left, key)
	case order > 0:
		top.right = without(n.right, key)
	default:
		return joined(n.left, n.right)
	}
	return &top
}

// joined makes one treap of two; every key of left is below every key of right.
func joined[V any](left, right *node[V]) *node[V] {
	switch {
	case left == nil:
		return right
	case right == nil:
		return left
	case left.weight > right.weight:
		top := *left
		top.right = joined(left.right, right)
		return &top
	default:
		top := *right
		top.left = joined(left, right.left)
		return &top
	}
}

// weigh is FNV-1a with a final mix: keys that differ only at their end must not get similar weights.
func weigh(key string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * 1099511628211
	}
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
