package commands_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"shop/commands/payments"
	"shop/commands/shopapi"
	"shop/commands/testshop"
	"shop/domain/order"
	"shop/eventstore"
)

func TestStaffMoveAnOrderForward(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(9_000, 9_000, 10)
	id := s.Placed(testshop.Checkout(testshop.Line(cream, 3))).ID
	before := s.Head()
	steps := []func() (eventstore.Position, error){
		func() (eventstore.Position, error) { return s.Orders.Approve(t.Context(), id) },
		func() (eventstore.Position, error) { return s.Orders.Process(t.Context(), id) },
		func() (eventstore.Position, error) { return s.Orders.Complete(t.Context(), id) },
	}
	for i, step := range steps {
		if position, err := step(); err != nil || position == 0 {
			t.Errorf("step %d: position %d, %v", i, position, err)
		}
		if position, err := step(); err != nil || position != 0 {
			t.Errorf("step %d again: position %d, %v", i, position, err)
		}
	}
	testshop.EqualText(t, "log", s.Types(before), "[order.approved order.processing-started order.paid order.completed stock.shipped]")
	state := s.StockOf(cream)
	testshop.EqualText(t, "stock", fmt.Sprint(state.OnHand, state.Reserved), "7 0")
	_, err := s.Orders.Cancel(t.Context(), id, "staff", "")
	status, body, _ := shopapi.Problem(err)
	testshop.EqualText(t, "cancelling a completed order", fmt.Sprint(status, body), "409 {Завершённый заказ отменить нельзя order/completed <nil>}")
	_, err = s.Orders.Approve(t.Context(), uuid.New())
	status, body, _ = shopapi.Problem(err)
	testshop.EqualText(t, "approving nothing", fmt.Sprint(status, body), "404 {Заказ не найден order/unknown <nil>}")
}

func TestCancelFreesGoodsAndCode(t *testing.T) {
	t.Parallel()
	s, receipt, stocked := cardOrder(t)
	if _, err := s.Orders.Cancel(t.Context(), receipt.ID, "staff", "нет мыла"); err != nil {
		t.Fatal(err)
	}
	testshop.Equal(t, "after cancelling", stocked(), "reserved 0, uses 0, CANCELLED")
	before := s.Head()
	if position, err := s.Orders.Cancel(t.Context(), receipt.ID, "staff", ""); err != nil || position != 0 {
		t.Errorf("again: position %d, %v", position, err)
	}
	testshop.Equal(t, "head", s.Head(), before)
}

func TestCancelOfAPaidOrderGivesTheMoneyBack(t *testing.T) {
	t.Parallel()
	s, receipt, stocked := cardOrder(t)
	s.BankPage(payments.ID(receipt.ID, 1), "pay")
	before := s.Head()
	if _, err := s.Orders.Cancel(t.Context(), receipt.ID, "staff", ""); err != nil {
		t.Fatal(err)
	}
	testshop.EqualText(t, "log", s.Types(before), "[order.cancelled promocode.returned stock.released order.refunded]")
	testshop.Equal(t, "after cancelling", stocked(), "reserved 0, uses 0, REFUNDED")
	testshop.Equal(t, "captured", s.OrderOf(receipt.ID).Captured(), 0)
	testshop.Equal(t, "status", s.OrderOf(receipt.ID).Status, order.StatusRefunded)
}
