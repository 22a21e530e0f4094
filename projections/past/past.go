package past

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/eventstore"
	"shop/projections"
	"shop/projections/standin"
)

// Bounds of what a process keeps. Each moment has a connection of its own.
const (
	// kept is how many moments are kept at the same time, keptFor for how long after somebody looked last.
	kept    = 3
	keptFor = 5 * time.Minute
	// within is how long a look may take, the fold included.
	within = 20 * time.Second
	// bounds are those of the server.
	bounds = "SET statement_timeout = '15s'; SET lock_timeout = '2s'; SET idle_in_transaction_session_timeout = '20s'"
)

var (
	// ErrBusy: others look at other moments, or this one took too long. It is a context.DeadlineExceeded.
	ErrBusy = fmt.Errorf("no time for a look at the past: %w", context.DeadlineExceeded)
	// ErrTooMuch: the log up to the moment is more than a process folds for a look.
	ErrTooMuch = errors.New("too much happened up to the moment to fold it for a look")
)

// Pasts are moments of a database's log that somebody looks at.
type Pasts struct {
	db    *pgxpool.Pool
	store *eventstore.Store
	book  book
	most  limits

	mu sync.Mutex
	// moments are those kept, the one that was looked at last at the end.
	moments []*moment
}

// moment is the read models as they were at a position.
type moment struct {
	at eventstore.Position
	// turn has one place, for whoever reads it.
	turn chan struct{}
	// looks are how many read it or wait for that; the lock of Pasts guards it and idle.
	looks int
	// idle ends the moment some time after the last look; nil: nobody has left it yet.
	idle *time.Timer
	// conn holds the tables that are folded; nil: none are. Whoever has the turn may use them.
	conn   *pgx.Conn
	folded map[string]bool
}

// New shows the past of a log's read models.
func New(db *pgxpool.Pool, store *eventstore.Store) *Pasts {
	return &Pasts{db: db, store: store, book: bookOf(projections.All()), most: usual}
}

// At lets see read the database as it was at a position of the log, which must have been reached.
func (p *Pasts) At(ctx context.Context, at eventstore.Position, see func(ctx context.Context, db *DB) error) error {
	m := p.take(at)
	if m == nil {
		return ErrBusy
	}
	defer p.leave(m)
	return standin.InTurn(ctx, m.turn, within, ErrBusy, func(ctx context.Context) error {
		err := p.look(ctx, m, see)
		if m.conn != nil && m.conn.IsClosed() {
			m.conn = nil // its tables ended with it
		}
		return err
	})
}

func (p *Pasts) look(ctx context.Context, m *moment, see func(ctx context.Context, db *DB) error) error {
	if m.conn == nil {
		borrowed, err := p.db.Acquire(ctx)
		if err != nil {
			return fmt.Errorf("connect for a look at the past: %w", err)
		}
		// The connection is not given back: its tables and what it prepared are the moment's.
		m.conn, m.folded = borrowed.Hijack(), map[string]bool{}
		if _, err := m.conn.Exec(ctx, bounds, pgx.QueryExecModeSimpleProtocol); err != nil {
			return fmt.Errorf("bound a look at the past: %w", err)
		}
	}
	return see(ctx, &DB{p, m})
}

// take is the moment of a position, kept from before or new; nil: as many as may be are in use.
func (p *Pasts) take(at eventstore.Position) *moment {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.moments, func(m *moment) bool { return m.at == at })
	if i < 0 && len(p.moments) == kept {
		unused := slices.IndexFunc(p.moments, func(m *moment) bool { return m.looks == 0 })
		if unused < 0 {
			return nil
		}
		p.drop(unused)
	}
	m := &moment{at: at, turn: make(chan struct{}, 1)}
	if i >= 0 {
		m = p.moments[i]
		p.moments = slices.Delete(p.moments, i, i+1)
	}
	p.moments = append(p.moments, m)
	m.looks++
	return m
}

// leave ends a look. The moment goes when nobody looks at it for long.
func (p *Pasts) leave(m *moment) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.looks--; m.idle == nil {
		m.idle = time.AfterFunc(keptFor, func() { p.expire(m) })
		return
	}
	m.idle.Reset(keptFor)
}

// expire drops a moment that nobody looked at for long.
func (p *Pasts) expire(m *moment) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.moments, m); i >= 0 && m.looks == 0 {
		p.drop(i)
	}
}

// Close drops all moments that nobody looks at.
func (p *Pasts) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := len(p.moments) - 1; i >= 0; i-- {
		if p.moments[i].looks == 0 {
			p.drop(i)
		}
	}
}

// drop ends a moment that nobody looks at, with its connection and its tables. The caller holds the lock.
func (p *Pasts) drop(i int) {
	if idle := p.moments[i].idle; idle != nil {
		idle.Stop()
	}
	if conn := p.moments[i].conn; conn != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		conn.Close(ctx) // an idle connection: it says goodbye and does not wait
	}
	p.moments = slices.Delete(p.moments, i, i+1)
}
