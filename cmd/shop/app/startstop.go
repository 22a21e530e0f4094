package app

import (
	"context"
	"errors"
	"slices"
)

// Part is a part of the program that starts and stops.
type Part struct {
	Name string
	// Start returns once the part works. stop ends it and returns when it has ended; nil: there is nothing to end.
	Start func(ctx context.Context) (stop func() error, err error)
}

// Running is a part that works in a goroutine of its own until it is stopped.
func Running(name string, work func(ctx context.Context)) Part {
	return Part{name, func(ctx context.Context) (func() error, error) {
		running := Background(ctx, work)
		return func() error { running.Stop(); return nil }, nil
	}}
}

// ErrStopped says that the program was told to stop while it started, which is no failure.
var ErrStopped = errors.New("stopped while it started")

// StartAll starts parts in their order. stop stops them in reverse order, each of them whatever the others say, and returns
// what went wrong. When a part does not start, those before it are stopped and stop is nil; the error is ErrStopped when ctx has
// ended, whatever it interrupted.
func StartAll(ctx context.Context, parts ...Part) (stop func() error, err error) {
	var stops []func() error
	stop = func() error {
		var failed []error
		for _, end := range slices.Backward(stops) {
			failed = append(failed, end())
		}
		return errors.Join(failed...)
	}
	for _, part := range parts {
		end, err := part.Start(ctx)
		if end != nil {
			stops = append(stops, end)
		}
		if err != nil {
			if ctx.Err() != nil {
				err = ErrStopped
			}
			return nil, errors.Join(err, stop())
		}
	}
	return stop, nil
}
