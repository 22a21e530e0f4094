package projections

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/restock"
	"shop/eventstore"
)

// Restock lists the customers who wait for each product.
func Restock() Projection { return Projection{Name: "restock", Tables: []AnyTable{waiting}} }

// Subscription is a row of restock.waiting: a subscription that is open. Key is product and customer.
type Subscription struct {
	Key        string    `json:"key"`
	ProductID  domain.ID `json:"product_id"`
	CustomerID domain.ID `json:"customer_id"`
	Place      int64     `json:"place"`
	Since      time.Time `json:"since"`
}

var waiting = Table[Subscription]{
	Name: "waiting", Key: "key", KeyType: "text",
	DDL: createTable[Subscription]("waiting", "key"),
	Indexes: `
		CREATE INDEX waiting_of_customer ON waiting (customer_id, product_id);
		CREATE INDEX waiting_for_product ON waiting (product_id, place)`,
	Events: []domain.Event{restock.Subscribed{}, restock.Notified{}, restock.Unsubscribed{}},
	Keys: func(event eventstore.Event) []string {
		customer := uuid.Nil
		switch e := event.Data.(type) {
		case restock.Subscribed:
			customer = e.CustomerID
		case restock.Notified:
			customer = e.CustomerID
		case restock.Unsubscribed:
			customer = e.CustomerID
		}
		return []string{strings.TrimPrefix(event.Stream, "restock-") + "/" + customer.String()}
	},
	Stream: func(key string) string {
		product, _, _ := strings.Cut(key, "/")
		return "restock-" + product
	},
	Fold: func(key string, w *Subscription, event eventstore.Event) bool {
		e, subscribed := event.Data.(restock.Subscribed)
		if subscribed {
			*w = Subscription{key, e.ProductID, e.CustomerID, e.Place, e.At}
		}
		return subscribed
	},
}
