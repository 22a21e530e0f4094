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

	ranges [eventstore.Ranges]*place
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

// Run feeds the copy until ctx ends. It returns an error only where another attempt cannot help: relay.ErrForeign, ErrForked.
func (m *Mirror) Run(ctx context.Context) error {
	if m.Patience <= 0 {
		m.Patience = 3 * time.Second
	}
	var backoff time.Duration
	for ctx.Err() == nil {
		began := time.Now()
		err := m.session(ctx)
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
	log, err := m.Home.identity(ctx)
	if err != nil {
		return err
	}
	if err := m.load(ctx, log); err != nil {
		return err
	}
	if err := m.erase(ctx, true); err != nil {
		return err
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
func (m *Mirror) load(ctx context.Context, log uuid.UUID) error {
	places, err := readPlaces(ctx, m.Pool)
	if err != nil {
		return err
	}
	if len(places) == 0 {
		if err := m.begin(ctx, log); err != nil {
			return err
		}
		if places, err = readPlaces(ctx, m.Pool); err != nil {
			return err
		}
	}
	for r := range m.ranges {
		if m.ranges[r] = places[r]; m.ranges[r] == nil {
			return fmt.Errorf("the copy has no range %d", r)
		}
		if of, _, _ := strings.Cut(m.ranges[r].epoch, "/"); of != log.String() {
			return fmt.Errorf("%w: the copy is of log %s, the home region has log %s", relay.ErrForeign, of, log)
		}
	}
	return m.seed(ctx)
}

// seedFrom is how many events behind the log a copy reads the database instead of the stream.
const seedFrom = 20_000

// seed reads from the home database what a copy that is far behind lacks.
func (m *Mirror) seed(ctx context.Context) error {
	relayed, err := m.Home.relayed(ctx)
	if err != nil {
		return err
	}
	behind := eventstore.Position(0)
	for r, p := range m.ranges {
		behind = max(behind, relayed[r]-p.position)
	}
	if behind < seedFrom {
		return nil
	}
	began := time.Now()
	m.Log.Info("the copy of the log is filled from the home region", "positions", behind)
	if err := m.Home.copyKeys(ctx, m.Pool); err != nil {
		return err
	}
	all, filling := errgroup.WithContext(ctx)
	for r, p := range m.ranges {
		all.Go(func() error {
			p.mu.Lock()
			defer p.mu.Unlock()
			return m.refill(filling, r, relayed[r])
		})
	}
	if err := all.Wait(); err != nil {
		return err
	}
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
	messages, err := stream.Messages(ctx, r, from)
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
	return nil
}

// heard takes in how far relays say that ranges are complete.
func (m *Mirror) heard(ctx context.Context, progress relay.Progress) {
	for _, c := range progress.Ranges {
		p := m.ranges[c.Range]
		if before := p.told.Load(); before == nil || before.epoch != progress.Epoch || c.UpTo > before.UpTo {
			p.told.Store(&told{progress.Epoch, c})
		}
	}
	if err := m.move(ctx); err != nil {
		m.Log.Debug("the copy does not move", "error", err)
	}
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
	return m.refill(ctx, r, t.Last)
}
