package basket

import (
	"time"

	"shop/domain"
)

// Command asks a basket to remember.
//
//sumtype:decl
type Command interface{ isCommand() }

// Price records a pricing; the same question with the same answer as the last adds nothing.
type Price struct {
	BasketID    domain.ID
	Question    Question
	Calculation domain.Calculation
	At          time.Time
}

// CheckOut records that the basket became an order.
type CheckOut struct {
	BasketID domain.ID
	OrderID  domain.ID
	At       time.Time
}

func (Price) isCommand()    {}
func (CheckOut) isCommand() {}
