package bonus

import (
	"time"

	"shop/domain"
)

// Command asks a ledger for an entry.
//
//sumtype:decl
type Command interface{ isCommand() }

// Earn adds bonuses for a completed order, once per order for ever. A Base that earns less than one adds nothing.
type Earn struct {
	CustomerID domain.ID
	OrderID    domain.ID
	// Base is the money paid for the order's goods, Percent (0 to 100) what the rules of RulesVersion give of it.
	Base         domain.Money
	Percent      int64
	RulesVersion int64
	At           time.Time
}

// Spend pays for an order's goods; refused when fewer may be spent. What the order holds already adds nothing.
type Spend struct {
	CustomerID domain.ID
	OrderID    domain.ID
	Amount     domain.Money
	At         time.Time
}

// Return gives back the bonuses that an order holds beyond Keep. 0 gives all back; without any beyond it appends nothing.
type Return struct {
	OrderID domain.ID
	Keep    domain.Money
	At      time.Time
}

// Revoke takes back what an order earned of more than Base, the money that its goods are still paid with. 0 takes
// everything back; nothing earned beyond it adds nothing.
type Revoke struct {
	OrderID domain.ID
	Base    domain.Money
	At      time.Time
}

func (Earn) isCommand()   {}
func (Spend) isCommand()  {}
func (Return) isCommand() {}
func (Revoke) isCommand() {}
