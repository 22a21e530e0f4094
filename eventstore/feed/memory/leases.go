package memory

import (
	"context"
	"slices"
	"time"

	"shop/eventstore/feed"
)

// Join: see feed.Leases.
func (t *Tables) Join(ctx context.Context) (feed.Session, error) { return session{t}, ctx.Err() }

// Release: see feed.Leases.
func (t *Tables) Release(ctx context.Context, holder string, m feed.Move) (freed bool, err error) {
	err = t.change(ctx, func(s *state) {
		if p := s.places[m.Place]; s.fits(m) && p.holder == holder {
			p.position, p.holder = m.To, ""
			s.places[m.Place] = p
			freed = true
		}
	})
	if freed {
		t.signal("", feed.Signal{Kind: feed.Freed})
	}
	return freed, err
}

// Leave: see feed.Leases.
func (t *Tables) Leave(ctx context.Context, holder string) (leases int, err error) {
	err = t.change(ctx, func(s *state) {
		t.live = slices.DeleteFunc(t.live, func(p *process) bool { return p.holder == holder })
		for at, p := range s.places {
			if p.holder == holder {
				p.holder = ""
				s.places[at] = p
				leases++
			}
		}
		for name, held := range t.jobs {
			if held == holder {
				t.jobs[name] = ""
				leases++
			}
		}
	})
	t.signal("", feed.Signal{Kind: feed.Freed})
	return leases, err
}

// Listen: see feed.Leases.
func (t *Tables) Listen(ctx context.Context, holder string, hear func(feed.Signal)) error {
	l := &listener{holder: holder, heard: make(chan feed.Signal, 64)}
	t.mu.Lock()
	t.listeners[l] = struct{}{}
	t.mu.Unlock()
	defer func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.listeners, l)
	}()
	hear(feed.Signal{Kind: feed.Connected})
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case s := <-l.heard:
			hear(s)
		}
	}
}

// signal tells all but from. Whoever does not listen fast enough misses some.
func (t *Tables) signal(from string, s feed.Signal) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for l := range t.listeners {
		if from != "" && l.holder == from {
			continue
		}
		select {
		case l.heard <- s:
		default:
		}
	}
}

// session keeps the leases of a process. Leases are taken at any time, also in the middle of a transaction.
type session struct{ *Tables }

func (session) Close() {}

// Forget has nothing to do: Renew forgets.
func (session) Forget(context.Context) error { return nil }

func (s session) Renew(ctx context.Context, m feed.Member) (v feed.View, err error) {
	s.mu.Lock()
	now := time.Now()
	at := slices.IndexFunc(s.live, func(p *process) bool { return p.holder == m.Holder })
	if at < 0 {
		at = len(s.live)
		s.live = append(s.live, &process{holder: m.Holder})
	}
	s.live[at].can, s.live[at].until = m.Can, now.Add(m.Lease)
	for _, p := range s.live {
		if left := p.until.Sub(now); left > 0 {
			v.Live = append(v.Live, feed.LiveProcess{Holder: p.holder, Can: p.can, Left: left})
		}
	}
	for _, name := range m.Jobs {
		if _, known := s.jobs[name]; !known {
			s.jobs[name] = ""
		}
	}
	for at, p := range s.state.places {
		v.Shares = append(v.Shares, feed.Share{Name: at.Consumer, Number: at.Range, Holder: p.holder})
	}
	for name, holder := range s.jobs {
		v.Shares = append(v.Shares, feed.Share{Name: name, Number: feed.JobShare, Holder: holder})
	}
	s.mu.Unlock()
	if m.New {
		s.signal(m.Holder, feed.Signal{Kind: feed.Freed})
	}
	return v, ctx.Err()
}

func (s session) lives(holder string) bool {
	return slices.ContainsFunc(s.live, func(p *process) bool { return p.holder == holder && p.until.After(time.Now()) })
}

func (s session) Take(ctx context.Context, holder string, shares []feed.Share, _ time.Duration) (taken feed.Taken, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, share := range shares {
		at := feed.Place{Consumer: share.Name, Range: share.Number}
		p := s.state.places[at]
		if share.Number == feed.JobShare {
			p.holder = s.jobs[share.Name]
		}
		if s.lives(p.holder) {
			continue
		}
		taken.Shares = append(taken.Shares, feed.Share{Name: share.Name, Number: share.Number, Holder: p.holder})
		if share.Number == feed.JobShare {
			s.jobs[share.Name] = holder
			continue
		}
		p.holder = holder
		p.term++
		s.state.places[at] = p
	}
	return taken, ctx.Err()
}

func (s session) Free(ctx context.Context, job, holder string) error {
	s.mu.Lock()
	if s.jobs[job] == holder {
		s.jobs[job] = ""
	}
	s.mu.Unlock()
	s.signal("", feed.Signal{Kind: feed.Freed})
	return ctx.Err()
}

func (s session) Publish(ctx context.Context, holder string, moved []feed.Progress) error {
	s.signal(holder, feed.Signal{Kind: feed.Progressed, Moved: moved})
	return ctx.Err()
}
