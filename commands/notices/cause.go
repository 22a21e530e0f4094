package notices

import (
	"slices"
	"time"

	"shop/domain"
	"shop/domain/staff"
)

// Cause is why staff are told. Its text is public and never changes.
type Cause string

const (
	NewOrder      Cause = "new_order"
	PaymentFailed Cause = "payment_failed"
	// StockLow: at most the low line of pieces is left of a product.
	StockLow    Cause = "stock_low"
	RefundStuck Cause = "refund_stuck"
	// LowReview is one of two stars or fewer.
	LowReview Cause = "low_review"
	// EventParked: a consumer could not handle an event. LetterDead: a letter could not be sent.
	EventParked Cause = "event_parked"
	LetterDead  Cause = "letter_dead"
	// Trial is sent when somebody asks whether a target works.
	Trial Cause = "trial"
)

// Causes are those that can be chosen, in the order in which they are shown.
var Causes = []Cause{NewOrder, PaymentFailed, StockLow, RefundStuck, LowReview, EventParked, LetterDead}

// needs is the permission without which nobody hears of a cause.
var needs = map[Cause]staff.Permission{
	NewOrder: staff.SeeOrders, PaymentFailed: staff.SeePayments, StockLow: staff.SeeCatalog, RefundStuck: staff.SeePayments,
	LowReview: staff.ModerateReviews, EventParked: staff.SeeProjections, LetterDead: staff.ChangeOrders,
}

// Known says whether a cause can be chosen.
func (c Cause) Known() bool { return slices.Contains(Causes, c) }

// For says whether a role may hear of a cause; of a trial every role may.
func (c Cause) For(role staff.Role) bool {
	if c == Trial {
		return true
	}
	permission, known := needs[c]
	return known && role.May(permission)
}

// CausesFor are those that a role may choose.
func CausesFor(role staff.Role) []Cause {
	return slices.DeleteFunc(slices.Clone(Causes), func(c Cause) bool { return !c.For(role) })
}

// About is what a notice says. It names no person, so that it may leave the shop. Fields that do not matter are empty.
type About struct {
	// Number and Sum are of an order; Sum is in whole tenge.
	Number int64        `json:"number,omitempty"`
	Sum    domain.Money `json:"sum,omitempty"`
	// Product and Article name a product, Left is how many pieces of it are left.
	Product string `json:"product,omitempty"`
	Article string `json:"article,omitempty"`
	Left    int64  `json:"left,omitempty"`
	// Stars are those of a review.
	Stars int64 `json:"stars,omitempty"`
	// Name is that of a consumer or of a kind of letter.
	Name string `json:"name,omitempty"`
	// More is how many others of the same cause began at the same moment and are told with this one.
	More int `json:"more,omitempty"`
}

// Notice is something that staff are told of.
type Notice struct {
	// ID is the same whenever the same thing is announced: the event's, or made of the trouble.
	ID    domain.ID
	Cause Cause
	About About
	At    time.Time
}
