package demo

import (
	"time"

	"shop/domain"
)

// Plan is the past of a shop that opened a year ago: what arrived, who ordered what, and who left what behind. Each is
// sorted by time.
type Plan struct {
	// Opened is when the catalog without its arrivals is imported; Arrived when all of it is.
	Opened, Arrived time.Time
	Receipts        []Receipt
	// Prices are of the goods that have changed, the first of each when the shop opened.
	Prices    []Price
	Rules     []Rules
	Codes     []Code
	Members   []Member
	Orders    []Order
	Abandoned []Abandoned
	Reviews   []Review
	Waits     []Wait
	Returns   []Return
	// Now is when the plan ends.
	Now time.Time
}

// Receipt is goods that came to the store. Receipts cover every order of the plan, so that none is refused for want
// of stock and what is left at the end is what the catalog file says, give or take cancelled orders.
type Receipt struct {
	At       time.Time
	Article  string
	Quantity int64
}

// Basket is what somebody wants: a guest, unless it is a Member's.
type Basket struct {
	PricedAt time.Time
	Person
	Member    bool
	Delivery  domain.DeliveryType
	Payment   domain.PaymentMethod
	Lines     []Line
	Promocode string
	// SpendBonus: as many bonuses as allowed pay.
	SpendBonus bool
}

// Order is one order and its life.
type Order struct {
	At time.Time
	Basket
	Comment string
	Outcome Outcome
	// Steps are what happens to the order up to now, in order.
	Steps []Step
}

// completed is when the order was; zero: it never was.
func (o Order) completed() (at time.Time) {
	for _, s := range o.Steps {
		if s.Kind == Complete {
			at = s.At
		}
	}
	return at
}

// Abandoned is a basket that never became an order.
type Abandoned struct {
	// At is when it was tried or emptied; when it was priced, where it was neither.
	At time.Time
	Basket
	// Reason is why, as the funnel tells it; empty: it was simply left.
	Reason string
	// Tried: an order was asked for, and refused for the reason.
	Tried bool
}

// Line is a product of a basket.
type Line struct {
	Article string
	Amount  int64
}

// Outcome is how an order ended.
type Outcome string

// StepKind is what happens to an order.
type StepKind string

// Step is a moment in an order's life.
type Step struct {
	At   time.Time
	Kind StepKind
	// By is customer or staff, Reason why, in Russian; both only where they are asked for.
	By, Reason string
}

// The outcomes. An order InProgress has steps ahead of it.
const (
	Completed    Outcome = "completed"
	Cancelled    Outcome = "cancelled"
	PaymentError Outcome = "payment_err"
	InProgress   Outcome = "in progress"
)

// The kinds of steps. Pay approves an order by itself; Approve is for cash. PayAgain asks for another payment, which
// the next Pay is. A paid order that is cancelled is to be refunded; Refund gives a third of a completed one's money back.
const (
	Pay           StepKind = "pay"
	RefusePayment StepKind = "refuse payment"
	PayAgain      StepKind = "pay again"
	ExpirePayment StepKind = "expire payment"
	Approve       StepKind = "approve"
	Process       StepKind = "process"
	Complete      StepKind = "complete"
	Cancel        StepKind = "cancel"
	Refund        StepKind = "refund"
)
