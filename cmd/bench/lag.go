package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain/stock"
	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/eventstore/registry"
	"shop/projections"
	"shop/projections/rebuild"
)

// withFeed runs the projections over the log while work runs, and stops them after it.
func withFeed(ctx context.Context, _ *pgxpool.Pool, store *eventstore.Store, models []projections.Projection, work func(*feed.Feed) error) error {
	return withConsumers(ctx, store, models, func(*feed.Feed) {}, work)
}

// withConsumers is withFeed with more than projections.
func withConsumers(ctx context.Context, store *eventstore.Store, models []projections.Projection, add func(*feed.Feed), work func(*feed.Feed) error) error {
	consumers := feed.New(store, feed.Options{})
	add(consumers)
	for _, p := range models {
		consumers.Add(feed.Consumer{Name: p.Name, Types: p.Types(), Together: true, Handle: p.Apply})
	}
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- consumers.Run(running) }()
	select {
	case <-consumers.Running():
	case err := <-ended:
		stop()
		return err
	}
	err := work(consumers)
	stop()
	return errors.Join(err, <-ended)
}

// paced sends at a fixed rate and measures from an answer until what was sent is seen.
func paced(ctx context.Context, rate int, period time.Duration, send func(ctx context.Context, n int) (seen func(context.Context) error, err error)) (lags []time.Duration, late int, err error) {
	var (
		mu      sync.Mutex
		waiting sync.WaitGroup
	)
	begin := time.Now()
	for n := range int(period.Seconds() * float64(rate)) {
		due := begin.Add(time.Duration(n) * time.Second / time.Duration(rate))
		time.Sleep(time.Until(due))
		if time.Since(due) > 10*time.Millisecond {
			late++
		}
		waiting.Go(func() {
			seen, sendErr := send(ctx, n)
			start := time.Now()
			if sendErr == nil {
				sendErr = seen(ctx)
			}
			took := time.Since(start)
			mu.Lock()
			defer mu.Unlock()
			lags = append(lags, took)
			if err == nil {
				err = sendErr
			}
		})
	}
	waiting.Wait()
	return lags, late, err
}

// benchLag appends at a fixed rate and measures from an append's answer until the read model has it: undisturbed, and
// with a write transaction of somebody else open and a projection stuck all the while. The limit is what PostgreSQL's
// own means take in the same run: an INSERT with a NOTIFY, and a listener that SELECTs what is new.
func benchLag(ctx context.Context, db *pgxpool.Pool, s settings) ([]result, error) {
	store := eventstore.Open(db, registry.New(), eventstore.Options{Logger: slog.New(slog.DiscardHandler)})
	defer store.Close()
	models := projections.All()
	if _, err := rebuild.Prepare(ctx, db, models...); err != nil {
		return nil, err
	}
	limit, _, err := lagOfListen(ctx, db, s)
	if err != nil {
		return nil, fmt.Errorf("limit: %w", err)
	}
	results := []result{}
	for _, disturbed := range []bool{false, true} {
		lags, late, err := lagOfFeed(ctx, db, store, models, s, disturbed)
		if err != nil {
			return nil, err
		}
		work := fmt.Sprintf("lag append → visible, %d appends a second for %s", s.rate, s.lag)
		if disturbed {
			work = "the same, a write transaction open and a projection stuck throughout (target p50 ≤ 5, p99 ≤ 50 ms)"
		}
		p99 := quantile(lags, .99)
		results = append(results, result{
			work: work, limit: ms(quantile(limit, .99)), product: ms(p99), unit: "ms p99", ratio: float64(p99) / float64(quantile(limit, .99)),
			note: fmt.Sprintf("p50 %.1f ms (limit %.1f), p90 %.1f, most %.1f; %d of %d sent more than 10 ms late",
				ms(quantile(lags, .5)), ms(quantile(limit, .5)), ms(quantile(lags, .9)), ms(quantile(lags, 1)), late, len(lags)),
		})
	}
	return results, nil
}

// lagOfFeed measures the lag of the read model of stock.
func lagOfFeed(ctx context.Context, db *pgxpool.Pool, store *eventstore.Store, models []projections.Projection, s settings, disturbed bool) (lags []time.Duration, late int, err error) {
	add, over := func(*feed.Feed) {}, make(chan struct{})
	if disturbed {
		tx, err := db.Begin(ctx)
		if err != nil {
			return nil, 0, err
		}
		defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
		if _, err := tx.Exec(ctx, "CREATE TABLE unrelated (n int); INSERT INTO unrelated VALUES (1); SELECT pg_current_xact_id()"); err != nil {
			return nil, 0, err
		}
		add = func(consumers *feed.Feed) {
			consumers.Add(feed.Consumer{Name: "stuck", Types: projections.Stock().Types(), Handle: func(ctx context.Context, _ pgx.Tx, _ []eventstore.Event) error {
				select {
				case <-ctx.Done():
				case <-over:
				}
				return context.Canceled // not the events' fault
			}})
		}
	}
	products := make([]uuid.UUID, 1000)
	for i := range products {
		products[i] = uuid.New()
	}
	err = withConsumers(ctx, store, models, add, func(consumers *feed.Feed) error {
		defer close(over) // or the feed would wait for it to the end of its patience
		head, err := store.Head(ctx)
		if err != nil {
			return err
		}
		if err := consumers.WaitFor(ctx, "stock", head); err != nil {
			return err
		}
		lags, late, err = paced(ctx, s.rate, s.lag, func(ctx context.Context, n int) (func(context.Context) error, error) {
			product := products[n%len(products)]
			done, err := store.Append(ctx, eventstore.Append{Writes: []eventstore.Write{{
				Stream: stock.Stream(product), Expected: eventstore.AnyVersion,
				Events: []eventstore.NewEvent{{Data: stock.Received{ProductID: product, Quantity: 1, OnHand: int64(n), At: time.Now().UTC()}}},
			}}})
			return func(ctx context.Context) error { return consumers.WaitFor(ctx, "stock", done.Position) }, err
		})
		return err
	})
	return lags, late, err
}

// lagOfListen measures from a plain INSERT with NOTIFY until a listener has selected the row.
func lagOfListen(ctx context.Context, db *pgxpool.Pool, s settings) (lags []time.Duration, late int, err error) {
	if _, err := db.Exec(ctx, rawTable); err != nil {
		return nil, 0, err
	}
	total := int(s.lag.Seconds() * float64(s.rate))
	seen := make([]chan struct{}, total)
	for i := range seen {
		seen[i] = make(chan struct{})
	}
	pooled, err := db.Acquire(ctx)
	if err != nil {
		return nil, 0, err
	}
	conn := pooled.Hijack()
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "LISTEN bench"); err != nil {
		return nil, 0, err
	}
	listening, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		told := map[int64]bool{}
		for least := int64(0); ; {
			if _, err := conn.WaitForNotification(listening); err != nil {
				ended <- nil
				return
			}
			// Positions commit out of order, so the listener looks some way back.
			rows, err := conn.Query(ctx, "SELECT position, version FROM raw_events WHERE position > $1", least-200)
			if err != nil {
				ended <- err
				return
			}
			var position, n int64
			if _, err := pgx.ForEachRow(rows, []any{&position, &n}, func() error {
				least = max(least, position)
				if !told[n] {
					told[n] = true
					close(seen[n])
				}
				return nil
			}); err != nil {
				ended <- err
				return
			}
		}
	}()
	lags, late, err = paced(ctx, s.rate, s.lag, func(ctx context.Context, n int) (func(context.Context) error, error) {
		if _, err := db.Exec(ctx, rawInsert, "raw", n, uuid.New(), "stock.received", rawPayload, rawMetadata, time.Now()); err != nil {
			return nil, err
		}
		if _, err := db.Exec(ctx, "NOTIFY bench"); err != nil {
			return nil, err
		}
		return func(ctx context.Context) error {
			select {
			case <-seen[n]:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}, nil
	})
	stop()
	return lags, late, errors.Join(err, <-ended)
}
