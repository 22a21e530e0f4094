package commands_test

import (
	"fmt"
	"testing"
	"time"

	"shop/commands"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/order"
)

// TestWhatIsPossibleIsWhatTheOrderAllows: at each step of its life, and nothing of an order of another shop's past.
func TestWhatIsPossibleIsWhatTheOrderAllows(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	possible := func(id domain.ID, want string) {
		t.Helper()
		found, err := s.Orders.Possible(t.Context(), id)
		testshop.EqualText(t, "possible", fmt.Sprint(found, " ", err), want+" <nil>")
	}
	id := s.Placed(testshop.Checkout(testshop.Line(s.Product(9_000, 9_000, 10), 3))).ID
	possible(id, "[approve cancel pay_by_hand edit]")
	if _, err := s.Orders.Approve(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	possible(id, "[process cancel pack pay_by_hand edit]")
	s.Complete(t, id)
	possible(id, "[refund return]")
	if _, err := s.Orders.Refund(t.Context(), id, 1_000, "part"); err != nil {
		t.Fatal(err)
	}
	possible(id, "[refund return]")
	if _, err := s.Orders.Refund(t.Context(), id, 0, "rest"); err != nil {
		t.Fatal(err)
	}
	possible(id, "[return]")
	possible(domain.ID{15: 1}, "[]")

	for n, status := range []order.Status{order.StatusReceived, order.StatusProcessing, order.StatusCompleted} {
		id, was := domain.ID{15: byte(2 + n)}, time.Date(2017, 10, 2, 10, 56, 33, 0, time.UTC)
		past := order.Import{
			Placed: order.Placed{
				ID: id, Number: int64(200_001 + n), PersonID: domain.ID{14: 1, 15: byte(n)}, City: "São Paulo", DeliveryType: domain.Delivery, PaymentMethod: domain.Card,
				Calculation: domain.Calculation{Lines: []domain.PricedLine{{Article: "a", Amount: 1, Price: 9_000, DiscountedPrice: 9_000, Total: 9_000}}, TotalSum: 9_000, TotalPaid: 9_000},
				At:          was,
			},
			Source: "olist", Number: fmt.Sprint(n), Status: status, Payments: []order.Paid{{PaymentID: "1", Amount: 9_000, At: was}}, ApprovedAt: was, EndedAt: was, At: testshop.Noon,
		}
		if _, err := commands.Change(t.Context(), s.Handler, commands.OrderStream(id), func(*commands.Unit) order.Command { return past }); err != nil {
			t.Fatal(err)
		}
		possible(id, "[]")
	}
}
