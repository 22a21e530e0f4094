package merchant_test

import (
	"errors"
	"testing"
	"time"

	"shop/commands"
	"shop/commands/merchant"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/promocode"
)

// byPhone places an order that staff took with a discount by hand.
func byPhone(s *testshop.Shop, code string, percent int64, lines ...commands.Line) domain.ID {
	s.T.Helper()
	receipt, _, err := s.Orders.Checkout(s.T.Context(), commands.Checkout{
		Lines: lines, Contact: order.Contact{FirstName: "Анна", Phone: "+77011112233", Email: "anna@example.kz"},
		Address: order.Address{City: "Алматы", Street: "Абая", House: "1"}, DeliveryType: domain.Delivery, PaymentMethod: domain.Cash,
		Promocode: code, Manual: domain.Manual{Percent: percent, Reason: "apology"}, Taken: order.Taken{Channel: order.ByPhone, StaffID: domain.ID{15: 7}, ConsentText: "1"},
	})
	if err != nil {
		s.T.Fatal(err)
	}
	return receipt.ID
}

// TestAnEditKeepsTheDiscountByHand: the percent that staff gave is taken off the lines as they are then.
func TestAnEditKeepsTheDiscountByHand(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream, soap := s.Product(8_000, 8_000, 10), s.Product(5_000, 5_000, 10)
	s.Promocode("LESS", promocode.Terms{Kind: promocode.Fixed, Value: 1_000, Uses: 1})
	id := byPhone(s, "LESS", 10, commands.Line{ProductID: cream, Amount: 2})
	was := s.OrderOf(id).Placed.Calculation
	testshop.Equal(t, "by hand before", was.Manual, domain.Manual{Percent: 10, Reason: "apology", Amount: 1_500})

	edit := merchant.Orders{Orders: s.Orders}
	wanted := merchant.Lines{Reason: "по телефону", Lines: []merchant.Line{{ProductID: cream, Amount: 2}, {ProductID: soap, Amount: 1}}}
	foretold, err := edit.Preview(t.Context(), id, wanted)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := edit.ChangeLines(t.Context(), id, wanted); err != nil {
		t.Fatal(err)
	}
	// 21 000 − 1 000 of the code, and 10 % of the rest.
	now := s.OrderOf(id).Placed.Calculation
	testshop.Equal(t, "by hand after", now.Manual, domain.Manual{Percent: 10, Reason: "apology", Amount: 2_000})
	testshop.Equal(t, "the goods", now.DiscountedSum, 18_000)
	testshop.Equal(t, "what was foretold", foretold.TotalPaid, now.TotalPaid)
	// The promo code gave no more than its own.
	testshop.Equal(t, "uses of the code", s.CodeOf("LESS").Uses, 1)
	testshop.Equal(t, "what the code gave", redeemed(t, s, "LESS"), 1_000)
}

// redeemed is the discount that the last use of a code brought.
func redeemed(t *testing.T, s *testshop.Shop, code string) (discount domain.Money) {
	t.Helper()
	events, err := s.Log.Stream(t.Context(), promocode.Stream(code), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if used, ok := e.Data.(promocode.Redeemed); ok {
			discount = used.Discount
		}
	}
	return discount
}

// TestAnEditUnpacksTheParcel: what was checked and is other goods now has to be checked once more before it leaves.
func TestAnEditUnpacksTheParcel(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(8_000, 8_000, 10)
	id := byPhone(s, "", 0, commands.Line{ProductID: cream, Amount: 2})
	do := func(c order.Command) error {
		_, err := commands.Change(t.Context(), s.Handler, commands.OrderStream(id), func(*commands.Unit) order.Command { return c })
		return err
	}
	for _, c := range []order.Command{order.Approve{At: testshop.Noon}, order.Pack{At: testshop.Noon}} {
		if err := do(c); err != nil {
			t.Fatal(err)
		}
	}
	edit := merchant.Orders{Orders: s.Orders}
	if _, err := edit.ChangeLines(t.Context(), id, merchant.Lines{Reason: "по телефону", Lines: []merchant.Line{{ProductID: cream, Amount: 3}}}); err != nil {
		t.Fatal(err)
	}
	post := order.HandOver{Carrier: "kazpost", Tracking: "KZ-12345", At: testshop.Noon}
	if err := do(post); !errors.Is(err, order.ErrNotPacked) {
		t.Errorf("an unpacked order leaves: %v", err)
	}
	for _, c := range []order.Command{order.Pack{At: testshop.Noon.Add(time.Minute)}, post} {
		if err := do(c); err != nil {
			t.Fatal(err)
		}
	}
	_, err := edit.ChangeLines(t.Context(), id, merchant.Lines{Reason: "по телефону", Lines: []merchant.Line{{ProductID: cream, Amount: 1}}})
	if !errors.Is(err, order.ErrNotEditable) {
		t.Errorf("an order that left was changed: %v", err)
	}
}
