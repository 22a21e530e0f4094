package app

import (
	"context"
	"time"
)

// sweepEvery is the pause between looks for old records of the security log.
const sweepEvery = 6 * time.Hour

// SweepSecurity deletes old records of the security log until ctx ends.
func (s *Shop) SweepSecurity(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		if n, err := s.Security.Sweep(ctx, s.Config.SecurityDays); err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "old records of the security log stay for now", "error", err)
		} else if n > 0 {
			s.Log.InfoContext(ctx, "old records of the security log are deleted", "records", n)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
