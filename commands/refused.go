package commands

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"shop/domain"
)

// Refusals of the write side itself. The statuses that they are answered with are in cmd/shop/edge.
var (
	// ErrSignedOut: the call needs a token, and there is none that counts.
	ErrSignedOut = domain.Refuse("customer/signed-out", "Войдите в аккаунт")
	// ErrKeyTaken: another request came under the same key before.
	ErrKeyTaken = domain.Refuse("request/key-taken", "Этот запрос уже отправлен с другими данными")
	// ErrBelowMinimum: the shop takes no order of so little; the message says how much is missing.
	ErrBelowMinimum = domain.Refuse("order/below-minimum", "Сумма заказа меньше минимальной")
	// ErrNoPayment: no order ever asked for the payment.
	ErrNoPayment = domain.Refuse("payment/unknown", "Платёж не найден")
	// ErrRefundRefused: the provider will not give this back, such as after too long a time.
	ErrRefundRefused = domain.Refuse("payment/refund-refused", "Платёжная система отказала в возврате")
)

// Invalid: the request's fields are wrong. Fields holds Russian messages by field ([]string); under "products" it
// may hold one entry per request line instead ([]LineError).
type Invalid struct{ Fields map[string]any }

func (e *Invalid) Error() string {
	names := make([]string, 0, len(e.Fields))
	for name := range e.Fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return "invalid " + strings.Join(names, ", ")
}

// WrongField is one wrong field.
func WrongField(field, message string) *Invalid {
	return &Invalid{Fields: map[string]any{field: []string{message}}}
}

// LineError says what is wrong with a line of a basket, by field: messages, or under "amount" the pieces that can
// be had. Empty: the line is good.
type LineError map[string]any

// Outdated: the total is not the one the shopper saw. Calculation is what the basket costs now.
type Outdated struct{ Calculation Calculation }

func (e *Outdated) Error() string {
	return fmt.Sprintf("the total is %d now", e.Calculation.TotalPaid)
}

// IsAnswer says whether an error is an answer like any other: a refusal, and no trouble of the shop's own.
func IsAnswer(err error) bool {
	var (
		wrong    *Invalid
		outdated *Outdated
		refusal  *domain.Refusal
	)
	return errors.As(err, &wrong) || errors.As(err, &outdated) || errors.As(err, &refusal)
}
