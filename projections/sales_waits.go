package projections

import (
	"fmt"
	"strings"
	"time"

	"shop/domain"
	"shop/domain/restock"
	"shop/eventstore"
)

// Wait is a row of sales.wait: a subscription to a product's return.
type Wait struct {
	Key       string    `json:"key"`
	ProductID domain.ID `json:"product_id"`
	Since     time.Time `json:"since"`
	// Until is when it ended; nil: it goes on. Told: because the product came back.
	Until *time.Time `json:"until"`
	Told  bool       `json:"told"`
}

var waits = Table[Wait]{
	Name: "wait", Key: "key", KeyType: "text",
	DDL:    createTable[Wait]("wait", "key"),
	Events: []domain.Event{restock.Subscribed{}, restock.Notified{}, restock.Unsubscribed{}},
	Keys: func(event eventstore.Event) []string {
		var place int64
		switch e := event.Data.(type) {
		case restock.Subscribed:
			place = e.Place
		case restock.Notified:
			place = e.Place
		case restock.Unsubscribed:
			place = e.Place
		}
		return []string{fmt.Sprintf("%s/%d", strings.TrimPrefix(event.Stream, "restock-"), place)}
	},
	Stream: func(key string) string {
		product, _, _ := strings.Cut(key, "/")
		return "restock-" + product
	},
	Fold: func(key string, w *Wait, event eventstore.Event) bool {
		switch e := event.Data.(type) {
		case restock.Subscribed:
			*w = Wait{Key: key, ProductID: e.ProductID, Since: e.At}
		case restock.Notified:
			w.Until, w.Told = &e.At, true
		case restock.Unsubscribed:
			w.Until = &e.At
		}
		return w.ProductID != domain.ID{}
	},
}
