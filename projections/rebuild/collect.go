package rebuild

import (
	"runtime/debug"
	"sync"
)

// collecting is the garbage collector's setting while folds run. It is the process's, so folds share it.
var collecting struct {
	sync.Mutex
	folds, before int
}

// seldom is how far the heap grows, in percent of what is alive, until it is collected while a fold runs. Each
// collection goes through all rows that are held, on all cores, which appends beside it feel; the usual 100 % made it a
// quarter of a fold's work.
const seldom = 300

// collectLess has the heap collected more seldom until done is called, by all who asked. Who has told the process to
// collect more seldom than that, or never, is not disturbed.
func collectLess() (done func()) {
	collecting.Lock()
	defer collecting.Unlock()
	if collecting.folds++; collecting.folds == 1 {
		if collecting.before = debug.SetGCPercent(seldom); collecting.before < 0 || collecting.before > seldom {
			debug.SetGCPercent(collecting.before)
		}
	}
	return sync.OnceFunc(func() {
		collecting.Lock()
		defer collecting.Unlock()
		if collecting.folds--; collecting.folds == 0 {
			debug.SetGCPercent(collecting.before)
		}
	})
}
