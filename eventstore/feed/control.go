package feed

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/eventstore"
)

// Control shows consumers to operators and does what operators want of them: pause, resume, reset, try again, skip. It
// works on the tables, so it does not matter which process runs a consumer, or whether one does.
type Control struct {
	log  *eventstore.Store
	pool *pgxpool.Pool
}

// ControlOf is the control of the consumers of a log.
func ControlOf(s *eventstore.Store) *Control { return &Control{log: s, pool: s.Pool()} }

// ConsumerState is what a consumer is doing.
type ConsumerState string

const (
	Live       ConsumerState = "live"
	CatchingUp ConsumerState = "catching-up"
	Paused     ConsumerState = "paused"
	// Stalled: there is work and nothing moves; no process runs the consumer, or it fails again and again.
	Stalled ConsumerState = "stalled"
)

// ConsumerStatus tells where a consumer stands, from what the database holds.
type ConsumerStatus struct {
	Name string
	// Position is the least over the ranges, Head the last position safe to read.
	Position, Head eventstore.Position
	// Lag counts wanted events not handled yet: exactly up to ten thousand per range, above that by positions.
	Lag int64
	// LagTime is the age of the oldest of them; 0 without.
	LagTime time.Duration
	// Rate is events a second over the last ten seconds.
	Rate  float64
	State ConsumerState
	// DeadLetters counts parked events.
	DeadLetters int64
	// UpdatedAt is when a checkpoint last moved.
	UpdatedAt time.Time
	// Ranges tells of each range of slices, in order.
	Ranges []RangeStatus
}

// RangeStatus is where a consumer stands in one range of slices.
type RangeStatus struct {
	Range    int
	Position eventstore.Position
	// Holder is the live process that has the lease, as Processes names it; empty: none.
	Holder string
	// Term grows with every change of holder, and whenever the consumer's tables are replaced.
	Term int64
}

const (
	countUpTo = 10_000
	// stalledAfter is how long nothing must have moved.
	stalledAfter = 10 * time.Second
	// liveWithin is the lag in time that is still called live.
	liveWithin = 2 * time.Second
)

// Consumers tells of all consumers, by name.
func (k *Control) Consumers(ctx context.Context) ([]ConsumerStatus, error) {
	head, err := k.log.Head(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := k.pool.Query(ctx, `SELECT c.consumer,
			min(CASE WHEN lag.n = 0 THEN greatest(c.position, $1) ELSE c.position END),
			sum(CASE WHEN lag.n > $2 THEN greatest(lag.n, ($1 - c.position) / $3) ELSE lag.n END)::bigint,
			coalesce(extract(epoch FROM clock_timestamp() - min(lag.oldest)), 0)::float8,
			coalesce(sum(c.rate) FILTER (WHERE c.updated_at > clock_timestamp() - $4::interval), 0)::float8,
			bool_or(c.paused), max(c.updated_at),
			max(c.updated_at) < clock_timestamp() - $4::interval,
			(SELECT count(*) FROM eventstore.dead_letters d WHERE d.consumer = c.consumer AND d.skipped_at IS NULL)
		FROM eventstore.checkpoints c CROSS JOIN LATERAL (
			SELECT count(*) AS n, min(w.recorded_at) AS oldest FROM (
				SELECT e.recorded_at FROM eventstore.events e
				WHERE e.position > c.position AND e.position <= $1 AND e.slice / $5 = c.range
				  AND (cardinality(c.types) = 0 OR e.type = ANY (c.types))
				ORDER BY e.position LIMIT $2 + 1) w) lag
		GROUP BY c.consumer ORDER BY c.consumer`, int64(head), countUpTo, eventstore.Ranges, stalledAfter, eventstore.Slices/eventstore.Ranges)
	if err != nil {
		return nil, fmt.Errorf("list consumers: %w", err)
	}
	statuses, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (ConsumerStatus, error) {
		c := ConsumerStatus{Head: head}
		var position int64
		var seconds float64
		var paused, still bool
		err := row.Scan(&c.Name, &position, &c.Lag, &seconds, &c.Rate, &paused, &c.UpdatedAt, &still, &c.DeadLetters)
		c.Position, c.LagTime = eventstore.Position(position), max(0, time.Duration(seconds*float64(time.Second)))
		switch {
		case paused:
			c.State = Paused
		case c.Lag == 0:
			c.State = Live
		case still && c.LagTime > stalledAfter:
			c.State = Stalled
		case c.LagTime > liveWithin:
			c.State = CatchingUp
		default:
			c.State = Live
		}
		return c, err
	})
	if err != nil {
		return nil, fmt.Errorf("list consumers: %w", err)
	}
	rows, err = k.pool.Query(ctx, `SELECT c.consumer, c.range::int, c.position, coalesce(p.holder, ''), c.term FROM eventstore.checkpoints c
		LEFT JOIN eventstore.processes p ON p.holder = c.holder AND p.until > clock_timestamp() ORDER BY c.consumer, c.range`)
	if err != nil {
		return nil, fmt.Errorf("list the ranges of consumers: %w", err)
	}
	var consumer string
	var r RangeStatus
	byName := map[string]*ConsumerStatus{}
	for i := range statuses {
		byName[statuses[i].Name] = &statuses[i]
	}
	if _, err := pgx.ForEachRow(rows, []any{&consumer, &r.Range, &r.Position, &r.Holder, &r.Term}, func() error {
		if c := byName[consumer]; c != nil { // else it came while we looked
			c.Ranges = append(c.Ranges, r)
		}
		return nil
	}); err != nil {
		return nil, fmt.Errorf("list the ranges of consumers: %w", err)
	}
	return statuses, nil
}

// Pause stops a consumer, wherever it runs, before its next transaction; Resume lets it go on. Both return
// *UnknownConsumer when it has no checkpoints.
func (k *Control) Pause(ctx context.Context, consumer string) error {
	return k.setPaused(ctx, consumer, true)
}

// Resume undoes Pause.
func (k *Control) Resume(ctx context.Context, consumer string) error {
	return k.setPaused(ctx, consumer, false)
}

func (k *Control) setPaused(ctx context.Context, consumer string, paused bool) error {
	err := pgx.BeginFunc(ctx, k.pool, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `UPDATE eventstore.checkpoints SET paused = $2 WHERE consumer = $1`, consumer, paused)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return &UnknownConsumer{Name: consumer}
		}
		action := "resume"
		if paused {
			action = "pause"
		}
		if err := record(ctx, tx, Action{Action: action, Consumer: consumer}); err != nil {
			return err
		}
		return tell(ctx, tx, consumer)
	})
	if err != nil {
		return fmt.Errorf("pause or resume %s: %w", consumer, err)
	}
	return nil
}

// Reset makes a consumer start anew from the beginning of the log once tx is committed, without its dead
// letters. Call it in tx before emptying the consumer's tables: it waits for the batch in flight and holds the next.
func (k *Control) Reset(ctx context.Context, tx pgx.Tx, consumer string) error {
	batch := &pgx.Batch{}
	batch.Queue(`UPDATE eventstore.checkpoints SET position = 0, term = term + 1, rate = 0, updated_at = now() WHERE consumer = $1`, consumer)
	batch.Queue(`DELETE FROM eventstore.dead_letters WHERE consumer = $1`, consumer)
	batch.Queue(`SELECT pg_notify($1, $2)`, channelControl, consumer)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("reset %s: %w", consumer, err)
	}
	return nil
}

// Process is one that takes part in the consumers' work, or did a moment ago.
type Process struct {
	// Holder names it: host, process number and a random part.
	Holder string
	Roles  []string
	// StartedAt and SeenAt are by the database's clock.
	StartedAt, SeenAt time.Time
}

// Processes are those that renewed their leases in time, the oldest first.
func (k *Control) Processes(ctx context.Context) ([]Process, error) {
	rows, err := k.pool.Query(ctx, `SELECT holder, roles, started_at, seen_at FROM eventstore.processes
		WHERE until > clock_timestamp() ORDER BY started_at, holder`)
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	processes, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Process])
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	return processes, nil
}
