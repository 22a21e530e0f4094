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

// leaving lists the customers with an open erasure request, each with the position of the request; a read model implements it.
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

// EraseCustomers carries out erasure requests.
type EraseCustomers struct {
	Leaving  leaving
	Accounts eraser
	// Orders waits for the read models named orders, reviews and restock, which must have folded all events of the customer.
	Orders reached
	// Every is the pause between polls. Default 2s.
	Every time.Duration
	// Logger gets errors. Default slog.Default().
	Logger *slog.Logger
}

// patience is how long a poll waits for the orders of one customer.
const patience = 5 * time.Second

// Run polls until ctx ends.
func (p EraseCustomers) Run(ctx context.Context) {
	repeat(ctx, orElse(p.Every, 2*time.Second), p.Logger, "erase customers", p.Once)
}

// Once carries out all open erasure requests. One that fails does not delay the others.
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
