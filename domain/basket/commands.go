package basket

import (
	"time"

	"shop/domain"
)

// Command asks a basket to remember.
//
//sumtype:decl
type Command interface{ isCommand() }

// Price records a pricing; the same question with the same answer as the last adds nothing, and neither does one too many.
type Price struct {
	BasketID    domain.ID
	Question    Question
	Calculation domain.Calculation
	At          time.Time
	// Most is how many pricings and refusals an hour are recorded; 0: all.
	Most int
}

// CheckOut records that the basket became an order.
type CheckOut struct {
	BasketID domain.ID
	OrderID  domain.ID
	At       time.Time
}

// RefuseCheckout records that an order was asked for and could not be made. Of a basket that nothing was in it adds
// nothing, and the same refusal again adds nothing either.
type RefuseCheckout struct {
	BasketID domain.ID
	Question Question
	// Reason and the sums mean what they mean in CheckoutRefused.
	Reason              string
	TotalSum, TotalPaid domain.Money
	At                  time.Time
	// Most is that of Price.
	Most int
}

func (Price) isCommand()          {}
func (CheckOut) isCommand()       {}
func (RefuseCheckout) isCommand() {}
