package rebuild

import (
	"runtime/debug"
	"testing"
)

func percent() int {
	is := debug.SetGCPercent(100)
	debug.SetGCPercent(is)
	return is
}

// The collector is set while the first of several folds begins until the last ends, and stays as an operator set it.
// No t.Parallel: the setting is the process's.
func TestFoldsShareTheCollector(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(80))
	first, second := relaxGC(), relaxGC()
	first()
	first()
	if got := percent(); got != relaxedGCPercent {
		t.Errorf("%d %% while a fold runs, want %d", got, relaxedGCPercent)
	}
	second()
	if got := percent(); got != 80 {
		t.Errorf("%d %% afterwards, want 80", got)
	}
	for _, set := range []int{-1, 2 * relaxedGCPercent} {
		debug.SetGCPercent(set)
		done := relaxGC()
		if got := percent(); got != set {
			t.Errorf("%d %% while a fold runs, want the operator's %d", got, set)
		}
		done()
		if got := percent(); got != set {
			t.Errorf("%d %% afterwards, want the operator's %d", got, set)
		}
	}
}
