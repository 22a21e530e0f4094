package stock

import (
	"time"

	"shop/domain"
)

// Command asks a product's stock to move.
//
//sumtype:decl
type Command interface{ isCommand() }

// Receive adds pieces, at least 1.
type Receive struct {
	ProductID domain.ID
	Quantity  int64
	Cause     Cause
	At        time.Time
}

// Count sets the pieces on hand; the same count adds nothing.
type Count struct {
	ProductID domain.ID
	OnHand    int64
	Cause     Cause
	At        time.Time
}

// Reserve holds pieces for an order; refused when fewer are free. Repeating it for the same order adds nothing.
type Reserve struct {
	ProductID domain.ID
	OrderID   domain.ID
	Quantity  int64
	At        time.Time
}

// Release ends the order's reservation; without one it appends nothing.
type Release struct {
	OrderID domain.ID
	Cause   Cause
	At      time.Time
}

// Ship takes the order's reserved pieces out of the warehouse.
type Ship struct {
	OrderID domain.ID
	At      time.Time
}

// Hold makes an open order hold exactly Quantity pieces, 0: none; Cause is why it lets go of some.
type Hold struct {
	OrderID  domain.ID
	Quantity int64
	Cause    Cause
	At       time.Time
}

func (Hold) isCommand()    {}
func (Receive) isCommand() {}
func (Count) isCommand()   {}
func (Reserve) isCommand() {}
func (Release) isCommand() {}
func (Ship) isCommand()    {}
