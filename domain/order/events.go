package order

import (
	"time"

	"shop/domain"
)

// Stream names an order.
func Stream(id domain.ID) string { return "order-" + id.String() }

// Status is an order's progress; is_paid follows the payments, not the status.
type Status string

const (
	StatusReceived   Status = "RECEIVED"
	StatusApproved   Status = "APPROVED"
	StatusProcessing Status = "PROCESSING"
	StatusPaymentErr Status = "PAYMENT_ERR"
	StatusCompleted  Status = "COMPLETED"
	StatusCancelled  Status = "CANCELLED"
	StatusRefunded   Status = "REFUNDED"
)

// Contact is the person who ordered. Personal.
type Contact struct {
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
	Email     string `json:"email"`
	// Phone is +7XXXXXXXXXX.
	Phone string `json:"phone"`
}

// Address is the delivery address. Personal.
type Address struct {
	City      string `json:"city"`
	Street    string `json:"street"`
	House     string `json:"house"`
	Floor     string `json:"floor"`
	Apartment string `json:"apartment"`
	Entrance  string `json:"entrance"`
	Comment   string `json:"comment"`
}

// Event is a fact about an order.
//
//sumtype:decl
type Event interface {
	domain.Event
	// When is when it happened.
	When() time.Time
	isEvent()
}

// Placed recorded an order with the lines, prices and explanation of that day.
type Placed struct {
	ID       domain.ID `json:"id"`
	Number   int64     `json:"number"`
	BasketID domain.ID `json:"basket_id,omitzero"`
	// BasketSince is when something in the basket was first priced; zero before schema 2 and when nothing was.
	BasketSince time.Time `json:"basket_since,omitzero"`
	// CustomerID is zero for a guest; PersonID owns the key of the personal fields.
	CustomerID domain.ID `json:"customer_id,omitzero"`
	PersonID   domain.ID `json:"person_id"`
	Contact    Contact   `json:"contact"`
	// City is a city that the shop knows, or domain.OtherCity: what was typed is in Address. Before schema 4 it is what was
	// typed, and of an imported order what the other shop's files say.
	City          string               `json:"city"`
	Address       Address              `json:"address"`
	DeliveryType  domain.DeliveryType  `json:"delivery_type"`
	PaymentMethod domain.PaymentMethod `json:"payment_method"`
	UseBrandBox   bool                 `json:"use_brand_box"`
	Calculation   domain.Calculation   `json:"calculation"`
	// DeliveryDate is the promised day, YYYY-MM-DD in Almaty; empty when none is promised.
	DeliveryDate string `json:"delivery_date,omitempty"`
	// PayBefore is when an unpaid order expires; zero when nothing is awaited.
	PayBefore time.Time `json:"pay_before,omitzero"`
	// ConfirmBefore is when a guest's order in cash ends unless staff confirmed it; zero before schema 3 and when no
	// confirmation is awaited.
	ConfirmBefore time.Time `json:"confirm_before,omitzero"`
	// Taken is how staff took the order; zero before schema 5 and when the customer placed it.
	Taken Taken `json:"taken,omitzero"`
	// OfferVersion is the version of the public offer that was in force, and agreed to; empty before schema 6 and in imported orders.
	OfferVersion string `json:"offer_version,omitempty"`
	// Language is that of the page that placed the order, and of the letters about it. Empty is Russian, as before schema 7.
	Language string    `json:"language,omitempty"`
	At       time.Time `json:"at"`
}

// Taken says that staff took an order for a customer. Zero: nobody did.
type Taken struct {
	// Channel is phone.
	Channel string `json:"channel"`
	// StaffID is the account that took it, and that heard the customer agree to what ConsentText says of personal data.
	StaffID     domain.ID `json:"staff_id"`
	ConsentText string    `json:"consent_text"`
}

// ByPhone is the channel of an order that staff took on the telephone.
const ByPhone = "phone"

// Imported says whether the order is of another shop's past: no rules of ours made its prices, so their version is 0.
func (p Placed) Imported() bool { return p.Calculation.RulesVersion == 0 }

// TypedCity is the city as it was typed, as far as that is not erased.
func (p Placed) TypedCity() string {
	if p.City == domain.OtherCity && p.Address.City != "" {
		return p.Address.City
	}
	return p.City
}

// Personal seals contact and address under the person's key.
func (p Placed) Personal() domain.Personal {
	return domain.Personal{Person: p.PersonID, Fields: []string{"contact", "address"}, New: true}
}

// PaymentRequested opened a payment at the provider. Attempt counts from 1.
type PaymentRequested struct {
	PaymentID string       `json:"payment_id"`
	Provider  string       `json:"provider"`
	Attempt   int          `json:"attempt"`
	Amount    domain.Money `json:"amount"`
	PayBefore time.Time    `json:"pay_before,omitzero"`
	At        time.Time    `json:"at"`
}

// Paid: the provider captured the money, or staff took it.
type Paid struct {
	PaymentID string `json:"payment_id"`
	// Receipt is the provider's name of this capture: a bill that was paid twice has two. Empty before schema 2, and from
	// providers that have none.
	Receipt string       `json:"receipt,omitempty"`
	Amount  domain.Money `json:"amount"`
	// ByHand says how staff took the money; zero before schema 3 and when a provider captured it.
	ByHand ByHand    `json:"by_hand,omitzero"`
	At     time.Time `json:"at"`
}

// PaymentFailed: the provider refused. Not final: a new attempt may follow.
type PaymentFailed struct {
	PaymentID string    `json:"payment_id"`
	Reason    string    `json:"reason"`
	At        time.Time `json:"at"`
}

// PaymentExpired: no money came in time.
type PaymentExpired struct {
	At time.Time `json:"at"`
}

// Approved, ProcessingStarted and Completed are the steps forward.
type Approved struct {
	At time.Time `json:"at"`
}
type ProcessingStarted struct {
	At time.Time `json:"at"`
}
type Completed struct {
	At time.Time `json:"at"`
}

// Cancelled ended an order before completion. By is customer, staff or system.
type Cancelled struct {
	By     string    `json:"by"`
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
}

// Refunded gave captured money back.
type Refunded struct {
	// RefundID tells refunds of one payment apart; empty before schema 2 and when what was owed went back.
	RefundID  string `json:"refund_id,omitempty"`
	PaymentID string `json:"payment_id"`
	// Receipt is that of the money that went back; empty before schema 3 and where that has none.
	Receipt string       `json:"receipt,omitempty"`
	Amount  domain.Money `json:"amount"`
	// Excess: the order had more money than it costs, such as a second payment; its status does not change.
	Excess bool `json:"excess,omitempty"`
	// ByHand says how staff gave it back; zero when a provider did, and before schema 4.
	ByHand HandRefund `json:"by_hand,omitzero"`
	At     time.Time  `json:"at"`
}

// Joined gave a guest's order to a customer. Its personal fields stay sealed under the order's own person.
type Joined struct {
	CustomerID domain.ID `json:"customer_id"`
	At         time.Time `json:"at"`
}

// Imported says of which shop's past the order is and what it was called there. It comes second; what follows happened
// there as well.
type Imported struct {
	Source string    `json:"source"`
	Number string    `json:"number"`
	At     time.Time `json:"at"`
}

// Noted is what staff wrote beside an order, for staff alone; the event's metadata names the author.
type Noted struct {
	// PersonID is the order's, whose key seals the text: notes are about persons.
	PersonID domain.ID `json:"person_id"`
	Text     string    `json:"text"`
	At       time.Time `json:"at"`
}

// Personal seals the text under the key of the order's person.
func (n Noted) Personal() domain.Personal {
	return domain.Personal{Person: n.PersonID, Fields: []string{"text"}}
}

// Tagged set the words by which staff find an order again. They replace the former ones.
type Tagged struct {
	Tags []string  `json:"tags"`
	At   time.Time `json:"at"`
}

// Assigned gave an order to an account of staff; zero takes it away from everybody.
type Assigned struct {
	StaffID domain.ID `json:"staff_id,omitzero"`
	At      time.Time `json:"at"`
}

// Forgotten: the key of the order's person is deleted. Who ordered and where to is gone for ever, also where it was
// read before; lines, sums and the city stay.
type Forgotten struct {
	At time.Time `json:"at"`
}

func (Placed) EventType() string            { return "order.placed" }
func (PaymentRequested) EventType() string  { return "order.payment-requested" }
func (Paid) EventType() string              { return "order.paid" }
func (PaymentFailed) EventType() string     { return "order.payment-failed" }
func (PaymentExpired) EventType() string    { return "order.payment-expired" }
func (Approved) EventType() string          { return "order.approved" }
func (ProcessingStarted) EventType() string { return "order.processing-started" }
func (Completed) EventType() string         { return "order.completed" }
func (Cancelled) EventType() string         { return "order.cancelled" }
func (Refunded) EventType() string          { return "order.refunded" }
func (Joined) EventType() string            { return "order.joined" }
func (Imported) EventType() string          { return "order.imported" }
func (Forgotten) EventType() string         { return "order.forgotten" }
func (Noted) EventType() string             { return "order.noted" }
func (Tagged) EventType() string            { return "order.tagged" }
func (Assigned) EventType() string          { return "order.assigned" }

func (Placed) isEvent()            {}
func (PaymentRequested) isEvent()  {}
func (Paid) isEvent()              {}
func (PaymentFailed) isEvent()     {}
func (PaymentExpired) isEvent()    {}
func (Approved) isEvent()          {}
func (ProcessingStarted) isEvent() {}
func (Completed) isEvent()         {}
func (Cancelled) isEvent()         {}
func (Refunded) isEvent()          {}
func (Joined) isEvent()            {}
func (Imported) isEvent()          {}
func (Forgotten) isEvent()         {}
func (Noted) isEvent()             {}
func (Tagged) isEvent()            {}
func (Assigned) isEvent()          {}

func (p Placed) When() time.Time            { return p.At }
func (e PaymentRequested) When() time.Time  { return e.At }
func (e Paid) When() time.Time              { return e.At }
func (e PaymentFailed) When() time.Time     { return e.At }
func (e PaymentExpired) When() time.Time    { return e.At }
func (e Approved) When() time.Time          { return e.At }
func (e ProcessingStarted) When() time.Time { return e.At }
func (e Completed) When() time.Time         { return e.At }
func (e Cancelled) When() time.Time         { return e.At }
func (e Refunded) When() time.Time          { return e.At }
func (e Joined) When() time.Time            { return e.At }
func (e Imported) When() time.Time          { return e.At }
func (e Forgotten) When() time.Time         { return e.At }
func (n Noted) When() time.Time             { return n.At }
func (e Tagged) When() time.Time            { return e.At }
func (e Assigned) When() time.Time          { return e.At }
