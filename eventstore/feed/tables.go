package feed

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/eventstore"
)

// tables are the Checkpoints in the PostgreSQL database of the log.
type tables struct {
	store *eventstore.Store
	pool  *pgxpool.Pool
}

const (
	// Neither statement locks a row that is already as it should be: a process that starts would wait for the transactions
	// of all others while it holds what it had locked before, and they could wait for that with their last connection.
	makeCheckpoints = `INSERT INTO eventstore.checkpoints (consumer, range, types, edition)
		SELECT u.consumer, r, string_to_array(u.types, ','), u.edition
		FROM unnest($1::text[], $2::text[], $4::text[]) AS u (consumer, types, edition), generate_series(0, $3 - 1) r
		WHERE NOT EXISTS (SELECT FROM eventstore.checkpoints c WHERE c.consumer = u.consumer AND c.range = r)
		ON CONFLICT (consumer, range) DO NOTHING`
	outdatedTypes = `SELECT DISTINCT u.consumer, u.types, u.edition
		FROM unnest($1::text[], $2::text[], $3::text[]) AS u (consumer, types, edition)
		JOIN eventstore.checkpoints c ON c.consumer = u.consumer
		WHERE c.types <> string_to_array(u.types, ',') AND (c.edition = '' OR u.edition IN ('', c.edition))`
	setTypes = `UPDATE eventstore.checkpoints c SET types = string_to_array($2, ',')
		WHERE c.consumer = $1 AND c.types <> string_to_array($2, ',') AND (c.edition = '' OR $3 IN ('', c.edition))`
	lowerRevisions = `SELECT DISTINCT u.consumer, u.edition FROM unnest($1::text[], $2::text[], $3::int[]) AS u (consumer, edition, revision)
		JOIN eventstore.checkpoints c ON c.consumer = u.consumer
		WHERE u.revision > 0 AND (c.edition = '' OR c.edition ~ '^r[0-9]+$' AND substr(c.edition, 2)::int < u.revision)`
	raiseRevision = `WITH lower AS (
			SELECT consumer, range FROM eventstore.checkpoints
			WHERE consumer = $1 AND (edition = '' OR edition ~ '^r[0-9]+$' AND substr(edition, 2)::int < substr($2, 2)::int) ORDER BY range FOR UPDATE),
		raised AS (UPDATE eventstore.checkpoints c SET edition = $2, term = term + 1, holder = NULL, updated_at = now() FROM lower
			WHERE c.consumer = lower.consumer AND c.range = lower.range RETURNING c.range)
		SELECT pg_notify($3, $1) FROM raised LIMIT 1`
	readCheckpoints = `SELECT consumer, range, position, term, paused, edition, coalesce(holder, '') FROM eventstore.checkpoints WHERE consumer = ANY ($1)`
	readParked      = `SELECT consumer, range, stream, bool_or(retry) FROM eventstore.dead_letters
		WHERE consumer = ANY ($1) AND skipped_at IS NULL GROUP BY consumer, range, stream`
)

func (t *tables) Declare(ctx context.Context, consumers []Declaration) error {
	var names, types, editions []string
	var revisions []int
	for _, d := range consumers {
		revisions = append(revisions, d.Revision)
		names, types, editions = append(names, d.Consumer), append(types, strings.Join(d.Types, ",")), append(editions, d.Edition)
	}
	if _, err := t.pool.Exec(ctx, makeCheckpoints, names, types, eventstore.Ranges, editions); err != nil {
		return fmt.Errorf("make checkpoints: %w", err)
	}
	if err := t.raiseRevisions(ctx, names, editions, revisions); err != nil {
		return fmt.Errorf("take over consumers of a lower revision: %w", err)
	}
	if err := t.updateTypes(ctx, names, types, editions); err != nil {
		return fmt.Errorf("store the types that consumers want: %w", err)
	}
	return nil
}

// raiseRevisions takes consumers from processes of a lower revision, one after the other.
func (t *tables) raiseRevisions(ctx context.Context, consumers, editions []string, revisions []int) error {
	rows, err := t.pool.Query(ctx, lowerRevisions, consumers, editions, revisions)
	if err != nil {
		return err
	}
	lower, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c [2]string, err error) { return c, row.Scan(&c[0], &c[1]) })
	if err != nil {
		return err
	}
	for _, c := range lower {
		if _, err := t.pool.Exec(ctx, raiseRevision, c[0], c[1], channelControl); err != nil {
			return err
		}
	}
	return nil
}

// updateTypes writes down what consumers want now where a former version wanted something else, one consumer after the
// other, so that it holds the rows of one alone while it waits.
func (t *tables) updateTypes(ctx context.Context, consumers, types, editions []string) error {
	rows, err := t.pool.Query(ctx, outdatedTypes, consumers, types, editions)
	if err != nil {
		return err
	}
	outdated, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c [3]string, err error) {
		return c, row.Scan(&c[0], &c[1], &c[2])
	})
	if err != nil {
		return err
	}
	for _, c := range outdated {
		if _, err := t.pool.Exec(ctx, setTypes, c[0], c[1], c[2]); err != nil {
			return err
		}
	}
	return nil
}

func (t *tables) Read(ctx context.Context, consumers []string) (map[Place]Standing, error) {
	standings := map[Place]Standing{}
	batch := &pgx.Batch{}
	batch.Queue(readCheckpoints, consumers).Query(func(rows pgx.Rows) error {
		var at Place
		var s Standing
		_, err := pgx.ForEachRow(rows, []any{&at.Consumer, &at.Range, &s.Position, &s.Term, &s.Paused, &s.Edition, &s.Holder}, func() error {
			s.Parked = map[string]bool{}
			standings[at] = s
			return nil
		})
		return err
	})
	batch.Queue(readParked, consumers).Query(func(rows pgx.Rows) error {
		var at Place
		var stream string
		var retry bool
		_, err := pgx.ForEachRow(rows, []any{&at.Consumer, &at.Range, &stream, &retry}, func() error {
			if s, ok := standings[at]; ok {
				s.Parked[stream] = true
				s.Retry = s.Retry || retry
				standings[at] = s
			}
			return nil
		})
		return err
	})
	if err := t.pool.SendBatch(ctx, batch).Close(); err != nil {
		return nil, fmt.Errorf("read checkpoints: %w", err)
	}
	return standings, nil
}

const (
	// moveCheckpoint is the compare-and-set that makes handling exactly once. It comes first in the transaction: its row
	// lock keeps a second process from doing the same work only to throw it away.
	moveCheckpoint = `UPDATE eventstore.checkpoints SET position = $1, rate = $2, updated_at = now()
		WHERE consumer = $3 AND range = $4 AND position = $5 AND term = $6 AND NOT paused`

	// moveCheckpoints is moveCheckpoint for several ranges, locked in the order of the ranges.
	moveCheckpoints = `WITH held AS (
			SELECT c.range, u.upto, u.rate FROM eventstore.checkpoints c
			JOIN unnest($2::int[], $3::bigint[], $4::bigint[], $5::bigint[], $6::real[]) AS u (range, saved, term, upto, rate) ON c.range = u.range
			WHERE c.consumer = $1 AND c.position = u.saved AND c.term = u.term AND NOT c.paused ORDER BY c.range FOR UPDATE OF c)
		UPDATE eventstore.checkpoints c SET position = held.upto, rate = held.rate, updated_at = now() FROM held WHERE c.consumer = $1 AND c.range = held.range`

	// saveCheckpoints locks the ranges in their order, as Control.Hold does: in another one the two could wait for each
	// other.
	saveCheckpoints = `WITH held AS (
			SELECT c.consumer, c.range, u.position, u.rate FROM eventstore.checkpoints c
			JOIN unnest($1::text[], $2::int[], $3::bigint[], $4::bigint[], $5::bigint[], $6::real[]) AS u (consumer, range, saved, term, position, rate)
				ON c.consumer = u.consumer AND c.range = u.range
			WHERE c.position = u.saved AND c.term = u.term ORDER BY c.consumer, c.range FOR UPDATE OF c)
		UPDATE eventstore.checkpoints c SET position = held.position, rate = held.rate, updated_at = now()
		FROM held WHERE c.consumer = held.consumer AND c.range = held.range
		RETURNING c.consumer, c.range`
)

// moveColumns are moves as arrays for unnest.
type moveColumns struct {
	names           []string
	ranges          []int
	from, terms, to []int64
	rates           []float32
}

func columnsOf(moves []Move) (c moveColumns) {
	for _, m := range moves {
		c.names, c.ranges = append(c.names, m.Consumer), append(c.ranges, m.Range)
		c.from, c.terms, c.to = append(c.from, int64(m.From)), append(c.terms, m.Term), append(c.to, int64(m.To))
		c.rates = append(c.rates, m.Rate)
	}
	return c
}

// Transact does not wait for the disk: the checkpoint and what the work wrote are lost or kept together, and what a crash
// takes is handled again.
func (t *tables) Transact(ctx context.Context, moves []Move, work func(ctx context.Context, tx Tx) error) error {
	var moved int64
	count := func(tag pgconn.CommandTag) error {
		moved = tag.RowsAffected()
		return nil
	}
	begin := &pgx.Batch{}
	begin.BeginTx(pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	begin.Queue("SET LOCAL synchronous_commit = off")
	if m := moves[0]; len(moves) == 1 {
		begin.Queue(moveCheckpoint, int64(m.To), m.Rate, m.Consumer, m.Range, int64(m.From), m.Term).Exec(count)
	} else {
		c := columnsOf(moves)
		begin.Queue(moveCheckpoints, m.Consumer, c.ranges, c.from, c.terms, c.to, c.rates).Exec(count)
	}
	conn, err := t.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	results := conn.SendBatch(ctx, begin)
	tx := results.Tx()
	defer undo(ctx, tx)
	if err := results.Close(); err != nil {
		return err
	}
	if moved != int64(len(moves)) {
		return ErrMoved
	}
	if err := work(ctx, pgTx{tx}); err != nil {
		return ofEvent(tx, err)
	}
	return tx.Commit(ctx)
}

func (t *tables) Save(ctx context.Context, moves []Move) (saved []Place, err error) {
	c := columnsOf(moves)
	err = pgx.BeginFunc(ctx, t.pool, func(tx pgx.Tx) error {
		batch := &pgx.Batch{}
		batch.Queue("SET LOCAL synchronous_commit = off")
		batch.Queue(saveCheckpoints, c.names, c.ranges, c.from, c.terms, c.to, c.rates).Query(func(rows pgx.Rows) (err error) {
			saved, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Place])
			return err
		})
		return tx.SendBatch(ctx, batch).Close()
	})
	return saved, err
}

func (t *tables) Retries(ctx context.Context, at Place, limit int) ([]eventstore.Position, error) {
	rows, err := t.pool.Query(ctx, `SELECT d.position FROM eventstore.dead_letters d WHERE d.consumer = $1 AND d.range = $2 AND d.skipped_at IS NULL
		AND d.stream IN (SELECT r.stream FROM eventstore.dead_letters r
			WHERE r.consumer = $1 AND r.range = $2 AND r.retry AND r.skipped_at IS NULL)
		ORDER BY d.position LIMIT $3`, at.Consumer, at.Range, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[eventstore.Position])
}

func (t *tables) Reached(ctx context.Context, consumer string, p eventstore.Position) (reached, paused bool, err error) {
	const ask = `SELECT count(*), coalesce(bool_or(c.paused), false), count(*) FILTER (WHERE c.position < $2 AND EXISTS (
			SELECT FROM eventstore.events e WHERE e.position > c.position AND e.position <= $2 AND e.slice / $3 = c.range
			AND (cardinality(c.types) = 0 OR e.type = ANY (c.types)))),
			-- A replica may lack the end of the log, and what is not there yet is not handled.
			coalesce(max(c.position), 0) >= $2 OR EXISTS (SELECT FROM eventstore.events e WHERE e.position >= $2)
		FROM eventstore.checkpoints c WHERE c.consumer = $1`
	var ranges, open int
	var visible bool
	if err := t.pool.QueryRow(ctx, ask, consumer, int64(p), eventstore.Slices/eventstore.Ranges).Scan(&ranges, &paused, &open, &visible); err != nil {
		return false, false, fmt.Errorf("wait for %s: %w", consumer, err)
	}
	if ranges == 0 {
		return false, false, &UnknownConsumer{Name: consumer}
	}
	return open == 0 && visible, paused, nil
}

// Transient: see eventstore.Transient.
func (t *tables) Transient(err error) bool { return eventstore.Transient(err) }
