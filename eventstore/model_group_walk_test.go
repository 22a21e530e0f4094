package eventstore_test

import (
	"strings"
	"testing"
)

func TestNoInterleavingBreaksAGroup(t *testing.T) {
	t.Parallel()
	a, b, both := []int8{0}, []int8{1}, []int8{0, 1}
	type members = [groupMembers][]int8
	for name, g := range map[string]*grouping{
		"two groups on one stream":                groups(members{a, a}, members{a, a}),
		"two groups on two streams":               groups(members{a, both}, members{both, b}),
		"three groups, one of two members":        groups(members{a, both}, members{b}, members{a}),
		"three groups on one stream, two stops":   stopping(groups(members{a, a}, members{a}, members{a}), 2, 0),
		"two groups on two streams, two stops":    stopping(groups(members{a, both}, members{both, b}), 2, 0),
		"lost answers, two groups on two streams": stopping(groups(members{a, both}, members{both, b}), 0, 2),
		"a stop and a lost answer, three groups":  stopping(groups(members{a, both}, members{both}, members{b}), 1, 1),
		"a stop and two lost answers, one stream": stopping(groups(members{a, a}, members{a}, members{a}), 1, 2),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, way, states := g.walk()
			if found != "" {
				t.Fatalf("%s:\n%s", found, strings.Join(way, "\n"))
			}
			t.Logf("%d states", states)
			if states < 100 {
				t.Errorf("only %d states were walked", states)
			}
		})
	}
}

func stopping(g *grouping, stops, losses int8) *grouping {
	g.stops, g.losses = stops, losses
	return g
}

func TestEveryRuleOfAGroupIsNeeded(t *testing.T) {
	t.Parallel()
	a, b, both := []int8{0}, []int8{1}, []int8{0, 1}
	type members = [groupMembers][]int8
	for name, broken := range map[string]struct {
		do   func(*grouping)
		want string
	}{
		"answered before the commit":               {func(g *grouping) { g.answersFirst = true }, "a command was answered, and its event is not there"},
		"a refused member's write is kept":         {func(g *grouping) { g.keepsRefused = true }, "a command was refused, and its event is there"},
		"who was decided over a refused one stays": {func(g *grouping) { g.forgetsChain = true }, "an event was written over one that its command had not seen"},
		"nobody is judged":                         {func(g *grouping) { g.judgesNobody = true }, "an event was written over one that its command had not seen"},
		"judged before the lock": {func(g *grouping) {
			g.optimistic = []int8{stepDecide, stepJudge, stepLockA, stepLockB, stepMark, stepCommit, stepAnswer}
		}, "an event was written over one that its command had not seen"},
		"decided before the lock, and not judged": {func(g *grouping) {
			g.underLock = []int8{stepDecide, stepLockA, stepLockB, stepLook, stepMark, stepCommit, stepAnswer}
			g.judgesNobody = true
		}, "an event was written over one that its command had not seen"},
		"decided before the lock": {func(g *grouping) {
			g.underLock = []int8{stepDecide, stepLockA, stepLockB, stepLook, stepJudge, stepMark, stepCommit, stepAnswer}
		}, "a command that decided under the lock is refused"},
		"marked before the last lock": {func(g *grouping) {
			g.optimistic = []int8{stepDecide, stepLockA, stepMark, stepLockB, stepJudge, stepCommit, stepAnswer}
		}, "a process that waits for a stream holds readers back"},
		"streams locked in any order":           {func(g *grouping) { g.backwards = true }, "the processes wait for each other"},
		"a lost answer is not looked for":       {func(g *grouping) { g.neverLooks = true }, "a command was carried out twice"},
		"a lost answer is looked for too early": {func(g *grouping) { g.looksBeforeLocks = true }, "a command was carried out twice"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := stopping(groups(members{a, both}, members{both, b}, members{b}), 1, 1)
			broken.do(g)
			found, way, states := g.walk()
			if found != broken.want {
				t.Fatalf("the model finds %q in %d states, want %q: it proves nothing\n%s", found, states, broken.want, strings.Join(way, "\n"))
			}
			t.Logf("%s, after\n%s", found, strings.Join(way, "\n"))
		})
	}
}
