package commands_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"shop/commands"
	"shop/commands/refunds"
	"shop/commands/testshop"
	"shop/domain/order"
)

// TestMoneyTakenByHandIsTheOrdersMoney: it approves, comes too late and takes the goods again, and is never given back by a provider.
func TestMoneyTakenByHandIsTheOrdersMoney(t *testing.T) {
	t.Parallel()
	s, receipt, stocked := cardOrder(t)
	dana := commands.WithOrigin(t.Context(), commands.Origin{Actor: "staff:dana"})
	s.Clock.Advance(31 * time.Minute)
	s.Expire(receipt.ID)
	testshop.Equal(t, "expired", stocked(), "reserved 0, uses 0, PAYMENT_ERR")
	pay := commands.HandPayment{Method: order.Transfer, Reference: "KZ-1", Amount: 16_200}
	if _, waits, err := s.Orders.PayByHand(dana, receipt.ID, pay); err != nil || waits {
		t.Fatal(waits, err)
	}
	testshop.Equal(t, "paid", stocked(), "reserved 2, uses 1, APPROVED")
	testshop.Equal(t, "is paid", s.OrderOf(receipt.ID).IsPaid(), true)
	if _, _, err := s.Orders.PayByHand(dana, receipt.ID, pay); !errors.Is(err, order.ErrReferenceUsed) {
		t.Errorf("a reference twice: %v", err)
	}

	// The provider is away: it is not asked.
	s.Orders.Providers.Current = downBank{}
	if _, err := s.Orders.Cancel(dana, receipt.ID, "staff", "передумали"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Orders.GiveBack(t.Context(), receipt.ID); err != nil {
		t.Fatal(err)
	}
	testshop.EqualText(t, "owed", fmt.Sprint(s.OrderOf(receipt.ID).Owed()[0].Amount), "16200")
	if _, _, err := (refunds.Desk{Orders: s.Orders}).RefundByHand(dana, receipt.ID, "hand:KZ-1", "KZ-2", 16_200); err != nil {
		t.Fatal(err)
	}
	testshop.EqualText(t, "settled", fmt.Sprint(s.OrderOf(receipt.ID).Owed(), s.OrderOf(receipt.ID).Status), "[]REFUNDED")
}

// TestALargeSumByHandWaitsForASecondPerson, holds the goods meanwhile, and is recorded once.
func TestALargeSumByHandWaitsForASecondPerson(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	receipt := s.Placed(testshop.Checkout(testshop.Line(s.Product(60_000, 60_000, 10), 2)).With("payment_method", "CARD"))
	dana := commands.WithOrigin(t.Context(), commands.Origin{Actor: "staff:dana"})
	murat := commands.WithOrigin(t.Context(), commands.Origin{Actor: "staff:murat"})
	due := s.OrderOf(receipt.ID).Due()
	if _, waits, err := s.Orders.PayByHand(dana, receipt.ID, commands.HandPayment{Method: order.KaspiQR, Reference: "9", Amount: due}); err != nil || !waits {
		t.Fatal(waits, err)
	}
	s.Clock.Advance(31 * time.Minute)
	s.Expire(receipt.ID)
	testshop.Equal(t, "status", s.OrderOf(receipt.ID).Status, order.StatusReceived)
	if _, err := s.Orders.ConfirmByHand(dana, receipt.ID, "9"); !errors.Is(err, order.ErrSamePerson) {
		t.Errorf("by the same: %v", err)
	}
	if _, err := s.Orders.ConfirmByHand(murat, receipt.ID, "9"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Orders.ConfirmByHand(murat, receipt.ID, "9"); !errors.Is(err, order.ErrNoClaim) {
		t.Errorf("again: %v", err)
	}
	testshop.EqualText(t, "order", fmt.Sprint(s.OrderOf(receipt.ID).Status, s.OrderOf(receipt.ID).Captured()), fmt.Sprint("APPROVED", due))
}
