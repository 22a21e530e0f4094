package replicas

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// Options are how patient reads are. Zero values take the defaults.
type Options struct {
	// Conns is the most connections to each replica. Default 24.
	Conns int
	// Lag is how far behind a replica may be before it is out. Default 10s.
	Lag time.Duration
	// Silence is how long a replica may take to answer a look before it is out. Default 500ms.
	Silence time.Duration
	// Clock is the time, Logger hears which replicas come and go. Defaults: time.Now, nobody.
	Clock  func() time.Time
	Logger *slog.Logger
}

// Set is a primary and its replicas. A nil *Set has no replica.
type Set struct {
	opts    Options
	clock   func() time.Time
	marks   *marks
	members []*member
	next    atomic.Uint64
	reads   metric.Int64Counter
	gauges  metric.Registration
}

// Status is how a replica is, as this process sees it.
type Status struct {
	Name string
	// In: it is asked. Otherwise Why says why not.
	In    bool
	Why   string
	Since time.Time
	// Behind is for how long it lacks something, BehindBytes how much WAL; negative: not known.
	Behind      time.Duration
	BehindBytes int64
}

// Open makes pools of the replicas and connects to none. prepare, which may be nil, sees the settings of each pool. Errors do
// not quote the URLs, which may hold passwords.
func Open(ctx context.Context, primary *pgxpool.Pool, urls []string, o Options, prepare func(*pgxpool.Config)) (*Set, error) {
	if o.Conns == 0 {
		o.Conns = 24
	}
	if o.Lag == 0 {
		o.Lag = 10 * time.Second
	}
	if o.Silence == 0 {
		o.Silence = 500 * time.Millisecond
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Set{opts: o, clock: o.Clock, marks: newMarks(primary, o.Clock)}
	s.observe()
	for _, url := range urls {
		c, err := pgxpool.ParseConfig(url)
		if err != nil {
			s.Close()
			return nil, errors.New("a replica's URL is not understood by the PostgreSQL driver")
		}
		c.MaxConns = int32(o.Conns)
		c.ConnConfig.ConnectTimeout = 2 * time.Second
		c.ConnConfig.RuntimeParams["application_name"] = "shop reads"
		onlyStandby(c)
		if prepare != nil {
			prepare(c)
		}
		pool, err := pgxpool.NewWithConfig(ctx, c)
		if err != nil {
			s.Close()
			return nil, fmt.Errorf("prepare connections to a replica: %w", err)
		}
		s.members = append(s.members, s.member(nameOf(c.ConnConfig.Host, c.ConnConfig.Port), pool))
	}
	return s, nil
}

func (s *Set) member(name string, pool *pgxpool.Pool) *member {
	m := &member{name: name, set: s, pool: pool, why: "not asked yet", since: s.clock(), wake: make(chan struct{}, 1), moved: make(chan struct{})}
	m.answering, m.silence = context.WithCancel(context.Background())
	return m
}

// nameOf is what people call a server.
func nameOf(host string, port uint16) string {
	if filepath.IsAbs(host) {
		return filepath.Base(filepath.Dir(host)) + "/" + filepath.Base(host)
	}
	return net.JoinHostPort(host, strconv.Itoa(int(port)))
}

// Run looks after the replicas until ctx ends; before and after, all reads go to the primary.
func (s *Set) Run(ctx context.Context) {
	if s == nil {
		return
	}
	var watching sync.WaitGroup
	for _, m := range s.members {
		watching.Go(func() { m.watch(ctx) })
	}
	watching.Wait()
	for _, m := range s.members {
		m.settle(verdict{why: "not asked any more"}, 0)
	}
}

// Close ends the connections to the replicas.
func (s *Set) Close() {
	if s == nil {
		return
	}
	_ = s.gauges.Unregister() // it never fails
	for _, m := range s.members {
		m.silence()
		m.pool.Close()
	}
}

// Changed says that a read model of the primary has changed: reads that begin from now on show it.
func (s *Set) Changed() {
	if s != nil {
		s.marks.changes.Add(1)
	}
}

// Read has read ask a replica through Of, and the primary if none is far enough within patience. A read that fails at a replica is
// done again at the primary, so it must change nothing, and an error that is the answer is not to be returned.
func (s *Set) Read(ctx context.Context, patience time.Duration, read func(context.Context) error) error {
	if s == nil {
		return read(ctx)
	}
	m, how := s.choose(ctx, patience)
	if m != nil {
		err := m.ask(ctx, read)
		if err == nil || ctx.Err() != nil {
			s.count(ctx, how)
			return err
		}
		m.lookNow() // it may be gone
		s.opts.Logger.DebugContext(ctx, "a read is done again at the primary", "replica", m.name, "error", err)
		how = "repeated"
	}
	s.count(ctx, how)
	return read(ctx)
}

func (s *Set) count(ctx context.Context, how string) {
	s.reads.Add(ctx, 1, metric.WithAttributes(attribute.String("at", how)))
}

// ask reads at the replica, for no longer than it answers.
func (m *member) ask(ctx context.Context, read func(context.Context) error) error {
	answering, _ := m.isIn()
	ctx, cancel := context.WithCancel(context.WithValue(ctx, at{}, m))
	defer cancel()
	defer context.AfterFunc(answering, cancel)()
	return read(ctx)
}

// choose finds a replica that shows everything the process knows; nil: none does soon enough.
func (s *Set) choose(ctx context.Context, patience time.Duration) (*member, string) {
	var in []*member
	from := s.next.Add(1)
	for i := range s.members {
		m := s.members[(from+uint64(i))%uint64(len(s.members))]
		if _, ok := m.isIn(); ok {
			in = append(in, m)
		}
	}
	if len(in) == 0 {
		return nil, "primary"
	}
	wanted, err := s.marks.now(ctx)
	if err != nil {
		return nil, "primary"
	}
	var nearest *member
	for _, m := range in {
		replayed := m.replayed.Load()
		if replayed >= wanted.wal {
			return m, "replica"
		}
		if s.marks.behind(replayed) <= max(patience, lookEvery) && (nearest == nil || replayed > nearest.replayed.Load()) {
			nearest = m
		}
	}
	if nearest == nil {
		return nil, "primary"
	}
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if !nearest.reach(waiting, wanted.wal) {
		return nil, "primary"
	}
	return nearest, "waited"
}

// Statuses are how the replicas are, in the order of their URLs.
func (s *Set) Statuses() []Status {
	if s == nil {
		return nil
	}
	all := make([]Status, len(s.members))
	for i, m := range s.members {
		all[i] = m.status()
	}
	return all
}

// tell says that a replica came or went.
func (s *Set) tell(name string, v verdict) {
	if v.in {
		s.opts.Logger.Info("a read replica is in", "replica", name)
		return
	}
	log := s.opts.Logger.With("replica", name, "why", v.why)
	if v.err != nil {
		log = log.With("error", v.err)
	}
	log.Warn("a read replica is out: its reads go elsewhere")
}
