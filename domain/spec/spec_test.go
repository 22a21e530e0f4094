package spec_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"shop/domain"
	"shop/domain/spec"
)

// opened is the one event of a toy aggregate: a door that can be opened once.
type opened struct {
	By string `json:"by"`
}

func (opened) EventType() string { return "door.opened" }

type open struct{ by string }

var (
	errLocked = domain.Refuse("door/locked", "locked")
	errOpen   = domain.Refuse("door/open", "open already")
)

var door = domain.Decider[open, opened, int]{
	Decide: func(c open, times int) ([]opened, error) {
		switch {
		case c.by == "ghost":
			return nil, nil
		case times > 0:
			return nil, errOpen
		}
		return []opened{{c.by}}, nil
	},
	Evolve: func(times int, _ opened) int { return times + 1 },
}

// recorder is a test that only takes down what it is told.
type recorder struct {
	testing.TB
	said string
}

func (r *recorder) Helper()                           {}
func (r *recorder) Errorf(format string, args ...any) { r.said += fmt.Sprintf(format, args...) }

func TestWhatHoldsIsSilent(t *testing.T) {
	t.Parallel()
	spec.For(t, door).When(open{"anna"}).Then(opened{"anna"})
	spec.For(t, door).When(open{"ghost"}).Nothing()
	spec.For(t, door).Given(opened{"anna"}).When(open{"boris"}).Refused(errOpen)
	if times := spec.For(t, door).Given(opened{"anna"}, opened{"boris"}).State(); times != 2 {
		t.Errorf("folded %d times, want 2", times)
	}
}

func TestWhatDoesNotHoldIsSaid(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		check func(testing.TB)
		says  string
	}{
		"another event": {
			func(t testing.TB) { spec.For(t, door).When(open{"anna"}).Then(opened{"boris"}) },
			"-   \"by\": \"boris\"\n+   \"by\": \"anna\"\n",
		},
		"a missing event": {
			func(t testing.TB) { spec.For(t, door).When(open{"anna"}).Then(opened{"anna"}, opened{"anna"}) },
			"- door.opened {",
		},
		"refused instead of an event": {
			func(t testing.TB) { spec.For(t, door).Given(opened{"anna"}).When(open{"boris"}).Then(opened{"boris"}) },
			"was refused: door/open",
		},
		"an event instead of a refusal": {
			func(t testing.TB) { spec.For(t, door).When(open{"anna"}).Refused(errOpen) },
			"should be refused with door/open: open already; refused: <nil>",
		},
		"another refusal": {
			func(t testing.TB) { spec.For(t, door).Given(opened{"anna"}).When(open{"boris"}).Refused(errLocked) },
			"should be refused with door/locked",
		},
		"an event instead of nothing": {
			func(t testing.TB) { spec.For(t, door).When(open{"anna"}).Nothing() },
			"should add nothing",
		},
		"a refusal instead of nothing": {
			func(t testing.TB) { spec.For(t, door).Given(opened{"anna"}).When(open{"boris"}).Nothing() },
			"refused: door/open",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &recorder{TB: t}
			c.check(r)
			if !strings.Contains(r.said, c.says) {
				t.Errorf("said %q, want %q in it", r.said, c.says)
			}
		})
	}
}

func TestRefusalsAreComparedByCode(t *testing.T) {
	t.Parallel()
	if with := errOpen.With("open since noon"); !errors.Is(with, errOpen) || errors.Is(with, errLocked) || with.Message != "open since noon" {
		t.Errorf("%v", with)
	}
}
