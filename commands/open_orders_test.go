package commands

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"shop/domain/order"
	"shop/domain/rules"
)

// claims are how many claims of orders are kept.
func (s *testShop) claims() (n int) {
	s.t.Helper()
	if err := s.pool.QueryRow(s.t.Context(), "SELECT count(*) FROM eventstore.claims").Scan(&n); err != nil {
		s.t.Fatal(err)
	}
	return n
}

func TestOpenOrdersAreBoundedUntilTheyEnd(t *testing.T) {
	t.Parallel()
	s := openShopWith(t, rules.Default())
	soap := s.product(9_000, 9_000, 1_000)
	guest := checkout(lineOf(soap, 10))
	var placed []Receipt
	for range 5 {
		placed = append(placed, s.placed(guest))
	}
	equal(t, "claims", s.claims(), 10)
	before := s.head()
	full := s.place(guest)
	equal(t, "sixth", full.Code, http.StatusConflict)
	equal(t, "events of a refusal", s.head(), before)
	// Each end of an order makes room for another.
	for i, end := range []func(id Receipt) error{
		func(r Receipt) error { _, err := s.orders.Approve(t.Context(), r.ID); return err },
		func(r Receipt) error { _, err := s.orders.Cancel(t.Context(), r.ID, "staff", ""); return err },
		func(r Receipt) error {
			s.clock.Advance(4 * 24 * time.Hour)
			_, err := s.orders.ExpireConfirmation(t.Context(), r.ID)
			return err
		},
	} {
		if err := end(placed[i]); err != nil {
			t.Fatal(err)
		}
		equal(t, fmt.Sprint("claims after end ", i), s.claims(), 8)
		s.placed(guest)
		equal(t, fmt.Sprint("one more after end ", i), s.place(guest).Code, http.StatusConflict)
	}
	equal(t, "expired", s.orderOf(placed[2].ID).Status, order.StatusCancelled)
	equal(t, "somebody else's", s.place(guest.with("customer_phone", "+77010000009").with("customer_email", "else@example.kz")).Code, http.StatusCreated)
}

func TestANetworkHoldsNoMoreThanItsShare(t *testing.T) {
	t.Parallel()
	r := rules.Default()
	r.NetworkOpenOrders = 2
	s := openShopWith(t, r)
	soap := s.product(9_000, 9_000, 1_000)
	from := func(network string, i int) int {
		body := checkout(lineOf(soap, 1)).with("customer_phone", fmt.Sprintf("+7701000%04d", i)).with("customer_email", fmt.Sprintf("n%d@example.kz", i))
		return s.ask(s.orders.Place, post(WithOrigin(t.Context(), Origin{Actor: "guest", Network: network}), body)).Code
	}
	for i, want := range []int{201, 201, 409, 409} {
		equal(t, fmt.Sprint("order ", i), from("192.0.2.1", i), want)
	}
	equal(t, "another network", from("192.0.2.2", 9), 201)
}

func TestAnotherAttemptToPayIsAnOpenOrderAgain(t *testing.T) {
	t.Parallel()
	s := openShopWith(t, rules.Default())
	soap := s.product(9_000, 9_000, 1_000)
	card := checkout(lineOf(soap, 1)).with("payment_method", "CARD")
	first := s.placed(card)
	s.clock.Advance(time.Hour)
	if _, err := s.orders.ExpirePayment(t.Context(), first.ID); err != nil {
		t.Fatal(err)
	}
	equal(t, "claims of an expired order", s.claims(), 0)
	for range 5 {
		s.placed(card)
	}
	if _, _, err := s.orders.Pay(context.Background(), first.ID); !errors.Is(err, order.ErrTooManyOpen) {
		t.Errorf("pay again beside five open ones: %v", err)
	}
	equal(t, "reserved", s.stockOf(soap).Reserved, 5)
}

func TestAGuestsCashOrderThatNobodyConfirmsGivesItsGoodsBack(t *testing.T) {
	t.Parallel()
	s := openShopWith(t, rules.Default())
	soap := s.product(9_000, 9_000, 10)
	receipt := s.placed(checkout(lineOf(soap, 3)))
	deadline := time.Date(2026, 3, 5, 13, 0, 0, 0, time.UTC) // noon of Tuesday and 24 hours from ten to seven
	equal(t, "confirm before", s.orderOf(receipt.ID).ConfirmBefore, deadline)
	before := s.head()
	s.clock.Advance(deadline.Sub(noon) - time.Microsecond)
	if position, err := s.orders.ExpireConfirmation(t.Context(), receipt.ID); err != nil || position != 0 {
		t.Fatalf("too early: %d, %v", position, err)
	}
	s.clock.Advance(time.Microsecond)
	if _, err := s.orders.ExpireConfirmation(t.Context(), receipt.ID); err != nil {
		t.Fatal(err)
	}
	equalText(t, "log", s.types(before), "[order.cancelled stock.released]")
	equal(t, "reserved", s.stockOf(soap).Reserved, 0)
	before = s.head()
	if _, err := s.orders.ExpireConfirmation(t.Context(), receipt.ID); err != nil {
		t.Fatal(err)
	}
	equal(t, "head when expired again", s.head(), before)
}
