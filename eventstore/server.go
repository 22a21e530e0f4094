package eventstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Server holds a process to one history of the log. What a process has in memory (heads, recent events, states that
// commands decide by, keys) belongs to the server it was read from; another server may lack the end of that log and give
// its positions out again.
//
//	what happens                          what a process sees
//	a standby is promoted                 another timeline
//	a backup is restored                  another system identifier or timeline, or events it knows are not there
//	an address leads to a standby         a connection that is refused; another attempt may find the primary
//
// The first server seen is the one. A connection cannot outlive its server, and each new one of a pool prepared by Guard is
// checked before its first use: nothing from memory reaches another server.
type Server struct {
	mu sync.Mutex
	is identity
	// seen is the last event that was visible, acknowledged the highest position of an append that was answered.
	seen         known
	acknowledged Position
	err          *ServerChanged
	changed      chan struct{}
}

// identity is the system identifier and the timeline of a server.
type identity struct{ system, timeline int64 }

// known is an event by its place and id.
type known struct {
	position Position
	id       uuid.UUID
}

// memory is what a process knows of the log before it asks a server.
type memory struct {
	seen         known
	acknowledged Position
}

// NewServer is a process's, before its first connection.
func NewServer() *Server { return &Server{changed: make(chan struct{})} }

// ServerChanged: a connection leads to another server than before, or to one that lacks events this process knows.
// Whoever gets it should end the process; a new one begins with an empty memory.
type ServerChanged struct {
	System, Timeline       int64
	WasSystem, WasTimeline int64
	Known, Last            Position
	// Lost: events this process knew are not in the log, among them those it may have confirmed.
	Lost bool
}

func (e *ServerChanged) Error() string {
	var b strings.Builder
	switch {
	case e.System != e.WasSystem:
		fmt.Fprintf(&b, "PostgreSQL is another server now: system identifier %d, before %d", e.System, e.WasSystem)
	case e.Timeline != e.WasTimeline:
		fmt.Fprintf(&b, "PostgreSQL was promoted or restored: timeline %d, before %d", e.Timeline, e.WasTimeline)
	default:
		b.WriteString("PostgreSQL went back to an older state")
	}
	if e.Lost {
		fmt.Fprintf(&b, "; ACKNOWLEDGED EVENTS ARE LOST: this process knew the log up to position %d, which is not there; the log ends at %d now", e.Known, e.Last)
	} else {
		fmt.Fprintf(&b, "; all that this process knew, up to position %d, is there", e.Known)
	}
	b.WriteString("; this process ends, because its memory belongs to the former server: start it again")
	return b.String()
}

// Changed is closed when a connection led elsewhere; Err says where.
func (v *Server) Changed() <-chan struct{} { return v.changed }

// Err is a *ServerChanged once Changed is closed; nil before.
func (v *Server) Err() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.err == nil {
		return nil
	}
	return v.err
}

// memory is taken before a server is asked: what was visible then is visible in the answer.
func (v *Server) memory() memory {
	v.mu.Lock()
	defer v.mu.Unlock()
	return memory{v.seen, v.acknowledged}
}

// found is what a server answers.
type found struct {
	identity
	last known
	// there is the event at the place that memory names; zero: none.
	there uuid.UUID
}

// check compares an answer with the memory from before the question.
func (v *Server) check(before memory, f found) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.err != nil {
		return v.err
	}
	if v.is == (identity{}) {
		v.is = f.identity
	}
	end := max(before.seen.position, before.acknowledged)
	lost := f.last.position < end || f.there != before.seen.id
	if lost || f.identity != v.is {
		v.err = &ServerChanged{
			System: f.system, Timeline: f.timeline, WasSystem: v.is.system, WasTimeline: v.is.timeline,
			Known: end, Last: f.last.position, Lost: lost,
		}
		close(v.changed)
		return v.err
	}
	if f.last.position > v.seen.position {
		v.seen = f.last
	}
	return nil
}

// acknowledge takes note of an append before its caller is answered.
func (v *Server) acknowledge(p Position) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.acknowledged = max(v.acknowledged, p)
}

// highest is the last position among answers; 0: nothing was written.
func highest(answers []answer) (p Position) {
	for _, a := range answers {
		p = max(p, a.appended.Position)
	}
	return p
}

// Guard has each connection of a pool checked, before the pool is made. The database must be migrated.
func (v *Server) Guard(c *pgxpool.Config) {
	next := c.ConnConfig.AfterConnect
	c.ConnConfig.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		if next != nil {
			if err := next(ctx, conn); err != nil {
				return err
			}
		}
		before := v.memory()
		f, err := ask(ctx, conn, before.seen.position)
		if err != nil {
			return fmt.Errorf("ask PostgreSQL which server it is: %w", err)
		}
		return v.check(before, f)
	}
}

// ask reads a server's identity, the end of its log, and the event at a position.
func ask(ctx context.Context, conn *pgconn.PgConn, at Position) (f found, err error) {
	results, err := conn.Exec(ctx, `SELECT s.system, s.timeline, l.position, l.id, (SELECT e.id FROM eventstore.events e WHERE e.position = `+
		strconv.FormatInt(int64(at), 10)+`)
		FROM eventstore.server() s LEFT JOIN (SELECT e.position, e.id FROM eventstore.events e ORDER BY e.position DESC LIMIT 1) l ON true`).ReadAll()
	if err != nil {
		return found{}, err
	}
	if len(results) != 1 || len(results[0].Rows) != 1 || len(results[0].Rows[0]) != 5 {
		return found{}, errors.New("unexpected answer")
	}
	row := results[0].Rows[0]
	number := func(text []byte) int64 {
		if text == nil {
			return 0
		}
		n, bad := strconv.ParseInt(string(text), 10, 64)
		err = errors.Join(err, bad)
		return n
	}
	id := func(text []byte) uuid.UUID {
		if text == nil {
			return uuid.Nil
		}
		parsed, bad := uuid.ParseBytes(text)
		err = errors.Join(err, bad)
		return parsed
	}
	f = found{
		identity: identity{system: number(row[0]), timeline: number(row[1])},
		last:     known{position: Position(number(row[2])), id: id(row[3])},
		there:    id(row[4]),
	}
	return f, err
}
