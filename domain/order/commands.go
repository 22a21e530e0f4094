package order

import (
	"time"

	"shop/domain"
)

// Command asks an order to change.
//
//sumtype:decl
type Command interface{ isCommand() }

// Place makes the order. The lines are priced already; Placed is recorded as given.
type Place struct{ Placed Placed }

// RequestPayment opens a payment, the first or, after PAYMENT_ERR, a new attempt that returns the order to RECEIVED.
type RequestPayment struct {
	PaymentID string
	Provider  string
	PayBefore time.Time
	At        time.Time
}

// ConfirmPayment records captured money and approves the order. Repeating it adds nothing.
type ConfirmPayment struct {
	PaymentID string
	Amount    domain.Money
	At        time.Time
}

// FailPayment records a refusal; it changes nothing once the order is paid.
type FailPayment struct {
	PaymentID string
	Reason    string
	At        time.Time
}

// ExpirePayment ends the wait for money when PayBefore has passed.
type ExpirePayment struct{ At time.Time }

// Approve (a CASH order, by staff), StartProcessing and Complete move the order forward.
type Approve struct{ At time.Time }
type StartProcessing struct{ At time.Time }
type Complete struct{ At time.Time }

// Cancel ends the order; By is customer, staff or system.
type Cancel struct {
	By     string
	Reason string
	At     time.Time
}

// Refund records money given back after a cancellation.
type Refund struct {
	PaymentID string
	Amount    domain.Money
	At        time.Time
}

func (Place) isCommand()           {}
func (RequestPayment) isCommand()  {}
func (ConfirmPayment) isCommand()  {}
func (FailPayment) isCommand()     {}
func (ExpirePayment) isCommand()   {}
func (Approve) isCommand()         {}
func (StartProcessing) isCommand() {}
func (Complete) isCommand()        {}
func (Cancel) isCommand()          {}
func (Refund) isCommand()          {}
