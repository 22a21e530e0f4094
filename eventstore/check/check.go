package check

import (
	"cmp"
	"fmt"
	"slices"
)

// Event is what identifies an event to a reader.
type Event struct {
	Stream   string
	Version  int64 // from 1, without holes within a stream
	Position int64 // ascending in the log, with holes
}

// Kind says what is wrong.
type Kind string

const (
	// Lost: in the log, never delivered.
	Lost Kind = "lost"
	// Twice: delivered again.
	Twice Kind = "twice"
	// Disorder: delivered after a later event of its stream, or before the one it follows.
	Disorder Kind = "out of order"
	// Phantom: delivered, but not in the log.
	Phantom Kind = "phantom"
	// Torn: the log itself is wrong: versions of a stream have holes, or do not ascend with positions.
	Torn Kind = "torn log"
)

// Fault is one broken promise.
type Fault struct {
	Kind  Kind
	Event Event
}

func (f Fault) String() string {
	return fmt.Sprintf("%s: %s version %d at position %d", f.Kind, f.Event.Stream, f.Event.Version, f.Event.Position)
}

// Delivered compares what a reader delivered, in the order of delivery, with all events of the log in any order.
// No faults means that the reader kept its promises.
func Delivered(delivered, log []Event) []Fault {
	faults := Log(log)
	inLog := make(map[Event]bool, len(log))
	for _, e := range log {
		inLog[e] = true
	}
	seen := make(map[Event]bool, len(delivered))
	versions := map[string]int64{}
	for _, e := range delivered {
		switch {
		case seen[e]:
			faults = append(faults, Fault{Twice, e})
			continue
		case !inLog[e]:
			faults = append(faults, Fault{Phantom, e})
		case e.Version != versions[e.Stream]+1:
			faults = append(faults, Fault{Disorder, e})
		}
		seen[e] = true
		versions[e.Stream] = max(versions[e.Stream], e.Version)
	}
	for _, e := range log {
		if !seen[e] {
			faults = append(faults, Fault{Lost, e})
		}
	}
	return faults
}

// Log checks the log itself: within a stream, versions count from 1 without holes and ascend with positions.
func Log(log []Event) []Fault {
	ordered := slices.SortedFunc(slices.Values(log), func(a, b Event) int {
		return cmp.Or(cmp.Compare(a.Stream, b.Stream), cmp.Compare(a.Version, b.Version))
	})
	var faults []Fault
	for i, e := range ordered {
		version, position := int64(1), int64(0)
		if i > 0 && ordered[i-1].Stream == e.Stream {
			version, position = ordered[i-1].Version+1, ordered[i-1].Position
		}
		if e.Version != version || e.Position <= position {
			faults = append(faults, Fault{Torn, e})
		}
	}
	return faults
}
