package commands

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"shop/commands/payments"
	"shop/domain/order"
	"shop/eventstore"
)

func TestStaffMoveAnOrderForward(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	cream := s.product(9_000, 9_000, 10)
	id := s.placed(checkout(lineOf(cream, 3))).ID
	before := s.head()
	steps := []func() (eventstore.Position, error){
		func() (eventstore.Position, error) { return s.orders.Approve(t.Context(), id) },
		func() (eventstore.Position, error) { return s.orders.Process(t.Context(), id) },
		func() (eventstore.Position, error) { return s.orders.Complete(t.Context(), id) },
	}
	for i, step := range steps {
		if position, err := step(); err != nil || position == 0 {
			t.Errorf("step %d: position %d, %v", i, position, err)
		}
		if position, err := step(); err != nil || position != 0 {
			t.Errorf("step %d again: position %d, %v", i, position, err)
		}
	}
	equalText(t, "log", s.types(before), "[order.approved order.processing-started order.paid order.completed stock.shipped]")
	state := s.stockOf(cream)
	equalText(t, "stock", fmt.Sprint(state.OnHand, state.Reserved), "7 0")
	_, err := s.orders.Cancel(t.Context(), id, "staff", "")
	status, body, _ := Answer(err)
	equalText(t, "cancelling a completed order", fmt.Sprint(status, body), "409 {Завершённый заказ отменить нельзя <nil>}")
	_, err = s.orders.Approve(t.Context(), uuid.New())
	status, body, _ = Answer(err)
	equalText(t, "approving nothing", fmt.Sprint(status, body), "404 {Заказ не найден <nil>}")
}

func TestCancelFreesGoodsAndCode(t *testing.T) {
	t.Parallel()
	s, receipt, stocked := cardOrder(t)
	if _, err := s.orders.Cancel(t.Context(), receipt.ID, "staff", "нет мыла"); err != nil {
		t.Fatal(err)
	}
	equal(t, "after cancelling", stocked(), "reserved 0, uses 0, CANCELLED")
	before := s.head()
	if position, err := s.orders.Cancel(t.Context(), receipt.ID, "staff", ""); err != nil || position != 0 {
		t.Errorf("again: position %d, %v", position, err)
	}
	equal(t, "head", s.head(), before)
}

func TestCancelOfAPaidOrderGivesTheMoneyBack(t *testing.T) {
	t.Parallel()
	s, receipt, stocked := cardOrder(t)
	s.bankPage(payments.ID(receipt.ID, 1), "pay")
	before := s.head()
	if _, err := s.orders.Cancel(t.Context(), receipt.ID, "staff", ""); err != nil {
		t.Fatal(err)
	}
	equalText(t, "log", s.types(before), "[order.cancelled promocode.returned stock.released order.refunded]")
	equal(t, "after cancelling", stocked(), "reserved 0, uses 0, REFUNDED")
	equal(t, "captured", s.orderOf(receipt.ID).Captured(), 0)
	equal(t, "status", s.orderOf(receipt.ID).Status, order.StatusRefunded)
}
