package policies

import (
	"context"
	"log/slog"
	"time"

	"shop/domain/anchor"
)

// anchors seals the log; eventstore/anchor.Log does.
type anchors interface {
	Due(ctx context.Context) ([]anchor.Anchored, error)
}

// AnchorLog seals the log once a day.
type AnchorLog struct {
	Anchors anchors
	// Delay is how long a process that has just begun has better to do. Default 10m.
	Delay time.Duration
	// Every is the pause between looks whether a day is over. Default 1h.
	Every time.Duration
	// Logger gets each anchor, so that a copy of it is outside the database, and errors. Default slog.Default().
	Logger *slog.Logger
}

// Run looks again and again until ctx ends.
func (p AnchorLog) Run(ctx context.Context) {
	select {
	case <-time.After(orElse(p.Delay, 10*time.Minute)):
		repeat(ctx, orElse(p.Every, time.Hour), p.Logger, "anchor the log", p.Once)
	case <-ctx.Done():
	}
}

// Once writes the anchors that are due.
func (p AnchorLog) Once(ctx context.Context) error {
	written, err := p.Anchors.Due(ctx)
	for _, a := range written {
		loggerOr(p.Logger).InfoContext(ctx, "the log is anchored", "up_to", a.UpTo, "events", a.Count, "hash", a.Hash)
	}
	return err
}
