package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestPartsStopInReverse: what starts last stops first, and no part's failure keeps another running.
func TestPartsStopInReverse(t *testing.T) {
	t.Parallel()
	var happened []string
	part := func(name string, starts, ends error) Part {
		return Part{name, func(context.Context) (func() error, error) {
			happened = append(happened, "start "+name)
			if starts != nil {
				return nil, starts
			}
			return func() error { happened = append(happened, "stop "+name); return ends }, nil
		}}
	}
	nothing := Part{"nothing to stop", func(context.Context) (func() error, error) { return nil, nil }}
	broken := errors.New("broken")

	stop, err := StartAll(t.Context(), part("a", nil, nil), nothing, part("b", nil, broken), part("c", nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := stop(); !errors.Is(err, broken) {
		t.Errorf("stopped with %v", err)
	}
	if want := strings.Split("start a,start b,start c,stop c,stop b,stop a", ","); !slices.Equal(happened, want) {
		t.Errorf("got %q", happened)
	}

	happened = nil
	if stop, err := StartAll(t.Context(), part("a", nil, nil), part("b", broken, nil), part("c", nil, nil)); !errors.Is(err, broken) || stop != nil {
		t.Errorf("got %v", err)
	}
	if want := strings.Split("start a,start b,stop a", ","); !slices.Equal(happened, want) {
		t.Errorf("got %q", happened)
	}
}

// TestRunningEndsWhenItIsStopped: the end of the context that started it does not end it.
func TestRunningEndsWhenItIsStopped(t *testing.T) {
	t.Parallel()
	ended := false
	ctx, cancel := context.WithCancel(t.Context())
	stop, err := StartAll(ctx, Running("work", func(ctx context.Context) { <-ctx.Done(); ended = true }))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := stop(); err != nil || !ended {
		t.Errorf("stopped with %v, ended: %t", err, ended)
	}
}

// TestTheEndOfTheContextIsNoFailureToStart: whatever it interrupted; what had started is stopped.
func TestTheEndOfTheContextIsNoFailureToStart(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	stopped := false
	first := Part{"first", func(context.Context) (func() error, error) { return func() error { stopped = true; return nil }, nil }}
	interrupted := Part{"interrupted", func(ctx context.Context) (func() error, error) {
		cancel()
		return nil, fmt.Errorf("work: %w", ctx.Err())
	}}
	if _, err := StartAll(ctx, first, interrupted); !errors.Is(err, ErrStopped) || errors.Is(err, context.Canceled) || !stopped {
		t.Errorf("got %v, stopped: %t", err, stopped)
	}
}
