package promocode

import (
	"time"

	"shop/domain"
)

// Command asks a promo code to change.
//
//sumtype:decl
type Command interface{ isCommand() }

// Issue makes the code; the same terms again add nothing.
type Issue struct {
	Code  string
	Terms Terms
	At    time.Time
}

// Redeem uses the code for an order of TotalSum.
type Redeem struct {
	Code    string
	OrderID domain.ID
	// PersonID is the order's person, Buyer who ordered.
	PersonID domain.ID
	Buyer    Buyer
	// Who is the customer as the order's append asserts it.
	Who      Standing
	TotalSum domain.Money
	Discount domain.Money
	// Again: the order used the code before and gave it back, such as before a new attempt to pay. Its price was made
	// when the code could be used, so only the limits are asked.
	Again bool
	At    time.Time
}

// Return gives an order's use back; nothing redeemed adds nothing.
type Return struct {
	Code    string
	OrderID domain.ID
	At      time.Time
}

// Revoke ends the code.
type Revoke struct {
	Code string
	At   time.Time
}

func (Issue) isCommand()  {}
func (Redeem) isCommand() {}
func (Return) isCommand() {}
func (Revoke) isCommand() {}
