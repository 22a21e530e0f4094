package bonus

import (
	"time"

	"shop/domain"
)

// Stream names a customer's ledger.
func Stream(customer domain.ID) string { return "bonus-" + customer.String() }

// Event is an entry of the ledger. Amount is always above 0; Balance is the sum after the entry, below 0 when bonuses
// are owed.
//
//sumtype:decl
type Event interface {
	domain.Event
	isEvent()
}

// Earned added bonuses for a completed order: Percent of Base, the money paid for its goods, by the rules of that day.
type Earned struct {
	CustomerID   domain.ID    `json:"customer_id"`
	OrderID      domain.ID    `json:"order_id"`
	Base         domain.Money `json:"base"`
	Percent      int64        `json:"percent"`
	RulesVersion int64        `json:"rules_version"`
	Amount       domain.Money `json:"amount"`
	Balance      domain.Money `json:"balance"`
	At           time.Time    `json:"at"`
}

// Spent took bonuses that pay for an order's goods.
type Spent struct {
	CustomerID domain.ID    `json:"customer_id"`
	OrderID    domain.ID    `json:"order_id"`
	Amount     domain.Money `json:"amount"`
	Balance    domain.Money `json:"balance"`
	At         time.Time    `json:"at"`
}

// Returned gave bonuses back that an order had spent.
type Returned struct {
	CustomerID domain.ID    `json:"customer_id"`
	OrderID    domain.ID    `json:"order_id"`
	Amount     domain.Money `json:"amount"`
	Balance    domain.Money `json:"balance"`
	At         time.Time    `json:"at"`
}

// Revoked took bonuses back that an order had earned, because its money was given back.
type Revoked struct {
	CustomerID domain.ID    `json:"customer_id"`
	OrderID    domain.ID    `json:"order_id"`
	Amount     domain.Money `json:"amount"`
	Balance    domain.Money `json:"balance"`
	At         time.Time    `json:"at"`
}

func (Earned) EventType() string   { return "bonus.earned" }
func (Spent) EventType() string    { return "bonus.spent" }
func (Returned) EventType() string { return "bonus.returned" }
func (Revoked) EventType() string  { return "bonus.revoked" }
func (Earned) isEvent()            {}
func (Spent) isEvent()             {}
func (Returned) isEvent()          {}
func (Revoked) isEvent()           {}
