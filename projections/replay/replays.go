package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain/rules"
	"shop/eventstore"
)

// State is how far a replay has come.
type State string

const (
	Queued    State = "queued"
	Running   State = "running"
	Done      State = "done"
	Cancelled State = "cancelled"
	Failed    State = "failed"
)

// Replay is a question of what would have been, and what became of it.
type Replay struct {
	ID    string
	State State
	// Error says why it failed.
	Error    string
	Position eventstore.Position
	// Overrides is what was asked for over the rules in force at Position.
	Overrides json.RawMessage
	CreatedAt time.Time
	CreatedBy string
	// FinishedAt is zero until it is.
	FinishedAt time.Time
	// Stage is read, counted in thousandths, or price, counted in orders and baskets: Done of Of.
	Stage    string
	Done, Of int64
	// Report is a Report as JSON; nil until it is done, and in lists.
	Report json.RawMessage
}

// Question asks for all of history up to a position under other rules.
type Question struct {
	Rules     rules.Rules
	Overrides json.RawMessage
	Position  eventstore.Position
	// Actor is who asks.
	Actor string
}

// What a Replays refuses.
var (
	ErrNoReplay = errors.New("there is no such replay")
	// ErrQueueFull: too many wait; try again later.
	ErrQueueFull = errors.New("too many replays wait")
	// ErrFinished: there is nothing to cancel.
	ErrFinished = errors.New("the replay is finished")
)

const (
	// maxQueued is how many may wait, maxReports how many reports are kept, some 30 KB each.
	maxQueued, maxReports = 16, 200
	// heartbeat is how often a worker says that it lives and hears whether to stop; after deadAfter without, another takes
	// its replay. lookEvery is how often one looks for what nobody told it of.
	heartbeat, deadAfter, lookEvery = 50 * time.Millisecond, 5 * time.Second, time.Second
	// A history that takes at most keepBytes is kept for keepFor after its last use, for the next replay to read on.
	keepBytes, keepFor = 512 << 20, 10 * time.Minute
)

// Replays keeps questions and answers in the database, so that a link to a report stays good. Any number of processes may
// run one; each works on one replay at a time. What a process leaves when it dies, another takes up, or the same after
// its start.
type Replays struct {
	db     *pgxpool.Pool
	store  *eventstore.Store
	log    *slog.Logger
	holder uuid.UUID
	wake   chan struct{}

	mu sync.Mutex
	// working is the replay in work, "": none; stop ends it.
	working string
	stop    context.CancelFunc

	// kept belongs to Run.
	kept *History
}

// NewReplays needs a Run to get anything done.
func NewReplays(db *pgxpool.Pool, store *eventstore.Store, log *slog.Logger) *Replays {
	return &Replays{db: db, store: store, log: log, holder: uuid.New(), wake: make(chan struct{}, 1)}
}

// RulesAt are the rules in force at a position, 0: the head; at is that position. Nothing is known behind the head.
func (r *Replays) RulesAt(ctx context.Context, upTo eventstore.Position) (_ rules.Rules, at eventstore.Position, err error) {
	if at, err = end(ctx, r.store, upTo); err != nil {
		return rules.Rules{}, 0, err
	}
	events, err := r.store.Stream(ctx, rules.Stream, 0, 0)
	if err != nil {
		return rules.Rules{}, 0, err
	}
	state := rules.Decider.Initial
	for _, e := range events {
		if changed, ok := e.Data.(rules.Event); ok && e.Position <= at {
			state = rules.Decider.Evolve(state, changed)
		}
	}
	return state.Rules, at, nil
}

const replayColumns = `id, state, error, position, overrides, created_at, created_by, coalesce(finished_at, '0001-01-01Z') AS finished_at,
	stage, done, total AS of, `

// Ask puts a question into the queue, unless it was asked before: fresh says that there is something to wait for. One that
// was cancelled or failed is tried again.
func (r *Replays) Ask(ctx context.Context, q Question) (found Replay, fresh bool, err error) {
	id, err := ReportID(q.Rules, q.Position)
	if err != nil {
		return found, false, err
	}
	tried, err := json.Marshal(q.Rules)
	if err != nil {
		return found, false, fmt.Errorf("ask for replay %s: %w", id, err)
	}
	err = pgx.BeginFunc(ctx, r.db, func(tx pgx.Tx) error {
		// Two who ask at once count one after the other.
		if _, err := tx.Exec(ctx, "LOCK TABLE projections.replays IN SHARE ROW EXCLUSIVE MODE"); err != nil {
			return err
		}
		var answered, full bool
		err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM projections.replays WHERE id = $1 AND (finished_at IS NULL OR report IS NOT NULL)),
			(SELECT count(*) >= $2 FROM projections.replays WHERE state = 'queued')`, id, maxQueued).Scan(&answered, &full)
		if err != nil || answered {
			return err
		}
		if full {
			return ErrQueueFull
		}
		fresh = true
		_, err = tx.Exec(ctx, `INSERT INTO projections.replays (id, rules, overrides, position, created_by) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (id) DO UPDATE SET state = 'queued', stage = 'read', done = 0, total = 0, error = '', report = NULL, asked_at = now(), finished_at = NULL`,
			id, tried, q.Overrides, int64(q.Position), q.Actor)
		return err
	})
	if err != nil {
		return found, false, fmt.Errorf("ask for replay %s: %w", id, err)
	}
	if fresh {
		r.ring()
	}
	found, err = r.Show(ctx, id)
	return found, fresh, err
}

// ring says that there is something to do.
func (r *Replays) ring() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Show is a replay with its report. One whose report was dropped is computed again.
func (r *Replays) Show(ctx context.Context, id string) (Replay, error) {
	found, err := r.one(ctx, id)
	if err != nil || found.State != Done || found.Report != nil {
		return found, err
	}
	_, err = r.db.Exec(ctx, `UPDATE projections.replays SET state = 'queued', stage = 'read', done = 0, total = 0, asked_at = now(), finished_at = NULL
		WHERE id = $1 AND state = 'done' AND report IS NULL`, id)
	if err != nil {
		return Replay{}, fmt.Errorf("ask for replay %s again: %w", id, err)
	}
	r.ring()
	return r.one(ctx, id)
}

func (r *Replays) one(ctx context.Context, id string) (Replay, error) {
	rows, err := r.db.Query(ctx, `SELECT `+replayColumns+`report FROM projections.replays WHERE id = $1`, id)
	if err != nil {
		return Replay{}, fmt.Errorf("read replay %s: %w", id, err)
	}
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[Replay])
	if errors.Is(err, pgx.ErrNoRows) {
		return Replay{}, ErrNoReplay
	}
	if err != nil {
		return Replay{}, fmt.Errorf("read replay %s: %w", id, err)
	}
	return found, nil
}

// List is the newest replays, without their reports.
func (r *Replays) List(ctx context.Context, limit int) ([]Replay, error) {
	rows, err := r.db.Query(ctx, `SELECT `+replayColumns+`NULL::json AS report FROM projections.replays ORDER BY created_at DESC, id LIMIT $1`, limit)
	if err != nil {
		return nil, fmt.Errorf("list replays: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[Replay])
	if err != nil {
		return nil, fmt.Errorf("list replays: %w", err)
	}
	return found, nil
}

// Cancel ends a replay that waits or runs, wherever it runs; to cancel it again changes nothing. It refuses with
// ErrNoReplay, or ErrFinished when it came to its end.
func (r *Replays) Cancel(ctx context.Context, id string) error {
	tag, err := r.db.Exec(ctx, `UPDATE projections.replays SET state = 'cancelled', holder = NULL, finished_at = now() WHERE id = $1 AND finished_at IS NULL`, id)
	if err != nil {
		return fmt.Errorf("cancel replay %s: %w", id, err)
	}
	if tag.RowsAffected() > 0 {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.working == id {
			r.stop()
		}
		return nil
	}
	found, err := r.one(ctx, id)
	if err == nil && found.State != Cancelled {
		err = ErrFinished
	}
	return err
}

// Run works on what is asked until ctx ends; what it works on then goes back into the queue.
func (r *Replays) Run(ctx context.Context) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	used := time.Now()
	for ctx.Err() == nil {
		next, found, err := r.take(ctx)
		if err != nil && ctx.Err() == nil {
			r.log.WarnContext(ctx, "replays cannot be looked for", "error", err)
		}
		if found {
			r.work(ctx, next)
			used = time.Now()
			continue
		}
		if time.Since(used) > keepFor {
			r.kept = nil
		}
		select {
		case <-ctx.Done():
		case <-r.wake:
		case <-look.C:
		}
	}
}

// task is a replay in work.
type task struct {
	id       string
	tried    rules.Rules
	position eventstore.Position

	mu sync.Mutex
	// As in Replay.
	stage    string
	done, of int64
}

// reaches says how far the work has come.
func (t *task) reaches(stage string, done, of int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stage, t.done, t.of = stage, done, of
}

// priced says that so many rows more are.
func (t *task) priced(rows int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done += int64(rows)
}

// reached is how far the work has come.
func (t *task) reached() (stage string, done, of int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.stage, t.done, t.of
}

// take takes the first that waits, or one whose worker is dead.
func (r *Replays) take(ctx context.Context) (t *task, found bool, err error) {
	t = &task{stage: "read"}
	err = r.db.QueryRow(ctx, `UPDATE projections.replays SET state = 'running', stage = 'read', done = 0, total = 0, holder = $1, alive_at = now()
		WHERE id = (SELECT id FROM projections.replays WHERE finished_at IS NULL AND (state = 'queued' OR alive_at < now() - $2::interval)
			ORDER BY asked_at LIMIT 1 FOR UPDATE SKIP LOCKED)
		RETURNING id, rules, position`, r.holder, deadAfter).Scan(&t.id, &t.tried, &t.position)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("take a replay: %w", err)
	}
	return t, true, nil
}

func (r *Replays) work(ctx context.Context, t *task) {
	began := time.Now()
	working, stop := context.WithCancel(ctx)
	defer stop()
	r.mu.Lock()
	r.working, r.stop = t.id, stop
	r.mu.Unlock()
	var beating sync.WaitGroup
	beating.Go(func() { r.beat(working, stop, t) })
	report, err := r.try(working, t)
	stopped := working.Err() != nil
	stop()
	beating.Wait()
	r.mu.Lock()
	r.working, r.stop = "", nil
	r.mu.Unlock()

	// What is known now is written even when the process stops.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), deadAfter)
	defer cancel()
	switch {
	case err == nil:
		err = r.finish(last, t, Done, report, "")
		if err == nil {
			r.log.InfoContext(ctx, "history was replayed", "replay", t.id, "took", time.Since(began).Round(time.Millisecond))
		}
	case ctx.Err() != nil:
		_, err = r.db.Exec(last, `UPDATE projections.replays SET state = 'queued', holder = NULL WHERE id = $1 AND holder = $2 AND state = 'running'`, t.id, r.holder)
	case stopped:
		err = nil // cancelled, or another has it
	default:
		r.log.ErrorContext(ctx, "history cannot be replayed", "replay", t.id, "error", err)
		err = r.finish(last, t, Failed, nil, "History could not be read to the end; the shop's log says why.")
	}
	if err != nil {
		r.log.ErrorContext(ctx, "a replay cannot be written", "replay", t.id, "error", err)
	}
}

// beat says that the worker lives, and stops it when the replay is not its own any more.
func (r *Replays) beat(ctx context.Context, stop context.CancelFunc, t *task) {
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		stage, done, of := t.reached()
		tag, err := r.db.Exec(ctx, `UPDATE projections.replays SET alive_at = now(), stage = $3, done = $4, total = $5 WHERE id = $1 AND holder = $2 AND state = 'running'`,
			t.id, r.holder, stage, done, of)
		if err == nil && tag.RowsAffected() == 0 {
			stop()
			return
		}
		if err != nil && ctx.Err() == nil {
			r.log.WarnContext(ctx, "a replay cannot say how far it is", "replay", t.id, "error", err)
		}
	}
}

// try computes a report from the history that is kept, read on as far as needed, or from another one.
func (r *Replays) try(ctx context.Context, t *task) (report []byte, err error) {
	if r.kept == nil || r.kept.Position > t.position {
		r.kept = newHistory() // the old one goes first
	}
	err = r.kept.ReadOn(ctx, r.store, t.position, func(share float64) { t.reaches("read", int64(share*1000), 1000) })
	if err != nil {
		if ctx.Err() == nil {
			r.kept = nil
		}
		return nil, err
	}
	t.reaches("price", 0, int64(len(r.kept.orders)+len(r.kept.baskets)))
	told, err := r.kept.Try(ctx, t.tried, t.priced)
	if r.kept.Bytes() > keepBytes {
		r.kept = nil
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(told)
}

// finish writes what became of a replay, and drops the oldest reports above maxReports.
func (r *Replays) finish(ctx context.Context, t *task, state State, report []byte, failure string) error {
	return pgx.BeginFunc(ctx, r.db, func(tx pgx.Tx) error {
		_, _, all := t.reached()
		_, err := tx.Exec(ctx, `UPDATE projections.replays SET state = $3, report = $4, error = $5, stage = 'price', done = $6, total = $6, holder = NULL, finished_at = now()
			WHERE id = $1 AND holder = $2 AND state = 'running'`, t.id, r.holder, state, report, failure, all)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE projections.replays SET report = NULL
			WHERE id IN (SELECT id FROM projections.replays WHERE report IS NOT NULL ORDER BY finished_at DESC OFFSET $1)`, maxReports)
		return err
	})
}
