package commands

import (
	"context"
	"fmt"
	"slices"
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
	for some := range slices.Chunk(found, ordersAtOnce) {
		states, err := o.ofPayments(ctx, some)
		if err != nil {
			return nil, fmt.Errorf("see the orders of %s: %w", account, err)
		}
		for i, n := range some {
			if states[i].Exists() && news(states[i], account, n) {
				lines = append(lines, n)
			}
		}
	}
	return lines, nil
}

// ordersAtOnce is how many orders of a statement are read with one query.
const ordersAtOnce = 200

// ofPayments are the orders that lines of a statement are about; that of a line about none does not exist.
func (o *Orders) ofPayments(ctx context.Context, lines []payments.Notification) ([]order.State, error) {
	states := make([]order.State, len(lines))
	_, err := o.Handler.Do(ctx, false, func(u *Unit) error {
		var refs []Ref
		of := map[int]Stream[order.Command, order.Event, order.State]{}
		for i, n := range lines {
			if id, ok := payments.OrderOf(n.PaymentID); ok {
				of[i] = OrderStream(id)
				refs = append(refs, of[i])
			}
		}
		if err := u.Load(refs...); err != nil {
			return err
		}
		for i, stream := range of {
			states[i] = stream.State(u)
		}
		return nil
	})
	return states, err
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
