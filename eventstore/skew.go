package eventstore

import (
	"context"
	"fmt"
	"time"
)

const (
	// skewEvery is the pause between looks at the server's clock, skewFirst comes before the first.
	skewEvery = time.Minute
	skewFirst = 5 * time.Second
	// skewBears is by how much the clocks may differ without a warning.
	skewBears = time.Second
)

// Skew is by how much this process's clock, which says when events were recorded, is ahead of the server's; below 0: behind. The
// error of the measurement is at most half the time it takes.
func (s *Store) Skew(ctx context.Context) (time.Duration, error) {
	var server time.Time
	before := time.Now()
	if err := s.pool.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&server); err != nil {
		return 0, fmt.Errorf("read the server's clock: %w", err)
	}
	took := time.Since(before)
	skew := s.opts.Clock().Add(-took / 2).Sub(server)
	if skew.Abs() <= took/2 {
		return 0, nil
	}
	return skew, nil
}

// watchSkew tells, by a metric and a warning, when the clocks differ: what the log was at a time is found by the times in it.
func (s *Store) watchSkew(ctx context.Context) {
	timer := time.NewTimer(skewFirst)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		s.lookAtClock(ctx)
		timer.Reset(skewEvery)
	}
}

func (s *Store) lookAtClock(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, s.opts.Within)
	defer cancel()
	skew, err := s.Skew(ctx)
	if err != nil {
		return // who reads or appends will say so
	}
	s.tel.clockSkew.Record(ctx, skew.Seconds())
	if skew.Abs() > skewBears {
		s.opts.Logger.Warn("this process's clock is not the database server's: events get wrong times", "ahead", skew)
	}
}
