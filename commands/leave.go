package commands

import (
	"context"
	"fmt"

	"shop/domain"
	"shop/domain/customer"
	"shop/domain/review"
)

// belongings finds what a customer left in the shop; a read model can.
type belongings interface {
	// ReviewsOf are the reviews that a customer wrote, WaitsOf the products whose return they wait for.
	ReviewsOf(ctx context.Context, customer domain.ID) ([]domain.ID, error)
	WaitsOf(ctx context.Context, customer domain.ID) ([]domain.ID, error)
}

// Leaving takes the name off the reviews of a customer who leaves, and ends their subscriptions. What it finds must show
// everything up to the request to leave. It may be repeated.
type Leaving struct {
	Handler *Handler
	Of      belongings
}

// Leave does it, and counts it in the report.
func (l *Leaving) Leave(ctx context.Context, id domain.ID, report *customer.Report) error {
	products, err := l.Of.WaitsOf(ctx, id)
	if err != nil {
		return err
	}
	list := &Restock{Handler: l.Handler}
	for _, product := range products {
		if _, err := list.Leave(ctx, product, id); err != nil {
			return err
		}
		report.Subscriptions++
	}
	reviews, err := l.Of.ReviewsOf(ctx, id)
	if err != nil {
		return err
	}
	for _, written := range reviews {
		_, err := one(ctx, l.Handler, reviewStream(written), func(u *Unit) review.Command { return review.Forget{At: u.At()} })
		if err != nil {
			return fmt.Errorf("forget who wrote review %s: %w", written, err)
		}
		report.Reviews++
	}
	return nil
}
