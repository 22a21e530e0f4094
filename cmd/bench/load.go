package main

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// load runs work in clients goroutines for a period and returns how often a second it was done, and each latency.
func load(ctx context.Context, clients int, period time.Duration, work func(ctx context.Context, client, n int) error) (float64, []time.Duration, error) {
	deadline := time.Now().Add(period)
	var (
		mu  sync.Mutex
		all []time.Duration
	)
	group, ctx := errgroup.WithContext(ctx)
	start := time.Now()
	for client := range clients {
		group.Go(func() error {
			var mine []time.Duration
			for n := 0; time.Now().Before(deadline); n++ {
				begin := time.Now()
				if err := work(ctx, client, n); err != nil {
					return err
				}
				mine = append(mine, time.Since(begin))
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, mine...)
			return nil
		})
	}
	err := group.Wait()
	return float64(len(all)) / time.Since(start).Seconds(), all, err
}
