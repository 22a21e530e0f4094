package eventstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"
	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/metric"
)

// FeedOptions tune a Feed; the zero value is right for production.
type FeedOptions struct {
	// Poll is the pause between looks at the log while it grows, in case no notification comes. Default 40ms. While
	// nothing happens it stretches up to IdlePoll, default 250ms.
	Poll, IdlePoll time.Duration
	// Gather is the least pause between two reads of the log: what is appended meanwhile is handled together. Default 2ms.
	Gather time.Duration
	// Ring is how many recent events per range are kept in memory for consumers that keep up. Default 1024.
	Ring int
	// Page is the most events a consumer that catches up handles in one transaction. Default 2000.
	Page int
	// Concurrency is how many transactions of consumers run at once, beside one of each consumer that is always its own, so
	// that however many consumers hang, the others go on. Default 6, but at most a quarter of the pool.
	Concurrency int
	// Save bounds how long a checkpoint that moved past unwanted events is only in memory. Default 500ms.
	Save time.Duration
	// Drain is how long handlers in flight get when the feed stops. Default 10s.
	Drain time.Duration
	// Lease is how long after its last sign of life a process loses its share of the work to others. Default 1.5s.
	Lease time.Duration
	// Roles are what this process calls itself towards operators.
	Roles []string
	// Logger defaults to the store's.
	Logger *slog.Logger
}

func (o FeedOptions) withDefaults(s *Store) FeedOptions {
	set := func(d *time.Duration, value time.Duration) {
		if *d <= 0 {
			*d = value
		}
	}
	set(&o.Poll, 40*time.Millisecond)
	set(&o.IdlePoll, max(o.Poll, 250*time.Millisecond))
	set(&o.Gather, 2*time.Millisecond)
	set(&o.Save, 500*time.Millisecond)
	set(&o.Drain, 10*time.Second)
	set(&o.Lease, 1500*time.Millisecond)
	if o.Ring <= 0 {
		o.Ring = 1024
	}
	if o.Page <= 0 {
		o.Page = 2000
	}
	if o.Concurrency <= 0 {
		o.Concurrency = max(1, min(6, int(s.pool.Config().MaxConns)/4))
	}
	if o.Logger == nil {
		o.Logger = s.opts.Logger
	}
	return o
}

// maxBackoff bounds every pause after a failure.
const maxBackoff = 5 * time.Second

// Consumer is a reader of the log that remembers in the database how far it has come.
type Consumer struct {
	// Name is stored with its checkpoints and never changes.
	Name string
	// Types are the stored names of the events wanted; empty: all.
	Types []string
	// Handle folds a batch of wanted events of one range (or several, see Together), in order. It runs in tx together with the move of the
	// checkpoint, and so exactly once. Events are shared with other consumers: read, do not change. Effects outside tx
	// happen at least once. An event whose handling fails parks its stream as a dead letter; a failure that another
	// attempt may not have (a lost connection, a deadlock, a table that is not there yet) is tried again instead.
	Handle func(ctx context.Context, tx pgx.Tx, events []Event) error
	// Together lets Handle get live events of several ranges at once, ordered by position, so that a busy log costs fewer
	// transactions. Then a handler that is slow with one range keeps the others waiting: it is for handlers that only write in tx.
	// Between transactions it rests nine times as long as the last one took, at most 100 ms, unless somebody waits for it
	// in this process.
	Together bool
	// Prepare runs in every transaction before Handle, for example to set the search path. nil: nothing to prepare.
	Prepare func(ctx context.Context, tx pgx.Tx) error
	// Committed says that what Handle wrote can be read now; whoever waits for the consumer is told after it. It gets the
	// events of the batch, or those that another process handled, or none when it is not known what changed: the range came
	// from another process or went there, parked events were tried again, or the consumer began anew. Nothing is said when the consumer only passed events it does not want.
	// It must return at once and allow concurrent calls. nil: nobody needs to know.
	Committed func(events []Event)
	// Edition is what the tables that Handle writes are made from. Checkpoints of another edition belong to processes that
	// run another version of the program: this one holds none of its ranges, and follows. Empty: nothing depends on it.
	Edition string
}

func (c Consumer) committed(events []Event) {
	if c.Committed != nil {
		c.Committed(events)
	}
}

// consumer is a Consumer at work.
type consumer struct {
	Consumer
	wanted map[string]bool
	parts  [Ranges]*partition
	// moved rings when a range has come further.
	moved bell
	// known: its checkpoints are in the database.
	known bool
	// foreign: they are of another edition.
	foreign atomic.Bool
	// follows: this process never handles its events.
	follows bool
	// own is the transaction that it can always have.
	own chan struct{}
	// convoy is where its ranges meet.
	convoy convoy
	// awaited counts those who wait for it.
	awaited atomic.Int32
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

// Feed delivers the log to the consumers of this process. There is one per process.
type Feed struct {
	store *Store
	opts  FeedOptions
	log   *slog.Logger
	ring  *ring
	// holder names this process in its leases.
	holder string
	// slots limits transactions at once, beside those in the consumers' own.
	slots chan struct{}
	// wake, control and leases ask the watcher, the steward and the one who leads to look at the database now.
	wake, control, leases chan struct{}
	// others: there are processes to tell of moved checkpoints; listening: they are heard.
	others, listening atomic.Bool
	news              news
	// introduced: other processes were told of this one.
	introduced bool
	// watching is closed when the heads were read for the first time, running when Run handles events.
	watching, running chan struct{}

	// handling is the context of all batches; abandon ends it when a handler does not finish in time.
	handling context.Context
	abandon  context.CancelFunc

	mu        sync.Mutex
	consumers map[string]*consumer
	added     []*consumer // those whose handlers Run puts into its router
	// alone is fixed when Run begins.
	alone []*alone

	// observing guards observers, and lets ring and observers learn one thing after the other.
	observing sync.Mutex
	observers []func(Sight)
}

// NewFeed prepares a feed; Run starts it.
func NewFeed(s *Store, o FeedOptions) *Feed {
	o = o.withDefaults(s)
	handling, abandon := context.WithCancel(context.Background())
	return &Feed{
		handling: handling, abandon: abandon,
		store: s, opts: o, log: o.Logger, ring: newRing(o.Ring), holder: newHolder(),
		slots: make(chan struct{}, o.Concurrency),
		wake:  make(chan struct{}, 1), control: make(chan struct{}, 1), leases: make(chan struct{}, 1),
		news:     news{there: make(chan struct{}, 1), moved: map[*partition]progress{}},
		watching: make(chan struct{}), running: make(chan struct{}),
		consumers: map[string]*consumer{},
	}
}

// Add gives the feed a consumer, before Run. Names are unique.
func (f *Feed) Add(c Consumer) {
	added := f.register(c, false)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.added = append(f.added, added)
}

// Follow is Add for a consumer that other processes run: this one can wait for it and is told by Committed what they
// did, and its Handle is never called. It must name the same Types as theirs.
func (f *Feed) Follow(c Consumer) {
	added := f.register(c, true)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.added = append(f.added, added)
}

func (f *Feed) register(c Consumer, follows bool) *consumer {
	n := &consumer{Consumer: c, wanted: map[string]bool{}, follows: follows, own: make(chan struct{}, 1)}
	n.Types = orNone(slices.Sorted(slices.Values(c.Types)))
	for _, typ := range c.Types {
		n.wanted[typ] = true
	}
	for r := range n.parts {
		n.parts[r] = newPartition(f, n, r)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.consumers[c.Name] != nil {
		panic("consumer " + c.Name + " is added twice")
	}
	f.consumers[c.Name] = n
	nudge(f.control)
	nudge(f.leases)
	return n
}

// Holder names this process in its leases, as Processes and Consumers tell.
func (f *Feed) Holder() string { return f.holder }

// Running is closed when the feed handles events.
func (f *Feed) Running() chan struct{} { return f.running }

// Run delivers events until ctx ends, once in a feed's life; then it lets the handlers in flight finish, and stores the checkpoints.
// It returns nil after an orderly end.
func (f *Feed) Run(ctx context.Context) error {
	logger := watermill.NewSlogLoggerWithLevelMapping(f.log, map[slog.Level]slog.Level{slog.LevelInfo: slog.LevelDebug})
	router, err := message.NewRouter(message.RouterConfig{CloseTimeout: f.opts.Drain}, logger)
	if err != nil {
		return fmt.Errorf("make the router: %w", err)
	}
	router.AddMiddleware(f.traced, f.measured, middleware.CorrelationID, middleware.Recoverer)
	f.mu.Lock()
	for _, c := range f.added {
		subscriber := &subscriber{feed: f, consumer: c, closing: make(chan struct{})}
		for r := range Ranges {
			topic := strconv.Itoa(r)
			router.AddConsumerHandler(c.Name+"/"+topic, topic, subscriber, func(msg *message.Message) error {
				batch, ok := BatchOf(msg.Context())
				if !ok {
					return errors.New("the message carries no batch")
				}
				return batch.Apply(msg.Context())
			})
		}
	}
	f.mu.Unlock()

	gauge, err := f.store.opts.Meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		o.ObserveInt64(f.store.tel.leasesHeld, f.held())
		return nil
	}, f.store.tel.leasesHeld)
	if err == nil {
		defer gauge.Unregister()
	}
	leading, stopLeading := context.WithCancel(context.WithoutCancel(ctx))
	defer stopLeading()
	var leases sync.WaitGroup
	leases.Go(func() { f.lead(leading) })
	doing, stopDoing := context.WithCancel(leading)
	defer stopDoing()
	var works sync.WaitGroup
	for _, a := range f.alone {
		works.Go(func() { f.do(doing, a) })
	}

	// The background outlives the handlers: they need the ring's head and a last save.
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	var background sync.WaitGroup
	background.Go(func() { f.watch(work) })
	background.Go(func() { f.listen(work) })
	background.Go(func() { f.steward(work) })
	background.Go(func() { f.forget(work) })

	ended := make(chan error, 1)
	background.Go(func() { ended <- router.Run(work) })
	background.Go(func() {
		select {
		case <-router.Running():
		case <-work.Done():
			return
		}
		select {
		case <-f.watching:
			close(f.running)
		case <-work.Done():
		}
	})
	select {
	case <-ctx.Done():
		stopDoing()
		select {
		case <-router.Running(): // a router cannot be closed while it starts
		case <-time.After(f.opts.Drain):
		}
		if err = router.Close(); err != nil {
			f.abandon()
		}
		<-ended
	case err = <-ended:
		if err == nil {
			err = errors.New("the router ended by itself")
		}
	}
	stopDoing()
	works.Wait()
	stopLeading()
	leases.Wait()
	save, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	f.save(save)
	f.leaveShares(save)
	cancel()
	stop()
	background.Wait()
	if err != nil {
		return fmt.Errorf("run the feed: %w", err)
	}
	return nil
}

// all are the consumers registered so far.
func (f *Feed) all() []*consumer {
	f.mu.Lock()
	defer f.mu.Unlock()
	consumers := make([]*consumer, 0, len(f.consumers))
	for _, c := range f.consumers {
		consumers = append(consumers, c)
	}
	return consumers
}

// UnknownConsumer: nobody by this name has ever read the log.
type UnknownConsumer struct{ Name string }

func (e *UnknownConsumer) Error() string { return fmt.Sprintf("there is no consumer %q", e.Name) }

// PausedConsumer: an operator stopped the consumer, so waiting for it is in vain for now.
type PausedConsumer struct{ Name string }

func (e *PausedConsumer) Error() string { return fmt.Sprintf("consumer %q is paused", e.Name) }

// WaitFor returns when the consumer has handled, in every range, what it wants up to a position. For one that this feed
// neither runs nor follows it asks the database. It returns ctx's error when that ends first, *PausedConsumer at once
// when the consumer stands before the position and is paused, and *UnknownConsumer.
func (f *Feed) WaitFor(ctx context.Context, name string, p Position) error {
	f.mu.Lock()
	c := f.consumers[name]
	f.mu.Unlock()
	if c == nil {
		return f.store.waitFor(ctx, name, p)
	}
	if c.position() >= p {
		return nil
	}
	moved, deaf := c.moved.listen()
	defer deaf()
	c.awaited.Add(1)
	defer c.awaited.Add(-1)
	for _, part := range c.parts {
		nudge(part.changed) // it may rest
	}
	for {
		paused := false
		for _, part := range c.parts {
			paused = paused || part.halted.Load()
		}
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
func (f *Feed) Position(name string) Position {
	f.mu.Lock()
	c := f.consumers[name]
	f.mu.Unlock()
	if c == nil {
		return 0
	}
	return c.position()
}

// position is how far the consumer has come in all ranges.
func (c *consumer) position() Position {
	least := Position(c.parts[0].at.Load())
	for _, p := range c.parts {
		least = min(least, Position(p.at.Load()))
	}
	return least
}

// waitFor asks the database whether anything wanted lies between a consumer's checkpoints and a position.
func (s *Store) waitFor(ctx context.Context, name string, p Position) error {
	const ask = `SELECT count(*), coalesce(bool_or(c.paused), false), count(*) FILTER (WHERE c.position < $2 AND EXISTS (
			SELECT FROM eventstore.events e WHERE e.position > c.position AND e.position <= $2 AND e.slice / $3 = c.range
			AND (cardinality(c.types) = 0 OR e.type = ANY (c.types))))
		FROM eventstore.checkpoints c WHERE c.consumer = $1`
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		var ranges, open int
		var paused bool
		if err := s.pool.QueryRow(ctx, ask, name, int64(p), Slices/Ranges).Scan(&ranges, &paused, &open); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fmt.Errorf("wait for %s: %w", name, err)
		}
		if ranges == 0 {
			return &UnknownConsumer{Name: name}
		}
		if open == 0 {
			return nil
		}
		if paused {
			return &PausedConsumer{Name: name}
		}
		if !pause(ctx, wait) {
			return ctx.Err()
		}
	}
}
