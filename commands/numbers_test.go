package commands_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"shop/commands"
	"shop/migrations/pgtest"
)

func TestOrderNumbersAreOneAfterTheOther(t *testing.T) {
	t.Parallel()
	numbers := &commands.OrderNumbers{Pool: pgtest.Open(t)}
	var mu sync.Mutex
	var got, want []int64
	var wait sync.WaitGroup
	for i := range int64(100) {
		want = append(want, 100_001+i)
		wait.Go(func() {
			number, err := numbers.Next(t.Context())
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			got = append(got, number)
		})
	}
	wait.Wait()
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("a hundred who asked together got %v, want each number from 100001 once", got)
	}
}

func TestWhoGivesUpANumberKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	numbers := &commands.OrderNumbers{Pool: pgtest.Open(t)}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if number, err := numbers.Next(gone); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("%d, %v; want the end of the request", number, err)
	}
	if _, err := numbers.Next(t.Context()); err != nil {
		t.Errorf("the next one: %v", err)
	}
}
