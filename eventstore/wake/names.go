package wake

import (
	"slices"
	"sync"

	"github.com/google/uuid"
)

// remembered is how many of the last names are known.
const remembered = 64

// Names counts what happened to whom, and knows the last ones by name; Nil is anybody. The zero value is ready, and safe for
// concurrent use.
type Names struct {
	mu    sync.Mutex
	count int64
	last  [remembered]uuid.UUID
}

// Add counts one more.
func (n *Names) Add(name uuid.UUID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.count++
	n.last[n.count%remembered] = name
}

// Count is how many there have been.
func (n *Names) Count() int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.count
}

// Since are those since a count, and the count now; all: it may be anybody, because one was, or they are too many to name.
func (n *Names) Since(count int64) (names []uuid.UUID, now int64, all bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.count-count > remembered {
		return nil, n.count, true
	}
	for i := count + 1; i <= n.count; i++ {
		names = append(names, n.last[i%remembered])
	}
	return names, n.count, slices.Contains(names, uuid.Nil)
}
