package commands_test

import (
	"testing"

	"shop/commands"
	"shop/commands/payments"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/customer"
	"shop/domain/order"
)

// overtaken lets something happen between a command's decision and its append, once.
func overtaken(t *testing.T, s *testshop.Shop, happens func(elsewhere *commands.Handler) error) {
	t.Helper()
	elsewhere := commands.New(s.Log, commands.Options{Clock: s.Clock.Now})
	rival := &rivalLog{Store: s.Log, act: func() {
		if err := happens(elsewhere); err != nil {
			t.Error(err)
		}
	}}
	rival.wins.Store(1)
	s.Use(rival)
}

// leaves asks for a customer's erasure.
func leaves(t *testing.T, id domain.ID) func(elsewhere *commands.Handler) error {
	return func(elsewhere *commands.Handler) error {
		_, err := commands.Change(t.Context(), elsewhere, commands.CustomerStream(id), func(u *commands.Unit) customer.Command {
			return customer.RequestErasure{By: "customer", At: u.At()}
		})
		return err
	}
}

const signedOut = `{"detail":"Войдите в аккаунт","code":"customer/signed-out"}`

// An erasure looks for what a customer did before it. What is decided in an account that is closed meanwhile is not written.

func TestNobodyOrdersInAnAccountThatIsClosedMeanwhile(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream, anna := s.Product(9_000, 9_000, 5), s.Customer()
	overtaken(t, s, leaves(t, anna))
	s.Place(testshop.Checkout(testshop.Line(cream, 1)), testshop.By(anna)).Wants(401, signedOut)
	testshop.Equal(t, "reserved", s.StockOf(cream).Reserved, 0)
}

func TestNobodyReviewsInAnAccountThatIsClosedMeanwhile(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	soap, anna := s.Product(1_000, 1_000, 1), s.Customer()
	overtaken(t, s, leaves(t, anna))
	reviews, _ := s.Reviews(t)
	s.Send(reviews, testshop.Opinion(soap), nil, testshop.By(anna)).Wants(401, signedOut)
}

func TestNobodyWaitsInAnAccountThatIsClosedMeanwhile(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	gone, anna := s.Product(1_000, 1_000, 0), s.Customer()
	overtaken(t, s, leaves(t, anna))
	s.Subscribe(gone.String(), testshop.By(anna)).Wants(401, signedOut)
}

// TestNobodyBeginsToWaitForWhatIsThere: the goods come in, and those who wait are told, between a customer's question and their
// place on the list. They would wait for the next delivery.
func TestNobodyBeginsToWaitForWhatIsThere(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	gone, anna := s.Product(1_000, 1_000, 0), s.Customer()
	overtaken(t, s, func(elsewhere *commands.Handler) error {
		if _, err := (&commands.Stock{Handler: elsewhere}).Receive(t.Context(), gone, 3, ""); err != nil {
			return err
		}
		_, err := (&commands.Restock{Handler: elsewhere}).Notify(t.Context(), gone)
		return err
	})
	s.Subscribe(gone.String(), testshop.By(anna)).Wants(400, `{"detail":"Товар уже есть в наличии","code":"restock/in-stock"}`)
}

// TestBonusesAreBookedForAnOrderAsItIs: the order's money goes back while what it earned is booked.
func TestBonusesAreBookedForAnOrderAsItIs(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream, anna := s.Product(9_000, 9_000, 5), s.Customer()
	receipt := s.Placed(testshop.Checkout(testshop.Line(cream, 1)).With("payment_method", "CARD"), testshop.By(anna))
	s.BankPage(payments.ID(receipt.ID, 1), "pay")
	s.Complete(t, receipt.ID)
	overtaken(t, s, func(elsewhere *commands.Handler) error {
		refund := order.Refund{RefundID: "r1", PaymentID: payments.ID(receipt.ID, 1), Amount: receipt.TotalPaid, Reported: true, At: testshop.Noon}
		_, err := commands.Change(t.Context(), elsewhere, commands.OrderStream(receipt.ID), func(*commands.Unit) order.Command { return refund })
		return err
	})
	if _, err := (&commands.Bonuses{Handler: s.Handler}).Follow(t.Context(), receipt.ID); err != nil {
		t.Fatal(err)
	}
	testshop.Equal(t, "balance", s.LedgerOf(anna).Balance, 0)
}
