package commands_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/payments"
	"shop/commands/shopapi"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/promocode"
	"shop/eventstore"
)

func TestPayAgain(t *testing.T) {
	t.Parallel()
	s, receipt, stocked := cardOrder(t)
	first, second := payments.ID(receipt.ID, 1), payments.ID(receipt.ID, 2)
	before := s.Head()
	s.Clock.Advance(20 * time.Minute)
	open := testshop.Read[commands.Receipt](s.Own("payment", receipt.ID, testshop.LinkKey, "guest"))
	testshop.Equal(t, "payment URL while one is open", open.PaymentURL, "https://shop.example/pay/sandbox/"+first)
	testshop.Equal(t, "head", s.Head(), before) // and so the goods are held no longer

	s.BankPage(first, "refuse")
	testshop.Equal(t, "after refusal", stocked(), "reserved 0, uses 0, PAYMENT_ERR")
	before = s.Head()
	again := testshop.Read[commands.Receipt](s.Own("payment", receipt.ID, testshop.LinkKey, "guest"))
	testshop.Equal(t, "payment URL", again.PaymentURL, "https://shop.example/pay/sandbox/"+second)
	testshop.EqualText(t, "log", s.Types(before), "[order.payment-requested promocode.redeemed stock.reserved]")
	testshop.Equal(t, "while it is open", stocked(), "reserved 2, uses 1, RECEIVED")
	testshop.Equal(t, "pay before", s.OrderOf(receipt.ID).PayBefore, testshop.Noon.Add(50*time.Minute))

	s.Clock.Advance(30 * time.Minute)
	third := testshop.Read[commands.Receipt](s.Own("payment", receipt.ID, testshop.LinkKey, "guest")) // the wait was over and nobody had said so yet
	testshop.Equal(t, "third payment URL", third.PaymentURL, "https://shop.example/pay/sandbox/"+payments.ID(receipt.ID, 3))
	testshop.Equal(t, "while the third is open", stocked(), "reserved 2, uses 1, RECEIVED")

	// The second attempt's money comes, and the third's.
	s.Notify(s.Says(payments.Notification{PaymentID: second, Outcome: payments.Paid, Amount: 16_200})).Wants(200, `{"code":0}`)
	s.Notify(s.Says(payments.Notification{PaymentID: payments.ID(receipt.ID, 3), Outcome: payments.Paid, Amount: 16_200})).Wants(200, `{"code":0}`)
	testshop.Equal(t, "paid twice", stocked(), "reserved 2, uses 1, APPROVED")
	testshop.Equal(t, "captured", s.OrderOf(receipt.ID).Captured(), 16_200)
	s.Own("payment", receipt.ID, testshop.LinkKey, "guest").Wants(409, `{"detail":"Заказ уже оплачен","code":"order/already-paid"}`)
	s.Own("cancellation", receipt.ID, testshop.LinkKey, "guest").Wants(409, `{"detail":"Заказ уже подтверждён: чтобы отменить его, напишите нам","code":"order/too-late-to-cancel"}`)
}

func TestPayAgainNeedsItsGoodsAndItsCode(t *testing.T) {
	t.Parallel()
	s, receipt, _ := cardOrder(t)
	s.Clock.Advance(time.Hour)
	s.Expire(receipt.ID)
	cream := s.OrderOf(receipt.ID).Placed.Calculation.Lines[0].ProductID
	if _, err := testshop.Count(t.Context(), s.Handler, cream, 1); err != nil {
		t.Fatal(err)
	}
	s.Own("payment", receipt.ID, testshop.LinkKey, "guest").Wants(409, `{"detail":"Товара «Крем» больше нет в нужном количестве","code":"stock/not-enough"}`)
	if _, err := testshop.Count(t.Context(), s.Handler, cream, 10); err != nil {
		t.Fatal(err)
	}
	other := s.Placed(testshop.Checkout(testshop.Line(cream, 1)).With("promocode", "ONE").With("customer_phone", "87012345679"))
	before := s.Head()
	s.Own("payment", receipt.ID, testshop.LinkKey, "guest").Wants(409, `{"detail":"Промокод уже использован","code":"promocode/used-up"}`)
	testshop.Equal(t, "head", s.Head(), before)
	if _, err := s.Orders.Cancel(t.Context(), other.ID, "staff", ""); err != nil {
		t.Fatal(err)
	}
	testshop.Equal(t, "status", s.Own("payment", receipt.ID, testshop.LinkKey, "guest").Code, 200)
}

func TestOnlyOnesOwnOrder(t *testing.T) {
	t.Parallel()
	s, receipt, stocked := cardOrder(t)
	cash := s.Placed(testshop.Checkout(testshop.Line(s.Product(9_000, 9_000, 10), 1)))
	before := s.Head()
	for _, action := range []string{"cancellation", "payment"} {
		for _, r := range []testshop.Response{
			s.Own(action, receipt.ID, "guess", "guest"), s.Own(action, receipt.ID, "", "customer:"+uuid.NewString()),
			s.Own(action, receipt.ID, "", "customer:"+uuid.Nil.String()), s.Own(action, uuid.New(), testshop.LinkKey, "guest"), s.Own(action, "100001", testshop.LinkKey, "guest"),
		} {
			r.Wants(404, `{"detail":"Заказ не найден","code":"order/unknown"}`)
		}
	}
	s.Own("payment", cash.ID, testshop.LinkKey, "guest").Wants(409, `{"detail":"Этот заказ не нужно оплачивать онлайн","code":"order/nothing-to-pay"}`)
	testshop.Equal(t, "head", s.Head(), before)

	customer := uuid.New()
	if _, err := commands.Change(t.Context(), s.Handler, commands.OrderStream(receipt.ID), func(u *commands.Unit) order.Command {
		return order.Join{CustomerID: customer, At: u.At()}
	}); err != nil {
		t.Fatal(err)
	}
	cancelled := testshop.Read[commands.Receipt](s.Own("cancellation", receipt.ID, "", "customer:"+customer.String()))
	testshop.Equal(t, "status", cancelled.Status, order.StatusCancelled)
	testshop.Equal(t, "after cancelling", stocked(), "reserved 0, uses 0, CANCELLED")
	s.Own("payment", receipt.ID, testshop.LinkKey, "guest").Wants(409, `{"detail":"Этот заказ уже нельзя оплатить","code":"order/not-payable"}`)
}

// Who comes back from the bank has no letter yet: the browser that placed a guest's order pays again by its basket.
func TestPayAgainFromTheSameBrowser(t *testing.T) {
	t.Parallel()
	s, _, _ := cardOrder(t)
	basket := uuid.New()
	receipt := s.Placed(testshop.Checkout(testshop.Line(s.Product(9_000, 9_000, 10), 1)).With("payment_method", "CARD"), func(r *http.Request) { r.Header.Set("Cookie", "basket="+basket.String()) })
	s.BankPage(payments.ID(receipt.ID, 1), "refuse")
	from := func(endpoint func(http.ResponseWriter, *http.Request) error, basket domain.ID) testshop.Response {
		r := httptest.NewRequestWithContext(commands.WithOrigin(t.Context(), commands.Origin{Actor: "guest"}), http.MethodPost, "/", nil)
		r.SetPathValue("id", receipt.ID.String())
		r.Header.Set("Cookie", "basket="+basket.String())
		return s.Ask(endpoint, r)
	}
	const unknown = `{"detail":"Заказ не найден","code":"order/unknown"}`
	from(shopapi.Orders{Orders: s.Orders}.Pay, uuid.New()).Wants(404, unknown)
	from(shopapi.Orders{Orders: s.Orders}.Pay, uuid.Nil).Wants(404, unknown)
	from(shopapi.Orders{Orders: s.Orders}.Cancel, basket).Wants(404, unknown)
	again := testshop.Read[commands.Receipt](from(shopapi.Orders{Orders: s.Orders}.Pay, basket))
	testshop.Equal(t, "payment URL", again.PaymentURL, "https://shop.example/pay/sandbox/"+payments.ID(receipt.ID, 2))
	testshop.Equal(t, "order", again.Number, receipt.Number)

	if _, err := commands.Change(t.Context(), s.Handler, commands.OrderStream(receipt.ID), func(u *commands.Unit) order.Command {
		return order.Join{CustomerID: uuid.New(), At: u.At()}
	}); err != nil {
		t.Fatal(err)
	}
	from(shopapi.Orders{Orders: s.Orders}.Pay, basket).Wants(404, unknown) // it is a customer's now
}

// A bank that was heard of and did not say so: asking for another payment asks it first.
func TestPayAgainAsksTheProviderFirst(t *testing.T) {
	t.Parallel()
	s, receipt, stocked := cardOrder(t)
	s.Orders.Providers.Current = paidElsewhere{s.Sandbox}
	s.Own("payment", receipt.ID, testshop.LinkKey, "guest").Wants(409, `{"detail":"Заказ уже оплачен","code":"order/already-paid"}`)
	testshop.Equal(t, "after asking", stocked(), "reserved 2, uses 1, APPROVED")
}

func TestCodeWithOneUseLeft(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(9_000, 9_000, 1000)
	s.Promocode("LAST", promocode.Terms{Kind: promocode.Percent, Value: 10, Uses: 1})
	answers := make([]testshop.Response, 50)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() {
			answers[i] = s.Place(testshop.Checkout(testshop.Line(cream, 1)).With("promocode", "LAST").With("customer_phone", fmt.Sprintf("8701%07d", i)).With("expected_total", 10_000))
		})
	}
	all.Wait()
	won := 0
	for _, r := range answers {
		if r.Code == http.StatusCreated {
			won++
			continue
		}
		r.Wants(400, `{"promocode":["Промокод не найден или больше не действует"]}`)
	}
	testshop.Equal(t, "winners", won, 1)
	testshop.Equal(t, "uses", s.CodeOf("LAST").Uses, 1)
	testshop.Equal(t, "reserved", s.StockOf(cream).Reserved, 1)
}

func TestCodeOncePerCustomer(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(9_000, 9_000, 1000)
	s.Promocode("EACH", promocode.Terms{Kind: promocode.Percent, Value: 10, UsesPerUser: 1})
	asked := testshop.Checkout(testshop.Line(cream, 1)).With("promocode", "EACH")
	var all sync.WaitGroup
	answers := make([]testshop.Response, 10)
	for i := range answers {
		all.Go(func() { answers[i] = s.Place(asked) })
	}
	all.Wait()
	var winner commands.Receipt
	won := 0
	for _, r := range answers {
		if r.Code == http.StatusCreated {
			winner, won = testshop.Read[commands.Receipt](r), won+1
		}
	}
	testshop.Equal(t, "winners", won, 1)
	s.Place(asked).Wants(400, `{"promocode":["Вы уже использовали этот промокод"]}`)
	s.Placed(asked.With("customer_phone", "87770000000").With("customer_email", "other@example.kz"))
	if _, err := s.Orders.Cancel(t.Context(), winner.ID, "staff", ""); err != nil {
		t.Fatal(err)
	}
	s.Placed(asked) // it was given back
}

// countingBank does refunds once per id, and counts the questions.
type countingBank struct {
	*payments.Sandbox
	mu       sync.Mutex
	calls    int
	refunded map[string]domain.Money
	down     bool
}

func (b *countingBank) Refund(_ context.Context, r payments.Refund) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls++
	if b.down {
		return "", errDown
	}
	b.refunded[r.ID] = r.Amount
	return "refund " + r.ID, nil
}

func (b *countingBank) total() (sum domain.Money) {
	for _, amount := range b.refunded {
		sum += amount
	}
	return sum
}

// completed is an order of 16 200 that was paid by card and handed over.
func completed(t *testing.T) (*testshop.Shop, commands.Receipt, *countingBank) {
	t.Helper()
	s, receipt, _ := cardOrder(t)
	bank := &countingBank{Sandbox: s.Sandbox, refunded: map[string]domain.Money{}}
	s.Orders.Providers.Current = bank
	s.BankPage(payments.ID(receipt.ID, 1), "pay")
	for _, step := range []func(context.Context, domain.ID) (eventstore.Position, error){s.Orders.Process, s.Orders.Complete} {
		if _, err := step(t.Context(), receipt.ID); err != nil {
			t.Fatal(err)
		}
	}
	return s, receipt, bank
}

func TestRefundOfAPartAndTheWhole(t *testing.T) {
	t.Parallel()
	s, receipt, bank := completed(t)
	refund := func(amount domain.Money, id string) string {
		t.Helper()
		_, err := s.Orders.Refund(t.Context(), receipt.ID, amount, id)
		state := s.OrderOf(receipt.ID)
		if err != nil {
			_, body, _ := shopapi.Problem(err)
			return fmt.Sprint(body)
		}
		return fmt.Sprint(state.Status, " ", state.Captured())
	}
	testshop.Equal(t, "more than there is", refund(16_201, "a"), "{Вернуть можно не больше, чем поступило order/refund-too-much <nil>}")
	testshop.Equal(t, "a part", refund(1_000, "a"), "COMPLETED 15200")
	testshop.Equal(t, "the same part again", refund(1_000, "a"), "COMPLETED 15200")
	testshop.Equal(t, "another part", refund(1_000, "b"), "COMPLETED 14200")
	testshop.Equal(t, "the rest", refund(0, "c"), "REFUNDED 0")
	testshop.Equal(t, "the rest again", refund(0, "c"), "REFUNDED 0")
	testshop.Equal(t, "after all", refund(0, ""), "{Заказ ещё не оплачен order/not-paid <nil>}")
	testshop.Equal(t, "given back", bank.total(), 16_200)
	testshop.Equal(t, "calls", bank.calls, 3)
}

func TestRefundOfALiveOrderIsACancellation(t *testing.T) {
	t.Parallel()
	s, receipt, _ := cardOrder(t)
	s.BankPage(payments.ID(receipt.ID, 1), "pay")
	before := s.Head()
	_, err := s.Orders.Refund(t.Context(), receipt.ID, 0, "")
	if !errors.Is(err, order.ErrNothingToReturn) {
		t.Errorf("error is %v", err)
	}
	testshop.Equal(t, "head", s.Head(), before)
}

func TestRefundOfCashAsksNoProvider(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	bank := &countingBank{Sandbox: s.Sandbox, refunded: map[string]domain.Money{}}
	s.Orders.Providers.Current = bank
	receipt := s.Placed(testshop.Checkout(testshop.Line(s.Product(9_000, 9_000, 10), 1)))
	for _, step := range []func(context.Context, domain.ID) (eventstore.Position, error){s.Orders.Approve, s.Orders.Process, s.Orders.Complete} {
		if _, err := step(t.Context(), receipt.ID); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Orders.Refund(t.Context(), receipt.ID, 0, ""); err != nil {
		t.Fatal(err)
	}
	testshop.Equal(t, "status", s.OrderOf(receipt.ID).Status, order.StatusRefunded)
	testshop.Equal(t, "calls", bank.calls, 0)
}

// dyingBank is a process that ends around the provider's answer.
type dyingBank struct {
	*countingBank
	before bool
}

func (b dyingBank) Refund(ctx context.Context, r payments.Refund) (string, error) {
	if b.before {
		return "", io.ErrUnexpectedEOF
	}
	b.countingBank.Refund(ctx, r)
	return "", io.ErrUnexpectedEOF
}

// TestRefundSurvivesACrashAnywhere ends the process at every point of a refund, staff's and one that is owed, and lets
// the policy of another go on.
func TestRefundSurvivesACrashAnywhere(t *testing.T) {
	t.Parallel()
	for name, crash := range map[string]func(s *testshop.Shop, bank *countingBank){
		"before the call": func(s *testshop.Shop, bank *countingBank) { s.Orders.Providers.Current = dyingBank{bank, true} },
		"after the call":  func(s *testshop.Shop, bank *countingBank) { s.Orders.Providers.Current = dyingBank{bank, false} },
		"before the append": func(s *testshop.Shop, bank *countingBank) {
			s.Use(testshop.CrashingLog{Store: s.Log, Before: true})
			s.Orders.Providers.Current = bank
		},
		"after the append": func(s *testshop.Shop, bank *countingBank) {
			s.Use(testshop.CrashingLog{Store: s.Log, After: true})
			s.Orders.Providers.Current = bank
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, receipt, bank := completed(t)
			second := s.Placed(testshop.Checkout(testshop.Line(s.Product(9_000, 9_000, 10), 1)).With("payment_method", "CARD"))
			s.Notify(s.Says(payments.Notification{PaymentID: payments.ID(second.ID, 1), Outcome: payments.Paid, Amount: second.TotalPaid}))
			if _, err := commands.Change(t.Context(), s.Handler, commands.OrderStream(second.ID), func(u *commands.Unit) order.Command {
				return order.Cancel{By: "staff", At: u.At()} // and the process ends before it gives the money back
			}); err != nil {
				t.Fatal(err)
			}
			crash(s, bank)
			if _, err := s.Orders.Refund(t.Context(), receipt.ID, 1_000, "part"); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("error is %v", err)
			}
			if _, err := s.Orders.GiveBack(t.Context(), second.ID); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("error is %v", err)
			}
			s.Use(s.Log)
			s.Orders.Providers.Current = bank
			for range 2 {
				s.Clock.Advance(time.Hour)
				due, err := s.Orders.Books.DueDebts(t.Context(), s.Clock.Now(), 10)
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range due {
					if _, err := s.Orders.PayDebt(t.Context(), d); err != nil {
						t.Error(err)
					}
				}
				if _, err := s.Orders.GiveBack(t.Context(), second.ID); err != nil {
					t.Error(err)
				}
			}
			testshop.EqualText(t, "first", fmt.Sprint(s.OrderOf(receipt.ID).Status, " ", s.OrderOf(receipt.ID).Captured()), "COMPLETED 15200")
			testshop.EqualText(t, "second", fmt.Sprint(s.OrderOf(second.ID).Status, " ", s.OrderOf(second.ID).Captured()), "REFUNDED 0")
			testshop.Equal(t, "given back", bank.total(), 1_000+second.TotalPaid)
		})
	}
}

// meanwhileLog lets something happen once, after the first load that finds an order.
type meanwhileLog struct {
	*eventstore.Store
	once    *sync.Once
	happens func()
}

func (l meanwhileLog) Load(ctx context.Context, from ...eventstore.From) (map[string][]eventstore.Event, error) {
	found, err := l.Store.Load(ctx, from...)
	for stream := range found {
		if strings.HasPrefix(stream, "order-") {
			l.once.Do(l.happens)
		}
	}
	return found, err
}

// Two refunds at once: the second has seen the order before the first gave all of the money back.
func TestARefundThatAnotherWasFasterThanIsNotAskedFor(t *testing.T) {
	t.Parallel()
	s, receipt, bank := completed(t)
	first := *s.Orders
	s.Use(meanwhileLog{s.Log, new(sync.Once), func() {
		if _, err := first.Refund(t.Context(), receipt.ID, 0, "first"); err != nil {
			t.Error(err)
		}
	}})
	s.Orders.Providers.Current = bank
	if _, err := s.Orders.Refund(t.Context(), receipt.ID, 0, "second"); !errors.Is(err, order.ErrRefundTooMuch) {
		t.Errorf("error is %v", err)
	}
	testshop.Equal(t, "calls", bank.calls, 1)
	testshop.Equal(t, "given back", bank.total(), 16_200)
	due, err := s.Orders.Books.Debts(t.Context(), receipt.ID)
	if err != nil || len(due) > 0 {
		t.Errorf("debts %v, %v", due, err)
	}
}

// blindLog answers the first question about orders, and no other.
type blindLog struct {
	*eventstore.Store
	asked *atomic.Int32
}

func (l blindLog) Load(ctx context.Context, from ...eventstore.From) (map[string][]eventstore.Event, error) {
	isOrder := func(f eventstore.From) bool { return strings.HasPrefix(f.Stream, "order-") }
	if slices.ContainsFunc(from, isOrder) && l.asked.Add(1) > 1 {
		return nil, io.ErrUnexpectedEOF
	}
	return l.Store.Load(ctx, from...)
}

// A refund that could not be looked at is not counted as asked for, so that the next try looks.
func TestARefundIsNotTriedUnseen(t *testing.T) {
	t.Parallel()
	s, receipt, bank := completed(t)
	s.Use(blindLog{s.Log, new(atomic.Int32)})
	s.Orders.Providers.Current = bank
	if _, err := s.Orders.Refund(t.Context(), receipt.ID, 1_000, "part"); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error is %v", err)
	}
	due, err := s.Orders.Books.Debts(t.Context(), receipt.ID)
	if err != nil || len(due) != 1 || due[0].Tries != 0 {
		t.Errorf("debts %+v, %v", due, err)
	}
	testshop.Equal(t, "calls", bank.calls, 0)
}

func TestARefundBesideOneThatIsOnItsWayIsRefused(t *testing.T) {
	t.Parallel()
	s, receipt, bank := completed(t)
	bank.down = true
	if _, err := s.Orders.Refund(t.Context(), receipt.ID, 16_000, "first"); !errors.Is(err, errDown) {
		t.Errorf("error is %v", err)
	}
	bank.down = false
	if _, err := s.Orders.Refund(t.Context(), receipt.ID, 1_000, "second"); !errors.Is(err, order.ErrRefundTooMuch) {
		t.Errorf("error is %v", err)
	}
	testshop.Equal(t, "given back", bank.total(), 0)
}

// TestProviderThatIsDownDelaysRefunds: the order is cancelled at once, the money follows, and is asked for ever less often.
func TestProviderThatIsDownDelaysRefunds(t *testing.T) {
	t.Parallel()
	s, receipt, _ := cardOrder(t)
	bank := &countingBank{Sandbox: s.Sandbox, refunded: map[string]domain.Money{}, down: true}
	s.Orders.Providers.Current = bank
	s.BankPage(payments.ID(receipt.ID, 1), "pay")
	if _, err := s.Orders.Cancel(t.Context(), receipt.ID, "staff", ""); err != nil {
		t.Fatal(err)
	}
	testshop.Equal(t, "status", s.OrderOf(receipt.ID).Status, order.StatusCancelled)
	try := func() {
		t.Helper()
		due, err := s.Orders.Books.DueDebts(t.Context(), s.Clock.Now(), 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range due {
			s.Orders.PayDebt(t.Context(), d)
		}
	}
	for range 24 * 60 {
		s.Clock.Advance(time.Minute)
		try()
	}
	if bank.calls < 20 || bank.calls > 40 {
		t.Errorf("%d calls in a day", bank.calls)
	}
	bank.down = false
	s.Clock.Advance(time.Hour)
	try()
	testshop.Equal(t, "status", s.OrderOf(receipt.ID).Status, order.StatusRefunded)
}

// A provider that is silent holds goods a little longer, and not for ever.
func TestSilentProviderHoldsGoodsALittleLonger(t *testing.T) {
	t.Parallel()
	s, receipt, stocked := cardOrder(t)
	s.Orders.Providers.Current = silentBank{s.Sandbox}
	s.Clock.Advance(44 * time.Minute)
	if _, err := s.Orders.ExpirePayment(t.Context(), receipt.ID); !errors.Is(err, errDown) {
		t.Errorf("error is %v", err)
	}
	testshop.Equal(t, "while it is silent", stocked(), "reserved 2, uses 1, RECEIVED")
	s.Clock.Advance(time.Minute)
	s.Expire(receipt.ID)
	testshop.Equal(t, "after a quarter of an hour", stocked(), "reserved 0, uses 0, PAYMENT_ERR")
}

type silentBank struct{ *payments.Sandbox }

func (silentBank) State(context.Context, string) (payments.Notification, error) {
	return payments.Notification{}, errDown
}

func TestProviderAsksBeforeItTakesMoney(t *testing.T) {
	t.Parallel()
	s, receipt, _ := cardOrder(t)
	ask := func(payment string, amount domain.Money) string {
		t.Helper()
		return s.Notify(s.Says(payments.Notification{PaymentID: payment, Outcome: payments.Asked, Amount: amount})).Text()
	}
	before := s.Head()
	first := payments.ID(receipt.ID, 1)
	testshop.Equal(t, "as asked", ask(first, 16_200), `{"code":0}`)
	testshop.Equal(t, "another sum", ask(first, 16_199), `{"code":12}`)
	testshop.Equal(t, "no payment", ask("nonsense", 16_200), `{"code":10}`)
	testshop.Equal(t, "no order", ask(payments.ID(uuid.New(), 1), 16_200), `{"code":10}`)
	testshop.Equal(t, "another attempt", ask(payments.ID(receipt.ID, 2), 16_200), `{"code":13}`)
	s.Clock.Advance(30 * time.Minute)
	testshop.Equal(t, "too late", ask(first, 16_200), `{"code":20}`)
	testshop.Equal(t, "head", s.Head(), before)
	s.BankPage(first, "pay")
	testshop.Equal(t, "paid", ask(first, 16_200), `{"code":13}`)
}

func TestKaspiBillHasADay(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(9_000, 9_000, 1)
	receipt := s.Placed(testshop.Checkout(testshop.Line(cream, 1)).With("payment_method", "KASPI_BILL"))
	page, _ := s.BankPage(payments.ID(receipt.ID, 1), "leave")
	for _, want := range []string{"Счёт Kaspi на заказ 100001", "04.03.2026, 12:00"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q:\n%s", want, page)
		}
	}
	s.Clock.Advance(24*time.Hour - time.Second)
	s.Expire(receipt.ID)
	testshop.Equal(t, "held", s.StockOf(cream).Held(receipt.ID), 1)
	s.Clock.Advance(time.Second)
	s.Expire(receipt.ID)
	testshop.Equal(t, "free", s.StockOf(cream).Free(), 1)
}
