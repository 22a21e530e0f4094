package eventstore_test

import (
	"slices"

	"shop/eventstore/check"
)

// stopping is the protocol with processes that stop.
func (p *protocol) stopping(times int8) *protocol {
	p.stops = times
	return p
}

// judging is the protocol with appends that expect a version: a member of a group is refused when its stream has moved.
func (p *protocol) judging() *protocol {
	at := slices.IndexFunc(p.append, func(o op) bool { return o.name == locksStream.name })
	p.append = slices.Concat(p.append[:at], []op{decides, locksStream, judges}, p.append[at+1:])
	return p
}

// decide reads the version without a lock.
func decide(_ *protocol, l *log, i int) int8 {
	a := &l.appenders[i]
	a.seen = 0
	for _, other := range l.appenders {
		if other.stream == a.stream && other.visible {
			a.seen++
		}
	}
	return 1
}

// judgeMember refuses an append whose stream has moved: its part of the transaction writes nothing.
func judgeMember(p *protocol, l *log, i int) int8 {
	a := &l.appenders[i]
	moved := int8(0)
	for _, other := range l.appenders {
		if other.stream == a.stream && other.visible {
			moved++
		}
	}
	if moved == a.seen {
		return 1
	}
	a.locked, a.version, a.seen = false, 0, 0
	a.at = int8(len(p.append)) - 1
	return 1 // to the end
}

// interruptions are what befalls an appender in its transaction from outside.
func (p *protocol) interruptions(l log, i int) (all []check.Move[log]) {
	a := l.appenders[i]
	open := (a.locked || a.held) && !a.decided()
	if !a.stopped {
		if open && l.stops < p.stops && !l.busy { // nextval is the server's, and does not stop halfway
			n := l
			n.stops++
			n.appenders[i].stopped = true
			all = append(all, check.Move[log]{Who: "an appender", Did: "is stopped", To: p.settled(n)})
		}
		return all
	}
	if !p.nobodyEnds && !a.ended {
		n := l
		b := &n.appenders[i]
		b.ended, b.locked, b.held = true, false, false
		if !p.locksEnd {
			b.at, b.version, b.position, b.marker, b.seen = 0, 0, 0, 0, 0
		}
		all = append(all, check.Move[log]{Who: "the server", Did: "ends the transaction of a stopped appender", To: p.settled(n)})
	}
	n := l
	n.appenders[i].stopped, n.appenders[i].ended = false, false
	if p.nobodyEnds {
		return all // it never goes on either: the host is gone
	}
	return append(all, check.Move[log]{Who: "an appender", Did: "goes on", To: p.settled(n)})
}
