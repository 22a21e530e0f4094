package policies

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"shop/commands"
	"shop/domain"
	"shop/eventstore"
)

// due finds orders whose time has passed, the longest waiting first: unpaid ones, and guests' in cash that nobody
// confirmed. A read model can.
type due interface {
	UnpaidSince(ctx context.Context, before time.Time, limit int) ([]domain.ID, error)
	UnconfirmedSince(ctx context.Context, before time.Time, limit int) ([]domain.ID, error)
}

// expirer ends the wait for an order's money, or for its confirmation; commands.Orders does.
type expirer interface {
	ExpirePayment(ctx context.Context, order domain.ID) (eventstore.Position, error)
	ExpireConfirmation(ctx context.Context, order domain.ID) (eventstore.Position, error)
}

// ExpirePayments frees the goods of orders whose payment did not come in time, and of guests' orders in cash that nobody
// confirmed in time. The list may be behind or name an order twice: the order itself decides, and one that was paid,
// confirmed or ended stays as it is. Eight are ended at a time, so that a provider that is slow with some delays few.
type ExpirePayments struct {
	Orders expirer
	Due    due
	// Clock tells the time that the list is asked for. Default time.Now.
	Clock func() time.Time
	// Every is the pause between looks. Default 10s.
	Every time.Duration
	// Logger gets what went wrong with single orders. Default slog.Default().
	Logger *slog.Logger
}

// batch is how many orders one poll ends; a longer list is continued at once.
const batch = 100

// Run looks again and again until ctx ends. A look that fails is repeated at the next.
func (p ExpirePayments) Run(ctx context.Context) {
	repeat(ctx, orElse(p.Every, 10*time.Second), p.Logger, "expire payments", p.Once)
}

// Once ends the wait of every order that is due now. An order that cannot be ended does not hold up the others.
func (p ExpirePayments) Once(ctx context.Context) error {
	// Confirmations do not wait for a provider.
	confirmations := make(chan error, 1)
	go func() {
		confirmations <- p.end(ctx, "expire confirmation", "system:expire-confirmations", p.Due.UnconfirmedSince, p.Orders.ExpireConfirmation)
	}()
	err := p.end(ctx, "expire payment", "system:expire-payments", p.Due.UnpaidSince, p.Orders.ExpirePayment)
	return errors.Join(err, <-confirmations)
}

// end gives each order that is due its command.
func (p ExpirePayments) end(ctx context.Context, what, actor string,
	due func(ctx context.Context, before time.Time, limit int) ([]domain.ID, error),
	expire func(ctx context.Context, order domain.ID) (eventstore.Position, error),
) error {
	ctx = commands.WithOrigin(ctx, commands.Origin{Actor: actor})
	for {
		orders, err := due(ctx, now(p.Clock), batch)
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		var ended atomic.Int64
		inCrowd(ctx, orders, func(ctx context.Context, id domain.ID) {
			position, err := expire(ctx, id)
			if err != nil && ctx.Err() == nil {
				loggerOr(p.Logger).ErrorContext(ctx, what, "order", id, "error", err)
			}
			if position > 0 {
				ended.Add(1)
			}
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		// A full list of which something was ended may have a rest. The list follows the log with a delay; when it
		// brings nothing new any more, the next look will.
		if len(orders) < batch || ended.Load() == 0 {
			return nil
		}
	}
}
