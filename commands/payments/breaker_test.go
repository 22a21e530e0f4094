package payments

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"
)

// fickle answers as a test says.
type fickle struct {
	*Sandbox
	err   error
	calls int
}

func (f *fickle) State(context.Context, string) (Notification, error) {
	f.calls++
	return Notification{}, f.err
}

func TestABreakerStopsCallingAProviderThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 3, 7, 0, 0, 0, time.UTC)
	provider := &fickle{Sandbox: NewSandbox("", nil)}
	b := &Breaker{Provider: provider, Clock: func() time.Time { return now }, Logger: slog.New(slog.DiscardHandler)}
	ask := func(times int, want error) {
		t.Helper()
		for range times {
			if _, err := b.State(t.Context(), "p"); !errors.Is(err, want) {
				t.Errorf("answered %v, want %v", err, want)
			}
		}
	}
	calls := func(want int) {
		t.Helper()
		if provider.calls != want {
			t.Errorf("%d calls, want %d", provider.calls, want)
		}
		provider.calls = 0
	}
	// Refusals are answers, callers that leave are none, and one answer ends a row of failures.
	provider.err = ErrRefused
	ask(20, ErrRefused)
	provider.err = context.Canceled
	ask(20, context.Canceled)
	provider.err = context.DeadlineExceeded
	ask(opensAfter-1, context.DeadlineExceeded)
	provider.err = nil
	ask(1, nil)
	calls(41 + opensAfter - 1)

	provider.err = context.DeadlineExceeded
	ask(opensAfter, context.DeadlineExceeded)
	ask(100, ErrUnavailable)
	calls(opensAfter)
	now = now.Add(staysOpen)
	ask(1, context.DeadlineExceeded)
	ask(100, ErrUnavailable)
	calls(1)
	now = now.Add(staysOpen)
	provider.err = nil
	ask(100, nil)
	calls(100)
}
