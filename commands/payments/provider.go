package payments

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"shop/domain"
)

// Provider takes money for the shop. Its methods may fail without saying whether they had an effect; they are then called
// again and must not have it twice.
type Provider interface {
	// Name is stored with every payment.
	Name() string
	// Methods are the ways to pay that it really has, in the order in which they are offered; never cash.
	Methods() []domain.PaymentMethod
	// Create opens the payment and answers where to pay. The same payment again gives the same address. The provider may
	// notify before Create has returned.
	Create(ctx context.Context, p Payment) (url string, err error)
	// Verify reads a notification of a kind that the provider's address names; empty where it has but one. Anything not
	// signed by the provider is ErrForged.
	Verify(kind string, header http.Header, body []byte) (Notification, error)
	// State polls the state of a payment; Pending when the provider does not know it.
	State(ctx context.Context, paymentID string) (Notification, error)
	// Refund returns captured money and answers the provider's id of the refund, the same when repeated. The same Refund.ID is
	// refunded once, when it is repeated within Remembers. ErrRefused: the provider will never do it.
	Refund(ctx context.Context, r Refund) (refundID string, err error)
	// Statement tells what the provider captured and gave back between two moments, by its own clock and in any order: Paid and
	// Refunded, each with its Receipt. It is empty where the provider keeps no books.
	Statement(ctx context.Context, since, until time.Time) ([]Notification, error)
}

// Remembers is how long a repeated Refund is recognised for certain. CloudPayments knows a request for an hour. A refund that is
// older is looked for in the Statement first.
const Remembers = 50 * time.Minute

var (
	// ErrForged: a notification does not carry the provider's signature.
	ErrForged = errors.New("payments: notification is not signed by the provider")
	// ErrUnreadable: a notification is signed and not understood, such as one in another currency.
	ErrUnreadable = errors.New("payments: notification is not understood")
	// ErrNotSetUp: the shop took money through a provider that it has no account of now.
	ErrNotSetUp = errors.New("payments: the provider is not set up")
	// ErrRefused: the provider answered no, and will to the same request.
	ErrRefused = errors.New("payments: the provider refused")
)

// Providers are whom the shop takes money through. A payment stays with the provider that it was opened at: money goes back
// where it came from, whomever the shop has changed to since.
type Providers struct {
	// Current takes new payments, and is asked for those of which the log does not say whose they are.
	Current Provider
	// Former have taken payments before, and are asked for those alone.
	Former []Provider
}

// Methods are the ways to pay an order: those of the current provider, and cash.
func (p Providers) Methods() []domain.PaymentMethod {
	return append(slices.Clone(p.Current.Methods()), domain.Cash)
}

// Offers says whether an order may be paid so.
func (p Providers) Offers(method domain.PaymentMethod) bool {
	return slices.Contains(p.Methods(), method)
}

// Named is the provider of a name, Current for the empty one; ErrNotSetUp when the shop cannot reach one of that name.
func (p Providers) Named(name string) (Provider, error) {
	if name == "" || name == p.Current.Name() {
		return p.Current, nil
	}
	for _, former := range p.Former {
		if former.Name() == name {
			return former, nil
		}
	}
	return nil, fmt.Errorf("%w: %q", ErrNotSetUp, name)
}

// Notifier is the provider of a name that may say how payments went. The test bank may say so only while it is the current
// provider: it takes no money, so a shop that takes money hears nothing from it.
func (p Providers) Notifier(name string) (Provider, error) {
	if name == TestBank && p.Current.Name() != TestBank {
		return nil, fmt.Errorf("%w: %q", ErrNotSetUp, name)
	}
	return p.Named(name)
}

// Payment is a request for the money of an order.
type Payment struct {
	ID          string
	OrderNumber int64
	Amount      domain.Money
	Method      domain.PaymentMethod
	// Email and Phone (+7XXXXXXXXXX) are the payer's; a KASPI_BILL goes to the phone.
	Email, Phone string
	// PayBefore is when the shop stops waiting for the money; a later payment may be refunded.
	PayBefore time.Time
}

// Refund is a refund to be made.
type Refund struct {
	// ID is the shop's id of the refund and makes repeating it harmless.
	ID        string
	PaymentID string
	// Receipt names the money; empty where the log has no receipt.
	Receipt string
	Amount  domain.Money
}

// Outcome is the state of a payment.
type Outcome string

const (
	// Pending: nothing has happened yet.
	Pending Outcome = "pending"
	// Paid: the money was captured. Refused: it was not, and another try may follow.
	Paid    Outcome = "paid"
	Refused Outcome = "refused"
	// Refunded: money was given back, Amount of it. Asked: the provider asks whether to take Amount now.
	Refunded Outcome = "refunded"
	Asked    Outcome = "asked"
)

// Notification is what a provider says about a payment.
type Notification struct {
	PaymentID string       `json:"payment_id"`
	Outcome   Outcome      `json:"outcome"`
	Amount    domain.Money `json:"amount"`
	// Reason says why a payment was refused; it may be empty.
	Reason string `json:"reason,omitempty"`
	// Receipt is the provider's name of the money captured, also of what a refund is of; empty where it has none.
	Receipt string `json:"receipt,omitempty"`
	// RefundID is the provider's name of a refund.
	RefundID string `json:"refund_id,omitempty"`
}

// Reply is the code that a notification is answered with.
type Reply int

const (
	// Taken: understood, and in the log. The others answer Asked: the shop knows no such payment, wants another amount,
	// takes no money for it any more, or its time is over.
	Taken         Reply = 0
	WrongPayment  Reply = 10
	WrongAmount   Reply = 12
	NotAcceptable Reply = 13
	TooLate       Reply = 20
)

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
