package eventstore

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"shop/eventstore/call"
	"shop/eventstore/keyring"
	"shop/eventstore/skew"
	"shop/eventstore/wake"
)

// ErrClosed: the store was closed before the append began. Nothing was written.
var ErrClosed = errors.New("event store is closed")

// Options tune a Store; the zero value is right for production.
type Options struct {
	// Clock tells the time of recording. Default time.Now.
	Clock func() time.Time
	// Past says that Clock plays a past on purpose, so nobody is warned that it differs from the server's.
	Past bool
	// Lanes is how many groups of appends may be in flight at once. Default 2.
	Lanes int
	// MaxGroup is the most appends that share a transaction. Default 64.
	MaxGroup int
	// LockWait is how long a group waits for a stream that another process holds before its members are appended one by one,
	// each with its caller's deadline. Default 100ms.
	LockWait time.Duration
	// Keys wrap the keys of persons; one Ring for all stores of a database. nil: they are stored as they are, which is for tests
	// and measurements.
	Keys *keyring.Ring
	// Server is what the pool's connections are checked by. Default: one of the store's own, which Heads checks.
	Server *Server
	// Within bounds an append from its call to its answer, whatever deadline its caller has; one of many events has a
	// millisecond more for each. Default 10s.
	Within time.Duration
	// Logger gets the errors that no caller gets. Default slog.Default().
	Logger *slog.Logger
	// Tracer and Meter default to OpenTelemetry's global ones.
	Tracer trace.Tracer
	Meter  metric.Meter
}

const scopeName = "shop/eventstore"

// gatherFor is how long appends wait at most for others to share their transaction with: about as long as a transaction takes
// that is flushed to a disk. besideFrom is how many make another transaction worth it while one is in flight; two small ones wait for each other's flush.
const gatherFor, besideFrom = time.Millisecond, 16

func (o Options) withDefaults() Options {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Lanes <= 0 {
		o.Lanes = 2
	}
	if o.MaxGroup <= 0 {
		o.MaxGroup = 64
	}
	if o.LockWait <= 0 {
		o.LockWait = 100 * time.Millisecond
	}
	if o.Server == nil {
		o.Server = NewServer()
	}
	if o.Within <= 0 {
		o.Within = 10 * time.Second
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

// Store reads and appends to the log. It is safe for concurrent use. Close it before the pool.
type Store struct {
	// id tells this store's notifications from others'.
	id    string
	pool  *pgxpool.Pool
	calls call.Caller
	codec Codec
	opts  Options
	tel   telemetry
	keys  *personKeys
	// server is the one whose log this is.
	server *Server

	// queue is where appends wait for a group.
	queue batchQueue
	// alone limits the appends outside the queue, so that waiting ones do not use up the pool.
	alone chan struct{}

	// stop ends the background goroutines that background counts.
	stop       context.CancelFunc
	background sync.WaitGroup

	// mu guards closed; inFlight counts appends that began before it was set.
	mu       sync.RWMutex
	closed   bool
	inFlight sync.WaitGroup

	// appended wakes the announcer after each commit of this process, grown whoever reads, also after those of others.
	appended, grown wake.Broadcast
	// erased wakes when a person was erased.
	erased wake.Broadcast

	// known are the heads seen so far. A marker taken late may lie below them; what was safe once stays so.
	knownMu sync.Mutex
	known   Heads
}

// Open starts a store on a migrated database. The pool stays the caller's.
func Open(pool *pgxpool.Pool, codec Codec, o Options) *Store {
	o = o.withDefaults()
	ctx, stop := context.WithCancel(context.Background())
	s := &Store{
		id: uuid.NewString(), pool: pool, calls: call.By(pool), codec: codec, opts: o, tel: newTelemetry(o),
		alone: make(chan struct{}, 4),
		stop:  stop, server: o.Server,
	}
	s.keys = newPersonKeys(pool, o.Keys, s.tel)
	s.queue.Run, s.queue.Parallel, s.queue.Most = s.settle, o.Lanes, o.MaxGroup
	s.queue.Gather, s.queue.Beside = gatherFor, besideFrom
	s.queue.Size, s.queue.MostSize = func(p *pending) int { return p.events }, maxGroupEvents
	s.background.Go(func() { s.announce(ctx) })
	if !o.Past {
		clocks := skew.Watcher{Pool: pool, Clock: o.Clock, Logger: o.Logger, Gauge: s.tel.clockSkew, Within: o.Within}
		s.background.Go(func() { clocks.Watch(ctx) })
	}
	return s
}

// Pool is the database of the store.
func (s *Store) Pool() *pgxpool.Pool { return s.pool }

// Keys wrap the keys of persons, and whatever else in the database is to open with the key file alone; nil: nothing is wrapped.
func (s *Store) Keys() *keyring.Ring { return s.opts.Keys }

// Options are those the store was opened with, and the defaults.
func (s *Store) Options() Options { return s.opts }

// Close refuses new appends, waits for those in flight and stops the store's goroutines.
func (s *Store) Close() {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed = true
	s.mu.Unlock()

	s.inFlight.Wait()
	s.queue.Wait()
	s.stop()
	s.background.Wait()
}

// enter counts an append in, unless the store is closed.
func (s *Store) enter() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return false
	}
	s.inFlight.Add(1)
	return true
}
