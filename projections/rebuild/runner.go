package rebuild

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"shop/eventstore"
	"shop/eventstore/wake"
	"shop/projections"
)

// pollInterval is how often a process looks for builds without a worker, and at builds of other processes.
const pollInterval = 250 * time.Millisecond

// dropInterval is how often Work drops replaced schemas that a swap could not drop.
const dropInterval = time.Minute

var (
	// errCancelled: the build at work was cancelled.
	errCancelled = errors.New("cancelled")
	// errLeaseLost: another process works on the build now.
	errLeaseLost = errors.New("another process has taken the build over")
)

// Work works on builds that no process works on, one at a time, until ctx ends. Another process then goes on with a build
// that it leaves unfinished.
func (builder *Builder) Work(ctx context.Context) {
	var dropped time.Time
	for wait := pollInterval; ; {
		if time.Since(dropped) > dropInterval { // a process that ended or a long reader may have kept schemas from being dropped
			dropped = time.Now()
			for _, p := range builder.all() {
				builder.dropReplaced(ctx, p.Name)
			}
		}
		b, err := builder.claim(ctx, 0)
		if b != nil {
			err = b.runToEnd(ctx)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			wait = pollInterval
		default:
			wait = min(2*wait, 5*time.Second)
			builder.logger().WarnContext(ctx, "builds of read models", "error", err, "again_in", wait)
		}
		if b != nil && err == nil {
			continue
		}
		if !wake.Pause(ctx, wait) {
			return
		}
	}
}

// Run works on a build, or watches it while another process does, until the build is final or ready. It calls onProgress,
// which may be nil, with the state of the build now and then. For a build that failed or was cancelled it returns an error
// beside the build. When ctx ends first, Run leaves the build to other processes.
func (builder *Builder) Run(ctx context.Context, id int64, onProgress func(Build)) (Build, error) {
	working := make(chan error, 1)
	busy := false
	for {
		now, err := builder.Find(ctx, id)
		if err == nil && onProgress != nil {
			onProgress(now)
		}
		if err == nil && !busy {
			switch now.State {
			case Done, Ready:
				return now, nil
			case Failed:
				return now, fmt.Errorf("build %d of %s failed: %s", id, now.Projection, now.Error)
			case Cancelled:
				return now, fmt.Errorf("build %d of %s was cancelled", id, now.Projection)
			}
			var b *activeBuild
			if b, err = builder.claim(ctx, id); b != nil {
				busy = true
				go func() { working <- b.runToEnd(ctx) }()
			}
		}
		if err != nil {
			if busy {
				<-working
			}
			return now, err
		}
		timer := time.NewTimer(pollInterval)
		select {
		case err := <-working:
			busy = false
			if errors.Is(err, errLeaseLost) {
				builder.logger().WarnContext(ctx, "this process lost the build, and looks after it from now on", "build", id, "error", err)
			} else if err != nil {
				timer.Stop()
				return now, err
			}
		case <-timer.C:
		case <-ctx.Done():
			if busy {
				<-working
			}
		}
		timer.Stop()
		if ctx.Err() != nil {
			return now, ctx.Err()
		}
	}
}

// activeBuild is a build that this process works on.
type activeBuild struct {
	builder *Builder
	p       projections.Projection
	id      int64
	term    int64
	kind    Kind
	// tablesMade and indexed say which steps are done. report is nil before the comparison.
	tablesMade, indexed bool
	report              *Report
	// autoSwap and accept are as in BuildOptions.
	autoSwap, accept bool
	target           eventstore.Position
	task             foldTask

	// savedAt and events are what is saved of each range, for progress.
	savedAt [eventstore.Ranges]atomic.Int64
	events  atomic.Int64
	// progressEnd is the position at which progress is 1.
	progressEnd atomic.Int64

	// mu guards what keepLease finds. resumed is closed when paused changes.
	mu      sync.Mutex
	paused  bool
	resumed chan struct{}
}

// claim takes a build that no process works on and that this program can build: the one with this id, or any for 0. Nil:
// there is none.
func (builder *Builder) claim(ctx context.Context, id int64) (*activeBuild, error) {
	var mine []string
	for _, p := range builder.all() {
		mine = append(mine, p.Name+" "+p.Fingerprint())
	}
	b := &activeBuild{builder: builder, resumed: make(chan struct{})}
	var name string
	var target int64
	var report []byte
	var phase Phase
	err := pgx.BeginFunc(ctx, builder.DB, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `UPDATE projections.builds SET holder = $1, term = term + 1, leased_until = clock_timestamp() + $2::interval,
				state = CASE state WHEN 'waiting' THEN 'running' ELSE state END, updated_at = clock_timestamp()
			WHERE id = (SELECT b.id FROM projections.builds b
				WHERE ($3 = 0 OR b.id = $3) AND b.projection || ' ' || b.fingerprint = ANY ($4)
				  AND (b.state = 'waiting' OR b.state IN ('running', 'swapping') AND b.leased_until < clock_timestamp())
				ORDER BY b.id LIMIT 1 FOR UPDATE SKIP LOCKED)
			RETURNING id, term, projection, kind, schema, phase, made, indexed, auto_swap, accept, target, report`,
			builder.holderName(), builder.lease(), id, mine).Scan(&b.id, &b.term, &name, &b.kind, &b.task.schema, &phase, &b.tablesMade, &b.indexed, &b.autoSwap, &b.accept, &target, &report)
		if err != nil {
			return err
		}
		// This waits for writes of the former holder that are on their way, and fences off later ones.
		rows, err := tx.Query(ctx, "UPDATE projections.build_ranges SET term = $2 WHERE build = $1 RETURNING range, position, events", b.id, b.term)
		if err != nil {
			return err
		}
		var r int16
		var at, events int64
		_, err = pgx.ForEachRow(rows, []any{&r, &at, &events}, func() error {
			b.task.reached[r] = eventstore.Position(at)
			b.savedAt[r].Store(at)
			b.events.Add(events)
			return nil
		})
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("take a build: %w", err)
	}
	if report != nil {
		b.report = &Report{}
		if err := json.Unmarshal(report, b.report); err != nil {
			return nil, fmt.Errorf("read the report of build %d: %w", b.id, err)
		}
	}
	b.target = eventstore.Position(target)
	b.progressEnd.Store(target)
	if b.p, err = builder.find(name); err != nil {
		return nil, err
	}
	b.task.projection, b.task.save, b.task.waitWhilePaused = b.p, b.save, b.waitWhilePaused
	return b, nil
}

// save records a range's position, unless another process works on the build.
func (b *activeBuild) save(ctx context.Context, tx pgx.Tx, r int, at eventstore.Position, events int64) error {
	tag, err := tx.Exec(ctx, "UPDATE projections.build_ranges SET position = $3, events = events + $4 WHERE build = $1 AND range = $2 AND term = $5",
		b.id, r, int64(at), events, b.term)
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return errLeaseLost
	}
	b.savedAt[r].Store(int64(at))
	b.events.Add(events)
	return nil
}

// waitWhilePaused returns once the build is not paused.
func (b *activeBuild) waitWhilePaused(ctx context.Context) error {
	for {
		b.mu.Lock()
		paused, woken := b.paused, b.resumed
		b.mu.Unlock()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !paused {
			return nil
		}
		select {
		case <-ctx.Done():
		case <-woken:
		}
	}
}

// runToEnd does the steps that are left, and records how the build ended. An error means that the build did not end:
// another attempt, in this process or another one, goes on with it.
func (b *activeBuild) runToEnd(ctx context.Context) error {
	working, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var beat sync.WaitGroup
	beat.Go(func() { b.keepLease(working, stop) })
	err := b.runSteps(working)
	cause := context.Cause(working)
	stop(nil)
	beat.Wait()

	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errLeaseLost) || errors.Is(cause, errLeaseLost):
		return errLeaseLost
	case errors.Is(err, errCancelled) || errors.Is(cause, errCancelled):
		b.release(after)
		return b.builder.dropBuilt(after, b.id, b.task.schema)
	case ctx.Err() != nil || isTransient(err):
		b.release(after)
		return fmt.Errorf("build %d of %s: %w", b.id, b.p.Name, err)
	}
	if err := b.finish(after, Failed, err.Error()); err != nil {
		return err // another process works on the build by now, and may have dropped the tables
	}
	b.builder.logger().ErrorContext(ctx, "a read model could not be built", "projection", b.p.Name, "build", b.id, "error", err)
	return b.builder.dropBuilt(after, b.id, b.task.schema)
}

// isTransient says that another attempt may succeed, because the connection or the server failed. eventstore.Transient
// differs: to the feed a missing table or column is a deployment on its way, and a build makes its own tables.
func isTransient(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || eventstore.Unopened(err) {
		return true
	}
	var network net.Error
	var connect *pgconn.ConnectError
	if errors.As(err, &network) || errors.As(err, &connect) || pgconn.SafeToRetry(err) {
		return true
	}
	var refused *pgconn.PgError
	// Connection, rollback, resources, objects in use, intervention, system.
	return errors.As(err, &refused) && len(refused.Code) == 5 && slices.Contains([]string{"08", "40", "53", "55", "57", "58"}, refused.Code[:2])
}

// keepLease renews the lease, records the progress, and reads whether the build was paused or cancelled.
func (b *activeBuild) keepLease(ctx context.Context, stop context.CancelCauseFunc) {
	lease := b.builder.lease()
	began, from := time.Now(), b.progress()
	heard, last, counted := began, began, b.events.Load()
	var rate float64
	for wake.Pause(ctx, lease/4) {
		now, events := time.Now(), b.events.Load()
		if passed := now.Sub(last).Seconds(); passed > 0 {
			lately := float64(events-counted) / passed
			if rate == 0 {
				rate = lately
			}
			rate += (lately - rate) * min(1, passed/3)
			last, counted = now, events
		}
		share := b.progress()
		var eta *float64
		if done := share - from; done > 0 && share < 1 {
			left := now.Sub(began).Seconds() * (1 - share) / done
			eta = &left
		}
		ask, cancel := context.WithTimeout(ctx, lease/2)
		var state State
		err := b.builder.DB.QueryRow(ask, `UPDATE projections.builds SET leased_until = clock_timestamp() + $3::interval, progress = $4, rate = $5, eta_seconds = $6,
				updated_at = clock_timestamp() WHERE id = $1 AND term = $2 RETURNING state`,
			b.id, b.term, lease, share, rate, eta).Scan(&state)
		cancel()
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			stop(errLeaseLost)
			return
		case err != nil:
			if time.Since(heard) > lease {
				stop(errLeaseLost) // another process may have claimed the build
				return
			}
			continue
		case state == Cancelled:
			stop(errCancelled)
			return
		}
		heard = time.Now()
		b.mu.Lock()
		if b.paused != (state == Paused) {
			b.paused = state == Paused
			close(b.resumed)
			b.resumed = make(chan struct{})
		}
		b.mu.Unlock()
	}
}

// progress is the share of the log that is folded.
func (b *activeBuild) progress() float64 {
	bound := b.progressEnd.Load()
	if bound == 0 {
		return 1
	}
	var done int64
	for r := range b.savedAt {
		done += min(bound, b.savedAt[r].Load())
	}
	return float64(done) / float64(bound*eventstore.Ranges)
}

// update changes the build's row, unless another process works on the build.
func (b *activeBuild) update(ctx context.Context, db execer, assignments string, args ...any) error {
	tag, err := db.Exec(ctx, "UPDATE projections.builds SET "+assignments+", updated_at = clock_timestamp() WHERE id = $1 AND term = $2 AND finished_at IS NULL",
		append([]any{b.id, b.term}, args...)...)
	if err != nil {
		return fmt.Errorf("record build %d: %w", b.id, err)
	}
	if tag.RowsAffected() == 1 {
		return nil
	}
	var state State
	if err := b.builder.DB.QueryRow(ctx, "SELECT state FROM projections.builds WHERE id = $1", b.id).Scan(&state); err != nil {
		return fmt.Errorf("record build %d: %w", b.id, err)
	}
	if state == Cancelled {
		return errCancelled
	}
	return errLeaseLost
}

// enterPhase begins a phase.
func (b *activeBuild) enterPhase(ctx context.Context, phase Phase) error {
	if err := b.waitWhilePaused(ctx); err != nil {
		return err
	}
	return b.update(ctx, b.builder.DB, "phase = $3", phase)
}

// finish makes the build final.
func (b *activeBuild) finish(ctx context.Context, state State, reason string) error {
	if i := strings.Index(reason, "\ngoroutine "); i > 0 { // the stack of a panic goes to the log only
		reason = reason[:i]
	}
	return b.update(ctx, b.builder.DB, "state = $3, error = $4, finished_at = clock_timestamp(), leased_until = '-infinity', progress = CASE WHEN $3 = 'done' THEN 1 ELSE progress END",
		state, reason)
}

// release lets another process claim the build at once. When the database cannot be reached, the lease has to run out.
func (b *activeBuild) release(ctx context.Context) {
	_, err := b.builder.DB.Exec(ctx, `UPDATE projections.builds SET leased_until = '-infinity', state = CASE WHEN state IN ('running', 'swapping') THEN 'waiting' ELSE state END
		WHERE id = $1 AND term = $2`, b.id, b.term)
	if err != nil {
		b.builder.logger().WarnContext(ctx, "a build could not be released", "build", b.id, "error", err)
	}
}
