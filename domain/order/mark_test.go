package order_test

import (
	"strings"
	"testing"

	"shop/domain/order"
	"shop/domain/spec"
)

func TestStaffMarkAPayment(t *testing.T) {
	t.Parallel()
	paid := spec.For(t, order.Decider).Given(cash, order.Paid{PaymentID: "p-1", Amount: 1, At: noon})
	mark := order.MarkPayment{PaymentID: "p-1", Reason: " вернули переводом ", At: noon}
	marked := order.PaymentMarked{PaymentID: "p-1", Reason: "вернули переводом", At: noon}
	paid.When(mark).Then(marked)
	paid.Given(order.Forgotten{At: noon}).When(mark).Then(marked)
	paid.When(order.MarkPayment{PaymentID: "p-2", Reason: "x"}).Refused(order.ErrNoSuchPayment)
	paid.When(order.MarkPayment{Reason: "x"}).Refused(order.ErrNoSuchPayment)
	paid.When(order.MarkPayment{PaymentID: "p-1", Reason: "  "}).Refused(order.ErrNoReason)
	paid.When(order.MarkPayment{PaymentID: "p-1", Reason: strings.Repeat("ж", 501)}).Refused(order.ErrNoReason)
	spec.For(t, order.Decider).When(mark).Refused(order.ErrUnknown)
	before := paid.State()
	if after := paid.Given(marked).State(); after.Captured() != before.Captured() || after.Status != before.Status || after.IsPaid() != before.IsPaid() {
		t.Errorf("a mark moves money or status: %+v", after)
	}
}
