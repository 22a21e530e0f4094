package mirror

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"

	"shop/eventstore"
	"shop/eventstore/relay"
	"shop/eventstore/wake"
)

// Mirror feeds the copy of a log.
type Mirror struct {
	// Pool is the region's database, migrated.
	Pool *pgxpool.Pool
	// Home reads the home region's database, or a standby of it.
	Home     Home
	Conn     *nats.Conn
	Settings relay.Settings
	Log      *slog.Logger
	// Patience is how long a range may lack what relays say is there before it is read from the home database. Default 3s.
	Patience time.Duration
	// Clock tells the time; nothing but the speed of catching up depends on it. Default time.Now.
	Clock func() time.Time

	ranges [eventstore.Ranges]*place
	// seeded is when the copy was last filled from the home region, with room for clocks apart; zero: it was not. What the stream
	// kept before is here. Were it not, the next message would show the gap.
	seeded time.Time
	// heardAt is when a relay was last heard of, in nanoseconds since 1970.
	heardAt atomic.Int64
	// behind is how many positions the copy lacked when relays last told of them. refilled counts; nil: nobody counts.
	behind   atomic.Int64
	refilled func(reason string)
	// epochs are those of the ranges.
	epochs [eventstore.Ranges]atomic.Pointer[string]
}

// Epoch is the history that the whole copy belongs to; empty: not known yet, or the ranges are on their way to another one.
func (m *Mirror) Epoch() string {
	first := m.epochs[0].Load()
	for r := range m.epochs {
		if e := m.epochs[r].Load(); e == nil || *e != *first {
			return ""
		}
	}
	return *first
}

// Age is how long ago a relay was last heard of.
func (m *Mirror) Age() time.Duration { return time.Since(time.Unix(0, m.heardAt.Load())) }

// lockCopy is the advisory lock of the process that feeds the copy.
const lockCopy = 0x73686f70_636f7079

// alone does work in one process at a time; the others wait. The lock ends with its connection.
func (m *Mirror) alone(ctx context.Context, work func(ctx context.Context) error) error {
	conn, err := m.Pool.Acquire(ctx)
	if err != nil {
		return err
	}
	aside := conn.Hijack()
	defer eventstore.CloseAside(aside)
	for held := false; !held; {
		if err := aside.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", int64(lockCopy)).Scan(&held); err != nil {
			return err
		}
		if !held && !wake.Pause(ctx, 500*time.Millisecond) {
			return ctx.Err()
		}
	}
	return work(ctx)
}

// Await returns when the copy has what the home region had published by now. An older copy will do where the home region
// cannot be asked.
func (m *Mirror) Await(ctx context.Context) error {
	asking, cancel := context.WithTimeout(ctx, 10*time.Second)
	goal, unasked := m.Home.relayed(asking)
	cancel()
	for {
		places, err := readPlaces(ctx, m.Pool)
		if err != nil {
			return err
		}
		there := len(places) == eventstore.Ranges
		for r, p := range places {
			there = there && (p.position >= goal[r] && (goal[r] > 0 || unasked != nil && p.position > 0))
		}
		if there {
			return nil
		}
		if !wake.Pause(ctx, 100*time.Millisecond) {
			return ctx.Err()
		}
		if unasked != nil || goal == (eventstore.Heads{}) {
			asking, cancel := context.WithTimeout(ctx, 10*time.Second)
			goal, unasked = m.Home.relayed(asking)
			cancel()
		}
	}
}

// ErrForked: the copy knows events that the log does not have, from a server that was lost.
var ErrForked = errors.New("the copy knows events that the log has lost; drop the region's database and start the region again")

// errElsewhere: another process moved a range of the copy.
var errElsewhere = errors.New("another process feeds the copy")

// place is where a range of the copy is.
type place struct {
	mu sync.Mutex
	// position: all is here up to it. last is the last event.
	position, last eventstore.Position
	epoch          string
	made           time.Time
	seq            uint64
	// told is what relays say; nil: nothing yet.
	told atomic.Pointer[told]
	// lacks is since when what they say is not here, and where the range was then; zero: it is.
	lacks   time.Time
	lacksAt eventstore.Position
}

// told is how far a range is complete within an epoch.
type told struct {
	epoch string
	relay.Complete
}

// upTo is how far the range is complete when it has all up to a position.
func (p *place) upTo(has eventstore.Position) eventstore.Position {
	if t := p.told.Load(); t != nil && t.epoch == p.epoch && t.Last <= has {
		return max(has, t.UpTo)
	}
	return has
}

// reached is the epoch of the range and how far it is.
func (p *place) reached() (epoch string, position eventstore.Position) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.epoch, p.position
}

// Run feeds the copy until ctx ends. It returns an error only where another attempt cannot help: relay.ErrForeign, ErrForked.
func (m *Mirror) Run(ctx context.Context) error {
	if m.Patience <= 0 {
		m.Patience = 3 * time.Second
	}
	if m.Clock == nil {
		m.Clock = time.Now
	}
	var backoff time.Duration
	for ctx.Err() == nil {
		began := time.Now()
		err := m.alone(ctx, m.session)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, relay.ErrForeign), errors.Is(err, ErrForked):
			return err
		case time.Since(began) > 10*time.Second:
			backoff = 0
		}
		backoff = min(max(2*backoff, 100*time.Millisecond), 5*time.Second)
		m.Log.Warn("the copy of the log is not fed", "error", err, "again_in", backoff)
		wake.Pause(ctx, backoff)
	}
	return nil
}

// session feeds the copy until something fails.
func (m *Mirror) session(ctx context.Context) error {
	log, err := m.load(ctx)
	if err != nil {
		return err
	}
	if err := m.erase(ctx, true); err != nil {
		m.Log.Warn("the home region cannot be asked who was erased", "error", err)
	}
	stream, err := relay.Find(ctx, m.Conn, log, m.Settings)
	if err != nil {
		return err
	}
	all, working := errgroup.WithContext(ctx)
	quiet, err := stream.Hear(func(p relay.Progress) { m.heard(working, p) })
	if err != nil {
		return err
	}
	defer quiet()
	all.Go(func() error { return m.look(working) })
	for r := range m.ranges {
		all.Go(func() error { return m.follow(working, stream, r) })
	}
	return all.Wait()
}

// load reads the places of the copy; a new one gets them, and what the log has so far.
func (m *Mirror) load(ctx context.Context) (log uuid.UUID, err error) {
	places, err := readPlaces(ctx, m.Pool)
	if err != nil {
		return log, err
	}
	home, away := m.Home.identity(ctx)
	fresh := len(places) == 0
	if fresh {
		if away != nil {
			return log, away
		}
		if err := m.begin(ctx, home); err != nil {
			return log, err
		}
		if places, err = readPlaces(ctx, m.Pool); err != nil {
			return log, err
		}
	}
	for r := range m.ranges {
		if m.ranges[r] = places[r]; m.ranges[r] == nil {
			return log, fmt.Errorf("the copy has no range %d", r)
		}
		epoch := m.ranges[r].epoch
		m.epochs[r].Store(&epoch)
		of, _, _ := strings.Cut(epoch, "/")
		if log, err = uuid.Parse(of); err != nil {
			return log, fmt.Errorf("the copy is of an epoch %q: %w", m.ranges[r].epoch, err)
		}
		if away == nil && log != home {
			return log, fmt.Errorf("%w: the copy is of log %s, the home region has log %s", relay.ErrForeign, log, home)
		}
	}
	if away == nil {
		away = m.seed(ctx)
	}
	if away != nil && fresh {
		return log, away
	}
	if away != nil {
		m.Log.Warn("the home region's database cannot be asked; the copy goes on with what the stream has", "error", away)
	}
	return log, nil
}

// seedFrom is how many events behind the log a copy reads the database instead of the stream.
const seedFrom = 20_000

// clocksApart is by how much the clocks of NATS and the region may differ before a seeded copy reads what it lacks at home.
const clocksApart = 2 * time.Minute

// seed reads from the home database what a copy that is far behind lacks.
func (m *Mirror) seed(ctx context.Context) error {
	relayed, err := m.Home.relayed(ctx)
	if err != nil {
		return err
	}
	behind := eventstore.Position(0)
	fresh := true
	for r, p := range m.ranges {
		behind = max(behind, relayed[r]-p.position)
		fresh = fresh && p.position == 0
	}
	if behind < seedFrom && !fresh || behind <= 0 {
		return nil
	}
	began, clock := time.Now(), m.Clock()
	m.Log.Info("the copy of the log is filled from the home region", "positions", behind)
	if err := m.Home.copyKeys(ctx, m.Pool); err != nil {
		return err
	}
	all, filling := errgroup.WithContext(ctx)
	for r, p := range m.ranges {
		all.Go(func() error {
			p.mu.Lock()
			defer p.mu.Unlock()
			m.count(seeded)
			return m.refill(filling, r, relayed[r])
		})
	}
	if err := all.Wait(); err != nil {
		return err
	}
	m.seeded = clock.Add(-clocksApart)
	m.Log.Info("the copy of the log is filled", "took", time.Since(began).Round(time.Millisecond))
	return nil
}

// follow takes in the messages of one range.
func (m *Mirror) follow(ctx context.Context, stream *relay.Stream, r int) error {
	p := m.ranges[r]
	from := uint64(0)
	if p.made.Equal(stream.Made.UTC().Truncate(time.Microsecond)) {
		from = p.seq + 1
	}
	messages, err := stream.Messages(ctx, r, from, m.seeded)
	if err != nil {
		return err
	}
	defer messages.Stop()
	stop := context.AfterFunc(ctx, messages.Stop)
	defer stop()
	for {
		msg, err := messages.Next()
		if err != nil {
			return fmt.Errorf("read range %d of the stream: %w", r, err)
		}
		about, err := msg.Metadata()
		if err != nil {
			return err
		}
		if epoch, has := p.reached(); relay.Passed(msg.Headers(), epoch, has) {
			continue
		}
		received, err := relay.Receive(msg.Headers(), msg.Data())
		if err == nil && received.Range != r {
			err = fmt.Errorf("%w: range %d on the subject of range %d", relay.ErrForged, received.Range, r)
		}
		if err != nil {
			m.Log.Error("a message is not used", "range", r, "sequence", about.Sequence.Stream, "error", err)
			continue // what it hides is a gap to the next one
		}
		if err := m.take(ctx, r, received, mark{made: stream.Made.UTC().Truncate(time.Microsecond), seq: about.Sequence.Stream}); err != nil {
			return err
		}
		if err := m.move(ctx); err != nil { // what was told meanwhile
			return err
		}
	}
}

// mark is a place in the stream.
type mark struct {
	made time.Time
	seq  uint64
}

// take writes what of a message the copy lacks.
func (m *Mirror) take(ctx context.Context, r int, received relay.Received, at mark) error {
	p := m.ranges[r]
	p.mu.Lock()
	defer p.mu.Unlock()
	if received.Epoch != p.epoch {
		if err := m.adopt(ctx, r, received.Epoch); err != nil {
			return err
		}
	}
	if received.Last <= p.position {
		p.made, p.seq = at.made, at.seq // kept with the next write
		return nil
	}
	if received.Previous > p.position {
		m.Log.Warn("the stream has a gap; what is missing is read from the home region", "range", r, "after", p.position, "up_to", received.Previous)
		m.count(gap)
		if err := m.refill(ctx, r, received.Previous); err != nil {
			return err
		}
	}
	events := received.Events
	if events = events[max(0, slices.IndexFunc(events, func(e event) bool { return positionOf(e) > p.position })):]; received.Last <= p.position {
		return nil // the refill had it
	}
	p.made, p.seq = at.made, at.seq
	return m.write(ctx, r, events, received.Last)
}

// adopt goes on under another epoch if the log still has what the copy has.
func (m *Mirror) adopt(ctx context.Context, r int, epoch string) error {
	p := m.ranges[r]
	now, err := m.Home.epoch(ctx)
	if err != nil {
		return err
	}
	if log, _, _ := strings.Cut(p.epoch, "/"); !strings.HasPrefix(epoch, log+"/") {
		return fmt.Errorf("%w: a message is of %s", relay.ErrForeign, epoch)
	}
	same, err := m.Home.same(ctx, m.Pool, p.last)
	if err != nil {
		return err
	}
	if !same {
		return fmt.Errorf("range %d at position %d: %w", r, p.last, ErrForked)
	}
	m.Log.Info("the server of the log changed, and the log goes on", "range", r, "from", p.epoch, "to", epoch, "home", now)
	p.epoch = epoch
	m.epochs[r].Store(&epoch)
	return nil
}

// heard takes in how far relays say that ranges are complete.
func (m *Mirror) heard(ctx context.Context, progress relay.Progress) {
	m.heardAt.Store(time.Now().UnixNano())
	for _, c := range progress.Ranges {
		p := m.ranges[c.Range]
		if before := p.told.Load(); before == nil || before.epoch != progress.Epoch || c.UpTo > before.UpTo {
			p.told.Store(&told{progress.Epoch, c})
		}
	}
	if err := m.move(ctx); err != nil {
		m.Log.Debug("the copy does not move", "error", err)
	}
	lacks := eventstore.Position(0)
	for _, c := range progress.Ranges {
		p := m.ranges[c.Range]
		if !p.mu.TryLock() {
			return // it is at work; nobody waits for that here
		}
		lacks = max(lacks, c.Last-p.position)
		p.mu.Unlock()
	}
	m.behind.Store(int64(lacks))
}

// look obeys erasures, and finds out whether something that was published does not come.
func (m *Mirror) look(ctx context.Context) error {
	for wake.Pause(ctx, min(time.Second, m.Patience/3)) {
		if err := m.erase(ctx, false); err != nil {
			m.Log.Warn("the home region cannot be asked who was erased", "error", err)
		}
		for r, p := range m.ranges {
			if err := m.mend(ctx, r, p); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// mend reads what a range lacks for too long.
func (m *Mirror) mend(ctx context.Context, r int, p *place) error {
	if !p.mu.TryLock() {
		return nil // it is at work
	}
	defer p.mu.Unlock()
	t := p.told.Load()
	if t != nil && t.epoch != p.epoch { // nothing may happen in this range for long
		if now, err := m.Home.epoch(ctx); err == nil && now == t.epoch {
			return m.adopt(ctx, r, now)
		}
	}
	switch {
	case t == nil || t.epoch != p.epoch || t.Last <= p.position:
		p.lacks = time.Time{}
		return nil
	case p.lacks.IsZero() || p.lacksAt != p.position:
		p.lacks, p.lacksAt = time.Now(), p.position
		return nil
	case time.Since(p.lacks) < m.Patience:
		return nil
	}
	m.Log.Warn("the stream lacks what was published; it is read from the home region", "range", r, "after", p.position, "up_to", t.Last)
	p.lacks = time.Time{}
	m.count(lost)
	return m.refill(ctx, r, t.Last)
}
