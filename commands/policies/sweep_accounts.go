package policies

import (
	"context"
	"log/slog"
	"time"
)

// sweeper deletes expired rows; accounts.Accounts implements it.
type sweeper interface {
	Sweep(ctx context.Context) error
}

// SweepAccounts deletes tokens, codes and links that are over.
type SweepAccounts struct {
	Accounts sweeper
	// Every is the pause between sweeps. Default 1h.
	Every time.Duration
	// Logger gets what went wrong. Default slog.Default().
	Logger *slog.Logger
}

// Run sweeps again and again until ctx ends.
func (p SweepAccounts) Run(ctx context.Context) {
	repeat(ctx, orElse(p.Every, time.Hour), p.Logger, "sweep accounts", p.Accounts.Sweep)
}
