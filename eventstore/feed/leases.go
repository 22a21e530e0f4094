package feed

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"shop/eventstore/wake"
)

// newHolder names this process; two feeds of one process have two names.
func newHolder() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	var random [4]byte
	rand.Read(random[:]) // never fails
	return fmt.Sprintf("%s:%d:%s", host, os.Getpid(), hex.EncodeToString(random[:]))
}

// membership is what this process knows of its place among others.
type membership struct {
	// others: there are processes to tell of moved checkpoints; listening: they are heard.
	others, listening atomic.Bool
	// introduced: other processes were told of this one. Only keepLeases looks at it.
	introduced bool
	// progress is what they are to be told.
	progress outbox
}

// publishEvery is the least pause between two notifications of moved checkpoints.
const publishEvery = 5 * time.Millisecond

// keepLeases keeps this process's leases and its share of the work, and tells other processes of moved checkpoints. Its
// session is its own: leases must not wait behind a busy pool.
func (f *Feed) keepLeases(ctx context.Context) {
	var session Session
	defer func() {
		if session != nil {
			session.Close()
		}
	}()
	every := f.leaseEvery()
	timer := time.NewTimer(0)
	defer timer.Stop()
	renewed := time.Now()
	for {
		look := true
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-f.wakes.leases:
		case <-f.membership.progress.there:
			look = false
		}
		var next time.Duration
		var err error
		session, look, next, err = f.turn(ctx, session, look)
		if ctx.Err() != nil {
			return
		}
		switch {
		case err != nil:
			f.log.Warn("leases cannot be renewed", "error", err)
			if session != nil {
				session.Close()
				session = nil
			}
			f.doubt(renewed)
			look, next = true, min(every, 100*time.Millisecond)
		case look:
			renewed = time.Now()
		}
		if look {
			timer.Reset(next)
		}
		// What happens during this pause is told together.
		if !wake.Pause(ctx, publishEvery) {
			return
		}
	}
}

// leaseEvery is how often leases are renewed.
func (f *Feed) leaseEvery() time.Duration { return f.opts.Lease * 4 / 15 }

// turn joins if there is no session, looks after the leases if that is asked for or was never done, and publishes. It
// says whether it looked, and when to look again.
func (f *Feed) turn(ctx context.Context, session Session, look bool) (_ Session, looked bool, next time.Duration, err error) {
	// A connection that hangs must not cost the leases.
	ctx, cancel := context.WithTimeout(ctx, max(f.opts.Lease/2, 500*time.Millisecond))
	defer cancel()
	next = f.leaseEvery()
	if session == nil {
		look = true
		if session, err = f.checkpoints.Join(ctx); err != nil {
			return nil, look, next, err
		}
	}
	if look {
		if next, err = f.balanceShares(ctx, session); err != nil {
			return session, look, next, err
		}
	}
	if moved := f.membership.progress.take(); len(moved) > 0 {
		err = session.Publish(ctx, f.holder, moved)
	}
	return session, look, next, err
}

// doubt stops the singleton jobs when the leases were last renewed so long ago that others may have them by now.
func (f *Feed) doubt(renewed time.Time) {
	if time.Since(renewed) > f.opts.Lease {
		for _, j := range f.jobs {
			j.hold(false)
		}
	}
}

// balanceShares renews the leases, takes free ones and lets go of what others lack. It says when to look again: sooner
// than usual when another process is about to fall silent.
func (f *Feed) balanceShares(ctx context.Context, session Session) (again time.Duration, err error) {
	view, err := session.Renew(ctx, f.member())
	if err != nil {
		return 0, err
	}
	f.membership.introduced = true
	again = f.leaseEvery()
	others := 0
	for _, p := range view.Live {
		if p.Holder != f.holder {
			others++
			again = min(again, p.Left+time.Millisecond)
		}
	}
	f.membership.others.Store(others > 0)
	take, yield := balance(f.holder, view.Live, view.Shares)
	given, err := f.handOver(ctx, session, yield)
	if err != nil {
		return 0, err
	}
	taken, err := f.take(ctx, session, take)
	if err != nil {
		return 0, err
	}
	if len(taken) < len(take) {
		again = min(again, 50*time.Millisecond)
	}
	if view.Forgotten {
		if err := session.Forget(ctx); err != nil {
			return 0, err
		}
	}
	f.settleShares(view.Shares, taken, given)
	return again, nil
}

// member is this process as the others are to see it.
func (f *Feed) member() Member {
	m := Member{Holder: f.holder, Roles: f.opts.Roles, Lease: f.opts.Lease, New: !f.membership.introduced, Can: make([]string, 0, len(f.jobs))}
	for _, c := range f.all() {
		if !c.follows && !c.foreign.Load() && !c.outdated.Load() {
			m.Can = append(m.Can, c.Name)
		}
	}
	for _, j := range f.jobs {
		m.Can, m.Jobs = append(m.Can, j.name), append(m.Jobs, j.name)
	}
	slices.Sort(m.Can)
	return m
}

// shareID tells shares apart, whoever holds them.
type shareID struct {
	name   string
	number int
}

func (s Share) id() shareID { return shareID{s.Name, s.Number} }

// handOver gives up singleton jobs that have ended, and asks the other jobs and ranges to end. It returns what it gave up.
func (f *Feed) handOver(ctx context.Context, session Session, yield []Share) (given map[shareID]bool, err error) {
	given = map[shareID]bool{}
	for _, s := range yield {
		if j := f.job(s); j != nil {
			if !j.yield() {
				continue
			}
			if err := session.Free(ctx, s.Name, f.holder); err != nil {
				return nil, fmt.Errorf("hand over %s: %w", s.Name, err)
			}
			j.hold(false)
			f.tel.leasesChanged(ctx, 1, handedOver)
			given[s.id()] = true
		} else if p := f.partition(s); p != nil {
			p.glance.yielding.Store(true)
			wake.Up(p.changed)
		}
	}
	return given, nil
}

// job is the singleton job that a share is of; nil: none of this process's.
func (f *Feed) job(s Share) *job {
	if at := slices.IndexFunc(f.jobs, func(j *job) bool { return s.Number == JobShare && j.name == s.Name }); at >= 0 {
		return f.jobs[at]
	}
	return nil
}

// partition is the range that a share is of; nil: none that this process handles.
func (f *Feed) partition(s Share) *partition {
	c := f.consumer(s.Name)
	if c == nil || c.follows || s.Number < 0 || s.Number >= len(c.parts) {
		return nil
	}
	return c.parts[s.Number]
}

// take makes free shares this process's own, says which it got, and counts them.
func (f *Feed) take(ctx context.Context, session Session, shares []Share) (got map[shareID]bool, err error) {
	if len(shares) == 0 {
		return nil, nil
	}
	taken, err := session.Take(ctx, f.holder, shares, f.opts.Lease)
	got = map[shareID]bool{}
	expired, silent := 0, map[string]int{}
	for _, s := range taken.Shares {
		got[s.id()] = true
		if s.Holder != "" && s.Holder != f.holder {
			expired++
			silent[s.Holder]++
		}
	}
	for holder, n := range silent {
		f.log.Info("leases were taken from a process that fell silent", "leases", n, "process", holder)
	}
	f.tel.leasesChanged(ctx, len(taken.Shares)-expired, "claimed")
	f.tel.leasesChanged(ctx, expired, "expired")
	if taken.Ended > 0 {
		f.log.Warn("transactions of a process that fell silent were ended", "transactions", taken.Ended)
	}
	return got, err
}

// settleShares lets jobs and partitions know what is theirs.
func (f *Feed) settleShares(shares []Share, taken, given map[shareID]bool) {
	for _, s := range shares {
		mine := s.Holder == f.holder || taken[s.id()]
		if j := f.job(s); j != nil {
			j.hold(mine && !given[s.id()])
		} else if p := f.partition(s); p != nil && p.glance.held.Load() != mine {
			wake.Up(f.wakes.coordinator) // it finds out what is ours, and what is not any more
		}
	}
}

// held is how many leases this process has.
func (f *Feed) held() (n int64) {
	for _, c := range f.all() {
		for _, p := range c.parts {
			if p.glance.held.Load() {
				n++
			}
		}
	}
	for _, j := range f.jobs {
		if j.isHeld() {
			n++
		}
	}
	return n
}

// leave frees everything at once for other processes, at the end.
func (f *Feed) leave(ctx context.Context) {
	freed, err := f.checkpoints.Leave(ctx, f.holder)
	if err != nil {
		f.log.Warn("leases cannot be given up; they run out", "error", err)
		return
	}
	f.tel.leasesChanged(ctx, freed, handedOver)
}
