package policies

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/commands"
	"shop/commands/identity/accounts"
	"shop/domain"
	"shop/domain/customer"
	"shop/domain/order"
	"shop/eventstore"
	"shop/eventstore/feed"
)

// guests remembers guests' orders by their e-mails; accounts.Accounts does.
type guests interface {
	LockEmails(ctx context.Context, tx pgx.Tx, emails []string) error
	RememberGuestOrders(ctx context.Context, tx pgx.Tx, guests []accounts.GuestOrder) (accounts map[uuid.UUID]uuid.UUID, err error)
	TakeGuestOrders(ctx context.Context, tx pgx.Tx, email string) ([]uuid.UUID, error)
}

// joiner gives a guest's order to a customer; commands.Accounts does.
type joiner interface {
	Join(ctx context.Context, order, customer domain.ID, email string) (eventstore.Position, error)
}

// JoinOrders gives guests' orders to the account that has proved their e-mail, whichever came first.
type JoinOrders struct {
	Guests guests
	Orders joiner
}

// Consumer is how a feed carries the policy out.
func (p JoinOrders) Consumer() feed.Consumer {
	return feed.Consumer{
		Name: "join-orders", Revision: revisions["join-orders"], Together: true, Types: []string{order.Placed{}.EventType(), customer.EmailVerified{}.EventType()}, Handle: p.handle,
	}
}

// handle joins at least once; an order that is joined stays so.
func (p JoinOrders) handle(ctx context.Context, tx pgx.Tx, events []eventstore.Event) error {
	// All at once: two batches that meet the same customers in another order would wait for each other.
	var emails []string
	var orders []accounts.GuestOrder
	for _, e := range events {
		switch data := e.Data.(type) {
		case order.Placed:
			email := customer.NormalEmail(data.Contact.Email)
			if data.CustomerID != uuid.Nil || email == "" || e.Metadata.Imported { // empty: the customer is erased
				continue
			}
			emails = append(emails, email)
			orders = append(orders, accounts.GuestOrder{Order: data.ID, Email: email})
		case customer.EmailVerified:
			emails = append(emails, data.Email)
		}
	}
	if err := p.Guests.LockEmails(ctx, tx, emails); err != nil {
		return err
	}
	joining, err := p.Guests.RememberGuestOrders(ctx, tx, orders)
	if err != nil {
		return err
	}
	for _, e := range events {
		ctx := commands.WithOrigin(ctx, commands.Origin{Correlation: e.Metadata.CorrelationID, Causation: e.ID.String(), Actor: "system:join-orders"})
		switch data := e.Data.(type) {
		case order.Placed:
			account, proved := joining[data.ID]
			if !proved {
				continue
			}
			if _, err := p.Orders.Join(ctx, data.ID, account, customer.NormalEmail(data.Contact.Email)); err != nil {
				return err
			}
		case customer.EmailVerified:
			if data.Email == "" {
				continue
			}
			found, err := p.Guests.TakeGuestOrders(ctx, tx, data.Email)
			if err != nil {
				return err
			}
			for _, id := range found {
				if _, err := p.Orders.Join(ctx, id, data.ID, data.Email); err != nil {
					return fmt.Errorf("after %s: %w", e.Type, err)
				}
			}
		}
	}
	return nil
}
