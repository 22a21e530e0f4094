package eventstore_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// How a log moves to a standby, as a model: a primary, a standby that has a beginning of the primary's WAL, one process that reads
// and folds with what it has in memory, and clients of other processes that append. The primary dies between any two steps and the
// standby is promoted; its positions are then given out again. The process survives that. Whatever it does needs a connection, and
// each new connection is compared with what the process knows (server.go).
//
// The WAL is one list: appends, and checkpoints with what was folded, so that a standby never has one without the other that was
// written before.

const (
	mostEvents  = 4
	mostRecords = 7
)

// record is an event, by its number, or a checkpoint: the events folded so far.
type record struct {
	event  int8
	folded [mostEvents]int8
}

// standing is the state of everything: a value that can be compared.
type standing struct {
	wal      [mostRecords]record
	written  int8
	shipped  int8 // how much of it the standby has
	promoted bool
	given    int8 // events that clients have made
	acked    [mostEvents + 1]bool
	// The process: the timeline that it has seen, the events it has in memory, and whether its connection is of before.
	began    bool
	timeline int8
	ring     [mostEvents]int8
	head     int8
	fresh    bool // the connection was compared since the server changed
}

// failover is the world: synchronous or not, and which rules are broken.
type failover struct {
	synchronous                                        bool
	acksFirst, comparesNothing, comparesEnd, looksOnly bool
}

// log are the events on the server that is the primary now, folded those that its checkpoint has.
func (s *standing) log() (log []int8, folded [mostEvents]int8) {
	for _, r := range s.wal[:s.written] {
		if r.event > 0 {
			log = append(log, r.event)
		} else {
			folded = r.folded
		}
	}
	return log, folded
}

func countOf(folded [mostEvents]int8) int {
	return slices.IndexFunc(append(folded[:], 0), func(e int8) bool { return e == 0 })
}

// compare is what a process does with a connection to a server it may not know. It ends, with an empty memory, when that is another.
func (f *failover) compare(s *standing, log []int8) (ended bool) {
	timeline := int8(1)
	if s.promoted {
		timeline = 2
	}
	if !s.began {
		s.began, s.timeline, s.fresh = true, timeline, true
		return false
	}
	lost := len(log) < int(s.head) || s.head > 0 && !f.comparesEnd && log[s.head-1] != s.ring[s.head-1]
	if f.comparesNothing || !lost && (f.comparesEnd || timeline == s.timeline) {
		s.fresh = true
		return false
	}
	s.began, s.timeline, s.ring, s.head, s.fresh = false, 0, [mostEvents]int8{}, 0, false
	return true
}

// next are all states that may follow, each with what happened.
func (f *failover) next(s standing) (after []standing, what []string) {
	add := func(t standing, happened string) { after, what = append(after, t), append(what, happened) }
	log, folded := s.log()
	if s.given < mostEvents && s.written < mostRecords && len(log) < mostEvents {
		t := s
		t.given++
		t.wal[t.written] = record{event: t.given}
		t.written++
		if f.acksFirst {
			t.acked[t.given] = true
		}
		add(t, fmt.Sprintf("event %d is committed at %d", t.given, len(log)+1))
	}
	for i, r := range s.wal[:s.written] {
		if r.event > 0 && !s.acked[r.event] && (!f.synchronous || s.promoted || int(s.shipped) > i) {
			t := s
			t.acked[r.event] = true
			add(t, fmt.Sprintf("event %d is acknowledged", r.event))
		}
	}
	if !s.promoted && s.shipped < s.written {
		t := s
		t.shipped++
		add(t, "the standby gets a record")
	}
	if !s.promoted {
		t := s
		t.promoted, t.written, t.fresh = true, s.shipped, false
		clear(t.wal[t.written:])
		add(t, "the primary dies, the standby is promoted")
	}
	{ // look: the process reads what is new into its memory
		t := s
		if !t.fresh && f.compare(&t, log) {
			add(t, "the process meets another server, and ends")
		} else {
			for ; int(t.head) < len(log); t.head++ {
				t.ring[t.head] = log[t.head]
			}
			add(t, fmt.Sprintf("the process reads up to %d", t.head))
		}
	}
	if n := countOf(folded); s.began && n < int(s.head) && s.written < mostRecords {
		t := s
		if !t.fresh && !f.looksOnly && f.compare(&t, log) {
			add(t, "the process meets another server, and ends")
		} else {
			t.wal[t.written] = record{folded: folded}
			t.wal[t.written].folded[n] = t.ring[n]
			t.written++
			add(t, fmt.Sprintf("the process folds event %d at %d from its memory", t.ring[n], n+1))
		}
	}
	return after, what
}

// judge is what is wrong in a state.
func (f *failover) judge(s standing) string {
	log, folded := s.log()
	for i, e := range folded[:countOf(folded)] {
		if i >= len(log) || log[i] != e {
			return "the read model has an event that is not in the log"
		}
	}
	for e := int8(1); e <= s.given; e++ {
		if s.acked[e] && f.synchronous && !slices.Contains(log, e) {
			return "an acknowledged event is lost"
		}
	}
	// Whatever memory says, the process has to come to the end of the log: it goes by its own head.
	if s.began && s.fresh {
		for i := range min(int(s.head), len(log)) {
			if s.ring[i] != log[i] {
				return "the process goes on with an event that is not in the log"
			}
		}
		if int(s.head) > len(log) {
			return "the process is ahead of the log, and passes what comes"
		}
	}
	return ""
}

// walk goes through all states, the shortest ways first.
func (f *failover) walk() (found string, way []string, states int) {
	type step struct {
		from standing
		what string
	}
	came := map[standing]step{{}: {}}
	queue := []standing{{}}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		after, what := f.next(s)
		for i, t := range after {
			if _, known := came[t]; known {
				continue
			}
			came[t] = step{s, what[i]}
			if found := f.judge(t); found != "" {
				for at := t; at != (standing{}); at = came[at].from {
					way = append(way, came[at].what)
				}
				slices.Reverse(way)
				return found, way, len(came)
			}
			queue = append(queue, t)
		}
	}
	return "", nil, len(came)
}

func TestNoFailoverLosesOrInvents(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]*failover{"asynchronous": {}, "synchronous": {synchronous: true}} {
		found, way, states := f.walk()
		if found != "" {
			t.Errorf("%s: %s:\n%s", name, found, strings.Join(way, "\n"))
		}
		t.Logf("%s: %d states", name, states)
		if states < 1000 {
			t.Errorf("%s: only %d states were walked", name, states)
		}
	}
}

func TestEveryRuleOfAFailoverIsNeeded(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]struct {
		f    *failover
		want []string
	}{
		"acknowledged before the standby has it": {&failover{synchronous: true, acksFirst: true}, []string{"an acknowledged event is lost"}},
		"nothing is compared": {&failover{comparesNothing: true}, []string{
			"the read model has an event that is not in the log", "the process goes on with an event that is not in the log",
			"the process is ahead of the log, and passes what comes",
		}},
		"only the end of the log is compared": {&failover{comparesEnd: true}, []string{"the process goes on with an event that is not in the log", "the read model has an event that is not in the log"}},
		"only looks at the heads compare":     {&failover{looksOnly: true}, []string{"the read model has an event that is not in the log"}},
	} {
		found, way, states := broken.f.walk()
		if !slices.Contains(broken.want, found) {
			t.Errorf("%s: the model finds %q in %d states: it proves nothing", name, found, states)
		}
		t.Logf("%s: %s, after\n%s", name, found, strings.Join(way, "\n"))
	}
}
