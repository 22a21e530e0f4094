package rebuild

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"shop/eventstore"
	"shop/projections"
)

// filling is one build's bulk fold: what to fold into which schema, and where each range has come.
type filling struct {
	projection projections.Projection
	// schema has the projection's tables, with primary keys and without other indexes.
	schema string
	// at is where each range has come; fill moves it. upTo is inclusive.
	at   [eventstore.Ranges]eventstore.Position
	upTo eventstore.Position
	// skipped are events staff let go; they are left out.
	skipped map[eventstore.Position]bool
	// save records a range's place in the transaction that writes its rows; events is how many were folded since the
	// last time.
	save func(ctx context.Context, tx pgx.Tx, r int, at eventstore.Position, events int64) error
	// proceed is asked between batches: it waits while the build is paused and returns an error when it is cancelled
	// or its lease is lost.
	proceed func(ctx context.Context) error
}

// fill folds all ranges, side by side, up to upTo. It may be called again with a later upTo, and after a crash or an
// error with the places saved. Read those under a lock that waits for save's transaction: a commit may have been on
// its way when its process or its context ended.
//
// One scan of the log is dealt out to workers, each with some of the ranges. A worker folds in memory and now and then
// writes the rows that changed, with its ranges' places, in one transaction. When its share of the memory is used up,
// rows that were written leave it; a key that comes again is then read back, so the tables themselves are the overflow.
func (e *Engine) fill(ctx context.Context, f *filling) error {
	from := f.at
	after := slices.Min(from[:])
	if after >= f.upTo {
		return nil
	}
	defer collectLess()()
	count := min(cmp.Or(e.Workers, defaultWorkers), eventstore.Ranges)
	pace, workers := &pace{}, make([]*folder, count)
	for i := range workers {
		w, err := e.folder(ctx, f, pace, i, count)
		if err != nil {
			return fmt.Errorf("fill %s: %w", f.schema, err)
		}
		workers[i] = w
	}
	if !e.Eager && f.upTo-after > shortWay {
		grows, err := pace.look(ctx, e.Store)
		if err != nil {
			return fmt.Errorf("fill %s: %w", f.schema, err)
		}
		if grows {
			pace.set(firstShare)
		}
		watching, stop := context.WithCancel(ctx)
		var watch sync.WaitGroup
		watch.Go(func() { pace.watch(watching, e.DB, e.Store) })
		defer watch.Wait()
		defer stop()
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, w := range workers {
		group.Go(func() error { return w.run(ctx) })
	}
	group.Go(func() error {
		deal := dealer{f: f, from: from, workers: workers, pace: pace}
		for at := after; at < f.upTo; at = deal.reached {
			if err := deal.scan(ctx, e, at); err != nil {
				return err
			}
		}
		for _, w := range workers {
			close(w.in)
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		return fmt.Errorf("fill %s: %w", f.schema, err)
	}
	return nil
}

// Make builds a read model in a new schema, indexes and statistics included, from all of the log there is now. Nobody
// else hears of it.
func (e *Engine) Make(ctx context.Context, p projections.Projection, schema string) error {
	head, err := e.Store.Head(ctx)
	if err != nil {
		return err
	}
	if err := pgx.BeginFunc(ctx, e.DB, func(tx pgx.Tx) error { return p.CreateTables(ctx, tx, schema) }); err != nil {
		return err
	}
	f := &filling{
		projection: p, schema: schema, upTo: head, proceed: func(context.Context) error { return nil },
		save: func(context.Context, pgx.Tx, int, eventstore.Position, int64) error { return nil },
	}
	if err := e.fill(ctx, f); err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, e.DB, func(tx pgx.Tx) error {
		if err := p.CreateIndexes(ctx, tx, schema); err != nil {
			return err
		}
		for _, t := range p.Tables {
			if _, err := tx.Exec(ctx, "ANALYZE "+t.Definition().In(schema)); err != nil {
				return err
			}
		}
		return nil
	})
}

// dealer reads the log and deals it out.
type dealer struct {
	f       *filling
	from    [eventstore.Ranges]eventstore.Position
	workers []*folder
	pace    *pace
	reached eventstore.Position
}

// windowsAtOnce is how many windows are read before the pace is looked at again.
const windowsAtOnce = 32

func (d *dealer) scan(ctx context.Context, e *Engine, after eventstore.Position) error {
	window := cmp.Or(e.window, fullWindow)
	q := eventstore.Scanning{
		After: after, UpTo: min(d.f.upTo, after+eventstore.Position(window*windowsAtOnce)), Range: -1, Window: window,
		Types: d.f.projection.Types(), Metadata: d.f.projection.Metadata,
	}
	d.reached = after
	var err error
	if _, polite := d.pace.polite(); polite {
		err = d.scanPolitely(ctx, e, q)
	} else {
		err = e.Store.Scan(ctx, q, func(events []eventstore.Event, reached eventstore.Position) error {
			return d.deal(ctx, events, reached)
		})
	}
	if err == nil && d.reached <= after {
		return fmt.Errorf("the log can be read up to %d only, not to %d", d.reached, d.f.upTo)
	}
	return err
}

// scanPolitely reads one small window as a piece of work: the database does not read ahead meanwhile.
func (d *dealer) scanPolitely(ctx context.Context, e *Engine, q eventstore.Scanning) error {
	q.Window = min(q.Window, politeWindow)
	q.UpTo = min(q.UpTo, q.After+eventstore.Position(q.Window))
	var all []eventstore.Event
	reached := q.After
	err := d.pace.work(ctx, func() error {
		return e.Store.Scan(ctx, q, func(events []eventstore.Event, at eventstore.Position) error {
			all, reached = append(all, events...), at
			return nil
		})
	})
	if err != nil || reached == q.After {
		return err
	}
	return d.deal(ctx, all, reached)
}

func (d *dealer) deal(ctx context.Context, events []eventstore.Event, reached eventstore.Position) error {
	if err := d.f.proceed(ctx); err != nil {
		return err
	}
	count := len(d.workers)
	shares := make([]share, count)
	for _, event := range events {
		r := eventstore.RangeOf(event.Slice)
		if event.Position > d.from[r] && !d.f.skipped[event.Position] {
			shares[r%count].events = append(shares[r%count].events, event)
		}
	}
	for i, w := range d.workers {
		shares[i].reached = reached
		select {
		case w.in <- shares[i]:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	d.reached = reached
	return nil
}

// shortWay is how many positions are folded at full speed beside appends too: a fraction of a second's work, so that a
// build that catches up with a busy log arrives.
const shortWay = 16_384

// share is a worker's part of a batch.
type share struct {
	events  []eventstore.Event
	reached eventstore.Position
}

// folder is a worker: it folds the events of its ranges.
type folder struct {
	engine *Engine
	f      *filling
	ranges []int
	tables []*bulkTable
	in     chan share
	pace   *pace
	// budget is its share of the memory, in bytes.
	budget int64
	// reached is where its ranges have come in memory, saved where they have come in the tables.
	reached, saved eventstore.Position
	folded         [eventstore.Ranges]int64
}

func (e *Engine) folder(ctx context.Context, f *filling, pace *pace, nth, count int) (*folder, error) {
	w := &folder{engine: e, f: f, pace: pace, in: make(chan share, 1), budget: cmp.Or(e.Memory, defaultMemory) / int64(count)}
	begun := false
	for r := nth; r < eventstore.Ranges; r += count {
		w.ranges = append(w.ranges, r)
		begun = begun || f.at[r] > 0
	}
	for _, t := range f.projection.Tables {
		b, err := newBulkTable(ctx, e.DB, t, f.schema, begun)
		if err != nil {
			return nil, err
		}
		w.tables = append(w.tables, b)
	}
	return w, nil
}

func (w *folder) run(ctx context.Context) error {
	every := cmp.Or(w.engine.Flush, defaultFlush)
	due := time.NewTicker(every)
	defer due.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-due.C:
			if err := w.flush(ctx); err != nil {
				return err
			}
		case s, ok := <-w.in:
			if !ok {
				return w.flush(ctx)
			}
			if err := w.pace.work(ctx, func() error { return w.fold(ctx, s) }); err != nil {
				return err
			}
			if w.size() > w.budget {
				if err := w.flush(ctx); err != nil {
					return err
				}
				w.drop()
				due.Reset(every)
			}
		}
	}
}

func (w *folder) size() (bytes int64) {
	for _, t := range w.tables {
		bytes += t.bytes
	}
	return bytes
}

// fold applies the events to the rows in memory, after reading back those that left it.
func (w *folder) fold(ctx context.Context, s share) error {
	var read pgx.Batch
	for _, t := range w.tables {
		if err := t.collect(s.events, &read); err != nil {
			return err
		}
	}
	if read.Len() > 0 {
		if err := w.engine.DB.SendBatch(ctx, &read).Close(); err != nil {
			return fmt.Errorf("read rows back: %w", err)
		}
	}
	for _, t := range w.tables {
		if err := t.fold(); err != nil {
			return err
		}
	}
	for _, event := range s.events {
		w.folded[eventstore.RangeOf(event.Slice)]++
	}
	w.reached = s.reached
	return nil
}

// flush writes what changed. It does not wait for the disk: what a crash takes was not saved either.
func (w *folder) flush(ctx context.Context) error {
	if w.reached == w.saved {
		return nil
	}
	return w.pace.work(ctx, func() error { return w.write(ctx) })
}

func (w *folder) write(ctx context.Context) error {
	err := pgx.BeginFunc(ctx, w.engine.DB, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SET LOCAL synchronous_commit = off"); err != nil {
			return err
		}
		for _, t := range w.tables {
			if err := t.flush(ctx, tx, w.pace); err != nil {
				return err
			}
		}
		for _, r := range w.ranges {
			if w.reached <= w.f.at[r] {
				continue
			}
			if err := w.f.save(ctx, tx, r, w.reached, w.folded[r]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, t := range w.tables {
		t.committed()
	}
	for _, r := range w.ranges {
		w.f.at[r] = max(w.f.at[r], w.reached)
	}
	w.saved, w.folded = w.reached, [eventstore.Ranges]int64{}
	return nil
}

// drop makes room: first rows rest that no event touched since the flush before the last one leave, and if that is
// too little all do.
func (w *folder) drop() {
	for _, t := range w.tables {
		t.evict(true)
	}
	if w.size() > w.budget/2 {
		for _, t := range w.tables {
			t.evict(false)
		}
	}
}
