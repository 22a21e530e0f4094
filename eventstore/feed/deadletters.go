package feed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/eventstore"
)

// DeadLetter is an event that a consumer could not handle, or that waits behind one in its stream.
type DeadLetter struct {
	Consumer string
	Position eventstore.Position
	Stream   string
	Version  eventstore.Version
	Type     string
	// Error is what the handler said; empty for an event that only waits.
	Error    string
	Attempts int
	ParkedAt time.Time
	TriedAt  time.Time
	// Retry: somebody asked for another attempt, which has not been made yet.
	Retry bool
}

// DeadLetters lists what is parked, in order; an empty consumer means all consumers.
func (k *Control) DeadLetters(ctx context.Context, consumer string) ([]DeadLetter, error) {
	return k.deadLetters(ctx, consumer, 0, 0)
}

// FirstDeadLetters is DeadLetters for at most so many.
func (k *Control) FirstDeadLetters(ctx context.Context, consumer string, limit int) ([]DeadLetter, error) {
	return k.deadLetters(ctx, consumer, 0, limit)
}

// DeadLetter is the one of a consumer at a position. It returns *NoDeadLetter when there is none.
func (k *Control) DeadLetter(ctx context.Context, consumer string, p eventstore.Position) (DeadLetter, error) {
	letters, err := k.deadLetters(ctx, consumer, p, 1)
	if err != nil {
		return DeadLetter{}, err
	}
	if len(letters) == 0 {
		return DeadLetter{}, &NoDeadLetter{Consumer: consumer, Position: p}
	}
	return letters[0], nil
}

func (k *Control) deadLetters(ctx context.Context, consumer string, at eventstore.Position, limit int) ([]DeadLetter, error) {
	rows, err := k.pool.Query(ctx, `SELECT d.consumer, d.position, d.stream, e.version, e.type, d.error, d.attempts, d.parked_at, d.tried_at, d.retry
		FROM eventstore.dead_letters d JOIN eventstore.events e USING (position)
		WHERE d.skipped_at IS NULL AND ($1 = '' OR d.consumer = $1) AND ($2 = 0 OR d.position = $2)
		ORDER BY d.consumer, d.position LIMIT $3`, consumer, int64(at), orNoLimit(limit))
	if err != nil {
		return nil, fmt.Errorf("list dead letters: %w", err)
	}
	letters, err := pgx.CollectRows(rows, pgx.RowToStructByPos[DeadLetter])
	if err != nil {
		return nil, fmt.Errorf("list dead letters: %w", err)
	}
	return letters, nil
}

// Retry asks for another attempt at a consumer's parked streams, or only at those named, and says how many
// events that concerns. The process that runs the consumer makes the attempt, each stream in order; a letter that is
// handled is gone, one that fails again has one attempt more. The author under ctx is recorded, with their reason.
func (k *Control) Retry(ctx context.Context, consumer string, streams ...string) (int64, error) {
	var n int64
	err := pgx.BeginFunc(ctx, k.pool, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `UPDATE eventstore.dead_letters SET retry = true
			WHERE consumer = $1 AND skipped_at IS NULL AND (cardinality($2::text[]) = 0 OR stream = ANY ($2))`, consumer, orNone(streams))
		if err != nil {
			return err
		}
		if n = tag.RowsAffected(); n == 0 {
			return nil
		}
		if err := record(ctx, tx, Action{Action: "retry", Consumer: consumer, Streams: streams, Events: n}); err != nil {
			return err
		}
		return tell(ctx, tx, consumer)
	})
	if err != nil {
		return 0, fmt.Errorf("retry dead letters of %s: %w", consumer, err)
	}
	return n, nil
}

// NoDeadLetter: the consumer has no parked event at this position.
type NoDeadLetter struct {
	Consumer string
	Position eventstore.Position
}

func (e *NoDeadLetter) Error() string {
	return fmt.Sprintf("%s has no dead letter at position %d", e.Consumer, e.Position)
}

// Skip lets a consumer go on without an event, for a reason that is kept, and asks for an attempt at the
// events of the stream that waited behind it. The author under ctx is recorded. It returns *NoDeadLetter when there is none.
func (k *Control) Skip(ctx context.Context, consumer string, p eventstore.Position, reason string) error {
	err := pgx.BeginFunc(ctx, k.pool, func(tx pgx.Tx) error {
		// Whoever parks an event holds this row: the stream is not freed while something is parked behind it.
		if _, err := tx.Exec(ctx, `SELECT FROM eventstore.checkpoints c JOIN eventstore.dead_letters d USING (consumer, range)
			WHERE d.consumer = $1 AND d.position = $2 FOR UPDATE OF c`, consumer, int64(p)); err != nil {
			return err
		}
		var stream string
		err := tx.QueryRow(ctx, `UPDATE eventstore.dead_letters SET skipped_at = now(), reason = $3, retry = false
			WHERE consumer = $1 AND position = $2 AND skipped_at IS NULL RETURNING stream`, consumer, int64(p), reason).Scan(&stream)
		if errors.Is(err, pgx.ErrNoRows) {
			return &NoDeadLetter{Consumer: consumer, Position: p}
		}
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE eventstore.dead_letters SET retry = true
			WHERE consumer = $1 AND stream = $2 AND skipped_at IS NULL`, consumer, stream); err != nil {
			return err
		}
		if err := record(ctx, tx, Action{Action: "skip", Consumer: consumer, Position: p, Streams: []string{stream}, Reason: reason, Events: 1}); err != nil {
			return err
		}
		return tell(ctx, tx, consumer)
	})
	if err != nil {
		return fmt.Errorf("skip dead letter %d of %s: %w", p, consumer, err)
	}
	return nil
}

// tell wakes the process that runs a consumer once tx is committed.
func tell(ctx context.Context, tx pgx.Tx, consumer string) error {
	_, err := tx.Exec(ctx, "SELECT pg_notify($1, $2)", channelControl, consumer)
	return err
}

// Trial is what became of a parked event in a dry run.
type Trial struct {
	Position eventstore.Position
	Stream   string
	Type     string
	// OK: it would be handled. One that would not even be tried, because an earlier event of its stream fails, is not OK
	// and has no Error.
	OK    bool
	Error string
}

const (
	// dryRunLock and dryRunTime bound how long a dry run waits for, and holds, rows that the live consumer needs.
	dryRunLock = 2 * time.Second
	dryRunTime = 5 * time.Second
)

// errRehearsed takes a dry run's transaction back.
var errRehearsed = errors.New("this was a dry run")

// DryRun tries a consumer's parked events, or only those of the named streams, each stream in order, as a retry would:
// read anew, through the upcasters, and handled. Nothing is kept. handle is the consumer's Handle, since the consumer
// itself may run in another process. At most 500 events are tried; more says that there are others. A failure that is
// not an event's, such as rows held by others for too long, is the error.
func (k *Control) DryRun(ctx context.Context, name string, streams []string, handle func(context.Context, pgx.Tx, []eventstore.Event) error) (trials []Trial, more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, dryRunTime)
	defer cancel()
	found, more, err := k.parked(ctx, name, streams)
	if err != nil {
		return nil, false, fmt.Errorf("read dead letters of %s: %w", name, err)
	}
	consumer := Consumer{Name: name, Handle: handle}
	err = pgx.BeginFunc(ctx, k.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT set_config('lock_timeout', $1, true)`, strconv.FormatInt(dryRunLock.Milliseconds(), 10)); err != nil {
			return err
		}
		for events := range byStream(found) {
			ok, why, err := retryStream(ctx, pgTx{tx}, consumer, eventstore.Transient, events)
			if err != nil {
				return err
			}
			for i, e := range events {
				t := Trial{Position: e.Position, Stream: e.Stream, Type: e.Type, OK: i < ok}
				if i == ok {
					t.Error = why.Error()
				}
				trials = append(trials, t)
			}
		}
		return errRehearsed
	})
	if !errors.Is(err, errRehearsed) {
		return nil, false, fmt.Errorf("dry run for %s: %w", name, err)
	}
	return trials, more, nil
}

// parked are a consumer's parked events, the first ones by position, by stream; more says that there are others.
func (k *Control) parked(ctx context.Context, name string, streams []string) (found []eventstore.Event, more bool, err error) {
	rows, err := k.pool.Query(ctx, `SELECT d.position FROM eventstore.dead_letters d WHERE d.consumer = $1 AND d.skipped_at IS NULL
		AND (cardinality($2::text[]) = 0 OR d.stream = ANY ($2)) ORDER BY d.position LIMIT $3`, name, orNone(streams), retryAtOnce+1)
	if err != nil {
		return nil, false, err
	}
	positions, err := pgx.CollectRows(rows, pgx.RowTo[eventstore.Position])
	if err != nil {
		return nil, false, err
	}
	if more = len(positions) > retryAtOnce; more {
		positions = positions[:retryAtOnce]
	}
	found, err = k.log.At(ctx, positions)
	return found, more, err
}

func orNoLimit(limit int) int64 {
	if limit <= 0 {
		return math.MaxInt64
	}
	return int64(limit)
}
