package commands

import (
	"context"
	"errors"
	"fmt"
	"time"

	"shop/commands/payments"
	"shop/domain"
	"shop/domain/order"
	"shop/eventstore"
)

// Refusals of what staff do about payments.
var (
	ErrNoRefund = domain.Refuse("payment/no-refund", "There is no such refund that waits.")
	// ErrRefundUnderWay: the provider may still be at work on the last try.
	ErrRefundUnderWay = domain.Refuse("payment/refund-under-way", "The refund was tried a moment ago. Wait half a minute.")
	// ErrProviderSilent: the provider did not answer, or cannot be asked.
	ErrProviderSilent = domain.Refuse("payment/provider-silent", "The payment provider does not answer. Try again later.")
)

// underWay is how long a refund that was tried is left alone by hand: longer than a call to a provider may take.
const underWay = 30 * time.Second

// AskAgain asks the provider for the state of a payment, settles it and tells what the provider said.
func (o *Orders) AskAgain(ctx context.Context, paymentID string) (payments.Outcome, eventstore.Position, error) {
	id, ok := payments.OrderOf(paymentID)
	if !ok {
		return "", 0, ErrNoPayment
	}
	state, err := See(ctx, o.Handler, OrderStream(id))
	if err != nil {
		return "", 0, fmt.Errorf("see order %s: %w", id, err)
	}
	if !state.Exists() || state.ProviderOf(paymentID) == "" {
		return "", 0, ErrNoPayment
	}
	known, err := o.standing(ctx, state, paymentID)
	if err != nil {
		o.Logger().WarnContext(ctx, "ask for a payment by hand", "payment", paymentID, "error", err)
		return "", 0, ErrProviderSilent
	}
	position, err := o.Settle(ctx, known)
	return known.Outcome, position, err
}

// MarkPayment says that somebody looked into a payment and that nothing more is to be done about it.
func (o *Orders) MarkPayment(ctx context.Context, id domain.ID, paymentID, reason string) (eventstore.Position, error) {
	return Change(ctx, o.Handler, OrderStream(id), func(u *Unit) order.Command {
		return order.MarkPayment{PaymentID: paymentID, Reason: reason, At: u.At()}
	})
}

// RetryRefund tries a refund that waits, before its time.
func (o *Orders) RetryRefund(ctx context.Context, refundID string) (eventstore.Position, error) {
	debt, err := o.WaitingRefund(ctx, refundID)
	if err != nil {
		return 0, err
	}
	position, err := o.PayDebt(ctx, debt)
	var refusal *domain.Refusal
	switch {
	case err == nil || errors.As(err, &refusal):
		return position, err
	case errors.Is(err, payments.ErrRefused):
		o.Logger().WarnContext(ctx, "try a refund by hand", "refund", refundID, "error", err)
		return 0, ErrRefundRefused
	}
	o.Logger().WarnContext(ctx, "try a refund by hand", "refund", refundID, "error", err)
	return 0, ErrProviderSilent
}

// WaitingRefund is a refund that is not done, and may be tried now.
func (o *Orders) WaitingRefund(ctx context.Context, refundID string) (payments.Debt, error) {
	debt, found, err := o.Books.Hurry(ctx, refundID, o.Handler.Now(), underWay)
	switch {
	case err != nil:
		return payments.Debt{}, err
	case !found:
		return payments.Debt{}, ErrNoRefund
	case debt.ID == "":
		return payments.Debt{}, ErrRefundUnderWay
	}
	return debt, nil
}
