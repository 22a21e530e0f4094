package commands

import (
	"context"
	"errors"
	"fmt"
	"time"

	"shop/commands/payments"
	"shop/domain/order"
)

// Statements are what the providers captured and gave back between two moments, of payments that were opened at them. A provider
// that cannot be reached is an error beside what the others say.
func (o *Orders) Statements(ctx context.Context, since, until time.Time) (lines []payments.Notification, err error) {
	for _, provider := range append([]payments.Provider{o.Providers.Current}, o.Providers.Former...) {
		found, failed := o.statement(ctx, provider, since, until)
		lines, err = append(lines, found...), errors.Join(err, failed)
	}
	return lines, err
}

func (o *Orders) statement(ctx context.Context, provider payments.Provider, since, until time.Time) ([]payments.Notification, error) {
	asking, cancel := context.WithTimeout(ctx, statementPatience)
	defer cancel()
	found, err := provider.Statement(asking, since, until)
	if err != nil {
		return nil, fmt.Errorf("statement of %s: %w", provider.Name(), err)
	}
	var lines []payments.Notification
	for _, n := range found {
		id, ok := payments.OrderOf(n.PaymentID)
		if !ok {
			continue
		}
		state, err := See(ctx, o.Handler, OrderStream(id))
		if err != nil {
			return lines, fmt.Errorf("see order %s: %w", id, err)
		}
		if state.Exists() && news(state, provider.Name(), n) {
			lines = append(lines, n)
		}
	}
	return lines, nil
}

// news says whether a provider's line has something to say of an order: of a payment that was opened there, and is not all settled.
func news(s order.State, provider string, n payments.Notification) bool {
	if opened := s.ProviderOf(n.PaymentID); opened != "" && opened != provider {
		return false
	}
	if n.Outcome == payments.Refunded {
		return !s.KnowsRefund(n.RefundID)
	}
	money, ok := s.Money(n.PaymentID, n.Receipt)
	return !ok || money.Receipt != "" && money.Receipt != n.Receipt
}
