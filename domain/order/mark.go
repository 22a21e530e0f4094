package order

import (
	"strings"
	"time"
	"unicode/utf8"

	"shop/domain"
)

// maxMark is how long a reason for a settled payment may be, in characters.
const maxMark = 500

// Refusals of marking a payment.
var (
	ErrNoSuchPayment = domain.Refuse("order/no-such-payment", "Такого платежа у заказа нет")
	ErrNoReason      = domain.Refuse("order/mark-without-reason", "Напишите причину, не длиннее 500 знаков")
)

// MarkPayment says that somebody looked into a payment and that nothing more is to be done about it.
type MarkPayment struct {
	PaymentID string
	Reason    string
	At        time.Time
}

func (MarkPayment) isCommand() {}

// PaymentMarked: a person settled what was wrong with a payment. Money and status stay as they are. The event's metadata names
// the person.
type PaymentMarked struct {
	PaymentID string    `json:"payment_id"`
	Reason    string    `json:"reason"`
	At        time.Time `json:"at"`
}

func (PaymentMarked) EventType() string { return "order.payment-marked" }
func (PaymentMarked) isEvent()          {}

func (e PaymentMarked) When() time.Time { return e.At }

func decideMarkPayment(c MarkPayment, s State) ([]Event, error) {
	reason := strings.TrimSpace(c.Reason)
	known := c.PaymentID != "" && (c.PaymentID == s.PaymentID || s.ProviderOf(c.PaymentID) != "")
	for _, p := range s.Payments {
		known = known || p.ID == c.PaymentID
	}
	switch {
	case !known:
		return nil, ErrNoSuchPayment
	case reason == "" || utf8.RuneCountInString(reason) > maxMark:
		return nil, ErrNoReason
	}
	return []Event{PaymentMarked{PaymentID: c.PaymentID, Reason: reason, At: c.At}}, nil
}
