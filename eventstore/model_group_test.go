package eventstore_test

import (
	"fmt"
	"slices"
	"strings"

	"shop/eventstore/check"
)

// How commands of several processes become events of the same streams, as a model: each process decides a group of commands one
// after the other, each over what those before it leave, and appends them together. A command whose stream moved meanwhile is
// refused, with those that were decided over it. It decides again, from then on under the lock of its streams. What the
// log itself does with positions and markers is the other model's (model_test.go).
//
//   - Transactions may be rolled back, processes may stop inside one until the server ends it, and the answer to a commit may be
//     lost: the transaction then ends later, one way or the other, and holds its locks until it does.
//   - An event is known by its command, so that the model sees over which events, and not only over how many, it was decided.
//
// Each rule is then broken, one at a time, and the model must find what goes wrong.

const (
	groupProcesses = 3
	groupMembers   = 2
	groupStreams   = 2
	// longest is the most events of a stream: every command once, and one too many.
	longest = groupProcesses*groupMembers + 1
)

// shared is the state of everything: a value that can be compared.
type shared struct {
	streams   [groupStreams][longest]int8 // commands, in the order of versions
	locks     [groupStreams]int8          // who holds the row; 0: nobody
	processes [groupProcesses]process
	stops     int8
	losses    int8
	wrong     string
}

type process struct {
	at     int8
	locks  bool // this round decides under the lock
	marked bool
	// over are the last events that each member was decided over, by stream; version is how many.
	over, version [groupMembers][groupStreams]int8
	accepted      [groupMembers]bool
	answered      [groupMembers]bool
	refusals      [groupMembers]int8
	stopped       bool
	// flying: the answer to the commit was lost while it was on its way. unsure: it was, in the round before.
	flying, unsure bool
}

// The steps of a process, in both orders. locksRows is one for each stream.
const (
	stepDecide = iota
	stepLockA
	stepLockB
	stepLook
	stepJudge
	stepMark
	stepCommit
	stepAnswer
	stepEnd
)

var stepNames = [...]string{"decides", "locks the first stream", "locks the second stream", "looks whether a lost append was written",
	"judges its members", "takes its marker", "commits", "answers", "ends"}

// grouping is the protocol, with the commands of each process: the streams that each member writes.
type grouping struct {
	commands      [groupProcesses][groupMembers][]int8
	stops, losses int8
	optimistic    []int8 // the order of the steps
	underLock     []int8

	// The ways to break it.
	answersFirst, keepsRefused, forgetsChain, backwards, looksBeforeLocks, neverLooks, judgesNobody bool
}

func groups(commands ...[groupMembers][]int8) *grouping {
	g := &grouping{
		optimistic: []int8{stepDecide, stepLockA, stepLockB, stepJudge, stepMark, stepCommit, stepAnswer},
		underLock:  []int8{stepLockA, stepLockB, stepLook, stepDecide, stepJudge, stepMark, stepCommit, stepAnswer},
	}
	copy(g.commands[:], commands)
	return g
}

// command is the name of a member's event.
func command(process, member int) int8 { return int8(process*groupMembers+member) + 1 }

func (s *shared) length(stream int8) int8 {
	return int8(slices.Index(s.streams[stream][:], 0))
}

func (s *shared) last(stream int8) int8 {
	if n := s.length(stream); n > 0 {
		return s.streams[stream][n-1]
	}
	return 0
}

func (s *shared) there(c int8) (times int) {
	for _, events := range s.streams {
		times = max(times, count(events[:], c))
	}
	return times
}

func count(events []int8, c int8) (n int) {
	for _, e := range events {
		if e == c {
			n++
		}
	}
	return n
}

// steps are those of the round at hand.
func (g *grouping) steps(p *process) []int8 {
	if p.locks {
		return g.underLock
	}
	return g.optimistic
}

// wants are the streams of the members that are not answered.
func (g *grouping) wants(i int, p *process) (wants [groupStreams]bool) {
	for m, streams := range g.commands[i] {
		for _, stream := range streams {
			wants[stream] = wants[stream] || !p.answered[m]
		}
	}
	return wants
}

func (g *grouping) open(i int, p *process, m int) bool {
	return len(g.commands[i][m]) > 0 && !p.answered[m]
}

// do is a process's next step; false: it waits.
func (g *grouping) do(s *shared, i int) bool {
	p := &s.processes[i]
	step := g.steps(p)[p.at]
	switch step {
	case stepDecide:
		g.decide(s, i)
	case stepLockA, stepLockB:
		stream := step - stepLockA
		if g.backwards && i%2 == 1 {
			stream = 1 - stream
		}
		if g.wants(i, p)[stream] {
			if s.locks[stream] != 0 {
				return false
			}
			s.locks[stream] = int8(i) + 1
		}
	case stepLook:
		if p.unsure && !g.neverLooks {
			for m := range g.commands[i] {
				if g.open(i, p, m) && p.accepted[m] && s.there(command(i, m)) > 0 {
					p.answered[m] = true
				}
			}
		}
		p.unsure, p.accepted = false, [groupMembers]bool{}
	case stepJudge:
		g.judge(s, i)
		if g.answersFirst {
			p.at++
			g.answer(s, i)
			p.at--
		}
	case stepMark:
		p.marked = true
	case stepCommit:
		g.write(s, i)
	case stepAnswer:
		p.marked = false
		g.answer(s, i)
		g.again(i, p)
		return true
	}
	p.at++
	return true
}

// decide lets the members that are not answered decide over what is there and what those before them decided.
func (g *grouping) decide(s *shared, i int) {
	p := &s.processes[i]
	var over, version [groupStreams]int8
	for stream := range int8(groupStreams) {
		over[stream], version[stream] = s.last(stream), s.length(stream)
	}
	for m, streams := range g.commands[i] {
		if !g.open(i, p, m) {
			continue
		}
		p.over[m], p.version[m] = over, version
		for _, stream := range streams {
			over[stream] = command(i, m)
			version[stream]++
		}
	}
}

// judge refuses members by the versions that are there.
func (g *grouping) judge(s *shared, i int) {
	p := &s.processes[i]
	p.accepted = [groupMembers]bool{}
	var added [groupStreams]int8
	var void [groupStreams]bool
	for m, streams := range g.commands[i] {
		if !g.open(i, p, m) {
			continue
		}
		p.accepted[m] = true
		for _, stream := range streams {
			if void[stream] && !g.forgetsChain || p.version[m][stream] != s.length(stream)+added[stream] && !g.judgesNobody {
				p.accepted[m] = false
			}
		}
		if !p.accepted[m] && p.locks {
			s.wrong = "a command that decided under the lock is refused"
		}
		for _, stream := range streams {
			if p.accepted[m] {
				added[stream]++
			} else {
				void[stream] = true
			}
		}
	}
}

// write makes the accepted members' events visible and lets the rows go.
func (g *grouping) write(s *shared, i int) {
	p := &s.processes[i]
	for m, streams := range g.commands[i] {
		if !g.open(i, p, m) && !(g.answersFirst && p.accepted[m]) || !p.accepted[m] && !g.keepsRefused {
			continue
		}
		for _, stream := range streams {
			if p.accepted[m] && s.last(stream) != p.over[m][stream] {
				s.wrong = "an event was written over one that its command had not seen"
			}
			if n := s.length(stream); n >= 0 && n < longest-1 {
				s.streams[stream][n] = command(i, m)
			}
		}
		if s.there(command(i, m)) > 1 {
			s.wrong = "a command was carried out twice"
		}
	}
	g.release(s, i)
}

func (g *grouping) release(s *shared, i int) {
	for stream := range s.locks {
		if s.locks[stream] == int8(i)+1 {
			s.locks[stream] = 0
		}
	}
}

// answer tells the members what became of them.
func (g *grouping) answer(s *shared, i int) {
	p := &s.processes[i]
	for m := range g.commands[i] {
		if !g.open(i, p, m) {
			continue
		}
		there := s.there(command(i, m)) > 0
		switch {
		case p.accepted[m]:
			p.answered[m] = true
		case there:
			s.wrong = "a command was refused, and its event is there"
		default:
			p.refusals[m] = min(p.refusals[m]+1, 1)
		}
	}
}

// again begins the next round of the members that are left.
func (g *grouping) again(i int, p *process) {
	left := false
	for m := range g.commands[i] {
		left = left || g.open(i, p, m)
		p.locks = p.locks || g.open(i, p, m) && p.refusals[m] > 0
	}
	p.at, p.marked = 0, false
	if !p.unsure {
		p.accepted = [groupMembers]bool{}
	}
	p.over, p.version = [groupMembers][groupStreams]int8{}, [groupMembers][groupStreams]int8{}
	if !left {
		answered := p.answered
		*p = process{at: -1, answered: answered}
	}
}

// String shows a state on the way to a fault: the streams' commands by process and member, who locks them, and the processes.
func (s shared) String() string {
	var b strings.Builder
	for stream := range int8(groupStreams) {
		fmt.Fprintf(&b, "%c:", 'a'+rune(stream))
		for _, c := range s.streams[stream][:s.length(stream)] {
			fmt.Fprintf(&b, " %d.%d", (c-1)/groupMembers, (c-1)%groupMembers)
		}
		if holder := s.locks[stream]; holder > 0 {
			fmt.Fprintf(&b, " (locked by %d)", holder-1)
		}
		b.WriteString("; ")
	}
	for i, p := range s.processes {
		if p.at >= 0 {
			fmt.Fprintf(&b, "%d accepted %v answered %v; ", i, p.accepted, p.answered)
		}
	}
	return b.String()
}

// moves are all states one step away.
func (g *grouping) moves(s shared) (all []check.Move[shared]) {
	add := func(i int, did string, n shared) {
		all = append(all, check.Move[shared]{Who: fmt.Sprint("process ", i), Did: did, To: n})
	}
	for i := range s.processes {
		p := s.processes[i]
		if p.at < 0 {
			continue
		}
		if p.flying { // the server ends the transaction, and the process finds out what became of it
			n := s
			g.write(&n, i)
			n.processes[i].flying = false
			g.again(i, &n.processes[i])
			add(i, "'s lost commit comes through", n)
			n = s
			g.release(&n, i)
			n.processes[i].flying = false
			g.again(i, &n.processes[i])
			add(i, "'s lost commit is rolled back", n)
			if g.looksBeforeLocks && p.unsure {
				n = s
				n.processes[i].unsure = false
				add(i, "looks whether its lost append was written, and it is not yet", n)
			}
			continue
		}
		if p.stopped {
			n := s
			g.release(&n, i)
			n.processes[i].stopped = false
			g.again(i, &n.processes[i])
			add(i, "'s transaction is ended by the server", n)
			continue
		}
		step := g.steps(&p)[p.at]
		n := s
		if g.do(&n, i) {
			add(i, stepNames[step], n)
		}
		inside := slices.Contains(s.locks[:], int8(i)+1)
		if inside && s.stops < g.stops {
			n := s
			n.stops++
			n.processes[i].stopped = true
			add(i, "is stopped", n)
		}
		if step == stepCommit {
			n := s
			g.release(&n, i)
			g.again(i, &n.processes[i])
			add(i, "'s transaction is rolled back", n)
			if p.locks && s.losses < g.losses {
				n = s
				n.losses++
				n.processes[i].flying, n.processes[i].unsure = true, true
				add(i, "loses the answer to its commit", n)
			}
		}
	}
	return all
}

// fault says what is wrong with a state; empty: nothing.
func (g *grouping) fault(s shared) string {
	if s.wrong != "" {
		return s.wrong
	}
	waits, ended := 0, 0
	for i := range s.processes {
		p := &s.processes[i]
		if p.at < 0 {
			ended++
			for m := range g.commands[i] {
				if len(g.commands[i][m]) > 0 && s.there(command(i, m)) != 1 {
					return "a command was answered, and its event is not there"
				}
			}
			continue
		}
		n := s
		if !p.flying && !p.stopped && !g.do(&n, i) {
			waits++
			if p.marked {
				return "a process that waits for a stream holds readers back"
			}
		}
	}
	if waits > 0 && waits+ended == groupProcesses {
		return "the processes wait for each other"
	}
	return ""
}

func (g *grouping) walk() (found string, way []string, states int) {
	start := shared{}
	for i := range start.processes {
		if len(g.commands[i][0]) == 0 {
			start.processes[i].at = -1
		}
	}
	return check.Walk(start, g.moves, g.fault)
}
