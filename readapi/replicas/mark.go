package replicas

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"shop/eventstore/coalesce"
)

// mark is the end of the primary's WAL at a moment.
type mark struct {
	wal    int64
	at     time.Time
	system int64
}

const (
	// markFor bounds the age of a mark even when the process heard of no change.
	markFor = time.Second
	// markWithin is how long the primary may take to say a mark, and how long it is left alone after it did not.
	markWithin = 500 * time.Millisecond
	// marksKept is how many marks are kept to tell how far behind replicas are, markPause the time between two of them.
	marksKept, markPause = 512, 50 * time.Millisecond
)

var errNoMark = errors.New("the primary has not answered yet")

// marks takes marks of the primary, one for all that ask at the same time.
type marks struct {
	primary *pgxpool.Pool
	clock   func() time.Time
	// changes counts what the process heard of.
	changes atomic.Int64
	asking  coalesce.Group[struct{}, mark]

	mu sync.Mutex
	// last is of when changes was counted; kept are older ones, oldest first.
	last    mark
	counted int64
	kept    []mark
	// refused is when the primary did not answer.
	refused time.Time
}

func newMarks(primary *pgxpool.Pool, clock func() time.Time) *marks {
	m := &marks{primary: primary, clock: clock}
	m.asking.Run = func(batch []*coalesce.Call[struct{}, mark]) {
		taken, err := m.take()
		for _, call := range batch {
			call.Reply(taken, err)
		}
	}
	return m
}

// now is a mark that covers everything the process heard of before the call. While the primary is silent it is the last one.
func (m *marks) now(ctx context.Context) (mark, error) {
	m.mu.Lock()
	last, now := m.last, m.clock()
	sound := m.counted == m.changes.Load() && now.Sub(last.at) < markFor
	silent := now.Sub(m.refused) < markWithin
	m.mu.Unlock()
	if last.wal > 0 && (sound || silent) {
		return last, nil
	}
	if silent {
		return mark{}, errNoMark
	}
	taken, err := m.asking.Do(ctx, struct{}{})
	if err != nil && last.wal > 0 && ctx.Err() == nil {
		return last, nil
	}
	return taken, err
}

func (m *marks) take() (mark, error) {
	ctx, cancel := context.WithTimeout(context.Background(), markWithin)
	defer cancel()
	counted, began := m.changes.Load(), m.clock()
	taken := mark{at: began}
	err := m.primary.QueryRow(ctx, `SELECT s.system, (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint FROM eventstore.server() s`).
		Scan(&taken.system, &taken.wal)
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		m.refused = m.clock()
		return mark{}, err
	}
	m.last, m.counted = taken, counted
	if len(m.kept) == 0 || taken.at.Sub(m.kept[len(m.kept)-1].at) >= markPause && taken.wal > m.kept[len(m.kept)-1].wal {
		m.kept = append(m.kept, taken)
	}
	if len(m.kept) > marksKept {
		m.kept = append(m.kept[:0], m.kept[marksKept/2:]...)
	}
	return taken, nil
}

// behind is for how long a server that has replayed so much lacks something.
func (m *marks) behind(replayed int64) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.last.wal <= replayed {
		return 0
	}
	for _, old := range m.kept {
		if old.wal > replayed {
			return m.clock().Sub(old.at)
		}
	}
	return m.clock().Sub(m.last.at)
}

// holds asks whether the primary has an event.
func (m *marks) holds(ctx context.Context, e event) (there bool, err error) {
	err = m.primary.QueryRow(ctx, "SELECT EXISTS (SELECT FROM eventstore.events WHERE position = $1 AND id = $2)", e.position, e.id).Scan(&there)
	return there, err
}

// end is the last mark's place.
func (m *marks) end() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.last.wal
}
