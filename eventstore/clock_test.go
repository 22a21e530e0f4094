package eventstore

import (
	"sync/atomic"
	"testing"
	"time"

	"shop/migrations/pgtest"
)

// TestAClockThatJumpsAnHourBackLosesNothing: the order of the log is that of positions, whatever time an event says. That the clock
// is wrong is told by the package skew.
func TestAClockThatJumpsAnHourBackLosesNothing(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64
	s := Open(pgtest.Open(t), codec{}, Options{Logger: quiet, Past: true, Clock: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }})
	t.Cleanup(s.Close)
	for version, jump := range []time.Duration{0, -time.Hour, time.Hour, -time.Hour} {
		ahead.Store(int64(jump))
		mustAppend(t, s, to("x", Version(version)))
	}
	events, err := s.Stream(t.Context(), "x", 0, 0)
	if err != nil || len(events) != 4 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	var back int
	for i, e := range events {
		if e.Version != Version(i+1) || i > 0 && e.Position <= events[i-1].Position {
			t.Errorf("event %d has version %d and position %d", i+1, e.Version, e.Position)
		}
		if i > 0 && e.RecordedAt.Before(events[i-1].RecordedAt) {
			back++
		}
	}
	if back != 2 {
		t.Errorf("%d events are recorded before the one in front of them, want 2", back)
	}
	if head, err := s.Head(t.Context()); err != nil || head != events[3].Position {
		t.Errorf("head %d, %v, want %d", head, err, events[3].Position)
	}
}
