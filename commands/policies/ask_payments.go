package policies

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"shop/commands"
	"shop/eventstore"
)

// OpenPayment is a payment that brought no money yet; Asked is how often its provider was asked for it.
type OpenPayment struct {
	ID    string
	Asked int
}

// openPayments finds payments that are due to be asked for, requested since a time and before first.
type openPayments interface {
	PaymentsToAsk(ctx context.Context, since, first, now time.Time, limit int) ([]OpenPayment, error)
}

// questions plan when a payment is asked for next; payments.Books do.
type questions interface {
	Ask(ctx context.Context, paymentID string, asked int, now time.Time) (mine bool, err error)
	Forget(ctx context.Context, before time.Time) error
}

// asker polls the provider for a payment and applies the result; commands.Orders implements it.
type asker interface {
	Ask(ctx context.Context, paymentID string) (eventstore.Position, error)
}

// AskPayments polls the provider for payments without a notification, at growing intervals, so that a lost notification delays
// an order by minutes only. The plan is in the database and survives restarts.
type AskPayments struct {
	Orders asker
	Open   openPayments
	Books  questions
	// Clock tells the time. Default time.Now.
	Clock func() time.Time
	// Every is the pause between looks. Default 10s.
	Every time.Duration
	// After is how long a payment is left alone at first. Default 1m.
	After time.Duration
	// For is how long after its request a payment is asked for. Default 5 days: a Kaspi bill has one, and late money comes.
	For time.Duration
	// Logger gets what went wrong with single payments. Default slog.Default().
	Logger *slog.Logger
}

// Run looks again and again until ctx ends.
func (p AskPayments) Run(ctx context.Context) {
	repeat(ctx, orElse(p.Every, 10*time.Second), p.Logger, "ask for payments", p.Once)
}

// Once asks for every payment that is due now.
func (p AskPayments) Once(ctx context.Context) error {
	ctx = commands.WithOrigin(ctx, commands.Origin{Actor: "system:ask-payments"})
	for {
		at := now(p.Clock)
		since := at.Add(-orElse(p.For, 5*24*time.Hour))
		due, err := p.Open.PaymentsToAsk(ctx, since, at.Add(-orElse(p.After, time.Minute)), at, batch)
		if err != nil {
			return fmt.Errorf("find payments to ask for: %w", err)
		}
		var asked atomic.Int64
		inCrowd(ctx, due, func(ctx context.Context, open OpenPayment) {
			mine, err := p.ask(ctx, open, at)
			if mine {
				asked.Add(1)
			}
			if err != nil && ctx.Err() == nil {
				loggerOr(p.Logger).WarnContext(ctx, "ask for payment", "payment", open.ID, "error", err)
			}
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if len(due) < batch || asked.Load() == 0 {
			return p.Books.Forget(ctx, since)
		}
	}
}

// ask asks for one payment; mine: nobody else did a moment ago.
func (p AskPayments) ask(ctx context.Context, open OpenPayment, at time.Time) (mine bool, err error) {
	// The next question is planned before this one, so that a payment that ends the process does so seldom.
	if mine, err = p.Books.Ask(ctx, open.ID, open.Asked, at); err != nil || !mine {
		return false, err
	}
	_, err = p.Orders.Ask(ctx, open.ID)
	return true, err
}
