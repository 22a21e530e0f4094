package replicas

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// lookEvery is the pause between two looks at a replica, lookSoon while reads wait for it.
	lookEvery, lookSoon = 250 * time.Millisecond, 2 * time.Millisecond
	// doubtFor is how long a replica's last event may be missing at the primary, where a commit may show later than at a
	// synchronous standby.
	doubtFor = 5 * time.Second
)

// member is a replica.
type member struct {
	name string
	set  *Set
	pool *pgxpool.Pool
	// replayed is how much of the primary's WAL its last look found replayed.
	replayed atomic.Int64
	// waiting counts reads that wait for it; wake has it looked at now.
	waiting atomic.Int32
	wake    chan struct{}

	mu    sync.Mutex
	in    bool
	why   string
	since time.Time
	// moved is closed at the next look. answering ends when the replica stops answering, silence ends it.
	moved     chan struct{}
	answering context.Context
	silence   context.CancelFunc
	// proven: its history was found to be the primary's. doubted is the event that the primary lacked, since when.
	proven  bool
	doubted event
	doubts  time.Time
}

// event is the last of a server's log.
type event struct {
	position int64
	id       uuid.UUID
}

// sight is what a look finds.
type sight struct {
	standby  bool
	replayed int64
	system   int64
	last     event
}

// watch looks at the replica until ctx ends, on a connection of its own.
func (m *member) watch(ctx context.Context) {
	var conn *pgx.Conn
	defer func() {
		if conn != nil {
			m.hangUp(conn)
		}
	}()
	for {
		looking, cancel := context.WithTimeout(ctx, m.set.opts.Silence)
		var err error
		var seen sight
		if conn == nil {
			conn, err = pgx.ConnectConfig(looking, m.pool.Config().ConnConfig)
		}
		if err == nil {
			seen, err = look(looking, conn)
		}
		if err == nil {
			m.settle(m.judge(looking, seen), seen.replayed)
		} else if ctx.Err() == nil {
			m.settle(verdict{why: "does not answer", silent: true, err: err}, 0)
		}
		cancel()
		if err != nil && conn != nil {
			m.hangUp(conn)
			conn = nil
		}
		pause := lookEvery
		if m.waiting.Load() > 0 && err == nil {
			pause = lookSoon
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		case <-m.wake:
		}
	}
}

func (m *member) hangUp(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond) // it may be frozen
	defer cancel()
	_ = conn.Close(ctx)
}

func look(ctx context.Context, conn *pgx.Conn) (s sight, err error) {
	err = conn.QueryRow(ctx, `SELECT pg_is_in_recovery(), coalesce((pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint, 0), (SELECT c.system_identifier FROM pg_control_system() c),
		coalesce(l.position, 0), coalesce(l.id, $1) FROM (SELECT) AS one LEFT JOIN (SELECT position, id FROM eventstore.events ORDER BY position DESC LIMIT 1) l ON true`, uuid.Nil).
		Scan(&s.standby, &s.replayed, &s.system, &s.last.position, &s.last.id)
	return s, err
}

// verdict is whether a replica may be asked, and why not.
type verdict struct {
	in     bool
	why    string
	silent bool
	err    error
}

// judge holds what was seen against the primary.
func (m *member) judge(ctx context.Context, s sight) verdict {
	at, err := m.set.marks.now(ctx)
	switch {
	case !s.standby:
		return verdict{why: "is no standby"}
	case err != nil:
		return verdict{why: "cannot be compared with the primary", err: err}
	case s.system != at.system:
		return verdict{why: "is of another server", err: fmt.Errorf("its system identifier is %d, the primary's %d", s.system, at.system)}
	}
	if s.replayed < m.replayed.Load() {
		m.proven = false // it was restored
	}
	if !m.proven {
		if v, ok := m.prove(ctx, s.last); !ok {
			return v
		}
	}
	if behind := m.set.marks.behind(s.replayed); behind > m.set.opts.Lag {
		return verdict{why: "lags"}
	}
	return verdict{in: true}
}

// prove asks the primary for the last event of the replica, and asks again for the same one as long as it may still show.
func (m *member) prove(ctx context.Context, last event) (verdict, bool) {
	if m.doubted == (event{}) {
		m.doubted, m.doubts = last, m.set.clock()
	}
	there, err := true, error(nil)
	if m.doubted.position > 0 {
		there, err = m.set.marks.holds(ctx, m.doubted)
	}
	switch {
	case err != nil:
		return verdict{why: "cannot be compared with the primary", err: err}, false
	case there:
		m.proven, m.doubted = true, event{}
		return verdict{}, true
	case m.set.clock().Sub(m.doubts) < doubtFor:
		return verdict{why: "is being compared with the primary"}, false
	}
	v := verdict{why: "has events that the primary lacks", err: fmt.Errorf("its event at position %d is not in the log", m.doubted.position)}
	m.doubted = event{} // it may have been made anew
	return v, false
}

// settle takes the replica in or out.
func (m *member) settle(v verdict, replayed int64) {
	m.replayed.Store(replayed)
	m.mu.Lock()
	defer m.mu.Unlock()
	close(m.moved)
	m.moved = make(chan struct{})
	if v.in != m.in || v.why != m.why {
		m.since = m.set.clock()
		m.set.tell(m.name, v)
	}
	if v.in && m.answering.Err() != nil {
		m.answering, m.silence = context.WithCancel(context.Background())
	}
	if v.silent {
		m.silence()
		m.proven = false
	}
	m.in, m.why = v.in, v.why
}

// reach waits until the replica has replayed the WAL up to a place; false: not before ctx ended, or it went out.
func (m *member) reach(ctx context.Context, wal int64) bool {
	if m.replayed.Load() >= wal {
		return true
	}
	m.waiting.Add(1)
	defer m.waiting.Add(-1)
	m.lookNow()
	for {
		m.mu.Lock()
		moved, in := m.moved, m.in
		m.mu.Unlock()
		if !in {
			return false
		}
		if m.replayed.Load() >= wal {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-moved:
		}
	}
}

func (m *member) lookNow() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// isIn is whether it may be asked, and the context that ends when it stops answering.
func (m *member) isIn() (context.Context, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.answering, m.in
}

// status is how it is.
func (m *member) status() Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := Status{Name: m.name, In: m.in, Why: m.why, Since: m.since}
	if replayed := m.replayed.Load(); replayed > 0 {
		s.Behind = m.set.marks.behind(replayed)
		s.BehindBytes = max(0, m.set.marks.end()-replayed)
	} else {
		s.Behind, s.BehindBytes = -1, -1
	}
	return s
}
