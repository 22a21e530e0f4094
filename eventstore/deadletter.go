package eventstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// DeadLetter is an event that a consumer could not handle, or that waits behind one in its stream.
type DeadLetter struct {
	Consumer string
	Position Position
	Stream   string
	Version  Version
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
func (s *Store) DeadLetters(ctx context.Context, consumer string) ([]DeadLetter, error) {
	return s.deadLetters(ctx, consumer, 0, 0)
}

// FirstDeadLetters is DeadLetters for at most so many.
func (s *Store) FirstDeadLetters(ctx context.Context, consumer string, limit int) ([]DeadLetter, error) {
	return s.deadLetters(ctx, consumer, 0, limit)
}

// DeadLetter is the one of a consumer at a position. It returns *NoDeadLetter when there is none.
func (s *Store) DeadLetter(ctx context.Context, consumer string, p Position) (DeadLetter, error) {
	letters, err := s.deadLetters(ctx, consumer, p, 1)
	if err != nil {
		return DeadLetter{}, err
	}
	if len(letters) == 0 {
		return DeadLetter{}, &NoDeadLetter{Consumer: consumer, Position: p}
	}
	return letters[0], nil
}

func (s *Store) deadLetters(ctx context.Context, consumer string, at Position, limit int) ([]DeadLetter, error) {
	rows, err := s.pool.Query(ctx, `SELECT d.consumer, d.position, d.stream, e.version, e.type, d.error, d.attempts, d.parked_at, d.tried_at, d.retry
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

// RetryDeadLetters asks for another attempt at a consumer's parked streams, or only at those named, and says how many
// events that concerns. The process that runs the consumer makes the attempt, each stream in order; a letter that is
// handled is gone, one that fails again has one attempt more. The author under ctx is recorded, with their reason.
func (s *Store) RetryDeadLetters(ctx context.Context, consumer string, streams ...string) (int64, error) {
	var n int64
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
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
	Position Position
}

func (e *NoDeadLetter) Error() string {
	return fmt.Sprintf("%s has no dead letter at position %d", e.Consumer, e.Position)
}

// SkipDeadLetter lets a consumer go on without an event, for a reason that is kept, and asks for an attempt at the
// events of the stream that waited behind it. The author under ctx is recorded. It returns *NoDeadLetter when there is none.
func (s *Store) SkipDeadLetter(ctx context.Context, consumer string, p Position, reason string) error {
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
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
	Position Position
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
func (s *Store) DryRun(ctx context.Context, name string, streams []string, handle func(context.Context, pgx.Tx, []Event) error) (trials []Trial, more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, dryRunTime)
	defer cancel()
	found, err := s.query(ctx, `SELECT `+columns+` FROM eventstore.events e WHERE e.position IN (
			SELECT d.position FROM eventstore.dead_letters d WHERE d.consumer = $1 AND d.skipped_at IS NULL
			AND (cardinality($2::text[]) = 0 OR d.stream = ANY ($2)) ORDER BY d.position LIMIT $3)
		ORDER BY e.stream, e.position`, name, orNone(streams), retryAtOnce+1)
	if err != nil {
		return nil, false, fmt.Errorf("read dead letters of %s: %w", name, err)
	}
	if more = len(found) > retryAtOnce; more {
		newest := slices.MaxFunc(found, func(a, b decoded) int { return cmp.Compare(a.Position, b.Position) }).Position
		found = slices.DeleteFunc(found, func(e decoded) bool { return e.Position == newest })
	}
	// A partition of no feed: all it needs is the handler.
	p := newPartition(nil, &consumer{Consumer: Consumer{Name: name, Handle: handle}}, 0)
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT set_config('lock_timeout', $1, true)`, strconv.FormatInt(dryRunLock.Milliseconds(), 10)); err != nil {
			return err
		}
		for start, end := 0, 0; start < len(found); start = end {
			for end < len(found) && found[end].Stream == found[start].Stream {
				end++
			}
			ok, why, err := p.retryStream(ctx, tx, found[start:end])
			if err != nil {
				return err
			}
			for i := start; i < end; i++ {
				trials = append(trials, Trial{Position: found[i].Position, Stream: found[i].Stream, Type: found[i].Type, OK: i < start+ok})
			}
			if why != nil {
				trials[start+ok].Error = why.Error()
			}
		}
		return errRehearsed
	})
	if !errors.Is(err, errRehearsed) {
		return nil, false, fmt.Errorf("dry run for %s: %w", name, err)
	}
	return trials, more, nil
}

const (
	// lockedParked runs after the checkpoint's row is locked, and so sees every skip.
	lockedParked = `SELECT DISTINCT stream FROM eventstore.dead_letters WHERE consumer = $1 AND range = $2 AND skipped_at IS NULL`
	parkEvents   = `INSERT INTO eventstore.dead_letters (consumer, range, position, stream, error)
		SELECT $1, $2, u.position, u.stream, u.error FROM unnest($3::bigint[], $4::text[], $5::text[]) AS u (position, stream, error)`
)

// handleCarefully handles events so that those that fail are parked, together with the later ones of their streams, and
// all others are handled. It returns the streams with dead letters.
func (p *partition) handleCarefully(ctx context.Context, tx pgx.Tx, entries []decoded) (map[string]bool, error) {
	rows, err := tx.Query(ctx, lockedParked, p.consumer.Name, p.number)
	if err != nil {
		return nil, err
	}
	streams, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	parked := make(map[string]bool, len(streams))
	for _, stream := range streams {
		parked[stream] = true
	}
	var letters letters
	if err := p.halve(ctx, tx, entries, parked, &letters); err != nil {
		return nil, err
	}
	if len(letters.positions) > 0 {
		_, err := tx.Exec(ctx, parkEvents, p.consumer.Name, p.number, letters.positions, letters.streams, letters.errors)
		if err != nil {
			return nil, err
		}
		p.feed.store.tel.deadLetters.Add(ctx, int64(len(letters.positions)), metric.WithAttributes(attribute.String("consumer", p.consumer.Name)))
	}
	return parked, nil
}

// letters are events to park, as columns.
type letters struct {
	positions []int64
	streams   []string
	errors    []string
}

func (l *letters) add(e *decoded, reason string) {
	l.positions, l.streams, l.errors = append(l.positions, int64(e.Position)), append(l.streams, e.Stream), append(l.errors, reason)
}

// halve handles events at once if that works, else by halves, down to the one that fails.
func (p *partition) halve(ctx context.Context, tx pgx.Tx, entries []decoded, parked map[string]bool, l *letters) error {
	live := make([]decoded, 0, len(entries))
	events := make([]Event, 0, len(entries))
	var failed error
	for i := range entries {
		if parked[entries[i].Stream] {
			l.add(&entries[i], "")
			continue
		}
		live = append(live, entries[i])
		events = append(events, entries[i].Event)
		if entries[i].err != nil {
			failed = entries[i].err
		}
	}
	if len(live) == 0 {
		return nil
	}
	if failed == nil {
		if failed = p.attempt(ctx, tx, events); failed == nil {
			return nil
		}
		if isTransient(failed) || tx.Conn().IsClosed() {
			return failed
		}
	}
	if len(live) == 1 {
		e := &live[0]
		p.feed.log.Error("event parked as dead letter", "consumer", p.consumer.Name, "position", e.Position, "stream", e.Stream,
			"version", e.Version, "type", e.Type, "error", failed)
		parked[e.Stream] = true
		l.add(e, failed.Error())
		return nil
	}
	middle := len(live) / 2
	if err := p.halve(ctx, tx, live[:middle], parked, l); err != nil {
		return err
	}
	return p.halve(ctx, tx, live[middle:], parked, l)
}

// attempt handles events behind a savepoint.
func (p *partition) attempt(ctx context.Context, tx pgx.Tx, events []Event) error {
	savepoint, err := tx.Begin(ctx)
	if err != nil {
		return err
	}
	if err := p.handle(ctx, savepoint, events); err != nil {
		if back := savepoint.Rollback(ctx); back != nil {
			return back
		}
		return err
	}
	// A deferred constraint or a swallowed error shows here.
	if err := savepoint.Commit(ctx); err != nil {
		_ = savepoint.Rollback(ctx)
		return err
	}
	return nil
}

// retryAtOnce is how many parked events one transaction tries.
const retryAtOnce = 500

// retryParked makes the attempts that were asked for.
func (p *partition) retryParked(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.loaded || !p.held || !p.retry {
		return nil
	}
	giveBack, err := p.consumer.slot(ctx, p.feed.slots)
	if err != nil {
		return err
	}
	defer giveBack()
	// The handler is not cut off when the feed stops; its transaction is short.
	ctx = p.feed.handling
	found, err := p.feed.store.query(ctx, `SELECT `+columns+` FROM eventstore.events e WHERE e.position IN (
			SELECT d.position FROM eventstore.dead_letters d WHERE d.consumer = $1 AND d.range = $2 AND d.skipped_at IS NULL
			AND d.stream IN (SELECT r.stream FROM eventstore.dead_letters r
				WHERE r.consumer = $1 AND r.range = $2 AND r.retry AND r.skipped_at IS NULL)
			ORDER BY d.position LIMIT $3)
		ORDER BY e.stream, e.position`, p.consumer.Name, p.number, retryAtOnce)
	if err != nil {
		return fmt.Errorf("read dead letters of %s: %w", p.consumer.Name, err)
	}
	// The checkpoint stays; moving it to where it is takes its lock and checks that the range is still ours.
	err = p.transact(ctx, p.saved, p.rate.add(0, time.Now()), func(tx pgx.Tx) error {
		var done []int64
		var mended []string
		var failed letters
		for start, end := 0, 0; start < len(found); start = end {
			for end < len(found) && found[end].Stream == found[start].Stream {
				end++
			}
			ok, why, err := p.retryStream(ctx, tx, found[start:end])
			if err != nil {
				return err
			}
			for i := start; i < start+ok; i++ {
				done = append(done, int64(found[i].Position))
			}
			if why != nil {
				failed.add(&found[start+ok], why.Error())
			} else {
				mended = append(mended, found[start].Stream)
			}
		}
		settle := &pgx.Batch{}
		settle.Queue(`DELETE FROM eventstore.dead_letters WHERE consumer = $1 AND position = ANY ($2)`, p.consumer.Name, done)
		// A mended stream may have more letters than one transaction takes; one that failed waits for the next request.
		settle.Queue(`UPDATE eventstore.dead_letters SET retry = stream = ANY ($2)
			WHERE consumer = $1 AND (stream = ANY ($2) OR stream = ANY ($3)) AND skipped_at IS NULL`, p.consumer.Name, orNone(mended), orNone(failed.streams))
		settle.Queue(`UPDATE eventstore.dead_letters d SET error = u.error, attempts = d.attempts + 1, tried_at = now()
			FROM unnest($2::bigint[], $3::text[]) AS u (position, error) WHERE d.consumer = $1 AND d.position = u.position`,
			p.consumer.Name, failed.positions, failed.errors)
		return tx.SendBatch(ctx, settle).Close()
	})
	if err != nil {
		p.unload()
		if errors.Is(err, errElsewhere) {
			return nil
		}
		return fmt.Errorf("retry dead letters of %s: %w", p.consumer.Name, err)
	}
	p.retry = len(found) == retryAtOnce
	p.writes++
	p.consumer.committed(nil)
	nudge(p.feed.control) // what is still parked
	return nil
}

// retryStream handles a stream's parked events in order, up to the first that fails; it says how many it handled.
func (p *partition) retryStream(ctx context.Context, tx pgx.Tx, entries []decoded) (ok int, why, err error) {
	for ; ok < len(entries); ok++ {
		e := &entries[ok]
		if why = e.err; why == nil {
			why = p.attempt(ctx, tx, []Event{e.Event})
		}
		if why != nil {
			if isTransient(why) || tx.Conn().IsClosed() {
				return ok, nil, why
			}
			return ok, why, nil
		}
	}
	return ok, nil, nil
}
