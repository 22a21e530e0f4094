package feed

import (
	"maps"
	"slices"
	"sync"

	"shop/eventstore"
	"shop/eventstore/wake"
)

// outbox holds the progress of places that this process moved and has not published.
type outbox struct {
	there chan struct{}
	mu    sync.Mutex
	moved map[*partition]Progress
}

func (o *outbox) take() []Progress {
	o.mu.Lock()
	defer o.mu.Unlock()
	moved := slices.Collect(maps.Values(o.moved))
	clear(o.moved)
	return moved
}

// publish notes that a checkpoint moved, if there is any process to tell.
func (f *Feed) publish(p *partition, to eventstore.Position) {
	if !f.membership.others.Load() {
		return
	}
	o := &f.membership.progress
	o.mu.Lock()
	o.moved[p] = Progress{Consumer: p.consumer.Name, Range: p.number, Term: p.row.term, Position: to}
	o.mu.Unlock()
	wake.Up(o.there)
}

// hear takes in where the holder stands.
func (p *partition) hear(m Progress) {
	if p.glance.held.Load() {
		wake.Up(p.feed.wakes.coordinator) // who is right, the Checkpoints know
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case !p.row.loaded || p.row.held || p.row.term != m.Term:
		wake.Up(p.feed.wakes.coordinator)
	case m.Position > p.reached:
		p.reached = m.Position
		wake.Up(p.changed)
	}
}

// follow keeps up with a range that another process holds: the place moves over events that nobody wants by itself, and
// over wanted ones when the holder has handled them. The channel is closed when the log has grown.
func (p *partition) follow() (grown <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, reached := eventstore.Position(p.glance.at.Load()), p.reached
	events, upTo, behind, grown := p.feed.recent.after(p.number, at)
	if !p.row.loaded || p.row.held {
		return grown
	}
	if behind {
		if reached > at {
			p.consumer.committed(nil) // which events these were is no longer known
			p.glance.at.Store(int64(reached))
			p.consumer.moved.Wake()
			wake.Up(p.changed) // the rest may be among the recent events
		}
		return grown
	}
	var handled []eventstore.Event
	for i := range events {
		e := &events[i]
		if !p.consumer.wants(e.Type) {
			continue
		}
		if e.Position > reached {
			upTo = e.Position - 1
			break
		}
		if unreadable(e) != nil {
			shown := *e
			shown.Data = nil
			e = &shown
		}
		handled = append(handled, *e)
	}
	if reached > upTo {
		wake.Up(p.feed.wakes.watcher) // the holder has seen more than this process
	}
	if upTo <= at {
		return grown
	}
	if len(handled) > 0 {
		p.consumer.committed(handled)
	}
	p.glance.at.Store(int64(upTo))
	p.consumer.moved.Wake()
	return grown
}
