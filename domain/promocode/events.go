package promocode

import (
	"strings"
	"time"

	"shop/domain"
)

// Normal is the one spelling of a code: trimmed and in capitals.
func Normal(code string) string { return strings.ToUpper(strings.TrimSpace(code)) }

// Stream names a code's stream; case does not matter.
func Stream(code string) string { return "promocode-" + Normal(code) }

// Kind is what a code takes off.
type Kind string

const (
	Percent Kind = "percent"
	Fixed   Kind = "fixed"
)

// Terms are what a code grants. Zero limits mean no limit; zero times mean an open window.
type Terms struct {
	Kind Kind `json:"kind"`
	// Value is a percent (1 to 100) or a sum in tenge.
	Value       int64        `json:"value"`
	MinSum      domain.Money `json:"min_sum"`
	ValidFrom   time.Time    `json:"valid_from,omitzero"`
	ValidUntil  time.Time    `json:"valid_until,omitzero"`
	Uses        int64        `json:"uses"`
	UsesPerUser int64        `json:"uses_per_user"`
}

// Event is a fact about a promo code.
//
//sumtype:decl
type Event interface {
	domain.Event
	isEvent()
}

// Issued made a code, or gave an issued one other terms.
type Issued struct {
	Code  string    `json:"code"`
	Terms Terms     `json:"terms"`
	At    time.Time `json:"at"`
}

// Redeemed used the code for an order. Customer is a hash that tells customers apart without naming them.
type Redeemed struct {
	Code     string       `json:"code"`
	OrderID  domain.ID    `json:"order_id"`
	Customer string       `json:"customer"`
	Discount domain.Money `json:"discount"`
	At       time.Time    `json:"at"`
}

// Returned gave an order's use back.
type Returned struct {
	Code    string    `json:"code"`
	OrderID domain.ID `json:"order_id"`
	At      time.Time `json:"at"`
}

// Revoked ended the code.
type Revoked struct {
	Code string    `json:"code"`
	At   time.Time `json:"at"`
}

func (Issued) EventType() string   { return "promocode.issued" }
func (Redeemed) EventType() string { return "promocode.redeemed" }
func (Returned) EventType() string { return "promocode.returned" }
func (Revoked) EventType() string  { return "promocode.revoked" }
func (Issued) isEvent()            {}
func (Redeemed) isEvent()          {}
func (Returned) isEvent()          {}
func (Revoked) isEvent()           {}
