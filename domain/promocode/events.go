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

// Terms are what a code grants. Zero limits mean no limit; zero times mean an open window. Terms of before there were scopes, groups and
// a greatest discount are for all goods and everybody.
type Terms struct {
	Kind Kind `json:"kind"`
	// Value is a percent (1 to 100) or a sum in tenge.
	Value       int64        `json:"value"`
	MinSum      domain.Money `json:"min_sum"`
	ValidFrom   time.Time    `json:"valid_from,omitzero"`
	ValidUntil  time.Time    `json:"valid_until,omitzero"`
	Uses        int64        `json:"uses"`
	UsesPerUser int64        `json:"uses_per_user"`
	// MaxDiscount is the most that a percent takes off, in tenge.
	MaxDiscount domain.Money `json:"max_discount,omitempty"`
	// Scope are the goods that the discount is taken off. MinSum counts the whole order.
	domain.Scope
	// Groups are the groups of customers that the code is for; none: everybody.
	Groups []string `json:"groups,omitempty"`
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

// Buyer tells customers of a code apart: keyed hashes of the account, and of the e-mail and phone of the order. An empty one is not known,
// as that of a guest's account. Personal: a phone has so few digits that whoever has the key finds it.
type Buyer struct {
	Account string `json:"account,omitempty"`
	Email   string `json:"email,omitempty"`
	Phone   string `json:"phone,omitempty"`
}

// Redeemed used the code for an order.
type Redeemed struct {
	Code    string    `json:"code"`
	OrderID domain.ID `json:"order_id"`
	// Customer is the hash of schema 1, in clear: that of the account, or of a guest's phone. Empty since.
	Customer string `json:"customer,omitempty"`
	// PersonID is the order's person, who owns the key of Buyer; zero in schema 1.
	PersonID domain.ID    `json:"person_id,omitzero"`
	Buyer    Buyer        `json:"buyer,omitzero"`
	Discount domain.Money `json:"discount"`
	At       time.Time    `json:"at"`
}

// Personal seals the buyer under the key of the order's person: once that is deleted the use counts for the code, and for nobody.
func (r Redeemed) Personal() domain.Personal {
	return domain.Personal{Person: r.PersonID, Fields: []string{"buyer"}}
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
