package policies

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"shop/commands"
	"shop/commands/payments"
	"shop/eventstore"
)

// accountant has the providers' statements, and takes what they say; commands.Orders does.
type accountant interface {
	// Accounts are the names of the providers.
	Accounts() []string
	// Statement is what a provider captured and gave back between two moments, and the log does not have.
	Statement(ctx context.Context, account string, since, until time.Time) ([]payments.Notification, error)
	Settle(ctx context.Context, n payments.Notification) (eventstore.Position, error)
}

// Reconcile holds the log against the providers' statements: money of which no word arrived, such as the second payment of a
// bill, is recorded, and what it makes an order owe goes back.
type Reconcile struct {
	Orders accountant
	// Clock tells the time. Default time.Now.
	Clock func() time.Time
	// Every is the pause between looks. Default 10m.
	Every time.Duration
	// For is how far back the first look goes, and one after a look that failed. Default 5 days.
	For time.Duration
	// Overlap is how much of what was seen is looked at again: statements may get lines late. Default 2h.
	Overlap time.Duration
	// Logger gets what went wrong with single lines. Default slog.Default().
	Logger *slog.Logger

	// seen is up to when everything was settled, by provider.
	seen map[string]time.Time
}

// Run looks again and again until ctx ends.
func (p *Reconcile) Run(ctx context.Context) {
	repeat(ctx, orElse(p.Every, 10*time.Minute), p.Logger, "reconcile payments", p.Once)
}

// Once settles everything that is in the statements since the last look. It must not run twice at a time.
func (p *Reconcile) Once(ctx context.Context) error {
	ctx = commands.WithOrigin(ctx, commands.Origin{Actor: "system:reconcile-payments"})
	var errs []error
	for _, account := range p.Orders.Accounts() {
		errs = append(errs, p.reconcile(ctx, account, now(p.Clock)))
	}
	return errors.Join(errs...)
}

// reconcile settles the statement of one provider.
func (p *Reconcile) reconcile(ctx context.Context, account string, at time.Time) error {
	since := at.Add(-orElse(p.For, 5*24*time.Hour))
	if seen, ok := p.seen[account]; ok {
		since = seen.Add(-orElse(p.Overlap, 2*time.Hour))
	}
	lines, err := p.Orders.Statement(ctx, account, since, at)
	if err != nil {
		return fmt.Errorf("read the statement: %w", err)
	}
	// Money that came before money that went: a refund is of a capture.
	var failed atomic.Int64
	for _, outcome := range []payments.Outcome{payments.Paid, payments.Refunded} {
		others := func(n payments.Notification) bool { return n.Outcome != outcome }
		ofPayments := together(slices.DeleteFunc(slices.Clone(lines), others), func(n payments.Notification) string { return n.PaymentID })
		inCrowd(ctx, ofPayments, func(ctx context.Context, of []payments.Notification) {
			for _, n := range of {
				if _, err := p.Orders.Settle(ctx, n); err != nil && ctx.Err() == nil {
					failed.Add(1)
					loggerOr(p.Logger).ErrorContext(ctx, "reconcile payment", "payment", n.PaymentID, "receipt", n.Receipt, "outcome", n.Outcome, "error", err)
				}
			}
		})
	}
	if ctx.Err() == nil && failed.Load() == 0 {
		if p.seen == nil {
			p.seen = map[string]time.Time{}
		}
		p.seen[account] = at
	}
	return ctx.Err()
}
