package rebuild

import (
	"runtime/debug"
	"sync"
)

// gcPercent guards the garbage collector's setting, which is the process's: all folds that run share it.
var gcPercent struct {
	sync.Mutex
	folds, before int
}

// relaxedGCPercent is GOGC while a fold runs. Each collection visits all rows in memory, on all cores, and slows down
// appends. With the usual 100 it took a quarter of a fold's time.
const relaxedGCPercent = 300

// relaxGC sets relaxedGCPercent until every caller has called done. It changes nothing when GOGC is higher already, or
// off.
func relaxGC() (done func()) {
	gcPercent.Lock()
	defer gcPercent.Unlock()
	if gcPercent.folds++; gcPercent.folds == 1 {
		if gcPercent.before = debug.SetGCPercent(relaxedGCPercent); gcPercent.before < 0 || gcPercent.before > relaxedGCPercent {
			debug.SetGCPercent(gcPercent.before)
		}
	}
	return sync.OnceFunc(func() {
		gcPercent.Lock()
		defer gcPercent.Unlock()
		if gcPercent.folds--; gcPercent.folds == 0 {
			debug.SetGCPercent(gcPercent.before)
		}
	})
}
