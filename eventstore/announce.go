package eventstore

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Channels of LISTEN and NOTIFY.
const (
	// channelAppended says that the log has grown; its payload names the store that appended.
	channelAppended = "eventstore_appended"
	// channelControl says that an operator changed a consumer; its payload is the consumer's name.
	channelControl = "eventstore_control"
	// channelLeases says that shares of the work became free.
	channelLeases = "eventstore_leases"
	// channelMoved says how far checkpoints have come; its payload is who tells, and lines of JSON.
	channelMoved = "eventstore_moved"
	// channelErased says that a person's key is gone; its payload is the person.
	channelErased = "eventstore_erased"
)

// announceEvery is the least pause between two notifications: many appends share one.
const announceEvery = 5 * time.Millisecond

// announce tells other processes of commits. It has a connection of its own, because a NOTIFY in the append's
// transaction would take a lock of the whole cluster at commit; without a flush, because a lost one costs a poll.
func (s *Store) announce(ctx context.Context) {
	var conn *pgx.Conn
	defer func() {
		if conn != nil {
			closeConn(conn)
		}
	}()
	grown, deaf := s.appended.listen()
	defer deaf()
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
			if conn, err = connectAside(ctx, s.pool.Config().ConnConfig, "SET synchronous_commit = off"); err != nil {
				conn = nil
			}
		}
		if conn != nil {
			// A failure closes the connection; readers poll until the next one stands.
			if _, err := conn.Exec(ctx, "SELECT pg_notify($1, $2)", channelAppended, s.id); err != nil {
				closeConn(conn)
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

// connectAside opens a connection outside the pool and prepares it.
func connectAside(ctx context.Context, config *pgx.ConnConfig, setup string) (*pgx.Conn, error) {
	conn, err := pgx.ConnectConfig(ctx, config.Copy())
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, setup); err != nil {
		closeConn(conn)
		return nil, err
	}
	return conn, nil
}

// closeConn says goodbye to the server, but not for long.
func closeConn(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Close(ctx) // it is of no more use either way
}
