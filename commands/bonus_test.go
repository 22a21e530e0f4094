package commands_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"shop/commands"
	"shop/commands/payments"
	"shop/commands/shopapi"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/order"
)

func TestBonusesPayForGoods(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	anna, soap := s.Customer(), s.Product(10_000, 10_000, 50)
	s.Credit(anna, 5_000)
	basket := testshop.Checkout(testshop.Line(soap, 1))
	asked := testshop.Fields{"products": basket["products"], "city": "Алматы", "payment_method": "CASH"}
	for _, c := range []struct {
		spend any
		spent domain.Money
	}{{true, 3_000}, {false, 0}, {1_000, 1_000}, {3_000, 3_000}, {9_999, 3_000}, {0, 0}} {
		got := testshop.Read[commands.Calculation](s.Price(asked.With("spend_bonus", c.spend), testshop.By(anna)))
		testshop.Equal(t, fmt.Sprintf("spent of %v", c.spend), got.BonusSpent, c.spent)
		testshop.Equal(t, "total", got.TotalPaid, got.DiscountedSum-c.spent+got.DeliveryPrice)
		var sum domain.Money
		for _, step := range got.Explanation {
			sum += step.Amount
		}
		testshop.Equal(t, "the explanation", sum, got.TotalPaid)
	}
	s.Price(asked.With("spend_bonus", true)).Wants(400, `{"spend_bonus":["Войдите в аккаунт, чтобы потратить бонусы"]}`)
	s.Place(basket.With("spend_bonus", 1)).Wants(400, `{"spend_bonus":["Войдите в аккаунт, чтобы потратить бонусы"]}`)

	receipt := s.Placed(basket.With("spend_bonus", true), testshop.By(anna), testshop.WithKey("one"))
	again := s.Placed(basket.With("spend_bonus", true), testshop.By(anna), testshop.WithKey("one"))
	testshop.Equal(t, "order of the same key", again.ID, receipt.ID)
	s.Place(basket.With("spend_bonus", 100), testshop.By(anna), testshop.WithKey("one")).Wants(409, `{"detail":"Этот запрос уже отправлен с другими данными","code":"request/key-taken"}`)
	testshop.Equal(t, "total", receipt.TotalPaid, 7_000+1_900)
	testshop.Equal(t, "balance", s.LedgerOf(anna).Balance, 2_000)
	testshop.Equal(t, "held", s.LedgerOf(anna).Held(receipt.ID), 3_000)
	// Nobody else has them.
	boris := s.Customer()
	if got := testshop.Read[commands.Calculation](s.Price(asked.With("spend_bonus", true), testshop.By(boris))); got.BonusSpent != 0 {
		t.Errorf("bonuses out of nothing: %d", got.BonusSpent)
	}
	if _, err := s.Orders.Cancel(t.Context(), receipt.ID, "customer", ""); err != nil {
		t.Fatal(err)
	}
	testshop.Equal(t, "balance after the cancellation", s.LedgerOf(anna).Balance, 5_000)
}

func TestCompletedOrdersEarnAndRefundsTakeBack(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	anna, soap := s.Customer(), s.Product(10_000, 10_000, 50)
	bonuses := &commands.Bonuses{Handler: s.Handler}
	follow := func(id domain.ID) {
		t.Helper()
		for range 2 { // repeats add nothing
			if _, err := bonuses.Follow(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
	}
	receipt := s.Placed(testshop.Checkout(testshop.Line(soap, 1)).With("payment_method", "CARD"), testshop.By(anna))
	s.Settle(t, receipt, payments.Paid)
	follow(receipt.ID)
	testshop.Equal(t, "balance of a paid order", s.LedgerOf(anna).Balance, 0)
	s.Complete(t, receipt.ID)
	follow(receipt.ID)
	testshop.Equal(t, "balance of a completed one", s.LedgerOf(anna).Balance, 300)
	refund := order.Refund{RefundID: "r1", PaymentID: payments.ID(receipt.ID, 1), Amount: receipt.TotalPaid, Reported: true, At: testshop.Noon}
	if _, err := commands.Change(t.Context(), s.Handler, commands.OrderStream(receipt.ID), func(*commands.Unit) order.Command { return refund }); err != nil {
		t.Fatal(err)
	}
	follow(receipt.ID)
	testshop.Equal(t, "balance after the refund", s.LedgerOf(anna).Balance, 0)
	// A guest has no ledger, and an unknown order none either.
	guest := s.Placed(testshop.Checkout(testshop.Line(soap, 1)))
	for _, id := range []domain.ID{guest.ID, uuid.Must(uuid.NewV7())} {
		if position, err := bonuses.Follow(t.Context(), id); position != 0 || err != nil {
			t.Errorf("%d, %v", position, err)
		}
	}
}

// TestNothingIsSpentTwice lets 50 checkouts meet on one balance that pays for three of them.
func TestNothingIsSpentTwice(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	anna := s.Customer()
	s.Credit(anna, 7_000)
	goods := make([]domain.ID, 50)
	for i := range goods {
		goods[i] = s.Product(10_000, 10_000, 1)
	}
	var all sync.WaitGroup
	receipts := make([]commands.Receipt, len(goods))
	for i, product := range goods {
		all.Go(func() {
			r := s.Ask(shopapi.Orders{Orders: s.Orders}.Place, testshop.Post(t.Context(), testshop.Checkout(testshop.Line(product, 1)).With("spend_bonus", true), testshop.By(anna)))
			if r.Code != http.StatusCreated {
				t.Errorf("%d %s", r.Code, r.Text())
				return
			}
			receipts[i] = testshop.Read[commands.Receipt](r)
		})
	}
	all.Wait()
	var spent domain.Money
	for _, r := range receipts {
		state := s.OrderOf(r.ID)
		spent += state.Placed.Calculation.BonusSpent
		testshop.Equal(t, "what the ledger holds for an order", s.LedgerOf(anna).Held(r.ID), state.Placed.Calculation.BonusSpent)
	}
	testshop.Equal(t, "spent by all", spent, 7_000)
	testshop.Equal(t, "balance", s.LedgerOf(anna).Balance, 0)
}

// TestLedgersAddUp plays random lives of orders and compares the ledger with what the orders say.
func TestLedgersAddUp(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	soap := s.Product(10_000, 10_000, 1_000_000)
	bonuses := &commands.Bonuses{Handler: s.Handler}
	rapid.Check(t, func(t *rapid.T) {
		anna := s.Customer()
		s.Credit(anna, 4_000)
		var placed []commands.Receipt
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			step := rapid.SampledFrom([]string{"place", "pay", "refuse", "expire", "complete", "cancel", "refund", "follow"}).Draw(t, "step")
			if step == "place" || len(placed) == 0 {
				method := rapid.SampledFrom([]string{"CARD", "CASH"}).Draw(t, "method")
				spend := rapid.SampledFrom([]any{true, 0, 500, 2_000}).Draw(t, "spend")
				r := s.Ask(shopapi.Orders{Orders: s.Orders}.Place, testshop.Post(s.T.Context(), testshop.Checkout(testshop.Line(soap, rapid.IntRange(1, 3).Draw(t, "amount"))).
					With("payment_method", method).With("spend_bonus", spend), testshop.By(anna)))
				if r.Code != http.StatusCreated {
					t.Fatalf("%d %s", r.Code, r.Text())
				}
				placed = append(placed, testshop.Read[commands.Receipt](r))
				continue
			}
			r := rapid.SampledFrom(placed).Draw(t, "order")
			ctx := s.T.Context()
			notify := func(o payments.Outcome) {
				_, _ = s.Orders.Settle(ctx, payments.Notification{PaymentID: payments.ID(r.ID, 1), Outcome: o, Amount: r.PayableNow})
			}
			// What is refused changes nothing; the ledger must add up all the same.
			switch step {
			case "pay":
				notify(payments.Paid)
			case "refuse":
				notify(payments.Refused)
			case "expire":
				_ = s.Orders.ExpireAt(ctx, r.ID, testshop.Noon.Add(48*time.Hour))
			case "complete":
				notify(payments.Paid)
				_, _ = s.Orders.Approve(ctx, r.ID)
				_, _ = s.Orders.Process(ctx, r.ID)
				_, _ = s.Orders.Complete(ctx, r.ID)
			case "cancel":
				_, _ = s.Orders.Cancel(ctx, r.ID, "staff", "")
			case "refund":
				part := order.Refund{RefundID: rapid.StringMatching("[a-z]{8}").Draw(t, "refund"), PaymentID: payments.ID(r.ID, 1), Reported: true, At: testshop.Noon}
				part.Amount = rapid.SampledFrom([]domain.Money{100, 5_000, r.TotalPaid}).Draw(t, "amount")
				_, _ = commands.Change(ctx, s.Handler, commands.OrderStream(r.ID), func(*commands.Unit) order.Command { return part })
			case "follow":
				if _, err := bonuses.Follow(ctx, r.ID); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, r := range placed {
			if _, err := bonuses.Follow(s.T.Context(), r.ID); err != nil {
				t.Fatal(err)
			}
		}
		ledger := s.LedgerOf(anna)
		want := domain.Money(4_000)
		for _, r := range placed {
			state := s.OrderOf(r.ID)
			if held := ledger.Held(r.ID); held != state.BonusHeld() {
				t.Errorf("order %d (%s) holds %d, should %d", r.Number, state.Status, held, state.BonusHeld())
			}
			if earned := domain.PercentOf(state.BonusBase(), 3); ledger.EarnedBy(r.ID) > earned {
				t.Errorf("order %d (%s) earned %d, should %d", r.Number, state.Status, ledger.EarnedBy(r.ID), earned)
			}
			want += ledger.EarnedBy(r.ID) - ledger.Held(r.ID)
		}
		if ledger.Balance != want {
			t.Errorf("balance is %d, its entries make %d", ledger.Balance, want)
		}
	})
}
