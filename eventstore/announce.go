package eventstore

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Channels of LISTEN and NOTIFY. Whoever listens for this process hands what it hears to Store.Hear.
const (
	// ChannelAppended says that the log has grown; its payload names the store that appended.
	ChannelAppended = "eventstore_appended"
	// ChannelErased says that a person's key is gone; its payload is the person.
	ChannelErased = "eventstore_erased"
)

// Hear takes in a notification of one of the store's channels; others do nothing.
func (s *Store) Hear(channel, payload string) {
	switch channel {
	case ChannelAppended:
		if payload != s.id { // what this store appended, its readers know
			s.grown.Wake()
		}
	case ChannelErased:
		if person, err := uuid.Parse(payload); err == nil {
			s.forgetPerson(person)
		}
	}
}

// Grown wakes when the log may have grown: after each append of this store, and when another one is heard of.
func (s *Store) Grown() (grown <-chan struct{}, stop func()) { return s.grown.Listen() }

// Erased wakes when a person was erased: what was read of them before must be forgotten.
func (s *Store) Erased() (erased <-chan struct{}, stop func()) { return s.erased.Listen() }

// Erasures counts the erasures this process knows of, each before Erased wakes. Events read while it changed may hold
// personal fields that must be forgotten.
func (s *Store) Erasures() int64 { return s.keys.erasures.Count() }

// ErasedSince names the persons erased since Erasures was count, and answers what it is now; all: anybody may have been erased.
func (s *Store) ErasedSince(count int64) (persons []uuid.UUID, now int64, all bool) {
	return s.keys.erasures.Since(count)
}

// announceEvery is the least pause between two notifications: many appends share one.
const announceEvery = 5 * time.Millisecond

// announce tells other processes of commits. It has a connection of its own, because a NOTIFY in the append's
// transaction would take a lock of the whole cluster at commit; without a flush, because a lost one costs a poll.
func (s *Store) announce(ctx context.Context) {
	var conn *pgx.Conn
	defer func() {
		if conn != nil {
			CloseAside(conn)
		}
	}()
	grown, stop := s.appended.Listen()
	defer stop()
	pause := time.NewTimer(announceEvery)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-grown:
		}
		if conn == nil || conn.IsClosed() {
			var err error
			if conn, err = s.ConnectAside(ctx, "SET synchronous_commit = off"); err != nil {
				conn = nil
			}
		}
		if conn != nil {
			// A failure closes the connection; readers poll until the next connection.
			if _, err := conn.Exec(ctx, "SELECT pg_notify($1, $2)", ChannelAppended, s.id); err != nil {
				CloseAside(conn)
				conn = nil
			}
		}
		pause.Reset(announceEvery)
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
	}
}

// ConnectAside opens a connection outside the pool, for work that must not wait for a busy pool, and prepares it.
func (s *Store) ConnectAside(ctx context.Context, setup string) (*pgx.Conn, error) {
	conn, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig.Copy())
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, setup); err != nil {
		CloseAside(conn)
		return nil, err
	}
	return conn, nil
}

// CloseAside ends such a connection. It tells the server, but waits a second at most.
func CloseAside(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Close(ctx) // it is of no more use either way
}
