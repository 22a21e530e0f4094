package eventstore_test

import (
	"slices"
	"strings"
	"testing"

	"shop/eventstore/check"
)

// settled forgets what nobody asks for again and gives equal appenders one order, so that states which differ by
// nothing but their numbering are one.
func (p *protocol) settled(l log) log {
	for i := range l.appenders {
		if a := &l.appenders[i]; int(a.at) >= len(p.append) {
			a.marker, a.seen = 0, 0
		}
	}
	slices.SortFunc(l.appenders[:], func(a, b appender) int { return a.key() - b.key() })
	slices.SortFunc(l.readers[:p.readers], func(a, b reader) int { return a.key() - b.key() })
	return l
}

func (a appender) key() int {
	bit := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	return ((((((((((int(a.stream)<<4|int(a.at))<<4|int(a.marker+1))<<4|int(a.version))<<4|int(a.position))<<1|bit(a.held))<<1|bit(a.locked))<<1|bit(a.onDisk))<<1|bit(a.visible))<<1|bit(a.stopped))<<1|bit(a.ended))<<4 | int(a.seen)
}

func (r reader) key() int {
	key := int(r.looks)<<4 | int(r.at)
	for _, part := range []int8{r.last + 1, r.marker, r.mine, r.checkpoint, r.versions[0], r.versions[1]} {
		key = key<<7 | int(part)
	}
	return key<<16 ^ int(r.got)<<8 ^ int(r.delivered)
}

// judge says what is wrong with a state.
func (p *protocol) judge(l log) fault {
	if l.wrong != fine {
		return l.wrong
	}
	if p.frozen(l) {
		return frozen
	}
	ended := true
	for _, a := range l.appenders {
		ended = ended && (int(a.at) >= len(p.append) || a.stopped && p.nobodyEnds)
		if !a.visible || p.group(a.stream) != 0 {
			continue
		}
		for _, r := range l.readers[:p.readers] {
			if a.position <= r.checkpoint && r.delivered&(1<<a.position) == 0 {
				return lost
			}
		}
	}
	for i, r := range l.readers[:p.readers] {
		if !ended || r.at != 0 {
			continue
		}
		// One more look, undisturbed, must bring the reader to the end.
		for at := int8(0); int(at) < len(p.read); {
			at += p.read[at].do(p, &l, i)
		}
		n := &l.readers[i]
		if n.looks == r.looks {
			l.deliver(i, min(n.last, n.marker))
		}
		for _, a := range l.appenders {
			if a.visible && p.group(a.stream) == 0 && n.delivered&(1<<a.position) == 0 {
				return stuck
			}
		}
	}
	return fine
}

// frozen says whether an appender waits for what nobody will do.
func (p *protocol) frozen(l log) bool {
	waits := false
	for i, a := range l.appenders {
		if int(a.at) >= len(p.append) {
			continue
		}
		if len(p.interruptions(l, i)) > 0 {
			return false
		}
		if a.stopped {
			continue
		}
		n := l
		if p.append[a.at].do(p, &n, i) > 0 {
			return false
		}
		waits = true
	}
	return waits
}

func (p *protocol) walk() (found fault, way []string, states int) {
	said, way, states := check.Walk(p.start(), p.moves, func(l log) string {
		if found = p.judge(l); found == fine {
			return ""
		}
		return found.String()
	})
	if said == "" {
		found = fine
	}
	return found, way, states
}

func TestNoInterleavingBreaksTheProtocol(t *testing.T) {
	t.Parallel()
	const a, b = 0, 1
	for name, p := range map[string]*protocol{
		"two appenders, one stream, two readers":        honest([]int8{a, a}, 2, 2),
		"two appenders, two streams, two readers":       honest([]int8{a, b}, 2, 2),
		"three appenders, one stream, one reader":       honest([]int8{a, a, a}, 1, 3),
		"three appenders, two streams, one reader":      honest([]int8{a, a, b}, 1, 3),
		"three appenders, two streams, two readers":     honest([]int8{a, a, b}, 2, 2),
		"three appenders, one of another group":         honest([]int8{a, a, b}, 1, 3).ofOtherGroup(),
		"three appenders, two of them of another group": honest([]int8{a, b, b}, 1, 3).ofOtherGroup(),

		"a crash, two streams, two readers":                    honest([]int8{a, b}, 2, 2).crashing(1),
		"two crashes, three appenders, one stream":             honest([]int8{a, a, a}, 1, 3).crashing(2),
		"two crashes, three appenders, two streams":            honest([]int8{a, a, b}, 1, 3).crashing(2),
		"two crashes, three appenders, one of another group":   honest([]int8{a, a, b}, 1, 3).crashing(2).ofOtherGroup(),
		"two crashes, three appenders, two of another group":   honest([]int8{a, b, b}, 1, 3).crashing(2).ofOtherGroup(),
		"a crash, three appenders, two groups and two readers": honest([]int8{a, b, b}, 2, 2).crashing(1).ofOtherGroup(),

		"two stops, three appenders, one stream":            honest([]int8{a, a, a}, 1, 3).stopping(2),
		"a stop, three appenders, two streams":              honest([]int8{a, a, b}, 1, 3).stopping(1),
		"a stop, two streams, two readers":                  honest([]int8{a, b}, 2, 2).stopping(1),
		"a stop and a crash, two streams":                   honest([]int8{a, a, b}, 1, 2).crashing(1).stopping(1),
		"three appenders that expect a version, one stream": honest([]int8{a, a, a}, 1, 3).judging(),
		"a stop, three appenders that expect a version":     honest([]int8{a, a, b}, 1, 2).judging().stopping(1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, way, states := p.walk()
			if found != fine {
				t.Fatalf("%s:\n%s", found, strings.Join(way, "\n"))
			}
			t.Logf("%d states", states)
			if states < 1000 {
				t.Errorf("only %d states were walked", states)
			}
		})
	}
}

func TestEveryRuleOfTheProtocolIsNeeded(t *testing.T) {
	t.Parallel()
	const a, b = 0, 1
	type broken struct {
		do   func(*protocol)
		want fault
	}
	all := map[string]broken{
		"no marker": {func(p *protocol) {
			p.append = []op{locksStream, writesAhead, allocates, commits, releasesMarker}
		}, lost},
		// Also what a sequence with a cache would do: the block was allocated before the marker.
		"marker after nextval": {func(p *protocol) {
			p.append = []op{locksStream, writesAhead, allocates, readsPresent, asksTable, takesMarker, commits, releasesMarker}
		}, lost},
		"lock released before visible": {func(p *protocol) {
			p.append = []op{locksStream, readsPresent, asksTable, takesMarker, writesAhead, allocates, releasesMarker, commits}
		}, lost},
		"stream locked after nextval": {func(p *protocol) {
			p.append = []op{readsPresent, asksTable, takesMarker, writesAhead, allocates, locksStream, commits, releasesMarker}
			p.streams = []int8{a, a}
		}, torn},
		"is_called forgotten": {func(p *protocol) { p.forgetCalled = true }, lost},
		"present value read ahead": {func(p *protocol) {
			p.plainSelect, p.streams = true, []int8{a, b, b}
		}, lost},
		"checkpoint is the last position seen": {func(p *protocol) {
			p.read = []op{readsNaively}
		}, lost},
		"one marker for all groups": {func(p *protocol) {
			p.anyGroup, p.otherGroup = true, true
		}, heldBack},
		"marker never released": {func(p *protocol) {
			p.append = p.append[:len(p.append)-1]
		}, stuck},
		"nobody ends what a stopped appender holds": {func(p *protocol) {
			p.streams, p.nobodyEnds = []int8{a, a}, true
			p.stopping(1)
		}, frozen},
		"nobody ends what a stopped appender holds, elsewhere": {func(p *protocol) {
			p.nobodyEnds = true
			p.stopping(1)
		}, stuck},
		"a stopped appender loses its locks and goes on": {func(p *protocol) {
			p.locksEnd = true
			p.stopping(1)
		}, lost},
		"judged before the lock": {func(p *protocol) {
			p.judging().streams = []int8{a, a}
			first := slices.IndexFunc(p.append, func(o op) bool { return o.name == locksStream.name })
			p.append[first], p.append[first+1] = p.append[first+1], p.append[first]
		}, unseen},
		// A position that was taken but is not on disk can be given out once more.
		"L is the present value, and the server crashes": {func(p *protocol) {
			p.read = []op{readsPresentAsL, asksTableForL, readsMarkers, readsRows}
			p.ofOtherGroup().crashing(1)
		}, lost},
		"commits are visible before they are on disk": {func(p *protocol) {
			p.append = []op{locksStream, readsPresent, asksTable, takesMarker, writesAhead, allocates, commits, releasesMarker, flushes}
			p.crashes = 1
		}, unreal},
	}
	// Every other order of the reader's statements.
	for name, order := range map[string][]op{
		"markers, highest, rows": {readsMarkers, readsHighest, readsRows},
		"markers, rows, highest": {readsMarkers, readsRows, readsHighest},
		"highest, rows, markers": {readsHighest, readsRows, readsMarkers},
		"rows, highest, markers": {readsRows, readsHighest, readsMarkers},
		"rows, markers, highest": {readsRows, readsMarkers, readsHighest},
	} {
		all["reader: "+name] = broken{func(p *protocol) { p.read = order }, lost}
	}
	for name, v := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := honest([]int8{a, b}, 1, 2)
			v.do(p)
			found, way, states := p.walk()
			if found != v.want {
				t.Fatalf("the model finds %q in %d states, want %q: it proves nothing", found, states, v.want)
			}
			t.Logf("%s, after\n%s", found, strings.Join(way, "\n"))
		})
	}
}
