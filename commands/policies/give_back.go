package policies

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"shop/commands"
	"shop/commands/payments"
	"shop/domain"
	"shop/eventstore"
)

// owing finds orders whose money is to be given back and that nobody began with.
type owing interface {
	Owing(ctx context.Context, limit int) ([]domain.ID, error)
}

// debts finds refunds that were begun and are not done; payments.Books do.
type debts interface {
	DueDebts(ctx context.Context, now time.Time, limit int) ([]payments.Debt, error)
}

// refunder gives money back; commands.Orders does.
type refunder interface {
	GiveBack(ctx context.Context, order domain.ID) (eventstore.Position, error)
	PayDebt(ctx context.Context, d payments.Debt) (eventstore.Position, error)
}

// GiveBack gives money back that a command could not, because the provider was away or the process ended: refunds
// that were written down, and what orders are owed. A refund that fails is tried again at growing intervals.
type GiveBack struct {
	Orders refunder
	Owing  owing
	Debts  debts
	// Clock tells the time. Default time.Now.
	Clock func() time.Time
	// Every is the pause between looks. Default 10s.
	Every time.Duration
	// Logger gets what went wrong with single refunds. Default slog.Default().
	Logger *slog.Logger
}

// Run looks again and again until ctx ends.
func (p GiveBack) Run(ctx context.Context) {
	repeat(ctx, orElse(p.Every, 10*time.Second), p.Logger, "give money back", p.Once)
}

// Once tries everything that is due now.
func (p GiveBack) Once(ctx context.Context) error {
	ctx = commands.WithOrigin(ctx, commands.Origin{Actor: "system:give-back"})
	due, err := p.Debts.DueDebts(ctx, now(p.Clock), batch)
	if err != nil {
		return err
	}
	// Those of one order are paid one after the other.
	ofOrders := together(due, func(d payments.Debt) domain.ID { return d.OrderID })
	inCrowd(ctx, ofOrders, func(ctx context.Context, debts []payments.Debt) {
		for _, d := range debts {
			if _, err := p.Orders.PayDebt(ctx, d); err != nil && ctx.Err() == nil {
				loggerOr(p.Logger).ErrorContext(ctx, "give money back", "order", d.OrderID, "payment", d.PaymentID, "tries", d.Tries+1, "error", err)
			}
		}
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	orders, err := p.Owing.Owing(ctx, batch)
	if err != nil {
		return fmt.Errorf("find orders that are owed money: %w", err)
	}
	inCrowd(ctx, orders, func(ctx context.Context, id domain.ID) {
		if _, err := p.Orders.GiveBack(ctx, id); err != nil && ctx.Err() == nil {
			loggerOr(p.Logger).ErrorContext(ctx, "give money back", "order", id, "error", err)
		}
	})
	return ctx.Err()
}
