package payments

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// ErrUnavailable: the provider did not answer the last calls, so this one was not made.
var ErrUnavailable = errors.New("payments: the provider does not answer")

const (
	// opensAfter is how many calls in a row fail before no more are made.
	opensAfter = 5
	// staysOpen is how long no call is made; then one is, and decides.
	staysOpen = 30 * time.Second
)

// Breaker is a Provider that stops calling one that does not answer: a circuit breaker. After 5 failed calls in a row, calls fail
// at once with ErrUnavailable; every 30 s one is let through, and when it is answered, all are.
//
//	answered   the call succeeded, or the provider refused it or said what the shop does not understand
//	failed     anything else, also the caller's deadline; a caller that goes away (context.Canceled) says nothing
type Breaker struct {
	Provider
	// Clock defaults to time.Now.
	Clock func() time.Time
	// Logger defaults to slog.Default().
	Logger *slog.Logger

	mu     sync.Mutex
	failed int
	// until is when the next call may be made while the breaker is open.
	until time.Time
}

// Create opens a payment.
func (b *Breaker) Create(ctx context.Context, p Payment) (string, error) {
	return guarded(ctx, b, func() (string, error) { return b.Provider.Create(ctx, p) })
}

// State polls a payment.
func (b *Breaker) State(ctx context.Context, paymentID string) (Notification, error) {
	return guarded(ctx, b, func() (Notification, error) { return b.Provider.State(ctx, paymentID) })
}

// Refund returns captured money.
func (b *Breaker) Refund(ctx context.Context, r Refund) (string, error) {
	return guarded(ctx, b, func() (string, error) { return b.Provider.Refund(ctx, r) })
}

// Statement lists what was captured and given back.
func (b *Breaker) Statement(ctx context.Context, since, until time.Time) ([]Notification, error) {
	return guarded(ctx, b, func() ([]Notification, error) { return b.Provider.Statement(ctx, since, until) })
}

// Verify asks nobody.
func (b *Breaker) Verify(kind string, header http.Header, body []byte) (Notification, error) {
	return b.Provider.Verify(kind, header, body)
}

func guarded[T any](ctx context.Context, b *Breaker, call func() (T, error)) (answer T, err error) {
	if !b.lets() {
		return answer, fmt.Errorf("%w: %s", ErrUnavailable, b.Name())
	}
	answer, err = call()
	if !errors.Is(err, context.Canceled) {
		b.saw(ctx, err == nil || errors.Is(err, ErrRefused) || errors.Is(err, ErrUnreadable))
	}
	return answer, err
}

// lets says whether a call may be made. Of those that wait while the breaker is open it lets one through.
func (b *Breaker) lets() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failed < opensAfter {
		return true
	}
	if b.now().Before(b.until) {
		return false
	}
	b.until = b.now().Add(staysOpen)
	return true
}

// saw counts what came of a call.
func (b *Breaker) saw(ctx context.Context, answered bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case answered && b.failed >= opensAfter:
		b.logger().InfoContext(ctx, "the payment provider answers again", "provider", b.Name())
		b.failed = 0
	case answered:
		b.failed = 0
	default:
		if b.failed++; b.failed == opensAfter {
			b.logger().ErrorContext(ctx, "the payment provider does not answer; it is called again every half minute", "provider", b.Name())
		}
		if b.failed >= opensAfter {
			b.until = b.now().Add(staysOpen)
		}
	}
}

func (b *Breaker) now() time.Time {
	if b.Clock == nil {
		return time.Now()
	}
	return b.Clock()
}

func (b *Breaker) logger() *slog.Logger {
	if b.Logger == nil {
		return slog.Default()
	}
	return b.Logger
}
