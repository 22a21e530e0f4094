package commands

import (
	"context"
	"fmt"
	"time"

	"shop/commands/payments"
	"shop/domain/order"
)

// Accounts are the names of the providers that the shop can ask.
func (o *Orders) Accounts() []string {
	names := []string{o.Providers.Current.Name()}
	for _, former := range o.Providers.Former {
		names = append(names, former.Name())
	}
	return names
}

// Statement is what a provider captured and gave back between two moments, of payments that were opened at it, as far as the log
// does not have it.
func (o *Orders) Statement(ctx context.Context, account string, since, until time.Time) ([]payments.Notification, error) {
	provider, err := o.Providers.Named(account)
	if err != nil {
		return nil, err
	}
	asking, cancel := context.WithTimeout(ctx, statementPatience)
	defer cancel()
	found, err := provider.Statement(asking, since, until)
	if err != nil {
		return nil, fmt.Errorf("statement of %s: %w", account, err)
	}
	var lines []payments.Notification
	for _, n := range found {
		id, ok := payments.OrderOf(n.PaymentID)
		if !ok {
			continue
		}
		state, err := See(ctx, o.Handler, OrderStream(id))
		if err != nil {
			return nil, fmt.Errorf("see order %s: %w", id, err)
		}
		if state.Exists() && news(state, account, n) {
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
