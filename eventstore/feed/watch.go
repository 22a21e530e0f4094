package feed

import (
	"context"
	"math"
	"sync"
	"time"

	"shop/eventstore"
	"shop/eventstore/wake"
)

// watch follows the head of the log and keeps the recent events: one query when nothing happened, two when something did,
// for all consumers of the process together.
func (f *Feed) watch(ctx context.Context) {
	grown, stop := f.source.Grown()
	defer stop()
	poll := f.opts.Poll
	timer := time.NewTimer(0)
	defer timer.Stop()
	first, backoff := true, time.Duration(0)
	var ends [eventstore.Ranges]horizons
	// What is read before this process listens is forgotten when it does, and a follower would lack it until the holder's next save.
	select {
	case <-ctx.Done():
		return
	case <-f.life.listened:
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-grown:
		case <-f.wakes.watcher:
		case <-timer.C:
		}
		moved, err := f.follow(ctx, first, &ends)
		if err != nil {
			if ctx.Err() != nil {
				return
			}
			backoff = min(max(2*backoff, f.opts.Poll), maxBackoff)
			f.log.Warn("the head of the log cannot be read", "error", err, "again_in", backoff)
			if !wake.Pause(ctx, backoff) {
				return
			}
			timer.Reset(0)
			continue
		}
		if first {
			first = false
			close(f.life.watching)
		}
		backoff = 0
		if moved {
			poll = f.opts.Poll
		} else {
			poll = min(poll+poll/4, f.opts.IdlePoll)
		}
		// Whatever is appended during this pause is read together.
		if !wake.Pause(ctx, f.opts.Gather) {
			return
		}
		timer.Reset(poll)
	}
}

// follow brings the recent events and the observers up to the heads, and says whether they had moved.
func (f *Feed) follow(ctx context.Context, first bool, ends *[eventstore.Ranges]horizons) (moved bool, err error) {
	asked := time.Now()
	to, end, err := f.source.Heads(ctx)
	if err != nil {
		return false, err
	}
	f.see(end)
	for r := range ends {
		ends[r].add(end, asked)
	}
	if first {
		f.leap(to)
		return true, nil
	}
	for {
		done, err := f.read(ctx, to, &moved)
		if err != nil {
			return moved, err
		}
		if done {
			f.show(sightOf(f.recent.present(), ends))
			return moved, nil
		}
	}
}

// sightOf says how far the log was shown.
func sightOf(heads eventstore.Heads, ends *[eventstore.Ranges]horizons) Sight {
	all := &[eventstore.Ranges]Shown{}
	s := Sight{Head: heads.Least(), Ranges: all}
	for r, head := range heads {
		all[r] = Shown{head, ends[r].reached(head)}
		if r == 0 || all[r].At.Before(s.At) {
			s.At = all[r].At
		}
	}
	return s
}

// read takes in a page of what lies below the heads, and says whether that was the last.
func (f *Feed) read(ctx context.Context, to eventstore.Heads, moved *bool) (done bool, err error) {
	from := f.recent.present()
	// A range that stands still, because an append hangs there, is not looked through again.
	low, high := eventstore.Position(math.MaxInt64), eventstore.Position(0)
	for r := range to {
		if to[r] = max(to[r], from[r]); to[r] > from[r] {
			low, high = min(low, from[r]), max(high, to[r])
			*moved = true
		}
	}
	if from == to {
		return true, nil
	}
	after, upTo := from, to
	for r := range to {
		if to[r] == from[r] {
			after[r], upTo[r] = low, low
		}
	}
	if high-low > eventstore.Position(8*eventstore.Ranges*f.opts.Recent) {
		// An import: consumers catch up from the table, at their own pace.
		f.leap(to)
		return true, nil
	}
	erasures := f.source.Erasures()
	events, stored, err := f.between(ctx, after, upTo)
	if err != nil {
		return false, err
	}
	reached := to
	if len(events) == f.opts.Recent {
		last := events[len(events)-1].Position
		for r := range reached {
			reached[r] = max(from[r], min(to[r], last))
		}
	}
	return f.pass(events, stored, reached, erasures) && reached == to, nil
}

// between reads recent events, as they are stored too where a consumer writes messages of them: it has no need to read them again.
func (f *Feed) between(ctx context.Context, after, upTo eventstore.Heads) ([]eventstore.Event, []eventstore.Raw, error) {
	if source, ok := f.source.(RawSource); ok && f.writesMessages() {
		return source.BetweenBoth(ctx, after, upTo, f.opts.Recent)
	}
	events, err := f.source.Between(ctx, after, upTo, f.opts.Recent)
	return events, nil, err
}

// listen hears other processes. Nothing depends on it but speed.
func (f *Feed) listen(ctx context.Context) {
	backoff := time.Duration(0)
	listened := sync.OnceFunc(func() { close(f.life.listened) })
	for ctx.Err() == nil {
		err := f.checkpoints.Listen(ctx, f.holder, func(s Signal) {
			f.hear(s)
			if s.Kind == Connected {
				backoff = 0
				listened()
			}
		})
		listened() // it reads all the same
		f.membership.listening.Store(false)
		if ctx.Err() != nil {
			return
		}
		backoff = min(max(2*backoff, 100*time.Millisecond), maxBackoff)
		f.log.Warn("not listening; polling instead", "error", err, "again_in", backoff)
		wake.Pause(ctx, backoff)
	}
}

func (f *Feed) hear(s Signal) {
	switch s.Kind {
	case Connected:
		f.membership.listening.Store(true)
		f.forgetRecent(Sight{All: true}) // an erasure may have gone unheard
		wake.Up(f.wakes.watcher)         // what came while nobody listened
		wake.Up(f.wakes.coordinator)
		wake.Up(f.wakes.leases)
	case Changed:
		wake.Up(f.wakes.coordinator)
	case Freed:
		wake.Up(f.wakes.leases)
	case Progressed:
		for _, m := range s.Moved {
			if c := f.consumer(m.Consumer); c != nil && m.Range >= 0 && m.Range < eventstore.Ranges {
				c.parts[m.Range].hear(m)
			}
		}
	}
}
