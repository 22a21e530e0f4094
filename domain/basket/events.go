package basket

import (
	"time"

	"shop/domain"
)

// Stream names a basket.
func Stream(id domain.ID) string { return "basket-" + id.String() }

// Question is what was asked to be priced. Two pricings are the same when question and calculation are.
type Question struct {
	// City is as in order.Placed; typed before schema 2 of the events that have it.
	City          string               `json:"city,omitempty"`
	DeliveryType  domain.DeliveryType  `json:"delivery_type"`
	PaymentMethod domain.PaymentMethod `json:"payment_method,omitempty"`
	// Promocode is a code of the shop, or UnknownCode; in older events as it was typed.
	Promocode string `json:"promocode,omitempty"`
	// SpendBonus is the most to spend; −1 means as much as allowed.
	SpendBonus int64 `json:"spend_bonus,omitempty"`
}

// UnknownCode stands for a promo code that there is none of: what was typed may be about a person.
const UnknownCode = "?"

// Event is a fact about a basket.
//
//sumtype:decl
type Event interface {
	domain.Event
	isEvent()
}

// Priced answered a question; Calculation.Reason says why no order could be made.
type Priced struct {
	BasketID    domain.ID          `json:"basket_id"`
	Question    Question           `json:"question"`
	Calculation domain.Calculation `json:"calculation"`
	At          time.Time          `json:"at"`
}

// Reasons of a refused checkout, beside those of a calculation.
const (
	ReasonPromoInvalid = "promo_invalid"
	// ReasonPriceChanged: the total was not the one the shopper saw.
	ReasonPriceChanged = "price_changed"
)

// CheckoutRefused: an order was asked for, its form was complete, and it could not be made of what was in the basket.
type CheckoutRefused struct {
	BasketID domain.ID `json:"basket_id"`
	Question Question  `json:"question"`
	// Reason is that of a calculation, such as below_minimum, or one of those above.
	Reason string `json:"reason"`
	// TotalSum and TotalPaid are the basket's at that moment, as in a calculation.
	TotalSum  domain.Money `json:"total_sum"`
	TotalPaid domain.Money `json:"total_paid"`
	At        time.Time    `json:"at"`
}

// CheckedOut: the basket became an order.
type CheckedOut struct {
	BasketID domain.ID `json:"basket_id"`
	OrderID  domain.ID `json:"order_id"`
	At       time.Time `json:"at"`
}

func (Priced) EventType() string          { return "basket.priced" }
func (CheckoutRefused) EventType() string { return "basket.checkout-refused" }
func (CheckedOut) EventType() string      { return "basket.checked-out" }
func (Priced) isEvent()                   {}
func (CheckoutRefused) isEvent()          {}
func (CheckedOut) isEvent()               {}
