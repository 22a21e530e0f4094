package projections

import (
	"fmt"
	"strings"
	"time"

	"shop/domain"
	"shop/domain/bonus"
	"shop/eventstore"
)

// Bonus is customers' ledgers of bonuses. A balance is that of the latest entry.
func Bonus() Projection { return Projection{Name: "bonus", Version: 1, Tables: []AnyTable{entries}} }

// Entry is a row of bonus.entry. Amount is below 0 for what was spent or taken back. Key is customer and version.
type Entry struct {
	Key        string    `json:"key"`
	CustomerID domain.ID `json:"customer_id"`
	Version    int64     `json:"version"`
	OrderID    domain.ID `json:"order_id"`
	// Kind is earned, spent, returned, revoked or adjusted. An adjustment has no order.
	Kind    string       `json:"kind"`
	Amount  domain.Money `json:"amount"`
	Balance domain.Money `json:"balance"`
	At      time.Time    `json:"at"`
}

var entries = Table[Entry]{
	Name: "entry", Key: "key", KeyType: "text",
	DDL:     createTable[Entry]("entry", "key"),
	Indexes: `CREATE INDEX entry_of_customer ON entry (customer_id, version DESC)`,
	Events:  []domain.Event{bonus.Earned{}, bonus.Spent{}, bonus.Returned{}, bonus.Revoked{}, bonus.Adjusted{}},
	Keys: func(e eventstore.Event) []string {
		return []string{fmt.Sprintf("%s/%d", strings.TrimPrefix(e.Stream, "bonus-"), e.Version)}
	},
	Stream: func(key string) string {
		customer, _, _ := strings.Cut(key, "/")
		return "bonus-" + customer
	},
	Fold: func(key string, row *Entry, event eventstore.Event) bool {
		version := int64(event.Version)
		switch e := event.Data.(type) {
		case bonus.Earned:
			*row = Entry{key, e.CustomerID, version, e.OrderID, "earned", e.Amount, e.Balance, e.At}
		case bonus.Spent:
			*row = Entry{key, e.CustomerID, version, e.OrderID, "spent", -e.Amount, e.Balance, e.At}
		case bonus.Returned:
			*row = Entry{key, e.CustomerID, version, e.OrderID, "returned", e.Amount, e.Balance, e.At}
		case bonus.Revoked:
			*row = Entry{key, e.CustomerID, version, e.OrderID, "revoked", -e.Amount, e.Balance, e.At}
		case bonus.Adjusted:
			*row = Entry{key, e.CustomerID, version, domain.ID{}, "adjusted", e.Amount, e.Balance, e.At}
		}
		return true
	},
}
