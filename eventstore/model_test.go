package eventstore_test

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"shop/eventstore/check"
)

// The protocol of the package comment as a model small enough to walk through every interleaving of its steps, and every
// outcome of its transactions. Appenders go through the steps of eventstore.append, readers through those of
// eventstore.heads; what PostgreSQL does on the way is modelled as finely as it matters:
//
//   - a row lock ends when the transaction becomes visible, an advisory lock one step later;
//   - nextval shows, in the sequence's row, a value ahead of the one it gives out, while it writes to the WAL; who
//     looks under the sequence's lock waits until that is over, a plain SELECT does not;
//   - a sequence that was never used says so, and the present value is then looked for in the table, one step later;
//   - a commit is on disk before it is visible. nextval writes a value ahead of the one it gives out to the WAL, and only
//     a commit brings that record to the disk. A crash of the server rolls back what is not on disk and sets the sequence
//     to its last record on disk; readers, other processes, keep their checkpoints.
//
// Each rule of the protocol is then broken, one at a time, and the model must find what goes wrong.

const (
	appenders = 3
	readers   = 2
	// ahead is by how much nextval's row runs ahead; PostgreSQL's 32 would only make the numbers larger.
	ahead = 2
	// never is above every position: no marker is held. unknown: the sequence was never used.
	never, unused = 99, -1
)

// log is the state of everything: a value that can be compared.
type log struct {
	value, row   int8 // of the sequence: given out, and as its row shows
	called, busy bool // busy: a nextval is at work under the sequence's lock
	// written and onDisk are the sequence's last record in the WAL and the last one that survives a crash; 0: none.
	written, onDisk int8
	crashes         int8
	appenders       [appenders]appender
	readers         [readers]reader
	wrong           fault
}

type appender struct {
	at       int8 // the next step
	stream   int8
	marker   int8 // as read
	held     bool // the lock on marker
	locked   bool // the lock on the stream's row
	version  int8
	position int8
	onDisk   bool // the commit
	visible  bool
}

type reader struct {
	at                 int8
	looks              int8
	last, marker, mine int8 // mine: the least marker in the reader's own groups
	got                uint8
	checkpoint         int8
	delivered          uint8   // positions, as bits
	versions           [2]int8 // the last one delivered, by stream
}

type fault uint8

const (
	fine fault = iota
	lost
	disordered
	torn
	heldBack
	stuck
	unreal
)

func (f fault) String() string {
	return [...]string{"fine", "an event lies below the checkpoint and was not delivered", "a stream was delivered out of order",
		"versions and positions of a stream disagree", "a reader was held back by another group's appender",
		"with nobody at work, an event is not delivered", "an event was delivered that a crash then took back"}[f]
}

// op is one step of an appender or reader. do says how many steps it takes it further, 0 when it has to wait.
type op struct {
	name string
	do   func(p *protocol, l *log, i int) int8
	ends bool // the transaction: a half of the commit
}

var (
	// The appender's.
	locksStream    = op{name: "locks its stream", do: lockStream}
	readsPresent   = op{name: "reads the present value", do: present}
	asksTable      = op{name: "asks the table instead", do: presentOfTable}
	takesMarker    = op{name: "takes its marker", do: mark}
	writesAhead    = op{name: "is in nextval, which writes ahead", do: writeAhead}
	allocates      = op{name: "has its position", do: allocate}
	flushes        = op{name: "commits: is on disk", do: flush, ends: true}
	commits        = op{name: "commits: is visible", do: insertAndCommit, ends: true}
	releasesMarker = op{name: "releases its marker", do: release}
	// The reader's.
	readsHighest = op{name: "reads L, the highest visible position", do: highest}
	readsMarkers = op{name: "reads the markers", do: markers}
	readsRows    = op{name: "reads the rows", do: rows}
	readsNaively = op{name: "takes all rows it sees", do: naive}
	// The reader that was used until a crash was found to lose events: L is the present value.
	readsPresentAsL = op{name: "reads L, the present value", do: last}
	asksTableForL   = op{name: "asks the table for L instead", do: highest}
)

// protocol is what the appenders and readers do, and with how many the model is walked.
type protocol struct {
	append, read []op
	// streams are those of the appenders; fewer than there may be leave the others idle. Stream 1 may be of another group.
	streams    []int8
	otherGroup bool
	readers    int
	looks      int8
	// crashes is how often the server may crash.
	crashes int8
	// The ways in which present and markers can be read wrongly.
	forgetCalled, plainSelect, anyGroup bool
}

// honest is the protocol as it is.
func honest(streams []int8, readers int, looks int8) *protocol {
	return &protocol{
		append:  []op{locksStream, readsPresent, asksTable, takesMarker, writesAhead, allocates, commits, releasesMarker},
		read:    []op{readsHighest, readsMarkers, readsRows},
		streams: streams, readers: readers, looks: looks,
	}
}

// crashing is the protocol with a server that may crash, and with commits in their two steps.
func (p *protocol) crashing(times int8) *protocol {
	p.crashes = times
	at := slices.IndexFunc(p.append, func(o op) bool { return o.ends })
	p.append = slices.Insert(slices.Clone(p.append), at, flushes)
	return p
}

// ofOtherGroup puts stream 1 into another group than stream 0, whose readers are looked at.
func (p *protocol) ofOtherGroup() *protocol {
	p.otherGroup = true
	return p
}

func (p *protocol) group(stream int8) int8 {
	if p.otherGroup {
		return stream
	}
	return 0
}

// The appender's steps.

func lockStream(_ *protocol, l *log, i int) int8 {
	a := &l.appenders[i]
	a.version = 1
	for _, other := range l.appenders {
		if other.stream == a.stream && other.locked {
			return 0
		}
		if other.stream == a.stream && other.visible {
			a.version++
		}
	}
	a.locked = true
	return 1
}

// look is the sequence's present value, or unused; false: it is locked.
func (p *protocol) look(l *log) (int8, bool) {
	switch {
	case p.plainSelect && (l.called || l.busy): // the row is marked as called as soon as it is written ahead
		return l.row, true
	case l.busy:
		return 0, false
	case l.called || p.forgetCalled:
		return l.value, true
	}
	return unused, true
}

// highest is the last visible position.
func (l *log) highest() (position int8) {
	for _, a := range l.appenders {
		if a.visible {
			position = max(position, a.position)
		}
	}
	return position
}

func present(p *protocol, l *log, i int) int8 {
	value, ok := p.look(l)
	if !ok {
		return 0
	}
	l.appenders[i].marker = value
	if value != unused {
		return 2 // the table need not be asked
	}
	return 1
}

func presentOfTable(_ *protocol, l *log, i int) int8 {
	l.appenders[i].marker = l.highest()
	return 1
}

func mark(_ *protocol, l *log, i int) int8 {
	l.appenders[i].held = true
	return 1
}

func writeAhead(_ *protocol, l *log, _ int) int8 {
	if l.busy {
		return 0
	}
	l.busy, l.row = true, l.next()+ahead
	return 1
}

func allocate(_ *protocol, l *log, i int) int8 {
	l.value = l.next()
	if l.value > l.written {
		l.written = l.value + ahead
	}
	l.busy, l.called, l.row = false, true, l.value
	l.appenders[i].position = l.value
	return 1
}

// next is what nextval gives out: a sequence begins with its value, not after it.
func (l *log) next() int8 {
	if l.called {
		return l.value + 1
	}
	return l.value
}

// flush brings the commit, and with it the sequence's record, to the disk. Its rolled back twin is added by the walk.
func flush(_ *protocol, l *log, i int) int8 {
	if l.appenders[i].position > 0 { // not rolled back
		l.appenders[i].onDisk, l.onDisk = true, l.written
	}
	return 1
}

// insertAndCommit makes the event visible and ends the row lock. Its rolled back twin is added by the walk.
func insertAndCommit(_ *protocol, l *log, i int) int8 {
	a := &l.appenders[i]
	a.visible, a.locked = true, false
	for _, other := range l.appenders {
		if other.visible && other.stream == a.stream && (other.version < a.version) != (other.position < a.position) {
			l.wrong = torn
		}
	}
	return 1
}

func release(_ *protocol, l *log, i int) int8 {
	l.appenders[i].held = false
	return 1
}

// The reader's steps. The one that comes last delivers.

func last(p *protocol, l *log, i int) int8 {
	value, ok := p.look(l)
	if !ok {
		return 0
	}
	l.readers[i].last = value
	if value != unused {
		return 2
	}
	return 1
}

func highest(_ *protocol, l *log, i int) int8 {
	l.readers[i].last = l.highest()
	return 1
}

func markers(p *protocol, l *log, i int) int8 {
	r := &l.readers[i]
	r.marker, r.mine = never, never
	for _, a := range l.appenders {
		if !a.held {
			continue
		}
		if p.group(a.stream) == 0 {
			r.mine = min(r.mine, a.marker)
		}
		if p.group(a.stream) == 0 || p.anyGroup {
			r.marker = min(r.marker, a.marker)
		}
	}
	return 1
}

// rows takes what its statement sees above the checkpoint.
func rows(p *protocol, l *log, i int) int8 {
	r := &l.readers[i]
	r.got = 0
	for _, a := range l.appenders {
		if a.visible && p.group(a.stream) == 0 && a.position > r.checkpoint {
			r.got |= 1 << a.position
		}
	}
	return 1
}

// deliver ends a look: what was got up to a position, and the checkpoint moves there.
func (l *log) deliver(i int, upTo int8) {
	r := &l.readers[i]
	for p := r.checkpoint + 1; p <= upTo; p++ {
		if r.got&(1<<p) == 0 {
			continue
		}
		for _, a := range l.appenders {
			if a.position == p {
				if a.version != r.versions[a.stream]+1 {
					l.wrong = disordered
				}
				r.versions[a.stream] = a.version
			}
		}
		r.delivered |= 1 << p
	}
	r.checkpoint = max(r.checkpoint, upTo)
	r.at, r.looks = 0, r.looks+1
	r.last, r.marker, r.mine, r.got = 0, 0, 0, 0
}

// naive is the reader that believes what it sees: all rows above its checkpoint, which then is the last it saw.
func naive(p *protocol, l *log, i int) int8 {
	rows(p, l, i)
	l.deliver(i, int8(bits.Len8(l.readers[i].got))-1)
	return 1
}

// start is the log before anybody began.
func (p *protocol) start() log {
	l := log{value: 1, row: 1}
	for i := range l.appenders {
		if i < len(p.streams) {
			l.appenders[i].stream = p.streams[i]
		} else {
			l.appenders[i].at = int8(len(p.append))
		}
	}
	for i := p.readers; i < readers; i++ {
		l.readers[i].looks = p.looks
	}
	return l
}

// moves are all states one step away, each with what was done.
func (p *protocol) moves(l log) (all []check.Move[log]) {
	for i, a := range l.appenders {
		if int(a.at) >= len(p.append) {
			continue
		}
		n := l
		step := p.append[a.at].do(p, &n, i)
		if step == 0 {
			continue
		}
		n.appenders[i].at += step
		if n.appenders[i].decided() && !a.decided() {
			rolledBack := l
			rolledBack.appenders[i].locked = false
			rolledBack.appenders[i].position, rolledBack.appenders[i].version = 0, 0
			for back := &rolledBack.appenders[i].at; *back < int8(len(p.append)) && p.append[*back].ends; {
				*back++ // both halves of the commit
			}
			all = append(all, check.Move[log]{Who: "an appender", Did: "rolls back", To: p.settled(rolledBack)})
		}
		all = append(all, check.Move[log]{Who: "an appender", Did: p.append[a.at].name, To: p.settled(n)})
	}
	for i, r := range l.readers {
		if r.looks >= p.looks {
			continue
		}
		n := l
		step := p.read[r.at].do(p, &n, i)
		if step == 0 {
			continue
		}
		did := &n.readers[i]
		if n.readers[i].looks == r.looks {
			did.at += step
			if int(did.at) >= len(p.read) {
				upTo := min(did.last, did.marker)
				if did.last <= did.mine && upTo < did.last {
					n.wrong = heldBack
				}
				n.deliver(i, upTo)
			}
		}
		all = append(all, check.Move[log]{Who: "a reader", Did: p.read[r.at].name, To: p.settled(n)})
	}
	if l.crashes < p.crashes {
		all = append(all, check.Move[log]{Who: "the server", Did: "crashes", To: p.settled(p.crash(l))})
	}
	return all
}

// crash is the log after the server crashed and came back. What is on disk is visible, and nobody holds a lock.
func (p *protocol) crash(l log) log {
	l.crashes++
	l.value, l.row, l.written = max(l.onDisk, 1), max(l.onDisk, 1), l.onDisk
	l.called, l.busy = l.onDisk > 0, false
	var real uint8
	for i := range l.appenders {
		a := &l.appenders[i]
		if a.at == 0 {
			continue // not begun
		}
		a.at, a.held, a.locked, a.visible = int8(len(p.append)), false, false, a.onDisk
		if !a.onDisk {
			a.position, a.version = 0, 0
			continue
		}
		if p.group(a.stream) == 0 {
			real |= 1 << a.position
		}
	}
	for i := range l.readers {
		r := &l.readers[i]
		r.at, r.last, r.marker, r.mine, r.got = 0, 0, 0, 0, 0
		if r.delivered&^real != 0 {
			l.wrong = unreal
		}
	}
	return l
}

// decided says that the transaction can no longer be rolled back.
func (a appender) decided() bool { return a.onDisk || a.visible }

// String shows a state on the way to a fault: the appenders as stream, version, position, marker, and the readers.
func (l log) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "sequence %d", l.row)
	if !l.called {
		b.WriteString(" unused")
	}
	if l.onDisk > 0 {
		fmt.Fprintf(&b, ", on disk %d", l.onDisk)
	}
	for _, a := range l.appenders {
		if a.at == 0 || a.version == 0 && a.position == 0 && !a.held && a.marker == 0 {
			continue // not begun, or rolled back, or idle
		}
		fmt.Fprintf(&b, "; %c%d at %d", 'a'+rune(a.stream), a.version, a.position)
		if a.onDisk {
			b.WriteString(" on disk")
		}
		if a.held {
			fmt.Fprintf(&b, " marked %d", a.marker)
		}
		if a.visible {
			b.WriteString(" visible")
		}
	}
	for _, r := range l.readers {
		if r.at > 0 || r.checkpoint > 0 {
			fmt.Fprintf(&b, "; reader at %d, L %d, m %d, rows %b", r.checkpoint, r.last, r.marker, r.got)
		}
	}
	return b.String()
}

// settled forgets what nobody asks for again and gives equal appenders one order, so that states which differ by
// nothing but their numbering are one.
func (p *protocol) settled(l log) log {
	for i := range l.appenders {
		if a := &l.appenders[i]; int(a.at) >= len(p.append) {
			a.marker = 0
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
	return (((((((int(a.stream)<<4|int(a.at))<<4|int(a.marker+1))<<4|int(a.version))<<4|int(a.position))<<1|bit(a.held))<<1|bit(a.locked))<<1|bit(a.onDisk))<<1 | bit(a.visible)
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
	ended := true
	for _, a := range l.appenders {
		ended = ended && int(a.at) >= len(p.append)
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
