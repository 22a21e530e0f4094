package feed

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"shop/eventstore"
	"shop/eventstore/wake"
)

// partition is one consumer's place in one range of slices.
type partition struct {
	feed     *Feed
	consumer *consumer
	number   int
	// changed wakes when the coordinator, or somebody who waits, wants the partition to look again.
	changed chan struct{}
	// glance is for those who only look.
	glance glance

	// sent is for messages that say what came before, gathering the rest after one.
	sent      sent
	gathering rest

	// mu guards what follows; holding it also means that nobody else writes the checkpoint in this process.
	mu sync.Mutex
	// row is what the Checkpoints hold.
	row row
	// reached is how far the checkpoint of a followed range is known to have come.
	reached eventstore.Position
	// epoch counts loads; what was read from the log for an earlier one is void.
	epoch int
	// writes counts changes of the row by this process, so that an older look at it is not taken for news.
	writes int
	rate   rate
}

// glance is what may be looked at without the partition's lock.
type glance struct {
	// at is the position come to, also past events that nobody wants.
	at atomic.Int64
	// held and paused are those of the row.
	held, paused atomic.Bool
	// yielding: other processes lack work, and this range shall be theirs.
	yielding atomic.Bool
}

// row is a checkpoint, as the Checkpoints have it.
type row struct {
	// loaded: the fields below are as the Checkpoints have them.
	loaded bool
	// held: this process has the lease. Another's ranges are only followed.
	held     bool
	position eventstore.Position
	term     int64
	rate     float32
	paused   bool
	// parked are streams with dead letters; it may know too many, never too few. retry: an operator asks to try them.
	parked map[string]bool
	retry  bool
}

func newPartition(f *Feed, c *consumer, number int) *partition {
	return &partition{feed: f, consumer: c, number: number, changed: make(chan struct{}, 1), row: row{parked: map[string]bool{}}}
}

func (p *partition) place() Place { return Place{Consumer: p.consumer.Name, Range: p.number} }

// move is a move of the checkpoint from where this process left it.
func (p *partition) move(to eventstore.Position, rate float32) Move {
	return Move{Place: p.place(), From: p.row.position, To: to, Term: p.row.term, Rate: rate}
}

// ahead is how many positions a consumer that catches up looks through at once, so that rare events do not hold its
// checkpoint back.
const ahead = 100_000

// start is where a look for the next batch begins.
type start struct {
	at     eventstore.Position
	epoch  int
	loaded bool
	held   bool
	paused bool
	retry  bool
}

func (p *partition) start() start {
	p.mu.Lock()
	defer p.mu.Unlock()
	return start{
		at: eventstore.Position(p.glance.at.Load()), epoch: p.epoch,
		loaded: p.row.loaded, held: p.row.held, paused: p.row.paused, retry: p.row.retry,
	}
}

// next waits for a batch. A batch has at least one event.
func (p *partition) next(ctx context.Context) (*Batch, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		from := p.start()
		var err error
		switch {
		case from.loaded && !from.held:
			p.sleep(ctx, p.follow())
		case p.glance.yielding.Load(), from.loaded && p.consumer.outdated.Load():
			err = p.release(ctx)
		case !from.loaded || from.paused:
			p.sleep(ctx, nil)
		case from.retry:
			err = p.retryParked(ctx)
		default:
			var batch *Batch
			if batch, err = p.ready(ctx, from); batch != nil {
				return batch, nil
			}
		}
		if err != nil {
			return nil, err
		}
	}
}

// sleep waits until the partition is woken, or the log has grown.
func (p *partition) sleep(ctx context.Context, grown <-chan struct{}) {
	select {
	case <-ctx.Done():
	case <-grown:
	case <-p.changed:
	}
}

// ready makes a batch of what lies after a place. nil: it waited, or passed what nobody wants, and there may be one now.
func (p *partition) ready(ctx context.Context, from start) (*Batch, error) {
	events, upTo, behind, grown := p.feed.recent.after(p.number, from.at)
	if source, ok := p.feed.source.(RawSource); ok && behind && p.consumer.relay != nil && upTo > from.at {
		return p.undecoded(ctx, source, from, upTo)
	}
	if behind {
		var err error
		if events, upTo, err = p.page(ctx, from.at, upTo); err != nil {
			return nil, err
		}
	}
	if upTo <= from.at {
		p.sleep(ctx, grown)
		return nil, nil
	}
	if !behind && p.rested(ctx, events) {
		return nil, nil
	}
	wanted := p.wanted(events)
	if err := unopened(wanted); err != nil && p.consumer.relay == nil {
		if behind {
			return nil, err
		}
		// The recent events were read before the key came.
		if events, upTo, err = p.page(ctx, from.at, upTo); err != nil {
			return nil, err
		}
		if wanted = p.wanted(events); unopened(wanted) != nil {
			return nil, unopened(wanted)
		}
	}
	if len(wanted) == 0 {
		p.advance(from.at, upTo, from.epoch)
		return nil, nil
	}
	if newer := p.firstNewer(wanted); newer == 0 {
		p.consumer.giveUp(ctx, p.feed, fmt.Errorf("position %d: %w", wanted[0].Position, unreadable(&wanted[0])))
		return nil, nil
	} else if newer > 0 { // what lies before can be handled
		upTo, wanted = wanted[newer].Position-1, wanted[:newer]
	}
	if most := p.mostEvents(); len(wanted) > most {
		wanted = wanted[:most]
		upTo = wanted[len(wanted)-1].Position
	}
	b := &Batch{Consumer: p.consumer.Name, Range: p.number, After: from.at, UpTo: upTo, part: p, entries: wanted, epoch: from.epoch}
	b.Events = readable(wanted)
	return b, nil
}

// mostEvents is how many events a batch has at most.
func (p *partition) mostEvents() int {
	if p.consumer.Messages {
		return min(p.feed.opts.Page, describedBatch)
	}
	return p.feed.opts.Page
}

// firstNewer finds the first event of a newer version of the program; -1: there is none, or nothing is decoded.
func (p *partition) firstNewer(events []eventstore.Event) int {
	if p.consumer.Messages {
		return -1
	}
	return slices.IndexFunc(events, isNewer)
}

// countWanted is how many of some events the consumer wants.
func (p *partition) countWanted(events []eventstore.Event) (n int) {
	for i := range events {
		if p.consumer.wants(events[i].Type) {
			n++
		}
	}
	return n
}

// wanted are those of some events that the consumer wants; of all of them it is the same list.
func (p *partition) wanted(events []eventstore.Event) []eventstore.Event {
	n := p.countWanted(events)
	if n == 0 || n == len(events) {
		return events[:n:n]
	}
	wanted := make([]eventstore.Event, 0, n)
	for i := range events {
		if p.consumer.wants(events[i].Type) {
			wanted = append(wanted, events[i])
		}
	}
	return wanted
}

// readable are those of some events that can be decoded; nearly always it is the same list.
func readable(events []eventstore.Event) []eventstore.Event {
	isUnreadable := func(e eventstore.Event) bool { return unreadable(&e) != nil }
	if !slices.ContainsFunc(events, isUnreadable) {
		return events
	}
	return slices.DeleteFunc(slices.Clone(events), isUnreadable)
}

// rested says whether there was a rest: more may be wanted after it than these recent events. It comes before they are looked into,
// because a rest may see the same events many times.
func (p *partition) rested(ctx context.Context, events []eventstore.Event) bool {
	c := p.consumer
	if !c.Together && c.relay == nil {
		return false
	}
	n := p.countWanted(events)
	return n > 0 && (c.Together && n < c.liveBatch() && p.rests(ctx, &c.rest) || c.relay != nil && n < p.mostEvents() && p.rests(ctx, &p.gathering))
}

// rests waits during a rest, and says whether there was a rest: there may be more to handle after it.
func (p *partition) rests(ctx context.Context, r *rest) bool {
	left := r.left()
	if left <= 0 || p.consumer.awaited.Load() > 0 {
		return false
	}
	at := eventstore.Position(p.glance.at.Load())
	if left > longestRest {
		if p.feed.recent.soonGone(p.number, at) {
			return false // reading and decoding them once more costs more than the rest spares
		}
		left = longestRest // and then it looks again
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-p.changed:
	}
	return true
}

// page reads the Source for a consumer that the recent events have left behind, up to a position that is safe.
func (p *partition) page(ctx context.Context, after, safe eventstore.Position) ([]eventstore.Event, eventstore.Position, error) {
	giveBack, err := p.consumer.slot(ctx, p.feed.slots)
	if err != nil {
		return nil, 0, err
	}
	defer giveBack()
	upTo, limit := min(safe, after+ahead), p.mostEvents()
	if upTo <= after {
		return nil, upTo, nil
	}
	events, err := p.feed.source.Inspect(ctx, eventstore.Query{After: after, UpTo: upTo, Range: p.number, Types: p.consumer.Types, Limit: limit})
	if err != nil {
		return nil, 0, err
	}
	if len(events) == limit {
		upTo = events[limit-1].Position
	}
	return events, upTo, nil
}

// undecoded makes a batch for a relay that the recent events have left behind: it has no use for what events mean.
func (p *partition) undecoded(ctx context.Context, source RawSource, from start, safe eventstore.Position) (*Batch, error) {
	giveBack, err := p.consumer.slot(ctx, p.feed.slots)
	if err != nil {
		return nil, err
	}
	defer giveBack()
	upTo, limit := min(safe, from.at+ahead), p.mostEvents()
	stored, err := source.Raw(ctx, eventstore.Query{After: from.at, UpTo: upTo, Range: p.number, Types: p.consumer.Types, Limit: limit})
	if err != nil {
		return nil, err
	}
	if len(stored) == 0 {
		p.advance(from.at, upTo, from.epoch)
		return nil, nil
	}
	if len(stored) == limit {
		upTo = stored[limit-1].Position
	}
	b := &Batch{Consumer: p.consumer.Name, Range: p.number, After: from.at, UpTo: upTo, part: p, stored: stored, epoch: from.epoch}
	b.entries = make([]eventstore.Event, len(stored))
	for i := range stored {
		e := &stored[i]
		b.entries[i] = eventstore.Event{ID: e.ID, Stream: e.Stream, Version: e.Version, Position: e.Position, Type: e.Type, RecordedAt: e.RecordedAt, Metadata: e.Metadata}
	}
	return b, nil
}

// advance moves past events nobody wants, in memory; the coordinator saves it.
func (p *partition) advance(from, to eventstore.Position, epoch int) {
	p.mu.Lock()
	moved := p.epoch == epoch && p.row.loaded && eventstore.Position(p.glance.at.Load()) == from
	if moved {
		p.glance.at.Store(int64(to))
	}
	p.mu.Unlock()
	if moved {
		p.consumer.moved.Wake()
	}
}

// release gives the range up for another process, with everything done so far.
func (p *partition) release(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.glance.yielding.Store(false)
	if !p.row.loaded || !p.row.held {
		return nil
	}
	at := eventstore.Position(p.glance.at.Load())
	freed, err := p.feed.checkpoints.Release(ctx, p.feed.holder, p.move(at, p.row.rate))
	if err != nil || !freed {
		p.unload()
		if err != nil {
			return fmt.Errorf("hand over range %d of %s: %w", p.number, p.consumer.Name, err)
		}
		return nil
	}
	p.feed.tel.leasesChanged(ctx, 1, handedOver)
	p.row.position, p.row.held = at, false
	p.glance.held.Store(false)
	p.reached = at
	p.epoch++
	p.writes++
	return nil
}

// unload makes the partition wait until the coordinator has read its row again.
func (p *partition) unload() {
	p.row.loaded = false
	wake.Up(p.feed.wakes.coordinator)
}
