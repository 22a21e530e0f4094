package feed

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/eventstore"
)

// pgTx is a transaction of tables, or a savepoint in one.
type pgTx struct{ pgx.Tx }

// native is the PostgreSQL transaction that a consumer's Handle gets.
func native(tx Tx) pgx.Tx {
	pg, ok := tx.(pgTx)
	if !ok {
		panic("a consumer with Handle needs Checkpoints in PostgreSQL; for others it has HandleIn")
	}
	return pg.Tx
}

// undo rolls back. After a commit it does nothing; otherwise it must happen even though ctx may have ended.
func undo(ctx context.Context, tx pgx.Tx) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = tx.Rollback(ctx)
}

// ofEvent is an error of a handler. With a closed connection it is not the event's fault, whatever the handler made of it.
func ofEvent(tx pgx.Tx, err error) error {
	if err != nil && tx.Conn().IsClosed() {
		return eventstore.Lost(err)
	}
	return err
}

// Attempt is behind a savepoint.
func (t pgTx) Attempt(ctx context.Context, work func(ctx context.Context, tx Tx) error) error {
	savepoint, err := t.Begin(ctx)
	if err != nil {
		return ofEvent(t, err)
	}
	if err := work(ctx, pgTx{savepoint}); err != nil {
		if back := savepoint.Rollback(ctx); back != nil {
			return ofEvent(t, back)
		}
		return ofEvent(t, err)
	}
	// A deferred constraint or a swallowed error shows here.
	if err := savepoint.Commit(ctx); err != nil {
		_ = savepoint.Rollback(ctx)
		return ofEvent(t, err)
	}
	return nil
}

// Parked runs after the checkpoint's row is locked, and so sees every skip.
func (t pgTx) Parked(ctx context.Context, at Place) ([]string, error) {
	rows, err := t.Query(ctx, `SELECT DISTINCT stream FROM eventstore.dead_letters WHERE consumer = $1 AND range = $2 AND skipped_at IS NULL`, at.Consumer, at.Range)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// StillParked runs after the checkpoint's row is locked, as Parked does.
func (t pgTx) StillParked(ctx context.Context, at Place, positions []eventstore.Position) ([]eventstore.Position, error) {
	rows, err := t.Query(ctx, `SELECT position FROM eventstore.dead_letters
		WHERE consumer = $1 AND range = $2 AND position = ANY ($3) AND skipped_at IS NULL`, at.Consumer, at.Range, positions)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[eventstore.Position])
}

func (t pgTx) Park(ctx context.Context, at Place, letters []Letter) error {
	c := letterColumnsOf(letters)
	_, err := t.Exec(ctx, `INSERT INTO eventstore.dead_letters (consumer, range, position, stream, error)
		SELECT $1, $2, u.position, u.stream, u.error FROM unnest($3::bigint[], $4::text[], $5::text[]) AS u (position, stream, error)`,
		at.Consumer, at.Range, c.positions, c.streams, c.errors)
	return err
}

func (t pgTx) Settle(ctx context.Context, consumer string, s Settlement) error {
	failed := letterColumnsOf(s.Failed)
	settle := &pgx.Batch{}
	settle.Queue(`DELETE FROM eventstore.dead_letters WHERE consumer = $1 AND position = ANY ($2)`, consumer, s.Done)
	// A mended stream may have more letters than one transaction takes; one that failed waits for the next request.
	settle.Queue(`UPDATE eventstore.dead_letters SET retry = stream = ANY ($2)
		WHERE consumer = $1 AND (stream = ANY ($2) OR stream = ANY ($3)) AND skipped_at IS NULL`, consumer, orNone(s.Mended), orNone(failed.streams))
	settle.Queue(`UPDATE eventstore.dead_letters d SET error = u.error, attempts = d.attempts + 1, tried_at = now()
		FROM unnest($2::bigint[], $3::text[]) AS u (position, error) WHERE d.consumer = $1 AND d.position = u.position`,
		consumer, failed.positions, failed.errors)
	return t.SendBatch(ctx, settle).Close()
}

// letterColumns are dead letters as arrays for unnest.
type letterColumns struct {
	positions []int64
	streams   []string
	errors    []string
}

func letterColumnsOf(letters []Letter) (c letterColumns) {
	for _, l := range letters {
		c.positions, c.streams, c.errors = append(c.positions, int64(l.Position)), append(c.streams, l.Stream), append(c.errors, l.Error)
	}
	return c
}
