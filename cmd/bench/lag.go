package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain/stock"
	"shop/eventstore"
	"shop/eventstore/registry"
	"shop/projections"
)

// withFeed runs the projections over the log while work runs, and stops them after it.
func withFeed(ctx context.Context, db *pgxpool.Pool, store *eventstore.Store, models []projections.Projection, work func(*eventstore.Feed) error) error {
	feed := eventstore.NewFeed(store, eventstore.FeedOptions{})
	for _, p := range models {
		feed.Add(eventstore.Consumer{Name: p.Name, Types: p.Types(), Handle: p.Apply})
	}
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- feed.Run(running) }()
	select {
	case <-feed.Running():
	case err := <-ended:
		stop()
		return err
	}
	err := work(feed)
	stop()
	return errors.Join(err, <-ended)
}

// benchLag appends at a fixed rate and measures from an append's answer until the read model has it.
func benchLag(ctx context.Context, db *pgxpool.Pool, s settings) ([]result, error) {
	store := eventstore.Open(db, registry.New(), eventstore.Options{})
	defer store.Close()
	models := projections.All()
	if _, err := projections.Prepare(ctx, db, models...); err != nil {
		return nil, err
	}
	var (
		mu   sync.Mutex
		lags []time.Duration
		fail error
	)
	const seconds = 20
	total := s.rate * seconds
	var late int
	err := withFeed(ctx, db, store, models, func(feed *eventstore.Feed) error {
		head, err := store.Head(ctx)
		if err != nil {
			return err
		}
		if err := feed.WaitFor(ctx, "stock", head); err != nil {
			return err
		}
		products := make([]uuid.UUID, 1000)
		for i := range products {
			products[i] = uuid.New()
		}
		var waiting sync.WaitGroup
		begin := time.Now()
		for n := range total {
			due := begin.Add(time.Duration(n) * time.Second / time.Duration(s.rate))
			time.Sleep(time.Until(due))
			if time.Since(due) > 10*time.Millisecond {
				late++
			}
			waiting.Go(func() {
				product := products[n%len(products)]
				done, err := store.Append(ctx, eventstore.Append{Writes: []eventstore.Write{{
					Stream: stock.Stream(product), Expected: eventstore.AnyVersion,
					Events: []eventstore.NewEvent{{Data: stock.Received{ProductID: product, Quantity: 1, OnHand: int64(n), At: time.Now().UTC()}}},
				}}})
				start := time.Now()
				if err == nil {
					err = feed.WaitFor(ctx, "stock", done.Position)
				}
				mu.Lock()
				defer mu.Unlock()
				lags = append(lags, time.Since(start))
				fail = errors.Join(fail, err)
			})
		}
		waiting.Wait()
		return fail
	})
	if err != nil {
		return nil, err
	}
	return []result{{
		work: fmt.Sprintf("lag append → visible, %d appends a second for %d s", s.rate, seconds), product: ms(quantile(lags, .99)), unit: "ms p99",
		note: fmt.Sprintf("p50 %.1f ms, p90 %.1f ms, most %.1f ms; %d of %d sent more than 10 ms late", ms(quantile(lags, .5)), ms(quantile(lags, .9)), ms(quantile(lags, 1)), late, total),
	}}, nil
}
