package identity

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"shop/commands"
	"shop/domain"
	"shop/domain/customer"
)

// belongings finds what a customer left in the shop; a read model can.
type belongings interface {
	// ReviewsOf are the reviews that a customer wrote, WaitsOf the products whose return they wait for.
	ReviewsOf(ctx context.Context, customer domain.ID) ([]domain.ID, error)
	WaitsOf(ctx context.Context, customer domain.ID) ([]domain.ID, error)
}

// Leaving takes name and photos off the reviews of a customer who leaves, and ends their subscriptions. What it finds must show
// everything up to the request to leave. It may be repeated.
type Leaving struct {
	Handler *commands.Handler
	Of      belongings
}

// Leave does it, and counts it in the report.
func (l *Leaving) Leave(ctx context.Context, id domain.ID, report *customer.Report) error {
	products, err := l.Of.WaitsOf(ctx, id)
	if err != nil {
		return err
	}
	list := &commands.Restock{Handler: l.Handler}
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
		photos, _, err := forgetReview(ctx, l.Handler, written)
		if err != nil {
			return fmt.Errorf("forget who wrote review %s: %w", written, err)
		}
		report.Reviews++
		report.Files += int64(photos)
	}
	return nil
}

// PaymentPages are the addresses at the payment provider under which orders were paid.
type PaymentPages struct {
	Orders ordersOf
	Books  paymentPages
}

// paymentPages forgets them; payments.Books does.
type paymentPages interface {
	ForgetLinks(ctx context.Context, orders ...domain.ID) error
}

// Leave forgets them. What the provider itself keeps is not the shop's to delete.
func (p PaymentPages) Leave(ctx context.Context, id domain.ID, _ *customer.Report) error {
	orders, err := p.Orders.OrdersOf(ctx, id)
	if err != nil {
		return err
	}
	return p.Books.ForgetLinks(ctx, slices.Collect(maps.Keys(orders))...)
}
