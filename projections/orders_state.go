package projections

// What the columns of orders.orders hold that are lists, and how a row becomes the State of the order and back.

import (
	"time"

	"shop/domain"
	"shop/domain/order"
)

// Edit is a change of an order's lines.
type Edit struct {
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
}

// GoodsBack is goods that came back at a time.
type GoodsBack struct {
	ID     domain.ID            `json:"id"`
	Lines  []order.ReturnedLine `json:"lines"`
	Money  domain.Money         `json:"money"`
	Reason string               `json:"reason"`
	At     time.Time            `json:"at"`
}

// Stage is a status and when the order came to it.
type Stage struct {
	Status order.Status `json:"status"`
	At     time.Time    `json:"at"`
}

// Money is captured money, less what was given back.
type Money struct {
	PaymentID string       `json:"payment_id"`
	Receipt   string       `json:"receipt,omitempty"`
	Amount    domain.Money `json:"amount"`
	Refunded  domain.Money `json:"refunded"`
	// ByHand says how staff took it; absent when a provider did.
	ByHand order.ByHand `json:"by_hand,omitzero"`
}

// state is what the row says of the order, as far as events change it. The order itself decides what becomes of its
// status and money, so that the two cannot disagree.
func (o *Order) state() order.State {
	s := order.State{
		Status: o.Status, CustomerID: o.CustomerID, PaymentID: o.PaymentID, Attempt: o.Attempt,
		HandClaims: o.HandClaims, RefundClaims: o.RefundClaims, BackByOne: o.BackByOne,
	}
	s.Placed.Calculation.TotalPaid = o.TotalPaid
	s.Imported, s.Parcel = o.RulesVersion == 0, o.parcel()
	s.ReturnAsked, s.GoodsBack, s.GivenBack = o.ReturnAsked, o.GoodsBack, o.GivenBack
	if o.CompletedAt != nil {
		s.CompletedAt = *o.CompletedAt
	}
	if o.PayBefore != nil {
		s.PayBefore = *o.PayBefore
	}
	if o.ConfirmBefore != nil {
		s.ConfirmBefore = *o.ConfirmBefore
	}
	for _, m := range o.Money {
		s.Payments = append(s.Payments, order.Payment{ID: m.PaymentID, Receipt: m.Receipt, Amount: m.Amount, Refunded: m.Refunded, ByHand: m.ByHand})
	}
	return s
}

func (o *Order) take(s order.State) {
	o.Status, o.CustomerID, o.PaymentID, o.Attempt = s.Status, s.CustomerID, s.PaymentID, s.Attempt
	o.takeParcel(s.Parcel)
	o.IsPaid, o.Captured, o.Owed, o.OwedByHand = s.IsPaid(), s.Captured(), 0, 0
	for _, p := range s.Owed() {
		o.Owed += p.Amount
		if order.TakenByHand(p.ID) {
			o.OwedByHand += p.Amount
		}
	}
	o.HandClaims, o.Lacks = append([]order.HandPaymentClaimed{}, s.HandClaims...), s.Lacks()
	o.RefundClaims, o.BackByOne = append([]order.HandRefundClaimed{}, s.RefundClaims...), s.BackByOne
	o.ReturnAsked, o.GoodsBack, o.GivenBack, o.CompletedAt = s.ReturnAsked, s.GoodsBack, s.GivenBack, timeOrNil(s.CompletedAt)
	o.Money = make([]Money, len(s.Payments))
	for i, p := range s.Payments {
		o.Money[i] = Money{PaymentID: p.ID, Receipt: p.Receipt, Amount: p.Amount, Refunded: p.Refunded, ByHand: p.ByHand}
	}
	// Shown only while money, or staff, is awaited.
	o.PayBefore, o.ConfirmBefore = nil, nil
	if s.Status == order.StatusReceived && !o.IsPaid {
		o.PayBefore = timeOrNil(s.PayBefore)
	}
	if s.Status == order.StatusReceived {
		o.ConfirmBefore = timeOrNil(s.ConfirmBefore)
	}
}

// parcel is what the row says of the order's parcel.
func (o *Order) parcel() order.Parcel {
	p := order.Parcel{
		PackedAt: timeOrZero(o.PackedAt), HandedOverAt: timeOrZero(o.HandedOverAt), DeliveredAt: timeOrZero(o.DeliveredAt),
		Carrier: o.Carrier, Tracking: o.Tracking, Courier: o.Courier, NotDelivered: o.NotDelivered,
	}
	if o.CourierDay != nil {
		p.Day = *o.CourierDay
	}
	return p
}

func (o *Order) takeParcel(p order.Parcel) {
	o.PackedAt, o.HandedOverAt, o.DeliveredAt = timeOrNil(p.PackedAt), timeOrNil(p.HandedOverAt), timeOrNil(p.DeliveredAt)
	o.Carrier, o.Tracking, o.Courier, o.NotDelivered = p.Carrier, p.Tracking, p.Courier, p.NotDelivered
	carrier := order.CarrierOf(p.Carrier)
	o.CarrierName, o.TrackingURL = carrier.Name, carrier.TrackingURL(p.Tracking)
	o.CourierDay = dayOrNil(p.Day)
}

// timeOrZero is the zero time where there is none.
func timeOrZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

// dayOrNil is nil for no day, so that it is stored as null. The row does not hold on to the event.
func dayOrNil(day string) *string {
	if day == "" {
		return nil
	}
	return &day
}
