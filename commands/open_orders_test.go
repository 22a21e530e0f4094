package commands_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"shop/commands"
	"shop/commands/shopapi"
	"shop/commands/testshop"
	"shop/domain/order"
	"shop/domain/rules"
)

func TestOpenOrdersAreBoundedUntilTheyEnd(t *testing.T) {
	t.Parallel()
	s := testshop.OpenWith(t, rules.Default())
	soap := s.Product(9_000, 9_000, 1_000)
	guest := testshop.Checkout(testshop.Line(soap, 10))
	var placed []commands.Receipt
	for range 5 {
		placed = append(placed, s.Placed(guest))
	}
	testshop.Equal(t, "claims", s.Claims(), 10)
	before := s.Head()
	full := s.Place(guest)
	testshop.Equal(t, "sixth", full.Code, http.StatusConflict)
	testshop.Equal(t, "events of a refusal", s.Head(), before)
	// Each end of an order makes room for another.
	for i, end := range []func(id commands.Receipt) error{
		func(r commands.Receipt) error { _, err := s.Orders.Approve(t.Context(), r.ID); return err },
		func(r commands.Receipt) error { _, err := s.Orders.Cancel(t.Context(), r.ID, "staff", ""); return err },
		func(r commands.Receipt) error {
			s.Clock.Advance(4 * 24 * time.Hour)
			_, err := s.Orders.ExpireConfirmation(t.Context(), r.ID)
			return err
		},
	} {
		if err := end(placed[i]); err != nil {
			t.Fatal(err)
		}
		testshop.Equal(t, fmt.Sprint("claims after end ", i), s.Claims(), 8)
		s.Placed(guest)
		testshop.Equal(t, fmt.Sprint("one more after end ", i), s.Place(guest).Code, http.StatusConflict)
	}
	testshop.Equal(t, "expired", s.OrderOf(placed[2].ID).Status, order.StatusCancelled)
	testshop.Equal(t, "somebody else's", s.Place(guest.With("customer_phone", "+77010000009").With("customer_email", "else@example.kz")).Code, http.StatusCreated)
}

func TestANetworkHoldsNoMoreThanItsShare(t *testing.T) {
	t.Parallel()
	r := rules.Default()
	r.NetworkOpenOrders = 2
	s := testshop.OpenWith(t, r)
	soap := s.Product(9_000, 9_000, 1_000)
	from := func(network string, i int) int {
		body := testshop.Checkout(testshop.Line(soap, 1)).With("customer_phone", fmt.Sprintf("+7701000%04d", i)).With("customer_email", fmt.Sprintf("n%d@example.kz", i))
		return s.Ask(shopapi.Orders{Orders: s.Orders}.Place, testshop.Post(commands.WithOrigin(t.Context(), commands.Origin{Actor: "guest", Network: network}), body)).Code
	}
	for i, want := range []int{201, 201, 409, 409} {
		testshop.Equal(t, fmt.Sprint("order ", i), from("192.0.2.1", i), want)
	}
	testshop.Equal(t, "another network", from("192.0.2.2", 9), 201)
}

func TestAnotherAttemptToPayIsAnOpenOrderAgain(t *testing.T) {
	t.Parallel()
	s := testshop.OpenWith(t, rules.Default())
	soap := s.Product(9_000, 9_000, 1_000)
	card := testshop.Checkout(testshop.Line(soap, 1)).With("payment_method", "CARD")
	first := s.Placed(card)
	s.Clock.Advance(time.Hour)
	if _, err := s.Orders.ExpirePayment(t.Context(), first.ID); err != nil {
		t.Fatal(err)
	}
	testshop.Equal(t, "claims of an expired order", s.Claims(), 0)
	for range 5 {
		s.Placed(card)
	}
	if _, _, err := s.Orders.Pay(context.Background(), first.ID); !errors.Is(err, order.ErrTooManyOpen) {
		t.Errorf("pay again beside five open ones: %v", err)
	}
	testshop.Equal(t, "reserved", s.StockOf(soap).Reserved, 5)
}

func TestAGuestsCashOrderThatNobodyConfirmsGivesItsGoodsBack(t *testing.T) {
	t.Parallel()
	s := testshop.OpenWith(t, rules.Default())
	soap := s.Product(9_000, 9_000, 10)
	receipt := s.Placed(testshop.Checkout(testshop.Line(soap, 3)))
	deadline := time.Date(2026, 3, 5, 13, 0, 0, 0, time.UTC) // noon of Tuesday and 24 hours from ten to seven
	testshop.Equal(t, "confirm before", s.OrderOf(receipt.ID).ConfirmBefore, deadline)
	before := s.Head()
	s.Clock.Advance(deadline.Sub(testshop.Noon) - time.Microsecond)
	if position, err := s.Orders.ExpireConfirmation(t.Context(), receipt.ID); err != nil || position != 0 {
		t.Fatalf("too early: %d, %v", position, err)
	}
	s.Clock.Advance(time.Microsecond)
	if _, err := s.Orders.ExpireConfirmation(t.Context(), receipt.ID); err != nil {
		t.Fatal(err)
	}
	testshop.EqualText(t, "log", s.Types(before), "[order.cancelled stock.released]")
	testshop.Equal(t, "reserved", s.StockOf(soap).Reserved, 0)
	before = s.Head()
	if _, err := s.Orders.ExpireConfirmation(t.Context(), receipt.ID); err != nil {
		t.Fatal(err)
	}
	testshop.Equal(t, "head when expired again", s.Head(), before)
}
