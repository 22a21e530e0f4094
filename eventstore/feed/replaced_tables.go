package feed

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"shop/eventstore"
)

// Held is where a consumer stands while its checkpoints are locked.
type Held struct {
	At [eventstore.Ranges]eventstore.Position
	// Edition is what its tables are made from; empty: not known.
	Edition string
}

// Hold locks a consumer's checkpoints until tx ends: a batch in flight is waited for, the next one waits. It returns
// *UnknownConsumer when it has none.
func (k *Control) Hold(ctx context.Context, tx pgx.Tx, consumer string) (Held, error) {
	var h Held
	rows, err := tx.Query(ctx, `SELECT range, position, edition FROM eventstore.checkpoints WHERE consumer = $1 ORDER BY range FOR UPDATE`, consumer)
	if err != nil {
		return h, fmt.Errorf("hold %s: %w", consumer, err)
	}
	var number int16
	var position int64
	found := 0
	_, err = pgx.ForEachRow(rows, []any{&number, &position, &h.Edition}, func() error {
		h.At[number] = eventstore.Position(position)
		found++
		return nil
	})
	if err != nil {
		return h, fmt.Errorf("hold %s: %w", consumer, err)
	}
	if found < eventstore.Ranges {
		return h, &UnknownConsumer{Name: consumer}
	}
	return h, nil
}

// Handover is where a consumer goes on after its tables were replaced.
type Handover struct {
	At [eventstore.Ranges]eventstore.Position
	// Edition is what the new tables are made from.
	Edition string
	// Letters are the dead letters that belong to the new tables, as Move answered them when these were replaced; nil: none.
	Letters json.RawMessage
}

// Move sends a consumer to other places once tx is committed, in which it is held: its tables are not what they were.
// It answers the dead letters of the tables it leaves; those of events above the new place are handled again.
// Skipped events stay skipped.
func (k *Control) Move(ctx context.Context, tx pgx.Tx, consumer string, to Handover) (letters json.RawMessage, err error) {
	batch := &pgx.Batch{}
	at := make([]int64, eventstore.Ranges)
	for r, p := range to.At {
		at[r] = int64(p)
	}
	if to.Letters == nil {
		to.Letters = json.RawMessage("[]")
	}
	batch.Queue(`WITH gone AS (DELETE FROM eventstore.dead_letters WHERE consumer = $1 AND skipped_at IS NULL RETURNING *)
		SELECT coalesce(json_agg(gone ORDER BY position), '[]') FROM gone`, consumer).QueryRow(func(row pgx.Row) error { return row.Scan(&letters) })
	batch.Queue(`INSERT INTO eventstore.dead_letters SELECT l.* FROM json_populate_recordset(NULL::eventstore.dead_letters, $1::json) l
		ON CONFLICT DO NOTHING`, to.Letters)
	// Ranges of another edition are free for the processes that can handle it. The term moves even where the position does not: it tells other processes that the rows are not what they were.
	batch.Queue(`UPDATE eventstore.checkpoints SET position = ($2::bigint[])[range + 1], edition = $3, term = term + 1, updated_at = now(),
			holder = CASE WHEN edition IN ('', $3) THEN holder END
		WHERE consumer = $1`, consumer, at, to.Edition)
	batch.Queue(`SELECT pg_notify($1, $2)`, channelControl, consumer)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return nil, fmt.Errorf("move %s: %w", consumer, err)
	}
	return letters, nil
}

// MakeConsumer gives a consumer checkpoints of an edition, at the beginning of the log; one that has checkpoints is
// sent back there, without its dead letters.
func MakeConsumer(ctx context.Context, tx pgx.Tx, consumer, edition string) error {
	batch := &pgx.Batch{}
	batch.Queue(`INSERT INTO eventstore.checkpoints AS c (consumer, range, edition) SELECT $1, r, $2 FROM generate_series(0, $3 - 1) r
		ON CONFLICT (consumer, range) DO UPDATE SET position = 0, edition = $2, term = c.term + 1, rate = 0, updated_at = now()`, consumer, edition, eventstore.Ranges)
	batch.Queue(`DELETE FROM eventstore.dead_letters WHERE consumer = $1`, consumer)
	batch.Queue(`SELECT pg_notify($1, $2)`, channelControl, consumer)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("make consumer %s: %w", consumer, err)
	}
	return nil
}

// Revert lets processes of a lower revision handle a consumer again, after the program went back to them: those that run now,
// and those that start. A process of the higher revision that starts takes it once more. It returns *UnknownConsumer.
func (k *Control) Revert(ctx context.Context, consumer string) error {
	err := pgx.BeginFunc(ctx, k.pool, func(tx pgx.Tx) error {
		if _, err := k.Hold(ctx, tx, consumer); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE eventstore.checkpoints SET edition = '', term = term + 1, holder = NULL, updated_at = now() WHERE consumer = $1`, consumer); err != nil {
			return err
		}
		if err := record(ctx, tx, Action{Action: "revert", Consumer: consumer}); err != nil {
			return err
		}
		return tell(ctx, tx, consumer)
	})
	if err != nil {
		return fmt.Errorf("revert %s: %w", consumer, err)
	}
	return nil
}

// SetEdition says what a consumer's tables are made from where that is not known yet.
func SetEdition(ctx context.Context, tx pgx.Tx, consumer, edition string) error {
	if _, err := tx.Exec(ctx, `UPDATE eventstore.checkpoints SET edition = $2 WHERE consumer = $1 AND edition = '' `, consumer, edition); err != nil {
		return fmt.Errorf("set the edition of %s: %w", consumer, err)
	}
	return nil
}
