package policies

import (
	"context"
	"log/slog"
	"time"
)

// repeat works at once and after every pause until ctx ends. Work that fails is logged and done at the next turn.
func repeat(ctx context.Context, every time.Duration, logger *slog.Logger, what string, work func(context.Context) error) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		if err := work(ctx); err != nil && ctx.Err() == nil {
			loggerOr(logger).ErrorContext(ctx, what, "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func loggerOr(logger *slog.Logger) *slog.Logger {
	if logger == nil {
		return slog.Default()
	}
	return logger
}

func orElse(d, fallback time.Duration) time.Duration {
	if d <= 0 {
		return fallback
	}
	return d
}

func now(clock func() time.Time) time.Time {
	if clock == nil {
		return time.Now()
	}
	return clock()
}
