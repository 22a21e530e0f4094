package projections

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
	"shop/eventstore/feed"
)

// look is how often processes look for builds to do, and at those that others do.
const look = 250 * time.Millisecond

var (
	// errCancelled: somebody cancelled the build at work.
	errCancelled = errors.New("cancelled")
	// errLost: another process has the build now.
	errLost = errors.New("another process has taken the build over")
)

// Work does builds that nobody works on, one at a time, until ctx ends. What it has begun then, another process goes on with.
func (e *Engine) Work(ctx context.Context) {
	for wait := look; ; {
		b, err := e.claim(ctx, 0)
		if b != nil {
			err = b.work(ctx)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			wait = look
		default:
			wait = min(2*wait, 5*time.Second)
			e.logger().WarnContext(ctx, "builds of read models", "error", err, "again_in", wait)
		}
		if b != nil && err == nil {
			continue
		}
		if !pause(ctx, wait) {
			return
		}
	}
}

// Run works on a build, or watches when another process does, until it is final or ready. onProgress, which may be
// nil, is told how it stands now and then. A build that failed or was cancelled is an error, beside the build. When ctx
// ends first, the build is left to others.
func (e *Engine) Run(ctx context.Context, id int64, onProgress func(Build)) (Build, error) {
	working := make(chan error, 1)
	busy := false
	for {
		now, err := e.Build(ctx, id)
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
			var b *building
			if b, err = e.claim(ctx, id); b != nil {
				busy = true
				go func() { working <- b.work(ctx) }()
			}
		}
		if err != nil {
			if busy {
				<-working
			}
			return now, err
		}
		timer := time.NewTimer(look)
		select {
		case err := <-working:
			busy = false
			if err != nil && !errors.Is(err, errLost) {
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

// pause waits; false when ctx ended.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// building is a build at work in this process.
type building struct {
	e    *Engine
	p    Projection
	id   int64
	term int64
	kind Kind
	// made and indexed say what is done already; report is nil before the comparison.
	made, indexed bool
	report        *Report
	// autoSwap and accept are as asked for.
	autoSwap, accept bool
	target           eventstore.Position
	f                filling

	// at and events are what is saved of each range, for those who look.
	at     [eventstore.Ranges]atomic.Int64
	events atomic.Int64
	// bound is the position that progress is measured by.
	bound atomic.Int64

	// mu guards what the heartbeat finds.
	mu     sync.Mutex
	paused bool
	woken  chan struct{}
}

// claim takes a build, or any for 0, that nobody works on and that this program can do; nil: there is none.
func (e *Engine) claim(ctx context.Context, id int64) (*building, error) {
	var mine []string
	for _, p := range e.all() {
		mine = append(mine, p.Name+" "+p.Fingerprint())
	}
	b := &building{e: e, woken: make(chan struct{})}
	var name string
	var target int64
	var report []byte
	var phase Phase
	err := pgx.BeginFunc(ctx, e.DB, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `UPDATE projections.builds SET holder = $1, term = term + 1, leased_until = clock_timestamp() + $2::interval,
				state = CASE state WHEN 'waiting' THEN 'running' ELSE state END, updated_at = clock_timestamp()
			WHERE id = (SELECT b.id FROM projections.builds b
				WHERE ($3 = 0 OR b.id = $3) AND b.projection || ' ' || b.fingerprint = ANY ($4)
				  AND (b.state = 'waiting' OR b.state IN ('running', 'swapping') AND b.leased_until < clock_timestamp())
				ORDER BY b.id LIMIT 1 FOR UPDATE SKIP LOCKED)
			RETURNING id, term, projection, kind, schema, phase, made, indexed, auto_swap, accept, target, report`,
			e.whoami(), e.lease(), id, mine).Scan(&b.id, &b.term, &name, &b.kind, &b.f.schema, &phase, &b.made, &b.indexed, &b.autoSwap, &b.accept, &target, &report)
		if err != nil {
			return err
		}
		// This waits for what the former holder still writes, and fences it off.
		rows, err := tx.Query(ctx, "UPDATE projections.build_ranges SET term = $2 WHERE build = $1 RETURNING range, position, events", b.id, b.term)
		if err != nil {
			return err
		}
		var r int16
		var at, events int64
		_, err = pgx.ForEachRow(rows, []any{&r, &at, &events}, func() error {
			b.f.at[r] = eventstore.Position(at)
			b.at[r].Store(at)
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
	b.bound.Store(target)
	if b.p, err = e.find(name); err != nil {
		return nil, err
	}
	b.f.projection, b.f.save, b.f.proceed = b.p, b.save, b.proceed
	return b, nil
}

// save records a range's place, unless another process has the build.
func (b *building) save(ctx context.Context, tx pgx.Tx, r int, at eventstore.Position, events int64) error {
	tag, err := tx.Exec(ctx, "UPDATE projections.build_ranges SET position = $3, events = events + $4 WHERE build = $1 AND range = $2 AND term = $5",
		b.id, r, int64(at), events, b.term)
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return errLost
	}
	b.at[r].Store(int64(at))
	b.events.Add(events)
	return nil
}

// proceed waits while the build is paused.
func (b *building) proceed(ctx context.Context) error {
	for {
		b.mu.Lock()
		paused, woken := b.paused, b.woken
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

// work does what is left of the build and records how it ended. An error means that it did not: another attempt, here or
// elsewhere, goes on with it.
func (b *building) work(ctx context.Context) error {
	working, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var beat sync.WaitGroup
	beat.Go(func() { b.keepLease(working, stop) })
	err := b.run(working)
	cause := context.Cause(working)
	stop(nil)
	beat.Wait()

	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errLost) || errors.Is(cause, errLost):
		return errLost
	case errors.Is(err, errCancelled) || errors.Is(cause, errCancelled):
		b.release(after)
		return b.e.clear(after, b.id, b.f.schema)
	case ctx.Err() != nil || isTransient(err):
		b.release(after)
		return fmt.Errorf("build %d of %s: %w", b.id, b.p.Name, err)
	}
	b.e.logger().ErrorContext(ctx, "a read model could not be built", "projection", b.p.Name, "build", b.id, "error", err)
	if err := b.end(after, Failed, err.Error()); err != nil {
		return err
	}
	return b.e.clear(after, b.id, b.f.schema)
}

// isTransient says that another attempt may succeed: the trouble was the connection's or the server's.
func isTransient(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) {
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

// keepLease renews the lease, records the progress, and hears what was asked of the build.
func (b *building) keepLease(ctx context.Context, stop context.CancelCauseFunc) {
	lease := b.e.lease()
	began, from := time.Now(), b.progress()
	heard, last, counted := began, began, b.events.Load()
	var rate float64
	for pause(ctx, lease/4) {
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
		err := b.e.DB.QueryRow(ask, `UPDATE projections.builds SET leased_until = clock_timestamp() + $3::interval, progress = $4, rate = $5, eta_seconds = $6,
				updated_at = clock_timestamp() WHERE id = $1 AND term = $2 RETURNING state`,
			b.id, b.term, lease, share, rate, eta).Scan(&state)
		cancel()
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			stop(errLost)
			return
		case err != nil:
			if time.Since(heard) > lease {
				stop(errLost) // by now another process may have it
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
			close(b.woken)
			b.woken = make(chan struct{})
		}
		b.mu.Unlock()
	}
}

// progress is the share of the log that is folded.
func (b *building) progress() float64 {
	bound := b.bound.Load()
	if bound == 0 {
		return 1
	}
	var done int64
	for r := range b.at {
		done += min(bound, b.at[r].Load())
	}
	return float64(done) / float64(bound*eventstore.Ranges)
}

// set changes the build's row, unless another process has it.
func (b *building) set(ctx context.Context, db execer, assignments string, args ...any) error {
	tag, err := db.Exec(ctx, "UPDATE projections.builds SET "+assignments+", updated_at = clock_timestamp() WHERE id = $1 AND term = $2 AND finished_at IS NULL",
		append([]any{b.id, b.term}, args...)...)
	if err != nil {
		return fmt.Errorf("record build %d: %w", b.id, err)
	}
	if tag.RowsAffected() == 1 {
		return nil
	}
	var state State
	if err := b.e.DB.QueryRow(ctx, "SELECT state FROM projections.builds WHERE id = $1", b.id).Scan(&state); err != nil {
		return fmt.Errorf("record build %d: %w", b.id, err)
	}
	if state == Cancelled {
		return errCancelled
	}
	return errLost
}

// execer is a pool or a transaction.
type execer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// enter begins a phase.
func (b *building) enter(ctx context.Context, phase Phase) error {
	if err := b.proceed(ctx); err != nil {
		return err
	}
	return b.set(ctx, b.e.DB, "phase = $3", phase)
}

// end makes the build final.
func (b *building) end(ctx context.Context, state State, reason string) error {
	if i := strings.Index(reason, "\ngoroutine "); i > 0 { // a panic's stack is for the log
		reason = reason[:i]
	}
	return b.set(ctx, b.e.DB, "state = $3, error = $4, finished_at = clock_timestamp(), leased_until = '-infinity', progress = CASE WHEN $3 = 'done' THEN 1 ELSE progress END",
		state, reason)
}

// release lets others have the build at once. When the database cannot be asked, they wait for the lease's end.
func (b *building) release(ctx context.Context) {
	_, err := b.e.DB.Exec(ctx, `UPDATE projections.builds SET leased_until = '-infinity', state = CASE WHEN state IN ('running', 'swapping') THEN 'waiting' ELSE state END
		WHERE id = $1 AND term = $2`, b.id, b.term)
	if err != nil {
		b.e.logger().WarnContext(ctx, "a build could not be released", "build", b.id, "error", err)
	}
}

// run does the build's steps that are not done yet.
func (b *building) run(ctx context.Context) (err error) {
	if b.f.skipped, err = b.e.letGo(ctx, b.p.Name); err != nil {
		return err
	}
	if !b.made {
		if err := b.make(ctx); err != nil {
			return err
		}
	}
	if !b.indexed {
		if err := b.enter(ctx, Folding); err != nil {
			return err
		}
		if err := b.fold(ctx); err != nil {
			return err
		}
		if err := b.index(ctx); err != nil {
			return err
		}
	}
	if b.kind == AsOf {
		return b.keep(ctx)
	}
	if b.report == nil {
		if err := b.enter(ctx, CatchingUp); err != nil {
			return err
		}
		if err := b.catchUp(ctx); err != nil {
			return err
		}
		if err := b.enter(ctx, Comparing); err != nil {
			return err
		}
		if err := b.compare(ctx); err != nil {
			return err
		}
	}
	if b.kind == Verify {
		if err := b.end(ctx, Done, ""); err != nil {
			return err
		}
		return b.e.clear(ctx, b.id, b.f.schema)
	}
	live, err := made(ctx, b.e.DB, b.p.Name)
	if err != nil {
		return err
	}
	if !b.autoSwap || !(b.accept || b.report.Equal() || live != b.p.Fingerprint()) {
		return b.set(ctx, b.e.DB, "state = 'ready', leased_until = '-infinity'")
	}
	if err := b.enter(ctx, Exchanging); err != nil {
		return err
	}
	if err := b.set(ctx, b.e.DB, "state = 'swapping'"); err != nil {
		return err
	}
	return b.swap(ctx)
}

// make makes the tables, with their primary keys only.
func (b *building) make(ctx context.Context) error {
	err := pgx.BeginFunc(ctx, b.e.DB, func(tx pgx.Tx) error {
		if err := lock(ctx, tx); err != nil {
			return err
		}
		if err := b.set(ctx, tx, "made = true"); err != nil {
			return err
		}
		if b.kind != AsOf { // a schema of the operator's choosing was not there, or the build was refused
			if _, err := tx.Exec(ctx, "DROP SCHEMA IF EXISTS "+quote(b.f.schema)+" CASCADE"); err != nil {
				return err
			}
		}
		return b.p.createTables(ctx, tx, b.f.schema)
	})
	b.made = err == nil
	return err
}

// fold does the bulk: up to the end of the log, but not beyond what the live read model shows, which it is compared with.
func (b *building) fold(ctx context.Context) error {
	if b.kind == AsOf {
		b.f.upTo = b.target
		return b.e.fill(ctx, &b.f)
	}
	live, err := b.live(ctx)
	if err != nil {
		return err
	}
	b.f.upTo = least(live)
	return b.e.fill(ctx, &b.f)
}

// live is where the live consumer stands.
func (b *building) live(ctx context.Context) (at [eventstore.Ranges]eventstore.Position, err error) {
	rows, err := b.e.DB.Query(ctx, "SELECT range, position FROM eventstore.checkpoints WHERE consumer = $1", b.p.Name)
	if err != nil {
		return at, err
	}
	var r int16
	var position int64
	found := 0
	_, err = pgx.ForEachRow(rows, []any{&r, &position}, func() error {
		at[r] = eventstore.Position(position)
		found++
		return nil
	})
	if err == nil && found < eventstore.Ranges {
		err = ErrNeverRan
	}
	return at, err
}

// index makes the indexes and has the planner know the tables.
func (b *building) index(ctx context.Context) error {
	if err := b.enter(ctx, Indexing); err != nil {
		return err
	}
	err := inTx(ctx, b.e.DB, func(tx pgx.Tx) error {
		if err := b.set(ctx, tx, "indexed = true"); err != nil {
			return err
		}
		if err := b.p.createIndexes(ctx, tx, b.f.schema); err != nil {
			return err
		}
		for _, t := range b.p.Tables {
			if _, err := tx.Exec(ctx, "ANALYZE "+within(b.f.schema, t.name())); err != nil {
				return err
			}
		}
		return nil
	})
	b.indexed = err == nil
	return err
}

// keep ends a build as of a position: its schema stays.
func (b *building) keep(ctx context.Context) error {
	return pgx.BeginFunc(ctx, b.e.DB, func(tx pgx.Tx) error {
		err := b.set(ctx, tx, "state = 'done', progress = 1, finished_at = clock_timestamp(), leased_until = '-infinity'")
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO projections.models (schema, projection, role, version, fingerprint, position, as_of)
			SELECT schema, projection, 'as-of', version, fingerprint, target, as_of FROM projections.builds WHERE id = $1`, b.id)
		return err
	})
}

// little is how many positions may be left for the moment in which the live consumer is held.
const little = 500

// catchUp folds what was appended meanwhile, until the live read model is ahead by little.
func (b *building) catchUp(ctx context.Context) error {
	for range 20 {
		live, err := b.live(ctx)
		if err != nil {
			return err
		}
		to := least(live)
		near := to-least(b.f.at) < little
		b.f.upTo = to
		if err := b.e.fill(ctx, &b.f); err != nil {
			return err
		}
		if near {
			return nil
		}
	}
	return nil // the log grows faster than it is folded; what holds the live consumer then lets it go again and fails
}

// compare brings the fresh read model to the very places of the live one, holding that for a moment, and compares the
// two as they were then.
func (b *building) compare(ctx context.Context) error {
	for {
		report, err := b.compareOnce(ctx)
		if err != nil {
			return err
		}
		if report == nil { // the live schema was exchanged meanwhile
			continue
		}
		document, err := json.Marshal(report)
		if err != nil {
			return err
		}
		if err := b.set(ctx, b.e.DB, "report = $3", document); err != nil {
			return err
		}
		b.report = report
		return nil
	}
}

const schemaID = "SELECT oid::bigint FROM pg_namespace WHERE nspname = $1"

func (b *building) compareOnce(ctx context.Context) (*Report, error) {
	var report *Report
	var before, after int64
	var at eventstore.Position
	err := pgx.BeginTxFunc(ctx, b.e.DB, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(snapshot pgx.Tx) error {
		err := pgx.BeginFunc(ctx, b.e.DB, func(holding pgx.Tx) error {
			held, err := feed.ControlOf(b.e.Store).Hold(ctx, holding, b.p.Name)
			if err != nil {
				return err
			}
			for r := range held.At {
				if held.At[r] < b.f.at[r] {
					return fmt.Errorf("the live read model was sent back to position %d meanwhile: let it catch up first", held.At[r])
				}
			}
			if err := b.e.exactly(ctx, b.e.DB, &b.f, held.At); err != nil {
				return err
			}
			at = least(held.At)
			// The snapshot is taken by this first statement, while the live consumer is held.
			return snapshot.QueryRow(ctx, schemaID, b.p.Name).Scan(&before)
		})
		if err != nil {
			return err
		}
		if _, err := snapshot.Exec(ctx, "SET LOCAL work_mem = '64MB'"); err != nil {
			return err
		}
		report, err = compare(ctx, snapshot, b.p, b.p.Name, b.f.schema)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := b.e.DB.QueryRow(ctx, schemaID, b.p.Name).Scan(&after); err != nil || after != before {
		return nil, err
	}
	report.Position = at
	return report, nil
}
