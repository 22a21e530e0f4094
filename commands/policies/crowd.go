package policies

import (
	"context"
	"sync"
)

// crowd is how many calls to a payment provider a policy has on their way at once.
const crowd = 8

// together groups things by a key; the groups, and the things in each, keep their order.
func together[T any, K comparable](things []T, key func(T) K) [][]T {
	var groups [][]T
	at := map[K]int{}
	for _, thing := range things {
		k := key(thing)
		i, ok := at[k]
		if !ok {
			i = len(groups)
			at[k], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], thing)
	}
	return groups
}

// inCrowd does something for each of some things, at most crowd at a time, and returns when all are done or ctx has ended.
func inCrowd[T any](ctx context.Context, things []T, do func(ctx context.Context, thing T)) {
	var all sync.WaitGroup
	defer all.Wait()
	places := make(chan struct{}, crowd)
	for _, thing := range things {
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
			return
		}
		all.Go(func() {
			defer func() { <-places }()
			if ctx.Err() == nil {
				do(ctx, thing)
			}
		})
	}
}
