package eventstore_test

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

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
	crashes, stops  int8
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
	seen     int8 // the version it was decided over
	stopped  bool // its process is stopped or cut off
	ended    bool // the server ended its transaction meanwhile
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
	frozen
	unseen
)

func (f fault) String() string {
	return [...]string{"fine", "an event lies below the checkpoint and was not delivered", "a stream was delivered out of order",
		"versions and positions of a stream disagree", "a reader was held back by another group's appender",
		"with nobody at work, an event is not delivered", "an event was delivered that a crash then took back",
		"an appender waits for a stopped one, and nothing will change that", "an event was written over a version that its command had not seen"}[f]
}

// op is one step of an appender or reader. do says how many steps it takes it further, 0 when it has to wait.
type op struct {
	name string
	do   func(p *protocol, l *log, i int) int8
	ends bool // the transaction: a half of the commit
}

var (
	// The appender's.
	decides        = op{name: "decides over the version it sees", do: decide}
	judges         = op{name: "is judged", do: judgeMember}
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
	// stops is how often an appender's process may stop, or be cut off, with a transaction open. The server ends the
	// transaction after a while; a process that goes on finds that out and begins again.
	stops int8
	// nobodyEnds: the server waits for ever. locksEnd: it takes the locks back, as leases, and lets the transaction go on.
	nobodyEnds, locksEnd bool
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
func insertAndCommit(p *protocol, l *log, i int) int8 {
	a := &l.appenders[i]
	if slices.ContainsFunc(p.append, func(o op) bool { return o.name == decides.name }) && a.seen != a.version-1 {
		l.wrong = unseen
	}
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
		all = append(all, p.interruptions(l, i)...)
		if a.stopped {
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
		a.stopped, a.ended, a.seen = false, false, 0
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
