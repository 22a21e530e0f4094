package feed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/eventstore"
)

// SnapshotPosition is how much of the log a consumer's tables hold.
type SnapshotPosition struct {
	Position eventstore.Position
	// RecordedAt is when the last event up to Position was recorded; zero: there is none.
	RecordedAt time.Time
	// Exact: the tables are what the log makes of them up to Position. Otherwise some ranges are further.
	Exact bool
}

// SnapshotPosition tells how much of the log the tables hold that tx sees, which must be of one snapshot; head was safe to read before tx began.
func (k *Control) SnapshotPosition(ctx context.Context, tx pgx.Tx, consumer string, head eventstore.Position) (SnapshotPosition, error) {
	var least, most *int64
	var behind bool
	err := tx.QueryRow(ctx, `SELECT min(c.position), max(c.position), bool_or(EXISTS (
			SELECT FROM eventstore.events e WHERE e.position > c.position AND e.position <= $2 AND e.slice / $3 = c.range
			AND (cardinality(c.types) = 0 OR e.type = ANY (c.types))))
		FROM eventstore.checkpoints c WHERE c.consumer = $1`, consumer, int64(head), eventstore.Slices/eventstore.Ranges).Scan(&least, &most, &behind)
	if err != nil {
		return SnapshotPosition{}, fmt.Errorf("read where %s stands: %w", consumer, err)
	}
	if least == nil {
		return SnapshotPosition{}, &UnknownConsumer{Name: consumer}
	}
	l := SnapshotPosition{Position: eventstore.Position(*least), Exact: *least == *most}
	if !behind && eventstore.Position(*most) <= head { // a checkpoint does not move for events that its consumer does not want
		l = SnapshotPosition{Position: head, Exact: true}
	}
	l.RecordedAt, err = recordedBy(ctx, tx, l.Position)
	return l, err
}

// SnapshotAt is the snapshot position of tables that hold the log up to a position.
func SnapshotAt(ctx context.Context, tx pgx.Tx, upTo eventstore.Position) (SnapshotPosition, error) {
	at, err := recordedBy(ctx, tx, upTo)
	return SnapshotPosition{Position: upTo, RecordedAt: at, Exact: true}, err
}

// recordedBy is when the last event up to a position was recorded; zero: there is none.
func recordedBy(ctx context.Context, tx pgx.Tx, upTo eventstore.Position) (at time.Time, err error) {
	err = tx.QueryRow(ctx, "SELECT recorded_at FROM eventstore.events WHERE position <= $1 ORDER BY position DESC LIMIT 1", int64(upTo)).Scan(&at)
	if errors.Is(err, pgx.ErrNoRows) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("read when position %d was recorded: %w", upTo, err)
	}
	return at, nil
}
