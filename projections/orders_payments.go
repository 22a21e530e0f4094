package projections

import (
	"time"

	"shop/domain"
	"shop/domain/order"
	"shop/eventstore"
)

// OrderPayment is a row of orders.payments: a payment that was asked for, or money that came without being asked for.
type OrderPayment struct {
	// Key is the order's id, a slash and the payment's id.
	Key       string    `json:"key"`
	OrderID   domain.ID `json:"order_id"`
	PaymentID string    `json:"payment_id"`
	// Provider is empty for money that no provider was asked for, such as a courier's.
	Provider string       `json:"provider"`
	Asked    domain.Money `json:"asked"`
	Captured domain.Money `json:"captured"`
	Refunded domain.Money `json:"refunded"`
	// RequestedAt and PaidAt are nil when that did not happen.
	RequestedAt *time.Time `json:"requested_at"`
	PaidAt      *time.Time `json:"paid_at"`
	// PayBefore is when the wait for the money ends; nil when it has no end.
	PayBefore *time.Time `json:"pay_before"`
	// MarkedAt is when staff said that nothing more is to be done about it; nil: they did not.
	MarkedAt *time.Time `json:"marked_at"`
}

var orderPayments = Table[OrderPayment]{
	Name: "payments", Key: "key", KeyType: "text",
	DDL: createTable[OrderPayment]("payments", "key") + " WITH (fillfactor = 70)",
	Indexes: `
		CREATE INDEX payments_open ON payments (requested_at) WHERE captured = 0 AND provider <> '';
		CREATE INDEX payments_of_order ON payments (order_id);
		CREATE INDEX payments_mismatched ON payments (paid_at) WHERE captured > 0 AND asked > 0 AND captured <> asked;
		CREATE INDEX payments_late ON payments (paid_at) WHERE captured > 0 AND paid_at > pay_before;
		CREATE INDEX payments_marked ON payments (marked_at) WHERE marked_at IS NOT NULL`,
	Events: []domain.Event{order.PaymentRequested{}, order.Paid{}, order.Refunded{}, order.PaymentMarked{}},
	Keys: func(event eventstore.Event) []string {
		of := keyAfter("order-")(event)
		payment := ""
		switch e := event.Data.(type) {
		case order.PaymentRequested:
			payment = e.PaymentID
		case order.Paid:
			payment = e.PaymentID
		case order.Refunded:
			payment = e.PaymentID
		case order.PaymentMarked:
			payment = e.PaymentID
		}
		if len(of) == 0 || payment == "" {
			return nil
		}
		return []string{of[0] + "/" + payment}
	},
	Stream: func(key string) string { return "order-" + key[:min(len(key), lengthOfID)] },
	Fold: func(key string, p *OrderPayment, event eventstore.Event) bool {
		if len(key) <= lengthOfID {
			return false
		}
		p.Key, p.PaymentID = key, key[lengthOfID+1:]
		if err := p.OrderID.UnmarshalText([]byte(key[:lengthOfID])); err != nil {
			return false
		}
		switch e := event.Data.(type) {
		case order.PaymentRequested:
			p.Provider, p.Asked, p.RequestedAt = e.Provider, e.Amount, timeOrNil(e.At)
			p.PayBefore = timeOrNil(e.PayBefore)
		case order.Paid:
			p.Captured, p.PaidAt = p.Captured+e.Amount, timeOrNil(e.At)
		case order.Refunded:
			p.Refunded += e.Amount
		case order.PaymentMarked:
			p.MarkedAt = timeOrNil(e.At)
		}
		return true
	},
}

// lengthOfID is an id's length as text.
const lengthOfID = 36
