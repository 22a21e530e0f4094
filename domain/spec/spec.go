package spec

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"shop/domain"
)

// Subject is a decider with the history that Given gave it.
type Subject[C any, E domain.Event, S any] struct {
	t       testing.TB
	decider domain.Decider[C, E, S]
	state   S
}

// For starts from a decider without history.
func For[C any, E domain.Event, S any](t testing.TB, decider domain.Decider[C, E, S]) Subject[C, E, S] {
	return Subject[C, E, S]{t: t, decider: decider, state: decider.Initial}
}

// Given adds events to the history.
func (s Subject[C, E, S]) Given(events ...E) Subject[C, E, S] {
	s.state = s.decider.Fold(s.state, events...)
	return s
}

// When asks the command of the history so far.
func (s Subject[C, E, S]) When(command C) Outcome[E] {
	s.t.Helper()
	events, err := s.decider.Decide(command, s.state)
	return Outcome[E]{t: s.t, command: fmt.Sprintf("%T", command), events: events, err: err}
}

// State is what the history folds to.
func (s Subject[C, E, S]) State() S { return s.state }

// Outcome is what a command led to.
type Outcome[E domain.Event] struct {
	t       testing.TB
	command string
	events  []E
	err     error
}

// Then expects exactly these events.
func (o Outcome[E]) Then(want ...E) {
	o.t.Helper()
	if o.err != nil {
		o.t.Errorf("%s was refused: %v\nwant\n%s", o.command, o.err, lines(want))
		return
	}
	if got, want := lines(o.events), lines(want); got != want {
		o.t.Errorf("%s led to other events (- wanted, + got)\n%s", o.command, diff(want, got))
	}
}

// Nothing expects the command to be accepted and to add no event.
func (o Outcome[E]) Nothing() {
	o.t.Helper()
	if o.err != nil || len(o.events) > 0 {
		o.t.Errorf("%s should add nothing; refused: %v, added\n%s", o.command, o.err, lines(o.events))
	}
}

// Refused expects this refusal and no event.
func (o Outcome[E]) Refused(want error) {
	o.t.Helper()
	if !errors.Is(o.err, want) || len(o.events) > 0 {
		o.t.Errorf("%s should be refused with %v; refused: %v, added\n%s", o.command, want, o.err, lines(o.events))
	}
}

// lines writes events as text, one JSON field a line.
func lines[E domain.Event](events []E) string {
	var b strings.Builder
	for _, e := range events {
		body, err := json.MarshalIndent(e, "", "  ")
		if err != nil {
			body = []byte(err.Error())
		}
		fmt.Fprintf(&b, "%s %s\n", e.EventType(), body)
	}
	return b.String()
}

// diff shows what only want has with "-", what only got has with "+", and what both have as it is, by their
// longest common subsequence of lines.
func diff(want, got string) string {
	a, b := strings.SplitAfter(want, "\n"), strings.SplitAfter(got, "\n")
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var out strings.Builder
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out.WriteString("  " + a[i])
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			out.WriteString("- " + a[i])
			i++
		default:
			out.WriteString("+ " + b[j])
			j++
		}
	}
	return out.String()
}
