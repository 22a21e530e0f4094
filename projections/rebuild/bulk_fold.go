package rebuild

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"shop/eventstore"
	"shop/projections"
)

// foldTask says what to fold into which schema, and how far each range has come.
type foldTask struct {
	foldPart
	// more are folded in the same pass.
	more []foldPart
	// reached is how far each range has come; foldInBulk moves it. upTo is inclusive.
	reached [eventstore.Ranges]eventstore.Position
	upTo    eventstore.Position
	// eager folds at full speed, as Builder.Eager does.
	eager bool
	// skipped are events that staff skipped; they are left out.
	skipped map[eventstore.Position]bool
	// save records a range's position in the transaction that writes its rows. events is how many were folded since the
	// last save.
	save func(ctx context.Context, tx pgx.Tx, r int, at eventstore.Position, events int64) error
	// waitWhilePaused is called between batches. It returns an error when the build was cancelled or its lease is lost.
	waitWhilePaused func(ctx context.Context) error
}

// foldPart is a projection, and the schema that holds its tables, with primary keys and no other indexes.
type foldPart struct {
	projection projections.Projection
	schema     string
}

// parts are all projections of a task.
func (task *foldTask) parts() []foldPart { return append([]foldPart{task.foldPart}, task.more...) }

// wants are the types of the events that the task folds, and whether it folds their metadata.
func (task *foldTask) wants() (types []string, metadata bool) {
	for _, part := range task.parts() {
		types, metadata = append(types, part.projection.Types()...), metadata || part.projection.Metadata
	}
	slices.Sort(types)
	return slices.Compact(types), metadata
}

// foldInBulk folds all ranges up to upTo. It may be called again with a later upTo, and after a crash or an error with the
// positions saved. Read those under a lock that waits for the transactions of save: one may be committing although its
// process or its context has ended.
//
// A dispatcher scans the log and hands batches to workers. Each worker folds some of the ranges in memory. Now and then it
// writes the dirty rows, with the positions of its ranges, in one transaction. When a worker's share of the memory is
// full, it evicts rows that are stored. It reads such a row back when an event touches it again.
func (builder *Builder) foldInBulk(ctx context.Context, task *foldTask) error {
	from := task.reached
	after := slices.Min(from[:])
	if after >= task.upTo {
		return nil
	}
	defer relaxGC()()
	count := min(cmp.Or(builder.Workers, defaultWorkers), eventstore.Ranges)
	throttle, workers := &throttle{}, make([]*foldWorker, count)
	for i := range workers {
		worker, err := builder.newFoldWorker(ctx, task, throttle, i, count)
		if err != nil {
			return fmt.Errorf("fill %s: %w", task.schema, err)
		}
		workers[i] = worker
	}
	if !builder.Eager && !task.eager && task.upTo-after > unthrottledDistance {
		grows, err := throttle.logGrows(ctx, builder.Store)
		if err != nil {
			return fmt.Errorf("fill %s: %w", task.schema, err)
		}
		throttle.on.Store(grows)
		watching, stop := context.WithCancel(ctx)
		var watch sync.WaitGroup
		watch.Go(func() { throttle.follow(watching, builder.Store) })
		defer watch.Wait()
		defer stop()
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, worker := range workers {
		group.Go(func() error { return worker.run(ctx) })
	}
	group.Go(func() error {
		dispatcher := dispatcher{task: task, from: from, workers: workers, throttle: throttle}
		for at := after; at < task.upTo; at = dispatcher.reached {
			if err := dispatcher.scan(ctx, builder, at); err != nil {
				return err
			}
		}
		for _, worker := range workers {
			close(worker.in)
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		return fmt.Errorf("fill %s: %w", task.schema, err)
	}
	return nil
}

// BuildInto builds a read model in a new schema from all of the log there is now, with indexes and statistics. It records
// nothing about it.
func (builder *Builder) BuildInto(ctx context.Context, p projections.Projection, schema string) error {
	head, err := builder.Store.Head(ctx)
	if err != nil {
		return err
	}
	if err := pgx.BeginFunc(ctx, builder.DB, func(tx pgx.Tx) error { return p.CreateTables(ctx, tx, schema) }); err != nil {
		return err
	}
	task := &foldTask{
		foldPart: foldPart{p, schema}, upTo: head, waitWhilePaused: func(context.Context) error { return nil },
		save: func(context.Context, pgx.Tx, int, eventstore.Position, int64) error { return nil },
	}
	if err := builder.foldInBulk(ctx, task); err != nil {
		return err
	}
	return builder.finishTables(ctx, p, schema, nil)
}

// dispatcher scans the log and hands its events to the workers.
type dispatcher struct {
	task     *foldTask
	from     [eventstore.Ranges]eventstore.Position
	workers  []*foldWorker
	throttle *throttle
	reached  eventstore.Position
}

// windowsPerScan is how many windows a scan reads at most before the next one is told how to read.
const windowsPerScan = 32

// errThrottled ends a scan at full speed once the log grows.
var errThrottled = errors.New("the log grows")

func (d *dispatcher) scan(ctx context.Context, builder *Builder, after eventstore.Position) error {
	window := cmp.Or(builder.window, fullSpeedWindow)
	types, metadata := d.task.wants()
	q := eventstore.Scanning{
		After: after, UpTo: min(d.task.upTo, after+eventstore.Position(window*windowsPerScan)), Range: -1, Window: window,
		Types: types, Metadata: metadata,
	}
	d.reached = after
	var err error
	if d.throttle.on.Load() {
		err = d.scanThrottled(ctx, builder, q)
	} else {
		err = builder.Store.Scan(ctx, q, func(events []eventstore.Event, reached eventstore.Position) error {
			if err := d.dispatch(ctx, events, reached); err != nil {
				return err
			}
			if d.throttle.on.Load() {
				return errThrottled
			}
			return nil
		})
		if errors.Is(err, errThrottled) {
			return nil
		}
	}
	if err == nil && d.reached <= after {
		return fmt.Errorf("the log can be read up to %d only, not to %d", d.reached, d.task.upTo)
	}
	return err
}

// scanThrottled reads one small window as a piece of work. The database does not read ahead meanwhile.
func (d *dispatcher) scanThrottled(ctx context.Context, builder *Builder, q eventstore.Scanning) error {
	q.Window = min(q.Window, throttledWindow)
	q.UpTo = min(q.UpTo, q.After+eventstore.Position(q.Window))
	var all []eventstore.Event
	reached := q.After
	err := d.throttle.run(ctx, func() error {
		return builder.Store.Scan(ctx, q, func(events []eventstore.Event, at eventstore.Position) error {
			all, reached = append(all, events...), at
			return nil
		})
	})
	if err != nil || reached == q.After {
		return err
	}
	return d.dispatch(ctx, all, reached)
}

func (d *dispatcher) dispatch(ctx context.Context, events []eventstore.Event, reached eventstore.Position) error {
	if err := d.task.waitWhilePaused(ctx); err != nil {
		return err
	}
	count := len(d.workers)
	shares := make([]workerBatch, count)
	for _, event := range events {
		r := eventstore.RangeOf(event.Slice)
		if event.Position > d.from[r] && !d.task.skipped[event.Position] {
			shares[r%count].events = append(shares[r%count].events, event)
		}
	}
	for i, worker := range d.workers {
		shares[i].reached = reached
		select {
		case worker.in <- shares[i]:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	d.reached = reached
	return nil
}

// unthrottledDistance is how many positions are folded at full speed even beside appends: a fraction of a second's work.
// So a build that catches up with a busy log arrives.
const unthrottledDistance = 16_384

// workerBatch is a worker's part of a batch.
type workerBatch struct {
	events  []eventstore.Event
	reached eventstore.Position
}

// foldWorker folds the events of its ranges.
type foldWorker struct {
	builder  *Builder
	task     *foldTask
	ranges   []int
	tables   []*bulkTable
	in       chan workerBatch
	throttle *throttle
	// budget is how many bytes of rows it may keep.
	budget int64
	// reached is how far its ranges are folded in memory, saved how far in the tables.
	reached, saved eventstore.Position
	foldedEvents   [eventstore.Ranges]int64
}

func (builder *Builder) newFoldWorker(ctx context.Context, task *foldTask, throttle *throttle, nth, count int) (*foldWorker, error) {
	worker := &foldWorker{builder: builder, task: task, throttle: throttle, in: make(chan workerBatch, 1), budget: cmp.Or(builder.Memory, defaultMemory) / int64(count)}
	hadRows := false
	for r := nth; r < eventstore.Ranges; r += count {
		worker.ranges = append(worker.ranges, r)
		hadRows = hadRows || task.reached[r] > 0
	}
	for _, part := range task.parts() {
		for _, t := range part.projection.Tables {
			b, err := newBulkTable(ctx, builder.DB, t, part.schema, hadRows)
			if err != nil {
				return nil, err
			}
			worker.tables = append(worker.tables, b)
		}
	}
	return worker, nil
}

func (worker *foldWorker) run(ctx context.Context) error {
	every := cmp.Or(worker.builder.Flush, defaultFlush)
	due := time.NewTicker(every)
	defer due.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-due.C:
			if err := worker.flush(ctx); err != nil {
				return err
			}
		case s, ok := <-worker.in:
			if !ok {
				return worker.flush(ctx)
			}
			if err := worker.throttle.run(ctx, func() error { return worker.fold(ctx, s) }); err != nil {
				return err
			}
			if worker.size() > worker.budget {
				if err := worker.flush(ctx); err != nil {
					return err
				}
				worker.evict()
				due.Reset(every)
			}
		}
	}
}

func (worker *foldWorker) size() (bytes int64) {
	for _, t := range worker.tables {
		bytes += t.bytes
	}
	return bytes
}

// fold folds events into rows in memory. It first reads back the rows it had evicted.
func (worker *foldWorker) fold(ctx context.Context, s workerBatch) error {
	var read pgx.Batch
	for _, t := range worker.tables {
		if err := t.collect(s.events, &read); err != nil {
			return err
		}
	}
	if read.Len() > 0 {
		if err := worker.builder.DB.SendBatch(ctx, &read).Close(); err != nil {
			return fmt.Errorf("read rows back: %w", err)
		}
	}
	for _, t := range worker.tables {
		if err := t.fold(); err != nil {
			return err
		}
	}
	for _, event := range s.events {
		worker.foldedEvents[eventstore.RangeOf(event.Slice)]++
	}
	worker.reached = s.reached
	return nil
}

// flush writes the dirty rows. It does not wait for the disk: what a crash loses was not saved either.
func (worker *foldWorker) flush(ctx context.Context) error {
	if worker.reached == worker.saved {
		return nil
	}
	return worker.throttle.run(ctx, func() error { return worker.write(ctx) })
}

func (worker *foldWorker) write(ctx context.Context) error {
	err := pgx.BeginFunc(ctx, worker.builder.DB, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SET LOCAL synchronous_commit = off"); err != nil {
			return err
		}
		for _, t := range worker.tables {
			if err := t.flush(ctx, tx, worker.throttle); err != nil {
				return err
			}
		}
		for _, r := range worker.ranges {
			if worker.reached <= worker.task.reached[r] {
				continue
			}
			if err := worker.task.save(ctx, tx, r, worker.reached, worker.foldedEvents[r]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, t := range worker.tables {
		t.committed()
	}
	for _, r := range worker.ranges {
		worker.task.reached[r] = max(worker.task.reached[r], worker.reached)
	}
	worker.saved, worker.foldedEvents = worker.reached, [eventstore.Ranges]int64{}
	return nil
}

// evict makes room: first it evicts idle rows, and if that is too little, all that are stored.
func (worker *foldWorker) evict() {
	for _, t := range worker.tables {
		t.evict(true)
	}
	if worker.size() > worker.budget/2 {
		for _, t := range worker.tables {
			t.evict(false)
		}
	}
}
