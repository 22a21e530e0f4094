package commands_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"shop/commands"
	"shop/commands/testshop"
	"shop/domain/stock"
	"shop/eventstore"
	"shop/eventstore/turn"
)

// turnLog notes how many orders each append under the lock has, and lets another process be faster once.
type turnLog struct {
	*rivalLog
	mu      sync.Mutex
	batches []int
}

func (l *turnLog) AppendLocked(ctx context.Context, lock eventstore.Lock, decide func(context.Context, eventstore.Locked) []eventstore.Append) ([]eventstore.Result, error) {
	return l.Store.AppendLocked(ctx, lock, func(ctx context.Context, at eventstore.Locked) []eventstore.Append {
		appends := decide(ctx, at)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.batches = append(l.batches, len(appends))
		return appends
	})
}

// TestOrdersThatComeBeforeItsTurnJoinABatch: another process was faster with a product, and has its turn now. The orders that come
// meanwhile are appended together when the turn comes, and a repeat of one of them after it.
func TestOrdersThatComeBeforeItsTurnJoinABatch(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(9_000, 9_000, 20)
	elsewhere := &commands.Stock{Handler: commands.New(s.Log, commands.Options{})}
	holder, err := s.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Release()
	if err := turn.Take(t.Context(), holder.Conn(), []string{stock.Stream(cream)}, time.Minute, time.Minute); err != nil {
		t.Fatal(err)
	}
	log := &turnLog{rivalLog: &rivalLog{Store: s.Log, act: func() {
		if _, err := elsewhere.Receive(t.Context(), cream, 1, ""); err != nil {
			t.Error(err)
		}
	}}}
	log.wins.Store(1)
	s.UseWith(log, commands.Options{TurnWait: time.Minute})
	var all sync.WaitGroup
	var mu sync.Mutex
	numbers := map[int64]int{}
	order := func(key string) {
		all.Go(func() {
			receipt := s.Placed(testshop.Checkout(testshop.Line(cream, 1)), testshop.WithKey(key))
			mu.Lock()
			defer mu.Unlock()
			numbers[receipt.Number]++
		})
	}
	order("a")
	testshop.Eventually(t, "the first waits for its turn", func() (waits bool) {
		const query = "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))"
		return s.Pool.QueryRow(t.Context(), query).Scan(&waits) == nil && waits
	})
	for _, key := range []string{"b", "c", "d", "b"} {
		order(key)
	}
	waiting(t, s.Handler, 4)
	if _, err := holder.Exec(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	testshop.Equal(t, "orders", len(numbers), 4)
	testshop.Equal(t, "reserved", s.StockOf(cream).Reserved, 4)
	testshop.Equal(t, "orders of the first batch under the lock", log.batches[0], 4)
}
