package policies

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"shop/commands"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/restock"
	"shop/domain/stock"
	"shop/eventstore"
	"shop/eventstore/feed"
)

// notifier notifies customers who wait for a product; commands.Restock implements it.
type notifier interface {
	Notify(ctx context.Context, product domain.ID) (eventstore.Position, error)
}

// NotifyRestock notifies waiting customers when a product is back. It also follows new subscriptions: pieces may have arrived
// between the check of the stock and the subscription.
//
// The list decides who is notified, so an event that is handled twice notifies nobody twice.
func NotifyRestock(n notifier) feed.Consumer {
	return following("notify-restock", []domain.Event{stock.Replenished{}, restock.Subscribed{}}, func(e eventstore.Event) domain.ID {
		switch e := e.Data.(type) {
		case stock.Replenished:
			return e.ProductID
		case restock.Subscribed:
			return e.ProductID
		}
		return domain.ID{}
	}, n.Notify)
}

// ledgers books an order's bonuses; commands.Bonuses implements it.
type ledgers interface {
	Follow(ctx context.Context, order domain.ID) (eventstore.Position, error)
}

// FollowBonuses books bonuses after every change of an order that may affect them. It books the present state of the order,
// not the event, so it may be late and may repeat.
func FollowBonuses(l ledgers) feed.Consumer {
	changes := []domain.Event{
		order.Paid{}, order.PaymentFailed{}, order.PaymentExpired{}, order.Completed{}, order.Cancelled{}, order.Refunded{}, order.Joined{},
	}
	return following("follow-bonuses", changes, func(e eventstore.Event) domain.ID { return idAfter("order-", e.Stream) }, l.Follow)
}

// following makes a consumer that runs a command for the subject of an event, once per batch. Imported events cause none. The
// command runs in transactions of its own: at least once.
func following(name string, types []domain.Event, about func(eventstore.Event) domain.ID,
	do func(context.Context, domain.ID) (eventstore.Position, error),
) feed.Consumer {
	c := feed.Consumer{Name: name, Revision: revisions[name], Handle: func(ctx context.Context, _ pgx.Tx, events []eventstore.Event) error {
		var done []domain.ID
		for _, e := range slices.Backward(events) { // the last event of each decides which is its cause
			id := about(e)
			if e.Metadata.Imported || slices.Contains(done, id) {
				continue
			}
			done = append(done, id)
			ctx := commands.WithOrigin(ctx, commands.Origin{
				Correlation: e.Metadata.CorrelationID, Causation: e.ID.String(), Actor: "system:" + name,
			})
			if _, err := do(ctx, id); err != nil {
				return fmt.Errorf("%s after %s: %w", name, e.Type, err)
			}
		}
		return nil
	}}
	for _, t := range types {
		c.Types = append(c.Types, t.EventType())
	}
	return c
}
