package commands_test

import (
	"errors"
	"testing"

	"shop/commands"
	"shop/commands/payments"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/order"
)

// newBank is whom a shop changed to.
type newBank struct{ *countingBank }

func (newBank) Name() string { return "new" }

func (newBank) Methods() []domain.PaymentMethod {
	return []domain.PaymentMethod{domain.Card, domain.KaspiBill}
}

// A shop that has changed its provider since gives money back where it came from.
func TestARefundIsAskedOfTheProviderThatTookTheMoney(t *testing.T) {
	t.Parallel()
	s, receipt, former := completed(t)
	current := newBank{&countingBank{Sandbox: s.Sandbox, refunded: map[string]domain.Money{}}}
	s.Orders.Providers = payments.Providers{Current: current, Former: []payments.Provider{former}}
	if _, err := s.Orders.Refund(t.Context(), receipt.ID, 1_000, "a"); err != nil {
		t.Fatal(err)
	}
	testshop.Equal(t, "given back by whom took it", len(former.refunded), 1)
	testshop.Equal(t, "given back by another", len(current.refunded), 0)

	later := s.Placed(testshop.Checkout(testshop.Line(s.Product(9_000, 9_000, 5), 1)).With("payment_method", "CARD"))
	s.BankPage(payments.ID(later.ID, 1), "pay")
	testshop.Equal(t, "paid at the new one", s.OrderOf(later.ID).Status, order.StatusApproved)
	if _, err := s.Orders.Cancel(t.Context(), later.ID, "staff", ""); err != nil {
		t.Fatal(err)
	}
	testshop.Equal(t, "given back by the new one", len(current.refunded), 1)
}

// Without an account of whom took the money the refund waits: it is never asked of another.
func TestARefundWaitsForAProviderThatIsNotSetUp(t *testing.T) {
	t.Parallel()
	s, receipt, former := completed(t)
	current := newBank{&countingBank{Sandbox: s.Sandbox, refunded: map[string]domain.Money{}}}
	s.Orders.Providers.Current = current
	if _, err := s.Orders.Refund(t.Context(), receipt.ID, 1_000, "a"); !errors.Is(err, payments.ErrNotSetUp) {
		t.Errorf("without the provider: %v", err)
	}
	testshop.Equal(t, "calls", current.calls+former.calls, 0)
	s.Orders.Providers.Former = []payments.Provider{former}
	if _, err := s.Orders.Refund(t.Context(), receipt.ID, 1_000, "a"); err != nil {
		t.Fatal(err)
	}
	testshop.Equal(t, "given back", former.total(), 1_000)
	testshop.Equal(t, "calls of another", current.calls, 0)
}

// A provider speaks of its own payments alone.
func TestAProviderSaysNothingOfAnothersPayment(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	placed := s.Placed(testshop.Checkout(testshop.Line(s.Product(9_000, 9_000, 5), 1)).With("payment_method", "CARD"))
	n := payments.Notification{PaymentID: payments.ID(placed.ID, 1), Outcome: payments.Paid, Amount: placed.PayableNow}
	if _, err := s.Orders.Take(t.Context(), "new", n); !errors.Is(err, commands.ErrNoPayment) {
		t.Errorf("another's word: %v", err)
	}
	testshop.Equal(t, "status", s.OrderOf(placed.ID).Status, order.StatusReceived)
	if _, err := s.Orders.Take(t.Context(), s.Sandbox.Name(), n); err != nil {
		t.Fatal(err)
	}
	testshop.Equal(t, "status", s.OrderOf(placed.ID).Status, order.StatusApproved)
}
