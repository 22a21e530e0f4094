package feed

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/eventstore"
	"shop/eventstore/coalesce"
	"shop/eventstore/wake"
)

// Consumer is a reader of the log that remembers in the Checkpoints how far it has come.
type Consumer struct {
	// Name is stored with its checkpoints and never changes.
	Name string
	// Types are the stored names of the events wanted; empty: all.
	Types []string
	// Handle folds a batch of wanted events of one range (or several, see Together), in order. It runs in tx together with the move of the
	// checkpoint, and so exactly once. Events are shared with other consumers: read, do not change. Effects outside tx
	// happen at least once. An event whose handling fails parks its stream as a dead letter; a failure that another
	// attempt may not have (a lost connection, a deadlock, a table that is not there yet) is tried again instead.
	Handle func(ctx context.Context, tx pgx.Tx, events []eventstore.Event) error
	// HandleIn is Handle for Checkpoints outside PostgreSQL, whose transactions tx is one of. One of the two is set.
	HandleIn func(ctx context.Context, tx Tx, events []eventstore.Event) error
	// Together lets Handle get live events of several ranges at once, ordered by position, so that a busy log costs fewer
	// transactions. Then a handler that is slow with one range keeps the others waiting: it is for handlers that only write in tx.
	// Between transactions it rests nine times as long as the last one took, at most 100 ms, unless somebody waits for it
	// in this process.
	Together bool
	// Rest is the least rest of a consumer that works Together: a read model for analysts costs a busy shop less when it folds
	// the events of seconds at once. Somebody who waits in this process ends the rest, and so does a log that
	// grows so fast that recent events would have to be read again; readers in other processes see new rows that much later. 0: the rest is as short as the last transaction was.
	Rest time.Duration
	// Prepare runs in every transaction before Handle, for example to set the search path. nil: nothing to prepare.
	Prepare func(ctx context.Context, tx pgx.Tx) error
	// Committed says that what Handle wrote can be read now; whoever waits for the consumer is told after it. It gets the
	// events of the batch, or those that another process handled, or none when it is not known what changed: the range came
	// from another process or went there, parked events were tried again, or the consumer began anew. Nothing is said when the consumer only passed events it does not want.
	// It must return at once and allow concurrent calls. nil: nobody needs to know.
	Committed func(events []eventstore.Event)
	// Edition is what the tables that Handle writes are made from. Checkpoints of another edition belong to processes that
	// run another version of the program: this one holds none of its ranges, and follows. Empty: nothing depends on it.
	Edition string
	// Revision is the version of a handler that has no tables, such as a policy's; raise it with every change of what it does.
	// It makes the Edition. The highest that any process ever declared handles events: processes of a lower one follow, until
	// Control.Revert. 0: nothing depends on it.
	Revision int
	// Messages writes out in each message what its batch holds, for handlers and publishers that know nothing of the shop
	// (CloudEvent): the events as they are stored, kept beside the decoded ones, or read from the log. The shop's own handlers have no use for it.
	Messages bool
}

// editionOf is the edition of a revision.
func editionOf(revision int) string { return revisionMark + strconv.Itoa(revision) }

// revisionMark begins the editions that are revisions.
const revisionMark = "r"

func (c Consumer) committed(events []eventstore.Event) {
	if c.Committed != nil {
		c.Committed(events)
	}
}

// prepare is Prepare in a transaction of whatever kind.
func (c Consumer) prepare(ctx context.Context, tx Tx) error {
	if c.Prepare == nil {
		return nil
	}
	if err := c.Prepare(ctx, native(tx)); err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	return nil
}

// handle calls the handler; its panic is an error like others.
func (c Consumer) handle(ctx context.Context, tx Tx, events []eventstore.Event) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	if c.HandleIn != nil {
		return c.HandleIn(ctx, tx, events)
	}
	return c.Handle(ctx, native(tx), events)
}

// attempt handles events so that a failure leaves nothing behind.
func (c Consumer) attempt(ctx context.Context, tx Tx, events []eventstore.Event) error {
	return tx.Attempt(ctx, func(ctx context.Context, tx Tx) error { return c.handle(ctx, tx, events) })
}

// consumer is a Consumer at work.
type consumer struct {
	Consumer
	wanted map[string]bool
	parts  [eventstore.Ranges]*partition
	// follows: this process never handles its events.
	follows bool

	// known: its checkpoints are declared. Only the coordinator looks at it.
	known bool
	// foreign: they are of another edition.
	foreign atomic.Bool
	// outdated: it met an event of a newer version of the program, which goes on with it.
	outdated atomic.Bool

	// moved wakes when a range has come further; awaited counts those who wait for that.
	moved   wake.Broadcast
	awaited atomic.Int32

	// relay is where its messages go; nil: it handles them.
	relay *relay

	// own is the transaction that it can always have.
	own chan struct{}
	// together is where live batches of its ranges share a transaction, rest the pause after one.
	together coalesce.Group[*member, struct{}]
	rest     rest
}

// register makes a Consumer one of the feed's.
func (f *Feed) register(c Consumer, follows bool) *consumer {
	n := &consumer{Consumer: c, wanted: map[string]bool{}, follows: follows, own: make(chan struct{}, 1)}
	if c.Revision > 0 {
		n.Edition = editionOf(c.Revision)
	}
	n.Types = orNone(slices.Sorted(slices.Values(c.Types)))
	for _, typ := range c.Types {
		n.wanted[typ] = true
	}
	for r := range n.parts {
		n.parts[r] = newPartition(f, n, r)
	}
	n.together.Run = n.runTogether
	n.together.Size, n.together.MostSize = (*member).size, n.maxTogether()
	f.consumers.mu.Lock()
	defer f.consumers.mu.Unlock()
	if f.consumers.byName[c.Name] != nil {
		panic("consumer " + c.Name + " is added twice")
	}
	f.consumers.byName[c.Name] = n
	wake.Up(f.wakes.coordinator)
	wake.Up(f.wakes.leases)
	return n
}

// slot waits for the right to open a transaction; call what it returns to give it back.
func (c *consumer) slot(ctx context.Context, shared chan struct{}) (giveBack func(), err error) {
	select {
	case c.own <- struct{}{}:
		return func() { <-c.own }, nil
	default:
	}
	select {
	case c.own <- struct{}{}:
		return func() { <-c.own }, nil
	case shared <- struct{}{}:
		return func() { <-shared }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *consumer) wants(typ string) bool { return len(c.wanted) == 0 || c.wanted[typ] }

// position is how far the consumer has come in all ranges.
func (c *consumer) position() eventstore.Position {
	least := eventstore.Position(c.parts[0].glance.at.Load())
	for _, p := range c.parts {
		least = min(least, eventstore.Position(p.glance.at.Load()))
	}
	return least
}

func (c *consumer) paused() bool {
	return slices.ContainsFunc(c.parts[:], func(p *partition) bool { return p.glance.paused.Load() })
}

// giveUp lets go of the consumer for good, because this program cannot decode what comes next: a newer one goes on at the
// checkpoint. Nothing is parked, and this process follows.
func (c *consumer) giveUp(ctx context.Context, f *Feed, why error) {
	if c.outdated.Swap(true) {
		return
	}
	f.log.ErrorContext(ctx, "the consumer has come to an event of a newer version of the program, which has to go on with it", "consumer", c.Name, "error", why)
	for _, p := range c.parts {
		wake.Up(p.changed)
	}
	wake.Up(f.wakes.leases)
}

// UnknownConsumer: nobody by this name has ever read the log.
type UnknownConsumer struct{ Name string }

func (e *UnknownConsumer) Error() string { return fmt.Sprintf("there is no consumer %q", e.Name) }

// PausedConsumer: an operator stopped the consumer, so waiting for it is in vain for now.
type PausedConsumer struct{ Name string }

func (e *PausedConsumer) Error() string { return fmt.Sprintf("consumer %q is paused", e.Name) }

// Unwritten: nobody has written as far as a position yet, so nobody can have seen it.
type Unwritten struct{ Position, End eventstore.Position }

func (e *Unwritten) Error() string {
	return fmt.Sprintf("position %d is not written yet, the log ends at %d", e.Position, e.End)
}

// Within is a position that the log has: p, or the end of the log when that is before p. It asks the log only about positions
// beyond what this process has seen of it; when the log does not answer, what was seen counts.
func (f *Feed) Within(ctx context.Context, p eventstore.Position) eventstore.Position {
	if p <= eventstore.Position(f.seen.Load()) {
		return p
	}
	if _, end, err := f.source.Heads(ctx); err == nil {
		f.see(end)
	}
	return min(p, eventstore.Position(f.seen.Load()))
}

// see notes how far the log goes.
func (f *Feed) see(end eventstore.Position) {
	for {
		seen := f.seen.Load()
		if int64(end) <= seen || f.seen.CompareAndSwap(seen, int64(end)) {
			return
		}
	}
}

// WaitFor returns when the consumer has handled, in every range, what it wants up to a position. For one that this feed
// neither runs nor follows it asks the Checkpoints. It returns ctx's error when that ends first, *PausedConsumer at once
// when the consumer stands before the position and is paused, *Unwritten at once when the log ends before the position, and
// *UnknownConsumer.
func (f *Feed) WaitFor(ctx context.Context, name string, p eventstore.Position) error {
	c := f.consumer(name)
	if c == nil {
		return f.waitElsewhere(ctx, name, p)
	}
	if c.position() >= p {
		return nil
	}
	if end := f.Within(ctx, p); end < p {
		return &Unwritten{Position: p, End: end}
	}
	moved, stop := c.moved.Listen()
	defer stop()
	c.awaited.Add(1)
	defer c.awaited.Add(-1)
	for _, part := range c.parts {
		wake.Up(part.changed) // it may rest
	}
	for {
		paused := c.paused()
		switch {
		case c.position() >= p:
			return nil
		case paused:
			return &PausedConsumer{Name: name}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-moved:
		}
	}
}

// Position is how far a consumer that this feed runs or follows has come in all ranges, as WaitFor means it; 0 for others.
func (f *Feed) Position(name string) eventstore.Position {
	c := f.consumer(name)
	if c == nil {
		return 0
	}
	return c.position()
}

// Places are how far each range of a consumer of this feed has come, and which of them this process works on.
func (f *Feed) Places(name string) (at eventstore.Heads, held [eventstore.Ranges]bool) {
	if c := f.consumer(name); c != nil {
		for r, p := range c.parts {
			held[r] = p.glance.held.Load()
			at[r] = eventstore.Position(p.glance.at.Load())
		}
	}
	return at, held
}

// Moved wakes when a range of a consumer of this feed may have come further.
func (f *Feed) Moved(name string) (moved <-chan struct{}, stop func()) {
	return f.consumer(name).moved.Listen()
}

// waitElsewhere asks the Checkpoints whether anything wanted lies between a consumer's places and a position.
func (f *Feed) waitElsewhere(ctx context.Context, name string, p eventstore.Position) error {
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		reached, paused, err := f.checkpoints.Reached(ctx, name, p)
		switch {
		case err != nil && ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return err
		case reached:
			return nil
		case paused:
			return &PausedConsumer{Name: name}
		}
		if !wake.Pause(ctx, wait) {
			return ctx.Err()
		}
	}
}

func orNone(types []string) []string {
	if types == nil {
		return []string{}
	}
	return types
}
