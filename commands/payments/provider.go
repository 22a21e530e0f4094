package payments

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"shop/domain"
)

// Provider takes money for the shop.
type Provider interface {
	// Name is stored with every payment.
	Name() string
	// Create opens the payment and answers where to pay. The same payment again gives the same address. It runs
	// before the order is appended: a payment whose order never came to be is shown to nobody.
	Create(ctx context.Context, p Payment) (url string, err error)
	// Verify reads a notification; anything not signed by the provider is ErrForged.
	Verify(header http.Header, body []byte) (Notification, error)
	// State asks how a payment stands.
	State(ctx context.Context, paymentID string) (Notification, error)
	// Refund gives captured money back. Repeating it gives nothing twice.
	Refund(ctx context.Context, paymentID string, amount domain.Money) error
}

// ErrForged: a notification does not carry the provider's signature.
var ErrForged = errors.New("payments: notification is not signed by the provider")

// Payment is money asked for an order.
type Payment struct {
	ID          string
	OrderNumber int64
	Amount      domain.Money
	Method      domain.PaymentMethod
}

// Outcome is how a payment stands.
type Outcome string

const (
	// Pending: nothing has happened yet.
	Pending Outcome = "pending"
	// Paid: the money was captured. Refused: it was not, and another try may follow.
	Paid    Outcome = "paid"
	Refused Outcome = "refused"
)

// Notification is what a provider says about a payment.
type Notification struct {
	PaymentID string       `json:"payment_id"`
	Outcome   Outcome      `json:"outcome"`
	Amount    domain.Money `json:"amount"`
	// Reason says why a payment was refused; it may be empty.
	Reason string `json:"reason,omitempty"`
}

// ID names an order's payment; attempts count from 1. It can be computed again after any crash.
func ID(order domain.ID, attempt int) string {
	return order.String() + "-" + strconv.Itoa(attempt)
}

// OrderOf is the order a payment is for; false when the id was not made by ID.
func OrderOf(paymentID string) (domain.ID, bool) {
	const length = 36
	if len(paymentID) < length+2 || paymentID[length] != '-' {
		return domain.ID{}, false
	}
	order, err := uuid.Parse(paymentID[:length])
	attempt, errAttempt := strconv.Atoi(paymentID[length+1:])
	if err != nil || errAttempt != nil || attempt < 1 || ID(order, attempt) != strings.ToLower(paymentID) {
		return domain.ID{}, false
	}
	return order, true
}
