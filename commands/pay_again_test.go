package commands

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

	"shop/commands/payments"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/promocode"
	"shop/eventstore"
)

// linkKey is the key of every guest's link in these tests.
const linkKey = "letter"

type oneKey struct{}

func (oneKey) OpensOrder(_ domain.ID, key string) bool { return key == linkKey }

// own asks for something of one's own order.
func (s *testShop) own(action string, id any, key, actor string) response {
	s.t.Helper()
	s.orders.Guests = oneKey{}
	endpoint := map[string]func(http.ResponseWriter, *http.Request) error{"cancellation": s.orders.CancelOwn, "payment": s.orders.PayOwn}[action]
	ctx := WithOrigin(s.t.Context(), Origin{Actor: actor})
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, fmt.Sprintf("/api/orders/%v/%s/?key=%s", id, action, key), nil)
	r.SetPathValue("id", fmt.Sprint(id))
	w := s.ask(endpoint, r)
	keepsContract(s.t, "/api/orders/{id}/"+action+"/", w.Code, w.Body.Bytes())
	return w
}

func (s *testShop) expire(id domain.ID) {
	s.t.Helper()
	if _, err := s.orders.ExpirePayment(s.t.Context(), id); err != nil {
		s.t.Fatal(err)
	}
}

func TestPayAgain(t *testing.T) {
	t.Parallel()
	s, receipt, stocked := cardOrder(t)
	first, second := payments.ID(receipt.ID, 1), payments.ID(receipt.ID, 2)
	before := s.head()
	s.clock.Advance(20 * time.Minute)
	open := read[Receipt](s.own("payment", receipt.ID, linkKey, "guest"))
	equal(t, "payment URL while one is open", open.PaymentURL, "https://shop.example/pay/sandbox/"+first)
	equal(t, "head", s.head(), before) // and so the goods are held no longer

	s.bankPage(first, "refuse")
	equal(t, "after refusal", stocked(), "reserved 0, uses 0, PAYMENT_ERR")
	before = s.head()
	again := read[Receipt](s.own("payment", receipt.ID, linkKey, "guest"))
	equal(t, "payment URL", again.PaymentURL, "https://shop.example/pay/sandbox/"+second)
	equalText(t, "log", s.types(before), "[order.payment-requested promocode.redeemed stock.reserved]")
	equal(t, "while it is open", stocked(), "reserved 2, uses 1, RECEIVED")
	equal(t, "pay before", s.orderOf(receipt.ID).PayBefore, noon.Add(50*time.Minute))

	s.clock.Advance(30 * time.Minute)
	third := read[Receipt](s.own("payment", receipt.ID, linkKey, "guest")) // the wait was over and nobody had said so yet
	equal(t, "third payment URL", third.PaymentURL, "https://shop.example/pay/sandbox/"+payments.ID(receipt.ID, 3))
	equal(t, "while the third is open", stocked(), "reserved 2, uses 1, RECEIVED")

	// The second attempt's money comes, and the third's.
	s.notify(s.says(payments.Notification{PaymentID: second, Outcome: payments.Paid, Amount: 16_200})).wants(200, `{"code":0}`)
	s.notify(s.says(payments.Notification{PaymentID: payments.ID(receipt.ID, 3), Outcome: payments.Paid, Amount: 16_200})).wants(200, `{"code":0}`)
	equal(t, "paid twice", stocked(), "reserved 2, uses 1, APPROVED")
	equal(t, "captured", s.orderOf(receipt.ID).Captured(), 16_200)
	s.own("payment", receipt.ID, linkKey, "guest").wants(409, `{"detail":"Заказ уже оплачен"}`)
	s.own("cancellation", receipt.ID, linkKey, "guest").wants(409, `{"detail":"Заказ уже подтверждён: чтобы отменить его, напишите нам"}`)
}

func TestPayAgainNeedsItsGoodsAndItsCode(t *testing.T) {
	t.Parallel()
	s, receipt, _ := cardOrder(t)
	s.clock.Advance(time.Hour)
	s.expire(receipt.ID)
	cream := s.orderOf(receipt.ID).Placed.Calculation.Lines[0].ProductID
	if _, err := (&Stock{s.handler}).Adjust(t.Context(), cream, 1, ""); err != nil {
		t.Fatal(err)
	}
	s.own("payment", receipt.ID, linkKey, "guest").wants(409, `{"detail":"Товара «Крем» больше нет в нужном количестве"}`)
	if _, err := (&Stock{s.handler}).Adjust(t.Context(), cream, 10, ""); err != nil {
		t.Fatal(err)
	}
	other := s.placed(checkout(lineOf(cream, 1)).with("promocode", "ONE").with("customer_phone", "87012345679"))
	before := s.head()
	s.own("payment", receipt.ID, linkKey, "guest").wants(409, `{"detail":"Промокод уже использован"}`)
	equal(t, "head", s.head(), before)
	if _, err := s.orders.Cancel(t.Context(), other.ID, "staff", ""); err != nil {
		t.Fatal(err)
	}
	equal(t, "status", s.own("payment", receipt.ID, linkKey, "guest").Code, 200)
}

func TestOnlyOnesOwnOrder(t *testing.T) {
	t.Parallel()
	s, receipt, stocked := cardOrder(t)
	cash := s.placed(checkout(lineOf(s.product(9_000, 9_000, 10), 1)))
	before := s.head()
	for _, action := range []string{"cancellation", "payment"} {
		for _, r := range []response{
			s.own(action, receipt.ID, "guess", "guest"), s.own(action, receipt.ID, "", "customer:"+uuid.NewString()),
			s.own(action, receipt.ID, "", "customer:"+uuid.Nil.String()), s.own(action, uuid.New(), linkKey, "guest"), s.own(action, "100001", linkKey, "guest"),
		} {
			r.wants(404, `{"detail":"Заказ не найден"}`)
		}
	}
	s.own("payment", cash.ID, linkKey, "guest").wants(409, `{"detail":"Этот заказ не нужно оплачивать онлайн"}`)
	equal(t, "head", s.head(), before)

	customer := uuid.New()
	if _, err := one(t.Context(), s.handler, orderStream(receipt.ID), func(u *Unit) order.Command {
		return order.Join{CustomerID: customer, At: u.At()}
	}); err != nil {
		t.Fatal(err)
	}
	cancelled := read[Receipt](s.own("cancellation", receipt.ID, "", "customer:"+customer.String()))
	equal(t, "status", cancelled.Status, order.StatusCancelled)
	equal(t, "after cancelling", stocked(), "reserved 0, uses 0, CANCELLED")
	s.own("payment", receipt.ID, linkKey, "guest").wants(409, `{"detail":"Этот заказ уже нельзя оплатить"}`)
}

// Who comes back from the bank has no letter yet: the browser that placed a guest's order pays again by its basket.
func TestPayAgainFromTheSameBrowser(t *testing.T) {
	t.Parallel()
	s, _, _ := cardOrder(t)
	basket := uuid.New()
	receipt := s.placed(checkout(lineOf(s.product(9_000, 9_000, 10), 1)).with("payment_method", "CARD"), func(r *http.Request) { r.Header.Set("Cookie", "basket="+basket.String()) })
	s.bankPage(payments.ID(receipt.ID, 1), "refuse")
	from := func(endpoint func(http.ResponseWriter, *http.Request) error, basket domain.ID) response {
		r := httptest.NewRequestWithContext(WithOrigin(t.Context(), Origin{Actor: "guest"}), http.MethodPost, "/", nil)
		r.SetPathValue("id", receipt.ID.String())
		r.Header.Set("Cookie", "basket="+basket.String())
		return s.ask(endpoint, r)
	}
	const unknown = `{"detail":"Заказ не найден"}`
	from(s.orders.PayOwn, uuid.New()).wants(404, unknown)
	from(s.orders.PayOwn, uuid.Nil).wants(404, unknown)
	from(s.orders.CancelOwn, basket).wants(404, unknown)
	again := read[Receipt](from(s.orders.PayOwn, basket))
	equal(t, "payment URL", again.PaymentURL, "https://shop.example/pay/sandbox/"+payments.ID(receipt.ID, 2))
	equal(t, "order", again.Number, receipt.Number)

	if _, err := one(t.Context(), s.handler, orderStream(receipt.ID), func(u *Unit) order.Command {
		return order.Join{CustomerID: uuid.New(), At: u.At()}
	}); err != nil {
		t.Fatal(err)
	}
	from(s.orders.PayOwn, basket).wants(404, unknown) // it is a customer's now
}

// A bank that was heard of and did not say so: asking for another payment asks it first.
func TestPayAgainAsksTheProviderFirst(t *testing.T) {
	t.Parallel()
	s, receipt, stocked := cardOrder(t)
	s.orders.Provider = paidElsewhere{s.sandbox}
	s.own("payment", receipt.ID, linkKey, "guest").wants(409, `{"detail":"Заказ уже оплачен"}`)
	equal(t, "after asking", stocked(), "reserved 2, uses 1, APPROVED")
}

func TestCodeWithOneUseLeft(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	cream := s.product(9_000, 9_000, 1000)
	s.promocode("LAST", promocode.Terms{Kind: promocode.Percent, Value: 10, Uses: 1})
	answers := make([]response, 50)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() {
			answers[i] = s.place(checkout(lineOf(cream, 1)).with("promocode", "LAST").with("customer_phone", fmt.Sprintf("8701%07d", i)).with("expected_total", 10_000))
		})
	}
	all.Wait()
	won := 0
	for _, r := range answers {
		if r.Code == http.StatusCreated {
			won++
			continue
		}
		r.wants(400, `{"promocode":["Промокод уже использован"]}`)
	}
	equal(t, "winners", won, 1)
	equal(t, "uses", s.codeOf("LAST").Uses, 1)
	equal(t, "reserved", s.stockOf(cream).Reserved, 1)
}

func TestCodeOncePerCustomer(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	cream := s.product(9_000, 9_000, 1000)
	s.promocode("EACH", promocode.Terms{Kind: promocode.Percent, Value: 10, UsesPerUser: 1})
	asked := checkout(lineOf(cream, 1)).with("promocode", "EACH")
	var all sync.WaitGroup
	answers := make([]response, 10)
	for i := range answers {
		all.Go(func() { answers[i] = s.place(asked) })
	}
	all.Wait()
	var winner Receipt
	won := 0
	for _, r := range answers {
		if r.Code == http.StatusCreated {
			winner, won = read[Receipt](r), won+1
		}
	}
	equal(t, "winners", won, 1)
	s.place(asked).wants(400, `{"promocode":["Вы уже использовали этот промокод"]}`)
	s.placed(asked.with("customer_phone", "87770000000"))
	if _, err := s.orders.Cancel(t.Context(), winner.ID, "staff", ""); err != nil {
		t.Fatal(err)
	}
	s.placed(asked) // it was given back
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
func completed(t *testing.T) (*testShop, Receipt, *countingBank) {
	t.Helper()
	s, receipt, _ := cardOrder(t)
	bank := &countingBank{Sandbox: s.sandbox, refunded: map[string]domain.Money{}}
	s.orders.Provider = bank
	s.bankPage(payments.ID(receipt.ID, 1), "pay")
	for _, step := range []func(context.Context, domain.ID) (eventstore.Position, error){s.orders.Process, s.orders.Complete} {
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
		_, err := s.orders.Refund(t.Context(), receipt.ID, amount, id)
		state := s.orderOf(receipt.ID)
		if err != nil {
			_, body, _ := Answer(err)
			return fmt.Sprint(body)
		}
		return fmt.Sprint(state.Status, " ", state.Captured())
	}
	equal(t, "more than there is", refund(16_201, "a"), "{Вернуть можно не больше, чем поступило <nil>}")
	equal(t, "a part", refund(1_000, "a"), "COMPLETED 15200")
	equal(t, "the same part again", refund(1_000, "a"), "COMPLETED 15200")
	equal(t, "another part", refund(1_000, "b"), "COMPLETED 14200")
	equal(t, "the rest", refund(0, "c"), "REFUNDED 0")
	equal(t, "the rest again", refund(0, "c"), "REFUNDED 0")
	equal(t, "after all", refund(0, ""), "{Заказ ещё не оплачен <nil>}")
	equal(t, "given back", bank.total(), 16_200)
	equal(t, "calls", bank.calls, 3)
}

func TestRefundOfALiveOrderIsACancellation(t *testing.T) {
	t.Parallel()
	s, receipt, _ := cardOrder(t)
	s.bankPage(payments.ID(receipt.ID, 1), "pay")
	before := s.head()
	_, err := s.orders.Refund(t.Context(), receipt.ID, 0, "")
	if !errors.Is(err, order.ErrNothingToReturn) {
		t.Errorf("error is %v", err)
	}
	equal(t, "head", s.head(), before)
}

func TestRefundOfCashAsksNoProvider(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	bank := &countingBank{Sandbox: s.sandbox, refunded: map[string]domain.Money{}}
	s.orders.Provider = bank
	receipt := s.placed(checkout(lineOf(s.product(9_000, 9_000, 10), 1)))
	for _, step := range []func(context.Context, domain.ID) (eventstore.Position, error){s.orders.Approve, s.orders.Process, s.orders.Complete} {
		if _, err := step(t.Context(), receipt.ID); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.orders.Refund(t.Context(), receipt.ID, 0, ""); err != nil {
		t.Fatal(err)
	}
	equal(t, "status", s.orderOf(receipt.ID).Status, order.StatusRefunded)
	equal(t, "calls", bank.calls, 0)
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
	for name, crash := range map[string]func(s *testShop, bank *countingBank){
		"before the call": func(s *testShop, bank *countingBank) { s.orders.Provider = dyingBank{bank, true} },
		"after the call":  func(s *testShop, bank *countingBank) { s.orders.Provider = dyingBank{bank, false} },
		"before the append": func(s *testShop, bank *countingBank) {
			s.use(crashingLog{Store: s.log, before: true})
			s.orders.Provider = bank
		},
		"after the append": func(s *testShop, bank *countingBank) {
			s.use(crashingLog{Store: s.log, after: true})
			s.orders.Provider = bank
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, receipt, bank := completed(t)
			second := s.placed(checkout(lineOf(s.product(9_000, 9_000, 10), 1)).with("payment_method", "CARD"))
			s.notify(s.says(payments.Notification{PaymentID: payments.ID(second.ID, 1), Outcome: payments.Paid, Amount: second.TotalPaid}))
			if _, err := one(t.Context(), s.handler, orderStream(second.ID), func(u *Unit) order.Command {
				return order.Cancel{By: "staff", At: u.At()} // and the process ends before it gives the money back
			}); err != nil {
				t.Fatal(err)
			}
			crash(s, bank)
			if _, err := s.orders.Refund(t.Context(), receipt.ID, 1_000, "part"); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("error is %v", err)
			}
			if _, err := s.orders.GiveBack(t.Context(), second.ID); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("error is %v", err)
			}
			s.use(s.log)
			s.orders.Provider = bank
			for range 2 {
				s.clock.Advance(time.Hour)
				due, err := s.orders.Books.DueDebts(t.Context(), s.clock.Now(), 10)
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range due {
					if _, err := s.orders.PayDebt(t.Context(), d); err != nil {
						t.Error(err)
					}
				}
				if _, err := s.orders.GiveBack(t.Context(), second.ID); err != nil {
					t.Error(err)
				}
			}
			equalText(t, "first", fmt.Sprint(s.orderOf(receipt.ID).Status, " ", s.orderOf(receipt.ID).Captured()), "COMPLETED 15200")
			equalText(t, "second", fmt.Sprint(s.orderOf(second.ID).Status, " ", s.orderOf(second.ID).Captured()), "REFUNDED 0")
			equal(t, "given back", bank.total(), 1_000+second.TotalPaid)
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
	first := *s.orders
	s.use(meanwhileLog{s.log, new(sync.Once), func() {
		if _, err := first.Refund(t.Context(), receipt.ID, 0, "first"); err != nil {
			t.Error(err)
		}
	}})
	s.orders.Provider = bank
	if _, err := s.orders.Refund(t.Context(), receipt.ID, 0, "second"); !errors.Is(err, order.ErrRefundTooMuch) {
		t.Errorf("error is %v", err)
	}
	equal(t, "calls", bank.calls, 1)
	equal(t, "given back", bank.total(), 16_200)
	due, err := s.orders.Books.Debts(t.Context(), receipt.ID)
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
	s.use(blindLog{s.log, new(atomic.Int32)})
	s.orders.Provider = bank
	if _, err := s.orders.Refund(t.Context(), receipt.ID, 1_000, "part"); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error is %v", err)
	}
	due, err := s.orders.Books.Debts(t.Context(), receipt.ID)
	if err != nil || len(due) != 1 || due[0].Tries != 0 {
		t.Errorf("debts %+v, %v", due, err)
	}
	equal(t, "calls", bank.calls, 0)
}

func TestARefundBesideOneThatIsOnItsWayIsRefused(t *testing.T) {
	t.Parallel()
	s, receipt, bank := completed(t)
	bank.down = true
	if _, err := s.orders.Refund(t.Context(), receipt.ID, 16_000, "first"); !errors.Is(err, errDown) {
		t.Errorf("error is %v", err)
	}
	bank.down = false
	if _, err := s.orders.Refund(t.Context(), receipt.ID, 1_000, "second"); !errors.Is(err, order.ErrRefundTooMuch) {
		t.Errorf("error is %v", err)
	}
	equal(t, "given back", bank.total(), 0)
}

// TestProviderThatIsDownDelaysRefunds: the order is cancelled at once, the money follows, and is asked for ever less often.
func TestProviderThatIsDownDelaysRefunds(t *testing.T) {
	t.Parallel()
	s, receipt, _ := cardOrder(t)
	bank := &countingBank{Sandbox: s.sandbox, refunded: map[string]domain.Money{}, down: true}
	s.orders.Provider = bank
	s.bankPage(payments.ID(receipt.ID, 1), "pay")
	if _, err := s.orders.Cancel(t.Context(), receipt.ID, "staff", ""); err != nil {
		t.Fatal(err)
	}
	equal(t, "status", s.orderOf(receipt.ID).Status, order.StatusCancelled)
	try := func() {
		t.Helper()
		due, err := s.orders.Books.DueDebts(t.Context(), s.clock.Now(), 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range due {
			s.orders.PayDebt(t.Context(), d)
		}
	}
	for range 24 * 60 {
		s.clock.Advance(time.Minute)
		try()
	}
	if bank.calls < 20 || bank.calls > 40 {
		t.Errorf("%d calls in a day", bank.calls)
	}
	bank.down = false
	s.clock.Advance(time.Hour)
	try()
	equal(t, "status", s.orderOf(receipt.ID).Status, order.StatusRefunded)
}

// A provider that is silent holds goods a little longer, and not for ever.
func TestSilentProviderHoldsGoodsALittleLonger(t *testing.T) {
	t.Parallel()
	s, receipt, stocked := cardOrder(t)
	s.orders.Provider = silentBank{s.sandbox}
	s.clock.Advance(44 * time.Minute)
	if _, err := s.orders.ExpirePayment(t.Context(), receipt.ID); !errors.Is(err, errDown) {
		t.Errorf("error is %v", err)
	}
	equal(t, "while it is silent", stocked(), "reserved 2, uses 1, RECEIVED")
	s.clock.Advance(time.Minute)
	s.expire(receipt.ID)
	equal(t, "after a quarter of an hour", stocked(), "reserved 0, uses 0, PAYMENT_ERR")
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
		return s.notify(s.says(payments.Notification{PaymentID: payment, Outcome: payments.Asked, Amount: amount})).body()
	}
	before := s.head()
	first := payments.ID(receipt.ID, 1)
	equal(t, "as asked", ask(first, 16_200), `{"code":0}`)
	equal(t, "another sum", ask(first, 16_199), `{"code":12}`)
	equal(t, "no payment", ask("nonsense", 16_200), `{"code":10}`)
	equal(t, "no order", ask(payments.ID(uuid.New(), 1), 16_200), `{"code":10}`)
	equal(t, "another attempt", ask(payments.ID(receipt.ID, 2), 16_200), `{"code":13}`)
	s.clock.Advance(30 * time.Minute)
	equal(t, "too late", ask(first, 16_200), `{"code":20}`)
	equal(t, "head", s.head(), before)
	s.bankPage(first, "pay")
	equal(t, "paid", ask(first, 16_200), `{"code":13}`)
}

func TestKaspiBillHasADay(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	cream := s.product(9_000, 9_000, 1)
	receipt := s.placed(checkout(lineOf(cream, 1)).with("payment_method", "KASPI_BILL"))
	page, _ := s.bankPage(payments.ID(receipt.ID, 1), "leave")
	for _, want := range []string{"Счёт Kaspi на заказ 100001", "04.03.2026, 12:00"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q:\n%s", want, page)
		}
	}
	s.clock.Advance(24*time.Hour - time.Second)
	s.expire(receipt.ID)
	equal(t, "held", s.stockOf(cream).Held(receipt.ID), 1)
	s.clock.Advance(time.Second)
	s.expire(receipt.ID)
	equal(t, "free", s.stockOf(cream).Free(), 1)
}
