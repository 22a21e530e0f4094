package policies

import (
	"context"
	"testing"
	"time"
)

type sweeps struct {
	before []time.Time
	after  func()
}

func (s *sweeps) ForgetKeys(_ context.Context, before time.Time) (int64, error) {
	s.before = append(s.before, before)
	s.after()
	return 1, nil
}

func TestKeysAreKeptForADay(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := &sweeps{after: cancel}
	noon := time.Date(2026, 3, 3, 7, 0, 0, 0, time.UTC)
	(ForgetKeys{Keys: s, Clock: func() time.Time { return noon }}).Run(ctx)
	if len(s.before) != 1 || s.before[0] != noon.AddDate(0, 0, -1) {
		t.Errorf("forgot what was before %v", s.before)
	}
}
