package turn

import (
	"fmt"
	"slices"
	"testing"
)

// TestTurnsAreTakenInOneOrder: whoever wants several waits for none that somebody has who waits for its own.
func TestTurnsAreTakenInOneOrder(t *testing.T) {
	t.Parallel()
	var streams []string
	for i := range 10 {
		streams = append(streams, fmt.Sprint("stock-", i))
	}
	keys := keysOf(streams)
	if len(keys) != most || !slices.IsSorted(keys) {
		t.Errorf("the keys are %v", keys)
	}
	slices.Reverse(streams)
	if again := keysOf(append(streams, streams...)); !slices.Equal(again, keys) {
		t.Errorf("in another order they are %v, not %v", again, keys)
	}
}
