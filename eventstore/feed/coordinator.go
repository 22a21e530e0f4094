package feed

import (
	"context"
	"maps"
	"time"

	"shop/eventstore"
	"shop/eventstore/wake"
)

// coordinate keeps the partitions and the Checkpoints in step: it reads what operators and other processes changed, and
// saves checkpoints that moved in memory only.
func (f *Feed) coordinate(ctx context.Context) {
	save := time.NewTicker(f.opts.Save)
	defer save.Stop()
	look := time.NewTicker(time.Second)
	defer look.Stop()
	unheard := time.NewTicker(50 * time.Millisecond)
	defer unheard.Stop()
	var backoff time.Duration
	for {
		err := f.load(ctx)
		if err == nil {
			backoff = 0
		} else if ctx.Err() == nil {
			backoff = min(max(2*backoff, 25*time.Millisecond), maxBackoff)
			f.log.Warn("checkpoints cannot be read", "error", err, "again_in", backoff)
			if wake.Pause(ctx, backoff) {
				continue
			}
		}
		for waiting := true; waiting; {
			select {
			case <-ctx.Done():
				return
			case <-f.wakes.coordinator:
				waiting = false
			case <-look.C:
				waiting = false
			case <-unheard.C:
				waiting = f.membership.listening.Load() || !f.membership.others.Load() // nobody tells what others do
			case <-save.C:
				f.save(ctx)
			}
		}
	}
}

// load reads the standings of all consumers, and gives each partition what is new to it.
func (f *Feed) load(ctx context.Context) error {
	consumers := f.all()
	if len(consumers) == 0 {
		return nil
	}
	if err := f.declare(ctx, consumers); err != nil {
		return err
	}
	writes := writesOf(consumers)
	names := make([]string, len(consumers))
	for i, c := range consumers {
		names[i] = c.Name
	}
	standings, err := f.checkpoints.Read(ctx, names)
	if err != nil {
		return err
	}
	for _, c := range consumers {
		for _, p := range c.parts {
			if standing, ok := standings[p.place()]; ok {
				f.tell(ctx, p, standing, writes)
			} else if !c.follows {
				c.known = false // somebody deleted it; the next look makes it anew
				wake.Up(f.wakes.coordinator)
			}
		}
		c.moved.Wake()
	}
	return nil
}

// writesOf counts the writes of partitions, before the standings are read: what a partition writes meanwhile is newer. One
// that is handling a batch is left out; it finds out by itself, and nobody waits for it here.
func writesOf(consumers []*consumer) map[*partition]int {
	writes := map[*partition]int{}
	for _, c := range consumers {
		for _, p := range c.parts {
			if p.mu.TryLock() {
				writes[p] = p.writes
				p.mu.Unlock()
			}
		}
	}
	return writes
}

// tell gives a partition its standing, unless it is busy or knows better.
func (f *Feed) tell(ctx context.Context, p *partition, s Standing, writes map[*partition]int) {
	if !p.mu.TryLock() {
		return
	}
	if before, looked := writes[p]; looked && p.writes == before || !p.row.loaded {
		f.learn(ctx, p, s)
	}
	p.mu.Unlock()
	wake.Up(p.changed)
}

// declare makes the checkpoints of consumers that are new to this process.
func (f *Feed) declare(ctx context.Context, consumers []*consumer) error {
	var unknown []Declaration
	for _, c := range consumers {
		if !c.known && !c.follows { // of those it follows, another process makes them
			unknown = append(unknown, Declaration{Consumer: c.Name, Types: c.Types, Edition: c.Edition, Revision: c.Revision})
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	if err := f.checkpoints.Declare(ctx, unknown); err != nil {
		return err
	}
	for _, c := range consumers {
		c.known = c.known || !c.follows
	}
	wake.Up(f.wakes.leases) // they are free
	return nil
}

// learn takes over the standing of a partition, which the caller has locked.
func (f *Feed) learn(ctx context.Context, p *partition, s Standing) {
	c := p.consumer
	mine := s.Holder == f.holder && !c.follows
	parked := !maps.Equal(p.row.parked, s.Parked)
	if p.row.loaded && !mine && !p.row.held && s.Term == p.row.term {
		// Another process goes on with it; what it did is told when it is known which events those were.
		p.row.position = s.Position
		p.reached = max(s.Position, p.reached)
		if parked {
			c.committed(nil)
		}
	} else {
		moved := !p.row.loaded || s.Position != p.row.position || s.Term != p.row.term || mine != p.row.held
		if moved || parked {
			c.committed(nil) // by another process, or by one of ours whose answer was lost
		}
		if moved {
			p.row.position, p.row.term, p.row.held = s.Position, s.Term, mine
			p.reached = s.Position
			p.glance.at.Store(int64(s.Position))
			p.glance.held.Store(mine)
			p.epoch++
			p.row.loaded = true
		}
	}
	// One of another edition is given up and followed, like those that other processes run.
	foreign := c.Edition != "" && s.Edition != "" && s.Edition != c.Edition
	if c.foreign.Swap(foreign) != foreign {
		if foreign {
			f.log.InfoContext(ctx, "the consumer's tables are of another version of the program; this one leaves them alone", "consumer", c.Name)
		}
		wake.Up(f.wakes.leases)
	}
	p.glance.paused.Store(s.Paused)
	p.row.paused, p.row.retry, p.row.parked = s.Paused || foreign, s.Retry && !foreign, s.Parked
}

// save stores the checkpoints that moved past unwanted events, all at once. A crash loses at most what was unwanted anyway.
func (f *Feed) save(ctx context.Context) {
	dirty, moves := f.lockDirty()
	if len(dirty) == 0 {
		return
	}
	defer func() {
		for _, p := range dirty {
			p.mu.Unlock()
		}
	}()
	written := map[Place]bool{}
	saved, err := f.checkpoints.Save(ctx, moves)
	if err != nil {
		f.log.Warn("checkpoints cannot be saved", "error", err)
	}
	for _, place := range saved {
		written[place] = err == nil
	}
	for i, p := range dirty {
		if m := moves[i]; written[m.Place] {
			p.row.position, p.row.rate = m.To, m.Rate
			p.writes++
			f.publish(p, m.To)
		} else {
			p.unload()
		}
	}
}

// lockDirty locks the partitions that moved in memory only, and returns them with their moves.
func (f *Feed) lockDirty() (dirty []*partition, moves []Move) {
	now := time.Now()
	for _, c := range f.all() {
		for _, p := range c.parts {
			if !p.mu.TryLock() {
				continue // it is about to save itself
			}
			to, rate := eventstore.Position(p.glance.at.Load()), p.rate.add(0, now)
			if !p.row.loaded || !p.row.held || to == p.row.position && (p.row.rate == 0 || rate > 0) {
				p.mu.Unlock()
				continue
			}
			dirty, moves = append(dirty, p), append(moves, p.move(to, rate))
		}
	}
	return dirty, moves
}
