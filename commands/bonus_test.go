package commands

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"shop/commands/payments"
	"shop/domain"
	"shop/domain/bonus"
	"shop/domain/customer"
	"shop/domain/order"
)

// customer opens an account.
func (s *testShop) customer() domain.ID {
	s.t.Helper()
	id := uuid.Must(uuid.NewV7())
	register := customer.Register{
		ID: id, Email: id.String() + "@example.kz", ConsentText: "1", At: noon,
		Profile: customer.Profile{FirstName: "Айгуль", LastName: "Серикова", Phone: "+77012345678"},
	}
	_, err := one(s.t.Context(), s.handler, customerStream(id), func(*Unit) customer.Command { return register })
	if err != nil {
		s.t.Fatalf("register: %v", err)
	}
	return id
}

// credit gives a customer bonuses, as an order that nobody sees would.
func (s *testShop) credit(id domain.ID, amount domain.Money) {
	s.t.Helper()
	earn := bonus.Earn{CustomerID: id, OrderID: uuid.Must(uuid.NewV7()), Base: amount, Percent: 100, RulesVersion: 1, At: noon}
	if _, err := one(s.t.Context(), s.handler, bonusStream(id), func(*Unit) bonus.Command { return earn }); err != nil {
		s.t.Fatalf("credit: %v", err)
	}
}

func (s *testShop) ledgerOf(id domain.ID) bonus.State {
	s.t.Helper()
	state, err := see(s.t.Context(), New(s.log, Options{}), bonusStream(id))
	if err != nil {
		s.t.Fatalf("see bonuses: %v", err)
	}
	return state
}

func by(id domain.ID) header {
	return func(r *http.Request) { *r = *r.WithContext(AsCustomer(r.Context(), id)) }
}

func TestBonusesPayForGoods(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	anna, soap := s.customer(), s.product(10_000, 10_000, 50)
	s.credit(anna, 5_000)
	basket := checkout(lineOf(soap, 1))
	asked := fields{"products": basket["products"], "city": "Алматы", "payment_method": "CASH"}
	for _, c := range []struct {
		spend any
		spent domain.Money
	}{{true, 3_000}, {false, 0}, {1_000, 1_000}, {3_000, 3_000}, {9_999, 3_000}, {0, 0}} {
		got := read[Calculation](s.price(asked.with("spend_bonus", c.spend), by(anna)))
		equal(t, fmt.Sprintf("spent of %v", c.spend), got.BonusSpent, c.spent)
		equal(t, "total", got.TotalPaid, got.DiscountedSum-c.spent+got.DeliveryPrice)
		var sum domain.Money
		for _, step := range got.Explanation {
			sum += step.Amount
		}
		equal(t, "the explanation", sum, got.TotalPaid)
	}
	s.price(asked.with("spend_bonus", true)).wants(400, `{"spend_bonus":["Войдите в аккаунт, чтобы потратить бонусы"]}`)
	s.place(basket.with("spend_bonus", 1)).wants(400, `{"spend_bonus":["Войдите в аккаунт, чтобы потратить бонусы"]}`)

	receipt := s.placed(basket.with("spend_bonus", true), by(anna), withKey("one"))
	again := s.placed(basket.with("spend_bonus", true), by(anna), withKey("one"))
	equal(t, "order of the same key", again.ID, receipt.ID)
	s.place(basket.with("spend_bonus", 100), by(anna), withKey("one")).wants(409, `{"detail":"Этот запрос уже отправлен с другими данными"}`)
	equal(t, "total", receipt.TotalPaid, 7_000+1_900)
	equal(t, "balance", s.ledgerOf(anna).Balance, 2_000)
	equal(t, "held", s.ledgerOf(anna).Held(receipt.ID), 3_000)
	// Nobody else has them.
	boris := s.customer()
	if got := read[Calculation](s.price(asked.with("spend_bonus", true), by(boris))); got.BonusSpent != 0 {
		t.Errorf("bonuses out of nothing: %d", got.BonusSpent)
	}
	if _, err := s.orders.Cancel(t.Context(), receipt.ID, "customer", ""); err != nil {
		t.Fatal(err)
	}
	equal(t, "balance after the cancellation", s.ledgerOf(anna).Balance, 5_000)
}

func TestCompletedOrdersEarnAndRefundsTakeBack(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	anna, soap := s.customer(), s.product(10_000, 10_000, 50)
	bonuses := &Bonuses{s.handler}
	follow := func(id domain.ID) {
		t.Helper()
		for range 2 { // repeats add nothing
			if _, err := bonuses.Follow(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
	}
	receipt := s.placed(checkout(lineOf(soap, 1)).with("payment_method", "CARD"), by(anna))
	s.settle(t, receipt, payments.Paid)
	follow(receipt.ID)
	equal(t, "balance of a paid order", s.ledgerOf(anna).Balance, 0)
	s.complete(t, receipt.ID)
	follow(receipt.ID)
	equal(t, "balance of a completed one", s.ledgerOf(anna).Balance, 300)
	refund := order.Refund{RefundID: "r1", PaymentID: payments.ID(receipt.ID, 1), Amount: receipt.TotalPaid, Reported: true, At: noon}
	if _, err := one(t.Context(), s.handler, orderStream(receipt.ID), func(*Unit) order.Command { return refund }); err != nil {
		t.Fatal(err)
	}
	follow(receipt.ID)
	equal(t, "balance after the refund", s.ledgerOf(anna).Balance, 0)
	// A guest has no ledger, and an unknown order none either.
	guest := s.placed(checkout(lineOf(soap, 1)))
	for _, id := range []domain.ID{guest.ID, uuid.Must(uuid.NewV7())} {
		if position, err := bonuses.Follow(t.Context(), id); position != 0 || err != nil {
			t.Errorf("%d, %v", position, err)
		}
	}
}

func (s *testShop) settle(t interface{ Fatal(...any) }, r Receipt, o payments.Outcome) {
	_, err := s.orders.Settle(s.t.Context(), payments.Notification{PaymentID: payments.ID(r.ID, 1), Outcome: o, Amount: r.PayableNow})
	if err != nil {
		t.Fatal(err)
	}
}

func (s *testShop) complete(t interface{ Fatal(...any) }, id domain.ID) {
	if _, err := s.orders.Process(s.t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if _, err := s.orders.Complete(s.t.Context(), id); err != nil {
		t.Fatal(err)
	}
}

// TestNothingIsSpentTwice lets 50 checkouts meet on one balance that pays for three of them.
func TestNothingIsSpentTwice(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	anna := s.customer()
	s.credit(anna, 7_000)
	goods := make([]domain.ID, 50)
	for i := range goods {
		goods[i] = s.product(10_000, 10_000, 1)
	}
	var all sync.WaitGroup
	receipts := make([]Receipt, len(goods))
	for i, product := range goods {
		all.Go(func() {
			r := s.ask(s.orders.Place, post(t.Context(), checkout(lineOf(product, 1)).with("spend_bonus", true), by(anna)))
			if r.Code != http.StatusCreated {
				t.Errorf("%d %s", r.Code, r.body())
				return
			}
			receipts[i] = read[Receipt](r)
		})
	}
	all.Wait()
	var spent domain.Money
	for _, r := range receipts {
		state := s.orderOf(r.ID)
		spent += state.Placed.Calculation.BonusSpent
		equal(t, "what the ledger holds for an order", s.ledgerOf(anna).Held(r.ID), state.Placed.Calculation.BonusSpent)
	}
	equal(t, "spent by all", spent, 7_000)
	equal(t, "balance", s.ledgerOf(anna).Balance, 0)
}

// TestLedgersAddUp plays random lives of orders and compares the ledger with what the orders say.
func TestLedgersAddUp(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	soap := s.product(10_000, 10_000, 1_000_000)
	bonuses := &Bonuses{s.handler}
	rapid.Check(t, func(t *rapid.T) {
		anna := s.customer()
		s.credit(anna, 4_000)
		var placed []Receipt
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			step := rapid.SampledFrom([]string{"place", "pay", "refuse", "expire", "complete", "cancel", "refund", "follow"}).Draw(t, "step")
			if step == "place" || len(placed) == 0 {
				method := rapid.SampledFrom([]string{"CARD", "CASH"}).Draw(t, "method")
				spend := rapid.SampledFrom([]any{true, 0, 500, 2_000}).Draw(t, "spend")
				r := s.ask(s.orders.Place, post(s.t.Context(), checkout(lineOf(soap, rapid.IntRange(1, 3).Draw(t, "amount"))).
					with("payment_method", method).with("spend_bonus", spend), by(anna)))
				if r.Code != http.StatusCreated {
					t.Fatalf("%d %s", r.Code, r.body())
				}
				placed = append(placed, read[Receipt](r))
				continue
			}
			r := rapid.SampledFrom(placed).Draw(t, "order")
			ctx := s.t.Context()
			notify := func(o payments.Outcome) {
				_, _ = s.orders.Settle(ctx, payments.Notification{PaymentID: payments.ID(r.ID, 1), Outcome: o, Amount: r.PayableNow})
			}
			// What is refused changes nothing; the ledger must add up all the same.
			switch step {
			case "pay":
				notify(payments.Paid)
			case "refuse":
				notify(payments.Refused)
			case "expire":
				_, _ = s.orders.change(ctx, r.ID, func(u *Unit, goods orderGoods) error {
					if err := goods.order.Do(u, order.ExpirePayment{At: noon.Add(48 * time.Hour)}); err != nil {
						return err
					}
					if goods.order.State(u).Status != order.StatusPaymentErr {
						return nil
					}
					return goods.release(u, "payment_expired")
				})
			case "complete":
				notify(payments.Paid)
				_, _ = s.orders.Approve(ctx, r.ID)
				_, _ = s.orders.Process(ctx, r.ID)
				_, _ = s.orders.Complete(ctx, r.ID)
			case "cancel":
				_, _ = s.orders.Cancel(ctx, r.ID, "staff", "")
			case "refund":
				part := order.Refund{RefundID: rapid.StringMatching("[a-z]{8}").Draw(t, "refund"), PaymentID: payments.ID(r.ID, 1), Reported: true, At: noon}
				part.Amount = rapid.SampledFrom([]domain.Money{100, 5_000, r.TotalPaid}).Draw(t, "amount")
				_, _ = one(ctx, s.handler, orderStream(r.ID), func(*Unit) order.Command { return part })
			case "follow":
				if _, err := bonuses.Follow(ctx, r.ID); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, r := range placed {
			if _, err := bonuses.Follow(s.t.Context(), r.ID); err != nil {
				t.Fatal(err)
			}
		}
		ledger := s.ledgerOf(anna)
		want := domain.Money(4_000)
		for _, r := range placed {
			state := s.orderOf(r.ID)
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
