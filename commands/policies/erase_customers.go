package policies

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"shop/commands"
	"shop/domain"
	"shop/domain/customer"
	"shop/eventstore"
)

// leaving lists the customers who asked to be forgotten and are not yet, each with the position of their wish; a read
// model can.
type leaving interface {
	Leaving(ctx context.Context) (map[domain.ID]eventstore.Position, error)
}

// eraser forgets a customer; commands.Accounts does.
type eraser interface {
	Erase(ctx context.Context, customer domain.ID) (customer.Report, eventstore.Position, error)
}

// reached waits for a read model; feed.Feed does.
type reached interface {
	WaitFor(ctx context.Context, projection string, p eventstore.Position) error
}

// EraseCustomers forgets the customers who asked for it.
type EraseCustomers struct {
	Leaving  leaving
	Accounts eraser
	// Orders waits for the read models named orders, reviews and restock, which must know of everything of who is to be
	// forgotten.
	Orders reached
	// Every is the pause between looks. Default 2s.
	Every time.Duration
	// Logger gets what went wrong. Default slog.Default().
	Logger *slog.Logger
}

// patience is how long a look waits for the orders of one customer.
const patience = 5 * time.Second

// Run looks again and again until ctx ends.
func (p EraseCustomers) Run(ctx context.Context) {
	repeat(ctx, orElse(p.Every, 2*time.Second), p.Logger, "erase customers", p.Once)
}

// Once forgets everyone who waits for it. One who cannot be forgotten does not hold up the others.
func (p EraseCustomers) Once(ctx context.Context) error {
	ctx = commands.WithOrigin(ctx, commands.Origin{Actor: "system:erase-customers"})
	found, err := p.Leaving.Leaving(ctx)
	if err != nil {
		return fmt.Errorf("find who leaves: %w", err)
	}
	for id, since := range found {
		if err := p.one(ctx, id, since); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			loggerOr(p.Logger).ErrorContext(ctx, "erase customer", "customer", id, "error", err)
		}
	}
	return nil
}

func (p EraseCustomers) one(ctx context.Context, id domain.ID, since eventstore.Position) error {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, list := range []string{"orders", "reviews", "restock"} {
		if err := p.Orders.WaitFor(waiting, list, since); err != nil {
			return fmt.Errorf("wait for the list %s: %w", list, err)
		}
	}
	_, _, err := p.Accounts.Erase(ctx, id)
	return err
}
