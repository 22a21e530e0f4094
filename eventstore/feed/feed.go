package feed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"shop/eventstore"
	"shop/eventstore/wake"
)

// Options tune a Feed; the zero value is right for production.
type Options struct {
	// Poll is the pause between looks at the log while it grows, in case no notification comes. Default 40ms. While
	// nothing happens it stretches up to IdlePoll, default 250ms.
	Poll, IdlePoll time.Duration
	// Gather is the least pause between two reads of the log: what is appended meanwhile is handled together. Default 2ms.
	Gather time.Duration
	// Recent is how many recent events per range are kept in memory at most for consumers that keep up; a quarter more are,
	// before the oldest go. An eighth stays when every consumer had it. Default 1024.
	Recent int
	// Page is the most events a consumer that catches up handles in one transaction. Default 2000.
	Page int
	// Concurrency is how many transactions of consumers run at once, beside one of each consumer that is always its own, so
	// that however many consumers hang, the others go on. New takes at most a quarter of the pool. Default 6.
	Concurrency int
	// Save bounds how long a checkpoint that moved past unwanted events is only in memory. Default 500ms.
	Save time.Duration
	// Drain is how long handlers in flight get when the feed stops. Default 10s.
	Drain time.Duration
	// Lease is how long after its last sign of life a process loses its share of the work to others. Default 1.5s.
	Lease time.Duration
	// Roles are what this process calls itself towards operators.
	Roles []string
	// Clock tells the time by which lag is measured. Default time.Now; New takes the store's.
	Clock func() time.Time
	// Logger defaults to slog.Default(); New takes the store's.
	Logger *slog.Logger
	// Tracer and Meter default to OpenTelemetry's global ones; New takes the store's.
	Tracer trace.Tracer
	Meter  metric.Meter
}

func (o Options) withDefaults() Options {
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
	if o.Recent <= 0 {
		o.Recent = 1024
	}
	if o.Page <= 0 {
		o.Page = 2000
	}
	if o.Concurrency <= 0 {
		o.Concurrency = 6
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Tracer == nil {
		o.Tracer = otel.Tracer(scopeName)
	}
	if o.Meter == nil {
		o.Meter = otel.Meter(scopeName)
	}
	return o
}

// maxBackoff bounds every pause after a failure.
const maxBackoff = 5 * time.Second

// Feed delivers the log to the consumers of this process. There is one per process.
type Feed struct {
	source      Source
	checkpoints Checkpoints
	opts        Options
	log         *slog.Logger
	tel         telemetry
	// holder names this process in its leases.
	holder string

	// epoch is that of the log; nil: nobody asked yet.
	epoch atomic.Pointer[eventstore.Epoch]

	// recent and observers are what the watcher fills.
	recent    *recent
	observers observers
	// seen is the furthest position of the log that this process knows of.
	seen atomic.Int64

	// consumers and jobs are what the feed is for; jobs are fixed when Run begins.
	consumers consumers
	jobs      []*job
	// slots limits transactions at once, beside those in the consumers' own.
	slots chan struct{}

	wakes      wakes
	membership membership
	life       life
}

// wakes ask the watcher, the coordinator and the keeper of the leases to look now.
type wakes struct{ watcher, coordinator, leases chan struct{} }

// consumers are those registered so far.
type consumers struct {
	mu     sync.Mutex
	byName map[string]*consumer
	// added are those whose handlers Run puts into its router.
	added []*consumer
}

// life is how far a feed has come, and how its end reaches the handlers.
type life struct {
	// listened is closed when the process listens to the others or has failed to, watching when the heads were read for the first
	// time, running when Run handles events.
	listened, watching, running chan struct{}
	// handling is the context of all batches; abandon ends it when a handler does not finish in time.
	handling context.Context
	abandon  context.CancelFunc
}

// New prepares a feed of the store's log, with checkpoints in the tables beside it; Run starts it.
func New(s *eventstore.Store, o Options) *Feed {
	settings := s.Options()
	if o.Concurrency <= 0 {
		o.Concurrency = max(1, min(6, int(s.Pool().Config().MaxConns)/4))
	}
	if o.Logger == nil {
		o.Logger = settings.Logger
	}
	o.Clock, o.Tracer, o.Meter = settings.Clock, settings.Tracer, settings.Meter
	return Over(s, &tables{store: s, pool: s.Pool()}, o)
}

// Over is New for any Source and any Checkpoints.
func Over(s Source, c Checkpoints, o Options) *Feed {
	o = o.withDefaults()
	handling, abandon := context.WithCancel(context.Background())
	sleeper := func() chan struct{} { return make(chan struct{}, 1) }
	return &Feed{
		source: s, checkpoints: c, opts: o, log: o.Logger, tel: newTelemetry(o), holder: newHolder(),
		recent:     newRecent(o.Recent),
		consumers:  consumers{byName: map[string]*consumer{}},
		slots:      make(chan struct{}, o.Concurrency),
		wakes:      wakes{watcher: sleeper(), coordinator: sleeper(), leases: sleeper()},
		membership: membership{progress: outbox{there: sleeper(), moved: map[*partition]Progress{}}},
		life: life{
			listened: make(chan struct{}), watching: make(chan struct{}), running: make(chan struct{}),
			handling: handling, abandon: abandon,
		},
	}
}

// Add gives the feed a consumer, before Run. Names are unique.
func (f *Feed) Add(c Consumer) { f.add(f.register(c, false)) }

// Follow is Add for a consumer that other processes run: this one can wait for it and is told by Committed what they
// did, and its Handle is never called. It must name the same Types as theirs.
func (f *Feed) Follow(c Consumer) { f.add(f.register(c, true)) }

func (f *Feed) add(c *consumer) {
	f.consumers.mu.Lock()
	defer f.consumers.mu.Unlock()
	f.consumers.added = append(f.consumers.added, c)
}

// all are the consumers registered so far.
func (f *Feed) all() []*consumer {
	f.consumers.mu.Lock()
	defer f.consumers.mu.Unlock()
	consumers := make([]*consumer, 0, len(f.consumers.byName))
	for _, c := range f.consumers.byName {
		consumers = append(consumers, c)
	}
	return consumers
}

// consumer is the one of a name; nil: there is none.
func (f *Feed) consumer(name string) *consumer {
	f.consumers.mu.Lock()
	defer f.consumers.mu.Unlock()
	return f.consumers.byName[name]
}

// writesMessages says that a consumer wants its events as they are stored.
func (f *Feed) writesMessages() bool {
	f.consumers.mu.Lock()
	defer f.consumers.mu.Unlock()
	for _, c := range f.consumers.byName {
		if c.Messages {
			return true
		}
	}
	return false
}

// Holder names this process in its leases, as Control.Processes and Control.Consumers tell.
func (f *Feed) Holder() string { return f.holder }

// Running is closed when the feed handles events.
func (f *Feed) Running() chan struct{} { return f.life.running }

// Run delivers events until ctx ends, once in a feed's life; then it lets the handlers in flight finish, and stores the checkpoints.
// It returns nil after an orderly end.
func (f *Feed) Run(ctx context.Context) error {
	router, err := f.router()
	if err != nil {
		return err
	}
	if gauge, err := f.tel.observeHeld(f.opts.Meter, f.held); err == nil {
		defer func() { _ = gauge.Unregister() }()
	}
	endless := context.WithoutCancel(ctx)
	leases := begin(endless, f.keepLeases)
	jobs := begin(endless, f.runJobs)
	// The background outlives the handlers: they need the recent events and a last save.
	background := begin(endless, f.watch, f.listen, f.coordinate, f.forget)
	err = f.handle(ctx, router, jobs)
	jobs.stop()
	leases.stop()
	last, cancel := context.WithTimeout(endless, 2*time.Second)
	f.save(last)
	f.leave(last)
	cancel()
	background.stop()
	if err != nil {
		return fmt.Errorf("run the feed: %w", err)
	}
	return nil
}

// router is Watermill's, with a handler for each range of each consumer.
func (f *Feed) router() (*message.Router, error) {
	logger := watermill.NewSlogLoggerWithLevelMapping(f.log, map[slog.Level]slog.Level{slog.LevelInfo: slog.LevelDebug})
	router, err := message.NewRouter(message.RouterConfig{CloseTimeout: f.opts.Drain}, logger)
	if err != nil {
		return nil, fmt.Errorf("make the router: %w", err)
	}
	router.AddMiddleware(f.traced, f.measured, middleware.CorrelationID, middleware.Recoverer)
	f.consumers.mu.Lock()
	defer f.consumers.mu.Unlock()
	for _, c := range f.consumers.added {
		c.handleBy(router, f)
	}
	return router, nil
}

func applyBatch(msg *message.Message) error {
	batch, ok := BatchOf(msg.Context())
	if !ok {
		return errors.New("the message carries no batch")
	}
	return batch.Apply(msg.Context())
}

// handle runs the router until ctx ends, and then lets the jobs and the handlers in flight finish.
func (f *Feed) handle(ctx context.Context, router *message.Router, jobs *workers) (err error) {
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- router.Run(running) }()
	announced := begin(running, func(ctx context.Context) { f.announce(ctx, router) })
	defer announced.stop()
	select {
	case <-ctx.Done():
		jobs.cancel()
		select {
		case <-router.Running(): // a router cannot be closed while it starts
		case <-time.After(f.opts.Drain):
		}
		if err = router.Close(); err != nil {
			f.life.abandon()
		}
		<-ended
		return err
	case err = <-ended:
		if err == nil {
			err = errors.New("the router ended by itself")
		}
		return err
	}
}

// announce closes running once the router handles events.
func (f *Feed) announce(ctx context.Context, router *message.Router) {
	for _, begun := range []<-chan struct{}{router.Running(), f.life.watching} {
		select {
		case <-begun:
		case <-ctx.Done():
			return
		}
	}
	close(f.life.running)
}

// runJobs runs the singleton jobs until ctx ends.
func (f *Feed) runJobs(ctx context.Context) {
	var all sync.WaitGroup
	for _, j := range f.jobs {
		all.Go(func() { j.run(ctx, func() { wake.Up(f.wakes.leases) }) })
	}
	all.Wait()
}

// workers are goroutines that end together.
type workers struct {
	cancel context.CancelFunc
	all    sync.WaitGroup
}

func begin(ctx context.Context, work ...func(context.Context)) *workers {
	ctx, cancel := context.WithCancel(ctx)
	w := &workers{cancel: cancel}
	for _, do := range work {
		w.all.Go(func() { do(ctx) })
	}
	return w
}

// stop ends the goroutines and waits for them.
func (w *workers) stop() {
	w.cancel()
	w.all.Wait()
}
