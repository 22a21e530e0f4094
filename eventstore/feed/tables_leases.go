package feed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"shop/eventstore"
)

// Channels of LISTEN and NOTIFY, beside those of the log.
const (
	// channelControl says that an operator changed a consumer; its payload is the consumer's name.
	channelControl = "eventstore_control"
	// channelLeases says that shares of the work became free.
	channelLeases = "eventstore_leases"
	// channelMoved says how far checkpoints have come; its payload is who tells, and lines of JSON.
	channelMoved = "eventstore_moved"
)

const (
	// renew is one row for all that a process holds.
	renew = `INSERT INTO eventstore.processes AS p (holder, roles, consumers, started_at, seen_at, until)
		SELECT $1, $2, $3, t, t, t + $4::interval FROM clock_timestamp() t
		ON CONFLICT (holder) DO UPDATE SET seen_at = excluded.seen_at, until = excluded.until, consumers = excluded.consumers`
	readProcesses = `SELECT holder, consumers, extract(epoch FROM until - clock_timestamp())::float8 FROM eventstore.processes ORDER BY started_at, holder`
	// forgetExpiredHolders forgets processes that ended without a word.
	forgetExpiredHolders = `DELETE FROM eventstore.processes WHERE until < clock_timestamp() - interval '1 minute'`
	readShares           = `SELECT consumer, range::int, coalesce(holder, '') FROM eventstore.checkpoints
		UNION ALL SELECT name, -1, coalesce(holder, '') FROM eventstore.leases`
	makeLeases = `INSERT INTO eventstore.leases (name) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING`

	silent = `NOT EXISTS (SELECT FROM eventstore.processes p WHERE p.holder = k.holder AND p.until > clock_timestamp())`
	// takeRanges and takeLeases pass over rows that somebody is writing: the next look finds them, or free them.
	takeRanges = `UPDATE eventstore.checkpoints c SET holder = $1, term = c.term + 1
		FROM (SELECT k.consumer, k.range, k.holder FROM eventstore.checkpoints k
			JOIN unnest($2::text[], $3::int[]) AS u (consumer, range) ON u.consumer = k.consumer AND u.range = k.range
			WHERE ` + silent + ` ORDER BY k.consumer, k.range FOR UPDATE OF k SKIP LOCKED) free
		WHERE c.consumer = free.consumer AND c.range = free.range
		RETURNING c.consumer, c.range::int, coalesce(free.holder, '')`
	takeLeases = `UPDATE eventstore.leases c SET holder = $1, term = c.term + 1
		FROM (SELECT k.name, k.holder FROM eventstore.leases k
			WHERE k.name = ANY ($2) AND ` + silent + ` ORDER BY k.name FOR UPDATE OF k SKIP LOCKED) free
		WHERE c.name = free.name RETURNING c.name, -1, coalesce(free.holder, '')`
	// breakLocks ends the transactions that keep the ranges of silent holders locked: those of a process that was stopped
	// in the middle, whose connections nothing else would end. Only such that wait for their client are meant.
	breakLocks = `SELECT count(pg_terminate_backend(a.pid)) FROM eventstore.checkpoints k JOIN pg_stat_activity a ON a.backend_xid = k.xmax
		JOIN unnest($1::text[], $2::int[]) AS u (consumer, range) ON u.consumer = k.consumer AND u.range = k.range
		WHERE k.holder IS NOT NULL AND ` + silent + ` AND a.wait_event = 'ClientRead' AND a.state_change < clock_timestamp() - $3::interval / 2`

	freeLease = `WITH freed AS (UPDATE eventstore.leases SET holder = NULL WHERE name = $1 AND holder = $2 RETURNING 1)
		SELECT pg_notify($3, '') FROM freed`
	freeRange = `WITH freed AS (UPDATE eventstore.checkpoints SET holder = NULL, position = $1, updated_at = now()
			WHERE consumer = $2 AND range = $3 AND position = $4 AND term = $5 AND holder = $6 RETURNING 1)
		SELECT count(*), (SELECT pg_notify($7, '') FROM freed)::text FROM freed`
	leave = `WITH gone AS (DELETE FROM eventstore.processes WHERE holder = $1),
		ranges AS (UPDATE eventstore.checkpoints c SET holder = NULL
			FROM (SELECT consumer, range FROM eventstore.checkpoints WHERE holder = $1 FOR UPDATE SKIP LOCKED) mine
			WHERE c.consumer = mine.consumer AND c.range = mine.range RETURNING 1),
		leases AS (UPDATE eventstore.leases SET holder = NULL WHERE holder = $1 RETURNING 1),
		freed AS (SELECT count(*) AS n FROM (SELECT FROM ranges UNION ALL SELECT FROM leases) f)
		SELECT n, CASE WHEN n > 0 THEN pg_notify($2, '')::text END FROM freed`
)

func (t *tables) Release(ctx context.Context, holder string, m Move) (bool, error) {
	var freed int
	err := t.pool.QueryRow(ctx, freeRange, int64(m.To), m.Consumer, m.Range, int64(m.From), m.Term, holder, channelLeases).Scan(&freed, nil)
	return freed > 0, err
}

func (t *tables) Leave(ctx context.Context, holder string) (leases int, err error) {
	err = t.pool.QueryRow(ctx, leave, holder, channelLeases).Scan(&leases, nil)
	return leases, err
}

// Listen hears for the log too, so that a process needs one connection for both.
func (t *tables) Listen(ctx context.Context, holder string, hear func(Signal)) error {
	channels := []string{eventstore.ChannelAppended, channelControl, eventstore.ChannelErased, channelLeases, channelMoved}
	conn, err := t.store.ConnectAside(ctx, "LISTEN "+strings.Join(channels, "; LISTEN "))
	if err != nil {
		return err
	}
	defer eventstore.CloseAside(conn)
	// An erasure may have gone unheard.
	t.store.ReadKeysAnew()
	hear(Signal{Kind: Connected})
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		switch n.Channel {
		case channelControl:
			hear(Signal{Kind: Changed})
		case channelLeases:
			hear(Signal{Kind: Freed})
		case channelMoved:
			if from, moved, _ := strings.Cut(n.Payload, "\n"); from != holder {
				hear(Signal{Kind: Progressed, Moved: progressOf(moved)})
			}
		default:
			t.store.Hear(n.Channel, n.Payload)
		}
	}
}

// progressOf reads lines of JSON, up to the first that is none.
func progressOf(lines string) (moved []Progress) {
	for decoder := json.NewDecoder(strings.NewReader(lines)); ; {
		var m Progress
		if err := decoder.Decode(&m); err != nil {
			return moved
		}
		moved = append(moved, m)
	}
}

// Join opens a connection beside the pool.
func (t *tables) Join(ctx context.Context) (Session, error) {
	conn, err := t.store.ConnectAside(ctx, "SET synchronous_commit = off")
	if err != nil {
		return nil, err
	}
	return session{conn}, nil
}

// session is the connection that keeps the leases of a process.
type session struct{ conn *pgx.Conn }

func (s session) Close() { eventstore.CloseAside(s.conn) }

func (s session) Renew(ctx context.Context, m Member) (View, error) {
	var v View
	batch := &pgx.Batch{}
	if len(m.Jobs) > 0 {
		batch.Queue(makeLeases, m.Jobs)
	}
	batch.Queue(renew, m.Holder, orNone(m.Roles), m.Can, m.Lease)
	if m.New {
		batch.Queue("SELECT pg_notify($1, '')", channelLeases)
	}
	batch.Queue(readProcesses).Query(func(rows pgx.Rows) error {
		var p LiveProcess
		var left float64
		_, err := pgx.ForEachRow(rows, []any{&p.Holder, &p.Can, &left}, func() error {
			if left <= 0 {
				v.Forgotten = v.Forgotten || left < -60
				return nil
			}
			v.Live = append(v.Live, LiveProcess{Holder: p.Holder, Can: slices.Clone(p.Can), Left: time.Duration(left * float64(time.Second))})
			return nil
		})
		return err
	})
	batch.Queue(readShares).Query(func(rows pgx.Rows) (err error) {
		v.Shares, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Share])
		return err
	})
	if err := s.conn.SendBatch(ctx, batch).Close(); err != nil {
		return View{}, fmt.Errorf("renew leases: %w", err)
	}
	return v, nil
}

func (s session) Take(ctx context.Context, holder string, shares []Share, lease time.Duration) (taken Taken, err error) {
	var names, jobs []string
	var ranges []int32
	for _, share := range shares {
		if share.Number == JobShare {
			jobs = append(jobs, share.Name)
		} else {
			names, ranges = append(names, share.Name), append(ranges, int32(share.Number))
		}
	}
	note := func(rows pgx.Rows) error {
		got, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Share])
		taken.Shares = append(taken.Shares, got...)
		return err
	}
	batch := &pgx.Batch{}
	if len(names) > 0 {
		batch.Queue(takeRanges, holder, names, ranges).Query(note)
	}
	if len(jobs) > 0 {
		batch.Queue(takeLeases, holder, jobs).Query(note)
	}
	if err := s.conn.SendBatch(ctx, batch).Close(); err != nil {
		return Taken{}, fmt.Errorf("take leases: %w", err)
	}
	if len(taken.Shares) == len(shares) {
		return taken, nil
	}
	if err := s.conn.QueryRow(ctx, breakLocks, names, ranges, lease).Scan(&taken.Ended); err != nil {
		var pg *pgconn.PgError
		if errors.As(err, &pg) && pg.Code == "42501" { // the other process connects as somebody else; its locks end with its connections
			return taken, nil
		}
		return taken, fmt.Errorf("break locks: %w", err)
	}
	return taken, nil
}

func (s session) Free(ctx context.Context, job, holder string) error {
	_, err := s.conn.Exec(ctx, freeLease, job, holder, channelLeases)
	return err
}

func (s session) Forget(ctx context.Context) error {
	if _, err := s.conn.Exec(ctx, forgetExpiredHolders); err != nil {
		return fmt.Errorf("forget processes: %w", err)
	}
	return nil
}

// Publish saves other processes from asking the database.
func (s session) Publish(ctx context.Context, holder string, moved []Progress) error {
	const most = 7900 // bytes of a notification, less than the server takes
	batch := &pgx.Batch{}
	var payload strings.Builder
	send := func() {
		batch.Queue("SELECT pg_notify($1, $2)", channelMoved, holder+"\n"+payload.String())
		payload.Reset()
	}
	for _, m := range moved {
		line, err := json.Marshal(m)
		if err != nil {
			return fmt.Errorf("tell of checkpoints: %w", err)
		}
		if payload.Len()+len(line)+64 > most {
			send()
		}
		payload.Write(line)
	}
	send()
	if err := s.conn.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("tell of checkpoints: %w", err)
	}
	return nil
}
