package projections

import (
	"testing"

	"shop/eventstore/registry"
)

// before are the schemas that changed what older events say before fingerprints had schemas: they were built into the live read
// models then, and a fingerprint that named them would build every shop's anew for nothing.
var before = map[string]int{"rules.changed": 2}

// TestAReadModelNamesTheSchemasThatChangedItsEvents: an upcast that changes what old events say changes rows of the past, so the
// read model is built anew.
func TestAReadModelNamesTheSchemasThatChangedItsEvents(t *testing.T) {
	t.Parallel()
	events := registry.New()
	for _, p := range All() {
		for _, name := range p.Types() {
			want := events.Rewritten(name)
			if want <= max(1, before[name]) {
				want = 0
			}
			if p.Schemas[name] != want {
				t.Errorf("%s: Schemas has %d for %s, the registry %d; raise Version too", p.Name, p.Schemas[name], name, want)
			}
		}
	}
	if got := events.Rewritten("rules.changed"); got != 6 {
		t.Errorf("rules.changed is rewritten by schema %d", got)
	}
	for _, name := range []string{"order.paid", "order.placed", "stock.received", "no.such"} {
		if got := events.Rewritten(name); got != 1 {
			t.Errorf("%s is rewritten by schema %d", name, got)
		}
	}
}

// TestASchemaChangesTheFingerprint, and none leaves it as it was.
func TestASchemaChangesTheFingerprint(t *testing.T) {
	t.Parallel()
	p := Rules()
	p.Schemas = nil
	was := p.Fingerprint()
	p.Schemas = map[string]int{"rules.changed": 3}
	if p.Fingerprint() == was {
		t.Error("the fingerprint does not follow the schemas")
	}
	p.Schemas = nil
	if p.Fingerprint() != was {
		t.Error("the fingerprint changed")
	}
}
