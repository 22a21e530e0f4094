package changes_test

import (
	"testing"

	"shop/commands/changes"
	"shop/eventstore/registry"
)

// TestEveryEventHasItsWayBackOrAReason, and no way leads to a field that there is not.
func TestEveryEventHasItsWayBackOrAReason(t *testing.T) {
	t.Parallel()
	events, fields := registry.New(), changes.All()
	known := map[string]bool{}
	for _, name := range events.Names() {
		known[name] = true
		inverse, there := changes.Inverses[name]
		if !there {
			t.Errorf("%s has neither a way back nor a reason", name)
			continue
		}
		if (inverse.Why == changes.Reason{}) == (len(inverse.Fields) == 0) {
			t.Errorf("%s has the way %+v", name, inverse)
		}
		for _, f := range inverse.Fields {
			if fields[[2]string{inverse.Thing, f}] == nil {
				t.Errorf("%s goes back by %s.%s, which is no field", name, inverse.Thing, f)
			}
		}
	}
	for name := range changes.Inverses {
		if !known[name] {
			t.Errorf("there is no event %s", name)
		}
	}
}
