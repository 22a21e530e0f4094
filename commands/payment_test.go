package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"shop/commands/payments"
	"shop/domain/order"
	"shop/domain/promocode"
	"shop/eventstore"
)

// cardOrder places an order of 2 pieces with a promo code that has one use, to be paid by card.
func cardOrder(t *testing.T) (s *testShop, receipt Receipt, stocked func() string) {
	t.Helper()
	s = openShop(t)
	cream := s.product(9_000, 9_000, 10)
	s.promocode("ONE", promocode.Terms{Kind: promocode.Percent, Value: 10, Uses: 1})
	receipt = s.placed(checkout(lineOf(cream, 2)).with("payment_method", "CARD").with("promocode", "ONE"))
	return s, receipt, func() string {
		return fmt.Sprintf("reserved %d, uses %d, %s", s.stockOf(cream).Reserved, s.codeOf("ONE").Uses, s.orderOf(receipt.ID).Status)
	}
}

// bankPage walks through the bank's page like a browser: open, then press a button.
func (s *testShop) bankPage(paymentID, decision string) (page, location string) {
	s.t.Helper()
	show := httptest.NewRequestWithContext(s.t.Context(), http.MethodGet, "/pay/sandbox/"+paymentID, nil)
	show.SetPathValue("payment", paymentID)
	shown := s.ask(s.bank.Page, show)
	page = shown.body()
	token := regexp.MustCompile(`name="token" value="([^"]+)"`).FindStringSubmatch(page)
	if token == nil {
		return page, ""
	}
	press := httptest.NewRequestWithContext(s.t.Context(), http.MethodPost, "/pay/sandbox/"+paymentID,
		strings.NewReader(url.Values{"token": {token[1]}, "decision": {decision}}.Encode()))
	press.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	press.SetPathValue("payment", paymentID)
	for _, c := range shown.Result().Cookies() {
		press.AddCookie(c)
	}
	return page, s.ask(s.bank.Decide, press).Header().Get("Location")
}

// notify sends a notification to the shop's endpoint.
func (s *testShop) notify(header http.Header, body []byte) response {
	s.t.Helper()
	r := httptest.NewRequestWithContext(s.t.Context(), http.MethodPost, "/api/payments/sandbox", strings.NewReader(string(body)))
	r.Header = header
	r.SetPathValue("provider", "sandbox")
	return s.ask(s.orders.Notify, r)
}

// says signs a notification as the bank would.
func (s *testShop) says(n payments.Notification) (http.Header, []byte) {
	s.t.Helper()
	header, body, err := s.sandbox.Notification(n)
	if err != nil {
		s.t.Fatal(err)
	}
	return header, body
}

func TestCardOrderAwaitsItsMoney(t *testing.T) {
	t.Parallel()
	s, receipt, stocked := cardOrder(t)
	id := payments.ID(receipt.ID, 1)
	equalText(t, "receipt", fmt.Sprint(receipt.Status, " ", receipt.IsPaid, receipt.PayableNow, " ", receipt.PaymentURL),
		"RECEIVED false 16200 https://shop.example/pay/sandbox/"+id)
	equal(t, "pay before", s.orderOf(receipt.ID).PayBefore, noon.Add(30*time.Minute))
	equal(t, "after checkout", stocked(), "reserved 2, uses 1, RECEIVED")
	kaspi := s.placed(checkout(lineOf(s.product(9_000, 9_000, 1), 1)).with("payment_method", "KASPI_BILL"))
	equal(t, "pay before by Kaspi", s.orderOf(kaspi.ID).PayBefore, noon.Add(24*time.Hour))
}

func TestPaidAtTheBank(t *testing.T) {
	t.Parallel()
	s, receipt, stocked := cardOrder(t)
	before := s.head()
	page, location := s.bankPage(payments.ID(receipt.ID, 1), "pay")
	for _, want := range []string{"Оплата заказа 100001", "16 200 ₸", "Дала", "Уйти, не заплатив"} {
		if !strings.Contains(plain(page), want) {
			t.Errorf("the page does not say %q:\n%s", want, page)
		}
	}
	equal(t, "location", location, "/#success_popup")
	equalText(t, "log", s.types(before), "[order.paid order.approved]")
	equal(t, "after payment", stocked(), "reserved 2, uses 1, APPROVED")
	equal(t, "paid", s.orderOf(receipt.ID).IsPaid(), true)

	before = s.head()
	s.notify(s.says(payments.Notification{PaymentID: payments.ID(receipt.ID, 1), Outcome: payments.Paid, Amount: 16_200})).wants(200, `{"code":0}`)
	s.notify(s.says(payments.Notification{PaymentID: payments.ID(receipt.ID, 1), Outcome: payments.Refused})).wants(200, `{"code":0}`)
	equal(t, "head after repeated and reordered notifications", s.head(), before)
	page, _ = s.bankPage(payments.ID(receipt.ID, 1), "pay")
	if !strings.Contains(page, "Заказ 100001 оплачен") {
		t.Errorf("the page asks again:\n%s", page)
	}
}

func TestRefusedAtTheBank(t *testing.T) {
	t.Parallel()
	s, receipt, stocked := cardOrder(t)
	before := s.head()
	_, location := s.bankPage(payments.ID(receipt.ID, 1), "refuse")
	equal(t, "location", location, "/#error_popup")
	equalText(t, "log", s.types(before), "[order.payment-failed promocode.returned stock.released]")
	equal(t, "after refusal", stocked(), "reserved 0, uses 0, PAYMENT_ERR")
	events, err := s.log.Stream(t.Context(), order.Stream(receipt.ID), 2, 0)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "actor", events[0].Metadata.Actor, "system:payments")

	before = s.head()
	s.notify(s.says(payments.Notification{PaymentID: payments.ID(receipt.ID, 1), Outcome: payments.Refused})).wants(200, `{"code":0}`)
	equal(t, "head", s.head(), before)
	page, _ := s.bankPage(payments.ID(receipt.ID, 1), "pay")
	if !strings.Contains(page, "Счёт закрыт") {
		t.Errorf("the page asks again:\n%s", page)
	}
}

func TestForgedNotificationsChangeNothing(t *testing.T) {
	t.Parallel()
	s, receipt, _ := cardOrder(t)
	before := s.head()
	header, body := s.says(payments.Notification{PaymentID: payments.ID(receipt.ID, 1), Outcome: payments.Paid, Amount: 16_200})
	s.notify(http.Header{}, body).wants(403, `{"detail":"Подпись уведомления неверна"}`)
	s.notify(header, []byte(strings.Replace(string(body), "16200", "1", 1))).wants(403, `{"detail":"Подпись уведомления неверна"}`)
	stranger := payments.NewSandbox("https://shop.example", []byte("another secret"))
	otherHeader, otherBody, err := stranger.Notification(payments.Notification{PaymentID: payments.ID(receipt.ID, 1), Outcome: payments.Paid})
	if err != nil {
		t.Fatal(err)
	}
	s.notify(otherHeader, otherBody).wants(403, `{"detail":"Подпись уведомления неверна"}`)
	s.notify(s.says(payments.Notification{PaymentID: "nonsense", Outcome: payments.Paid})).wants(404, `{"detail":"Платёж не найден"}`)
	equal(t, "head", s.head(), before)
}

func TestBankPageRefusesOtherSitesForms(t *testing.T) {
	t.Parallel()
	s, receipt, _ := cardOrder(t)
	before := s.head()
	id := payments.ID(receipt.ID, 1)
	for name, form := range map[string]url.Values{
		"no token":    {"decision": {"pay"}},
		"wrong token": {"decision": {"pay"}, "token": {"x"}},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/pay/sandbox/"+id, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.SetPathValue("payment", id)
		r.AddCookie(&http.Cookie{Name: "sandbox", Value: "x"})
		if got := s.ask(s.bank.Decide, r).Header().Get("Location"); got != "/pay/sandbox/"+id {
			t.Errorf("%s: goes to %q", name, got)
		}
	}
	equal(t, "head", s.head(), before)
	page, _ := s.bankPage("nonsense", "pay")
	if !strings.Contains(page, "Счёт не найден") {
		t.Errorf("page of no payment:\n%s", page)
	}
}

func TestUnpaidOrderExpires(t *testing.T) {
	t.Parallel()
	s, receipt, stocked := cardOrder(t)
	expire := func() {
		t.Helper()
		if _, err := s.orders.ExpirePayment(t.Context(), receipt.ID); err != nil {
			t.Fatal(err)
		}
	}
	before := s.head()
	s.clock.Advance(30*time.Minute - time.Microsecond)
	expire()
	equal(t, "head while there is time", s.head(), before)
	s.clock.Advance(time.Microsecond)
	expire()
	equalText(t, "log", s.types(before), "[order.payment-expired promocode.returned stock.released]")
	equal(t, "after expiry", stocked(), "reserved 0, uses 0, PAYMENT_ERR")
	before = s.head()
	expire()
	equal(t, "head when expired again", s.head(), before)
}

func TestMoneyThatComesLateTakesTheGoodsAgain(t *testing.T) {
	t.Parallel()
	s, receipt, stocked := cardOrder(t)
	s.clock.Advance(time.Hour)
	if _, err := s.orders.ExpirePayment(t.Context(), receipt.ID); err != nil {
		t.Fatal(err)
	}
	s.notify(s.says(payments.Notification{PaymentID: payments.ID(receipt.ID, 1), Outcome: payments.Paid, Amount: 16_200})).wants(200, `{"code":0}`)
	equal(t, "after the money", stocked(), "reserved 2, uses 1, APPROVED")
}

func TestMoneyThatComesTooLateGoesBack(t *testing.T) {
	t.Parallel()
	s, receipt, stocked := cardOrder(t)
	s.clock.Advance(time.Hour)
	if _, err := s.orders.ExpirePayment(t.Context(), receipt.ID); err != nil {
		t.Fatal(err)
	}
	cream := s.orderOf(receipt.ID).Placed.Calculation.Lines[0].ProductID
	if _, err := (&Stock{s.handler}).Adjust(t.Context(), cream, 1, ""); err != nil {
		t.Fatal(err)
	}
	before := s.head()
	s.notify(s.says(payments.Notification{PaymentID: payments.ID(receipt.ID, 1), Outcome: payments.Paid, Amount: 16_200})).wants(200, `{"code":0}`)
	equalText(t, "log", s.types(before), "[order.paid order.cancelled order.refunded]")
	equal(t, "after the money", stocked(), "reserved 0, uses 0, REFUNDED")
}

// paidElsewhere is a bank that knows of a payment whose notification got lost.
type paidElsewhere struct{ *payments.Sandbox }

func (paidElsewhere) State(_ context.Context, id string) (payments.Notification, error) {
	return payments.Notification{PaymentID: id, Outcome: payments.Paid, Amount: 16_200}, nil
}

func TestExpiryAsksTheProviderFirst(t *testing.T) {
	t.Parallel()
	s, receipt, stocked := cardOrder(t)
	s.orders.Provider = paidElsewhere{s.sandbox}
	s.clock.Advance(time.Hour)
	if _, err := s.orders.ExpirePayment(t.Context(), receipt.ID); err != nil {
		t.Fatal(err)
	}
	equal(t, "after asking", stocked(), "reserved 2, uses 1, APPROVED")
}

// downBank cannot be reached.
type downBank struct{ *payments.Sandbox }

var errDown = errors.New("bank is down")

func (downBank) Create(context.Context, payments.Payment) (string, error) { return "", errDown }

func TestProviderThatIsDownLeavesAnOrderToPayLater(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	cream := s.product(9_000, 9_000, 10)
	s.orders.Provider = downBank{s.sandbox}
	asked := checkout(lineOf(cream, 1)).with("payment_method", "CARD")
	receipt := s.placed(asked, withKey("k"))
	equal(t, "payment URL", receipt.PaymentURL, "https://shop.example/pay/"+payments.ID(receipt.ID, 1))
	forward := func() string {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/pay/"+payments.ID(receipt.ID, 1), nil)
		r.SetPathValue("payment", payments.ID(receipt.ID, 1))
		return s.ask(s.orders.Forward, r).Header().Get("Location")
	}
	equal(t, "on to the bank that is down", forward(), "/#error_popup")
	s.orders.Provider = s.sandbox
	bank := "https://shop.example/pay/sandbox/" + payments.ID(receipt.ID, 1)
	equal(t, "on to the bank", forward(), bank)
	equal(t, "payment URL of the same request", s.placed(asked, withKey("k")).PaymentURL, bank)
	s.bankPage(payments.ID(receipt.ID, 1), "pay")
	equal(t, "on when paid", forward(), "/#success_popup")
}

func TestBodyOfANotificationIsBounded(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.notify(http.Header{}, []byte(strings.Repeat("x", maxBody+1))).wants(413, `{"detail":"Слишком большой запрос"}`)
}

// crashingLog ends like a process that was killed before or right after the commit.
type crashingLog struct {
	*eventstore.Store
	before, after bool
}

func (l crashingLog) Append(ctx context.Context, a eventstore.Append) (eventstore.Appended, error) {
	if l.before {
		return eventstore.Appended{}, io.ErrUnexpectedEOF
	}
	appended, err := l.Store.Append(ctx, a)
	if l.after && err == nil {
		err = io.ErrUnexpectedEOF
	}
	return appended, err
}

func TestCrashAroundTheCommitLeavesAllOrNothing(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	cream := s.product(9_000, 9_000, 10)
	order := checkout(lineOf(cream, 1)).with("payment_method", "CARD")

	before := s.head()
	s.use(crashingLog{Store: s.log, before: true})
	if err := s.orders.Place(httptest.NewRecorder(), post(t.Context(), order, withKey("k"))); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error is %v", err)
	}
	equal(t, "head", s.head(), before)

	s.use(crashingLog{Store: s.log, after: true})
	r := s.place(order, withKey("k")) // written, but the process does not know; it looks before it gives up
	equal(t, "status", r.Code, 201)
	s.use(s.log)
	s.place(order, withKey("k")).wants(201, r.body())
	equalText(t, "log", s.types(before), "[order.placed order.payment-requested stock.reserved]")
	_, location := s.bankPage(payments.ID(read[Receipt](r).ID, 1), "pay")
	equal(t, "location", location, "/#success_popup")
}
