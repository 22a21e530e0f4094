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

// ExpireConfirmation cancels a guest's order in cash when ConfirmBefore has passed.
type ExpireConfirmation struct{ At time.Time }

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

// Refund records money given back: of an ended or completed order, or the overpayment of a live one.
type Refund struct {
	// RefundID tells refunds of one payment apart; a recorded one appends nothing again. Empty: only the amount distinguishes
	// refunds, so without an id no more than Owed may be refunded.
	RefundID  string
	PaymentID string
	Amount    domain.Money
	// Reported: the provider says that it happened, such as by staff on the provider's own pages. It is recorded
	// whatever the order's status, because the money is gone.
	Reported bool
	At       time.Time
}

// Join gives a guest's order to a customer whose e-mail is the order's and was verified. Repeating it adds nothing.
type Join struct {
	CustomerID domain.ID
	At         time.Time
}

// Import records an order of another shop's past, whole; it is not changed afterwards. Repeating it adds nothing.
type Import struct {
	// Placed has prices under no rules of ours, and awaits no money.
	Placed Placed
	// Source is the shop, Number what it called the order.
	Source, Number string
	// Payments came for the order, in their order.
	Payments []Paid
	// Status is where the order ended. The other times are those of its steps; zero: that of the step before.
	Status                         Status
	ApprovedAt, ShippedAt, EndedAt time.Time
	At                             time.Time
}

// Forget says that the key of the order's person is deleted. Repeating it adds nothing.
type Forget struct{ At time.Time }

// Note writes something beside the order for staff. It may be done at any time of the order's life, but not once its person
// is forgotten.
type Note struct {
	Text string
	At   time.Time
}

// Tag replaces the order's tags; the same ones add nothing. They are words for work, never for persons.
type Tag struct {
	Tags []string
	At   time.Time
}

// Assign gives the order to an account of staff, or with a zero id to nobody. Repeating it adds nothing.
type Assign struct {
	StaffID domain.ID
	At      time.Time
}

func (Note) isCommand()               {}
func (Tag) isCommand()                {}
func (Assign) isCommand()             {}
func (Place) isCommand()              {}
func (RequestPayment) isCommand()     {}
func (ConfirmPayment) isCommand()     {}
func (FailPayment) isCommand()        {}
func (ExpirePayment) isCommand()      {}
func (ExpireConfirmation) isCommand() {}
func (Approve) isCommand()            {}
func (StartProcessing) isCommand()    {}
func (Complete) isCommand()           {}
func (Cancel) isCommand()             {}
func (Refund) isCommand()             {}
func (Join) isCommand()               {}
func (Import) isCommand()             {}
func (Forget) isCommand()             {}
