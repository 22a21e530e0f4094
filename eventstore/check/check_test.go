package check

import (
	"slices"
	"testing"
)

// TestEveryFaultIsFound plants each fault in an honest delivery.
func TestEveryFaultIsFound(t *testing.T) {
	t.Parallel()
	log := []Event{{"a", 1, 1}, {"b", 1, 2}, {"a", 2, 4}, {"a", 3, 7}, {"b", 2, 8}}
	// Order between streams is nobody's promise.
	honest := []Event{log[1], log[0], log[2], log[4], log[3]}
	if faults := Delivered(honest, log); len(faults) > 0 {
		t.Fatalf("an honest reader is accused: %v", faults)
	}
	without := func(events []Event, i int) []Event { return slices.Delete(slices.Clone(events), i, i+1) }
	for name, c := range map[string]struct {
		delivered, log []Event
		want           []Fault
	}{
		"lost at the end":    {without(honest, 3), log, []Fault{{Lost, log[4]}}},
		"lost in the middle": {without(honest, 2), log, []Fault{{Disorder, log[3]}, {Lost, log[2]}}},
		"nothing delivered":  {nil, log[:1], []Fault{{Lost, log[0]}}},
		"twice":              {append(slices.Clone(honest), log[2]), log, []Fault{{Twice, log[2]}}},
		"swapped":            {[]Event{log[1], log[2], log[0], log[4], log[3]}, log, []Fault{{Disorder, log[2]}, {Disorder, log[0]}}},
		"phantom":            {append(slices.Clone(honest), Event{"c", 1, 9}), log, []Fault{{Phantom, Event{"c", 1, 9}}}},
		"hole in the log":    {[]Event{{"a", 2, 4}}, []Event{{"a", 2, 4}}, []Fault{{Torn, log[2]}, {Disorder, log[2]}}},
		"log against the grain": {[]Event{{"a", 1, 5}, {"a", 2, 4}}, []Event{{"a", 2, 4}, {"a", 1, 5}},
			[]Fault{{Torn, Event{"a", 2, 4}}}},
		"version twice in the log": {[]Event{{"a", 1, 1}, {"a", 1, 2}}, []Event{{"a", 1, 1}, {"a", 1, 2}},
			[]Fault{{Torn, Event{"a", 1, 2}}, {Disorder, Event{"a", 1, 2}}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Delivered(c.delivered, c.log); !slices.Equal(got, c.want) {
				t.Errorf("found %v, want %v", got, c.want)
			}
		})
	}
}
