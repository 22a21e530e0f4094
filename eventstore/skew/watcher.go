package skew

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.opentelemetry.io/otel/metric"
)

const (
	// skewEvery is the pause between looks at the server's clock, skewFirst comes before the first.
	skewEvery = time.Minute
	skewFirst = 5 * time.Second
	// skewBears is by how much the clocks may differ without a warning.
	skewBears = time.Second
)

// Watcher compares a clock with the server's.
type Watcher struct {
	Pool   *pgxpool.Pool
	Clock  func() time.Time
	Logger *slog.Logger
	// Gauge gets the difference in seconds.
	Gauge metric.Float64Gauge
	// Within bounds a look.
	Within time.Duration
}

// Skew is by how much this process's clock, which says when events were recorded, is ahead of the server's; below 0: behind. The
// error of the measurement is at most half the time it takes.
func (w Watcher) Skew(ctx context.Context) (time.Duration, error) {
	var server time.Time
	before := time.Now()
	if err := w.Pool.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&server); err != nil {
		return 0, fmt.Errorf("read the server's clock: %w", err)
	}
	took := time.Since(before)
	skew := w.Clock().Add(-took / 2).Sub(server)
	if skew.Abs() <= took/2 {
		return 0, nil
	}
	return skew, nil
}

// Watch tells, until ctx ends, by a metric and a warning, when the clocks differ: what the log was at a time is found by the times in it.
func (w Watcher) Watch(ctx context.Context) {
	timer := time.NewTimer(skewFirst)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		w.Look(ctx)
		timer.Reset(skewEvery)
	}
}

// Look compares the clocks once.
func (w Watcher) Look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, w.Within)
	defer cancel()
	skew, err := w.Skew(ctx)
	if err != nil {
		return // who reads or appends will say so
	}
	w.Gauge.Record(ctx, skew.Seconds())
	if skew.Abs() > skewBears {
		w.Logger.Warn("this process's clock is not the database server's: events get wrong times", "ahead", skew)
	}
}
