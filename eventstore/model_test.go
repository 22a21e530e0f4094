package eventstore

import (
	"fmt"
	"testing"
)

// The protocol of the package comment as a model small enough to walk through every interleaving of its steps: two
// appenders, one of which may roll back, and a reader that looks several times.

type model struct {
	// The sequence as PostgreSQL has it: before the first nextval, value is 1 and called is false.
	value  int
	called bool
	// locks are the markers held, by appender; -1: none.
	locks     [2]int
	appenders [2]struct{ step, marker, position int }
	visible   [4]bool // by position
	reader    struct{ looks, step, last, marker, checkpoint int }
	delivered [4]bool
}

// variant plants one mistake.
type variant struct {
	noMarker, markerLate, markersFirst, releaseEarly, forgetCalled bool
}

func (v variant) present(m *model) int {
	if m.called || v.forgetCalled {
		return m.value
	}
	return m.value - 1
}

const (
	never = 99 // above every position: no marker is held
	looks = 3
)

// appender does one step of appender a; false: it has none left. The steps follow the package comment; commit makes
// visible, then releases, as PostgreSQL does.
func (v variant) appender(m *model, a int, rollback bool) bool {
	p := &m.appenders[a]
	mark := func() { p.marker = v.present(m) }
	lock := func() {
		if !v.noMarker {
			m.locks[a] = p.marker
		}
	}
	next := func() {
		if m.called {
			m.value++
		}
		m.called, p.position = true, m.value
	}
	commit := func() { m.visible[p.position] = !rollback }
	release := func() { m.locks[a] = -1 }
	steps := []func(){mark, lock, next, commit, release}
	if v.markerLate {
		steps = []func(){next, mark, lock, commit, release}
	}
	if v.releaseEarly {
		steps = []func(){mark, lock, next, release, commit}
	}
	if p.step == len(steps) {
		return false
	}
	steps[p.step]()
	p.step++
	return true
}

func (v variant) reads(m *model) bool {
	r := &m.reader
	if r.looks == looks {
		return false
	}
	last := func() { r.last = v.present(m) }
	markers := func() {
		r.marker = never
		for _, held := range m.locks {
			if held >= 0 {
				r.marker = min(r.marker, held)
			}
		}
	}
	rows := func() {
		upTo := min(r.last, r.marker)
		for p := r.checkpoint + 1; p <= upTo; p++ {
			m.delivered[p] = m.delivered[p] || m.visible[p]
		}
		r.checkpoint = max(r.checkpoint, upTo)
	}
	steps := []func(){last, markers, rows}
	if v.markersFirst {
		steps = []func(){markers, last, rows}
	}
	steps[r.step]()
	if r.step++; r.step == len(steps) {
		r.step = 0
		r.looks++
	}
	return true
}

// lost walks through all interleavings and tells of one in which an event is never delivered.
func (v variant) lost(rollback bool) (string, int) {
	start := model{value: 1, locks: [2]int{-1, -1}}
	seen := map[model]bool{}
	var walk func(m model) string
	walk = func(m model) string {
		if seen[m] {
			return ""
		}
		seen[m] = true
		for p := 1; p <= m.reader.checkpoint; p++ {
			if m.visible[p] && !m.delivered[p] {
				return fmt.Sprintf("position %d became visible below the checkpoint %d", p, m.reader.checkpoint)
			}
		}
		for a := range m.appenders {
			n := m
			if v.appender(&n, a, rollback && a == 0) {
				if found := walk(n); found != "" {
					return found
				}
			}
		}
		n := m
		if v.reads(&n) {
			return walk(n)
		}
		return ""
	}
	found := walk(start)
	return found, len(seen)
}

func TestNoInterleavingLosesAnEvent(t *testing.T) {
	t.Parallel()
	for _, rollback := range []bool{false, true} {
		found, states := variant{}.lost(rollback)
		if found != "" {
			t.Errorf("rollback %v: %s", rollback, found)
		}
		if states < 1000 {
			t.Errorf("only %d states were walked", states)
		}
	}
}

func TestEachRuleOfTheProtocolIsNeeded(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]variant{
		"no marker":                     {noMarker: true},
		"marker after nextval":          {markerLate: true},
		"reader looks at markers first": {markersFirst: true},
		"lock released before visible":  {releaseEarly: true},
		"is_called forgotten":           {forgetCalled: true},
	} {
		if found, _ := v.lost(false); found == "" {
			t.Errorf("%s: no interleaving loses an event; the model proves nothing", name)
		}
	}
}
