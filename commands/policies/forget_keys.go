package policies

import (
	"context"
	"log/slog"
	"time"
)

// keys forgets answers to idempotency keys; eventstore.Store does.
type keys interface {
	ForgetKeys(ctx context.Context, before time.Time) (int64, error)
}

// keptFor is how long a request may be repeated and get its first answer.
const keptFor = 24 * time.Hour

// ForgetKeys forgets the answers that nobody will ask for any more.
type ForgetKeys struct {
	Keys keys
	// Clock tells the time. Default time.Now.
	Clock func() time.Time
	// Every is the pause between sweeps. Default 1h.
	Every time.Duration
	// Logger gets what went wrong. Default slog.Default().
	Logger *slog.Logger
}

// Run sweeps again and again until ctx ends.
func (p ForgetKeys) Run(ctx context.Context) {
	repeat(ctx, orElse(p.Every, time.Hour), p.Logger, "forget idempotency keys", p.Once)
}

// Once deletes keys older than a day.
func (p ForgetKeys) Once(ctx context.Context) error {
	_, err := p.Keys.ForgetKeys(ctx, now(p.Clock).Add(-keptFor))
	return err
}
