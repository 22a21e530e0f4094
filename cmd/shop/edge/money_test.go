package edge

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"shop/cmd/shop/shoptest"
	"shop/commands"
	"shop/commands/payments"
	"shop/commands/policies"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/order"
)

// atCloud is a shop that takes its money through CloudPayments, on a calm day, with an order of two pieces for 18 000.
func atCloud(t *testing.T) (*testshop.Shop, *cloud, commands.Receipt) {
	t.Helper()
	s, c := testshop.Open(t), openCloud(t, 1)
	c.calm, c.now = true, s.Clock.Now
	provider := &payments.CloudPayments{URL: c.server.URL, PublicID: "pk_test", Secret: c.secret, ShopURL: "https://shop.example", Books: s.Orders.Books}
	s.Orders.Providers.Current = provider
	c.tell = func(l letter) (int, int) {
		r := l.request()
		n, err := provider.Verify(l.kind, r.Header, l.body)
		if err != nil {
			t.Error(err)
		}
		reply, err := s.Orders.Take(t.Context(), provider.Name(), n)
		if err != nil {
			return http.StatusConflict, 0
		}
		return http.StatusOK, int(reply)
	}
	receipt := s.Placed(testshop.Checkout(testshop.Line(s.Product(9_000, 9_000, 10), 2)).With("payment_method", "CARD"))
	return s, c, receipt
}

// pays takes a bill's money, and tells the shop once.
func (c *cloud) pays(invoice string) {
	c.mu.Lock()
	c.capture(c.bills[invoice])
	c.mu.Unlock()
	for c.deliver() {
	}
}

// payDebts lets the policy try what is due.
func payDebts(t *testing.T, s *testshop.Shop) {
	t.Helper()
	due, err := s.Orders.Books.DueDebts(t.Context(), s.Clock.Now(), 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range due {
		if _, err := s.Orders.PayDebt(t.Context(), d); err != nil {
			t.Error(err)
		}
	}
}

// TestARefundOfAPartNeverGoesTwice: CloudPayments made it and forgot the request, and neither answer nor notification came.
func TestARefundOfAPartNeverGoesTwice(t *testing.T) {
	t.Parallel()
	s, c, receipt := atCloud(t)
	invoice := payments.ID(receipt.ID, 1)
	c.pays(invoice)
	for _, step := range []func(context.Context, domain.ID) error{
		func(ctx context.Context, id domain.ID) error { _, err := s.Orders.Process(ctx, id); return err },
		func(ctx context.Context, id domain.ID) error { _, err := s.Orders.Complete(ctx, id); return err },
	} {
		if err := step(t.Context(), receipt.ID); err != nil {
			t.Fatal(err)
		}
	}
	// Two of one sum: each is one refund.
	for _, name := range []string{"soap", "brush"} {
		c.losesTheNextRefund()
		if _, err := s.Orders.Refund(t.Context(), receipt.ID, 1_000, name); err == nil {
			t.Fatal("the answer came")
		}
	}
	if got := c.refunded(invoice); got != 2_000 {
		t.Fatalf("%d went back", got)
	}
	s.Clock.Advance(2 * time.Hour)
	payDebts(t, s)
	for c.deliver() { // the notifications of what was found have nothing to add
	}
	if _, err := s.Orders.Refund(t.Context(), receipt.ID, 1_000, "comb"); err != nil { // another one of that sum is another one
		t.Fatal(err)
	}
	for c.deliver() {
	}
	state := s.OrderOf(receipt.ID)
	if got := c.refunded(invoice); got != 3_000 || state.Captured() != receipt.TotalPaid-3_000 {
		t.Errorf("%d went back, the order has %d of %d", got, state.Captured(), receipt.TotalPaid)
	}
	if open, err := s.Orders.Books.Debts(t.Context(), receipt.ID); err != nil || len(open) > 0 {
		t.Errorf("open are %+v, %v", open, err)
	}
}

// TestABillThatIsOpenedTwiceAndPaidTwice: the answer to its opening was lost, and an hour later CloudPayments opened another.
func TestABillThatIsOpenedTwiceAndPaidTwice(t *testing.T) {
	t.Parallel()
	s, c, _ := atCloud(t)
	receipt := s.Placed(testshop.Checkout(testshop.Line(s.Product(9_000, 9_000, 10), 2)).With("payment_method", "CARD"))
	invoice := payments.ID(receipt.ID, 1)
	if _, err := s.Log.Pool().Exec(t.Context(), "DELETE FROM payment_links"); err != nil {
		t.Fatal(err)
	}
	s.Clock.Advance(2 * time.Hour)
	if _, _, err := s.Orders.WhereToPay(t.Context(), invoice); err != nil || !c.done[invoice].at.Equal(s.Clock.Now()) {
		t.Fatalf("the bill was not opened again: %v", err)
	}
	c.pays(invoice)
	c.pays(invoice)
	b := c.bills[invoice]
	state := s.OrderOf(receipt.ID)
	if len(state.Payments) != 2 || state.Payments[0].Receipt == state.Payments[1].Receipt || state.Status != order.StatusApproved {
		t.Errorf("%s with %+v", state.Status, state.Payments)
	}
	if b.captured() != 2*receipt.TotalPaid || b.refunded() != receipt.TotalPaid || b.charges[1].refunded != receipt.TotalPaid || state.Captured() != receipt.TotalPaid {
		t.Errorf("captured %d, gave back %d, the order has %d", b.captured(), b.refunded(), state.Captured())
	}
	// Cancelled, the first goes back too.
	if _, err := s.Orders.Cancel(t.Context(), receipt.ID, "staff", ""); err != nil {
		t.Fatal(err)
	}
	if b.refunded() != 2*receipt.TotalPaid || s.OrderOf(receipt.ID).Status != order.StatusRefunded {
		t.Errorf("gave back %d, %s", b.refunded(), s.OrderOf(receipt.ID).Status)
	}
}

// TestMoneyOfWhichNoWordCameIsFoundInTheStatement: the second payment of a bill, whose notification was lost.
func TestMoneyOfWhichNoWordCameIsFoundInTheStatement(t *testing.T) {
	t.Parallel()
	s, c, receipt := atCloud(t)
	invoice := payments.ID(receipt.ID, 1)
	b := c.bills[invoice]
	c.capture(b)
	c.mail = nil
	c.pays(invoice)
	reconcile := &policies.Reconcile{Orders: s.Orders, Clock: s.Clock.Now, Logger: shoptest.Quiet}
	for range 2 {
		s.Clock.Advance(time.Minute)
		if err := reconcile.Once(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	state := s.OrderOf(receipt.ID)
	if len(state.Payments) != 2 || state.Captured() != receipt.TotalPaid || b.refunded() != receipt.TotalPaid {
		t.Errorf("%+v, gave back %d", state.Payments, b.refunded())
	}
	before := s.Head()
	if err := reconcile.Once(t.Context()); err != nil || s.Head() != before {
		t.Errorf("another look: %v, %d events", err, s.Head()-before)
	}
}

// hangs is a provider that takes calls and answers none.
type hangs struct {
	*payments.Sandbox
	calls atomic.Int32
}

func (h *hangs) State(ctx context.Context, _ string) (payments.Notification, error) {
	h.calls.Add(1)
	<-ctx.Done()
	return payments.Notification{}, ctx.Err()
}

// overdue are orders whose money did not come.
type overdue []domain.ID

func (o overdue) UnpaidSince(context.Context, time.Time, int) ([]domain.ID, error) { return o, nil }

func (overdue) UnconfirmedSince(context.Context, time.Time, int) ([]domain.ID, error) {
	return nil, nil
}

// TestAHundredOrdersOfAProviderThatHangsExpireInSeconds: their goods are free once the patience with the provider is over.
func TestAHundredOrdersOfAProviderThatHangsExpireInSeconds(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	bank := &hangs{Sandbox: s.Sandbox}
	s.Orders.Providers.Current = bank
	cream := s.Product(9_000, 9_000, 100)
	var due overdue
	for n := range 100 {
		asked := testshop.Checkout(testshop.Line(cream, 1)).With("payment_method", "CARD").
			With("customer_phone", fmt.Sprintf("8701%07d", n)).With("customer_email", fmt.Sprintf("a%d@example.kz", n))
		due = append(due, s.Placed(asked).ID)
	}
	s.Clock.Advance(45 * time.Minute)
	began := time.Now()
	if err := (policies.ExpirePayments{Orders: s.Orders, Due: due[:99], Clock: s.Clock.Now, Logger: shoptest.Quiet}).Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	if took, free := time.Since(began), s.StockOf(cream).Free(); free != 99 || bank.calls.Load() != 0 || took > 10*time.Second {
		t.Errorf("%d of 99 pieces are free after %s, the provider was called %d times", free, took, bank.calls.Load())
	}
}
