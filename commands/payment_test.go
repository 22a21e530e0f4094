package commands_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"shop/commands"
	"shop/commands/payments"
	"shop/commands/shopapi"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/promocode"
)

// cardOrder places an order of 2 pieces with a promo code that has one use, to be paid by card.
func cardOrder(t *testing.T) (s *testshop.Shop, receipt commands.Receipt, stocked func() string) {
	t.Helper()
	s = testshop.Open(t)
	cream := s.Product(9_000, 9_000, 10)
	s.Promocode("ONE", promocode.Terms{Kind: promocode.Percent, Value: 10, Uses: 1})
	receipt = s.Placed(testshop.Checkout(testshop.Line(cream, 2)).With("payment_method", "CARD").With("promocode", "ONE"))
	return s, receipt, func() string {
		return fmt.Sprintf("reserved %d, uses %d, %s", s.StockOf(cream).Reserved, s.CodeOf("ONE").Uses, s.OrderOf(receipt.ID).Status)
	}
}

func TestCardOrderAwaitsItsMoney(t *testing.T) {
	t.Parallel()
	s, receipt, stocked := cardOrder(t)
	id := payments.ID(receipt.ID, 1)
	testshop.EqualText(t, "receipt", fmt.Sprint(receipt.Status, " ", receipt.IsPaid, receipt.PayableNow, " ", receipt.PaymentURL),
		"RECEIVED false 16200 https://shop.example/pay/sandbox/"+id)
	testshop.Equal(t, "pay before", s.OrderOf(receipt.ID).PayBefore, testshop.Noon.Add(30*time.Minute))
	testshop.Equal(t, "after checkout", stocked(), "reserved 2, uses 1, RECEIVED")
	kaspi := s.Placed(testshop.Checkout(testshop.Line(s.Product(9_000, 9_000, 1), 1)).With("payment_method", "KASPI_BILL"))
	testshop.Equal(t, "pay before by Kaspi", s.OrderOf(kaspi.ID).PayBefore, testshop.Noon.Add(24*time.Hour))
}

func TestPaidAtTheBank(t *testing.T) {
	t.Parallel()
	s, receipt, stocked := cardOrder(t)
	before := s.Head()
	page, location := s.BankPage(payments.ID(receipt.ID, 1), "pay")
	for _, want := range []string{"Оплата заказа 100001", "16 200 ₸", "Дала", "Уйти, не заплатив"} {
		if !strings.Contains(testshop.Plain(page), want) {
			t.Errorf("the page does not say %q:\n%s", want, page)
		}
	}
	testshop.Equal(t, "location", location, "/#success_popup")
	testshop.EqualText(t, "log", s.Types(before), "[order.paid order.approved]")
	testshop.Equal(t, "after payment", stocked(), "reserved 2, uses 1, APPROVED")
	testshop.Equal(t, "paid", s.OrderOf(receipt.ID).IsPaid(), true)

	before = s.Head()
	s.Notify(s.Says(payments.Notification{PaymentID: payments.ID(receipt.ID, 1), Outcome: payments.Paid, Amount: 16_200})).Wants(200, `{"code":0}`)
	s.Notify(s.Says(payments.Notification{PaymentID: payments.ID(receipt.ID, 1), Outcome: payments.Refused})).Wants(200, `{"code":0}`)
	testshop.Equal(t, "head after repeated and reordered notifications", s.Head(), before)
	page, _ = s.BankPage(payments.ID(receipt.ID, 1), "pay")
	if !strings.Contains(page, "Заказ 100001 оплачен") {
		t.Errorf("the page asks again:\n%s", page)
	}
}

func TestTheTestBankSpeaksKazakh(t *testing.T) {
	t.Parallel()
	s, receipt, _ := cardOrder(t)
	kazakh := commands.WithOrigin(t.Context(), commands.Origin{Language: domain.Kazakh})
	show := httptest.NewRequestWithContext(kazakh, http.MethodGet, "/pay/sandbox/", nil)
	show.SetPathValue("payment", payments.ID(receipt.ID, 1))
	page := testshop.Plain(s.Ask(s.Bank.Page, show).Text())
	for _, want := range []string{`<html lang="kk">`, "100001 тапсырысты төлеу", "16 200 ₸ төлеу", `name="token"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q:\n%s", want, page)
		}
	}
}

func TestRefusedAtTheBank(t *testing.T) {
	t.Parallel()
	s, receipt, stocked := cardOrder(t)
	before := s.Head()
	_, location := s.BankPage(payments.ID(receipt.ID, 1), "refuse")
	testshop.Equal(t, "location", location, "/#error_popup")
	testshop.EqualText(t, "log", s.Types(before), "[order.payment-failed promocode.returned stock.released]")
	testshop.Equal(t, "after refusal", stocked(), "reserved 0, uses 0, PAYMENT_ERR")
	events, err := s.Log.Stream(t.Context(), order.Stream(receipt.ID), 2, 0)
	if err != nil {
		t.Fatal(err)
	}
	testshop.Equal(t, "actor", events[0].Metadata.Actor, "system:payments")

	before = s.Head()
	s.Notify(s.Says(payments.Notification{PaymentID: payments.ID(receipt.ID, 1), Outcome: payments.Refused})).Wants(200, `{"code":0}`)
	testshop.Equal(t, "head", s.Head(), before)
	page, _ := s.BankPage(payments.ID(receipt.ID, 1), "pay")
	if !strings.Contains(page, "Счёт закрыт") {
		t.Errorf("the page asks again:\n%s", page)
	}
}

func TestForgedNotificationsChangeNothing(t *testing.T) {
	t.Parallel()
	s, receipt, _ := cardOrder(t)
	before := s.Head()
	header, body := s.Says(payments.Notification{PaymentID: payments.ID(receipt.ID, 1), Outcome: payments.Paid, Amount: 16_200})
	s.Notify(http.Header{}, body).Wants(403, `{"detail":"Подпись уведомления неверна"}`)
	s.Notify(header, []byte(strings.Replace(string(body), "16200", "1", 1))).Wants(403, `{"detail":"Подпись уведомления неверна"}`)
	stranger := payments.NewSandbox("https://shop.example", []byte("another secret"))
	otherHeader, otherBody, err := stranger.Notification(payments.Notification{PaymentID: payments.ID(receipt.ID, 1), Outcome: payments.Paid})
	if err != nil {
		t.Fatal(err)
	}
	s.Notify(otherHeader, otherBody).Wants(403, `{"detail":"Подпись уведомления неверна"}`)
	s.Notify(s.Says(payments.Notification{PaymentID: "nonsense", Outcome: payments.Paid})).Wants(404, `{"detail":"Платёж не найден","code":"payment/unknown"}`)
	testshop.Equal(t, "head", s.Head(), before)
}

func TestBankPageRefusesOtherSitesForms(t *testing.T) {
	t.Parallel()
	s, receipt, _ := cardOrder(t)
	before := s.Head()
	id := payments.ID(receipt.ID, 1)
	for name, form := range map[string]url.Values{
		"no token":    {"decision": {"pay"}},
		"wrong token": {"decision": {"pay"}, "token": {"x"}},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/pay/sandbox/"+id, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.SetPathValue("payment", id)
		r.AddCookie(&http.Cookie{Name: "sandbox", Value: "x"})
		if got := s.Ask(s.Bank.Decide, r).Header().Get("Location"); got != "/pay/sandbox/"+id {
			t.Errorf("%s: goes to %q", name, got)
		}
	}
	testshop.Equal(t, "head", s.Head(), before)
	page, _ := s.BankPage("nonsense", "pay")
	if !strings.Contains(page, "Счёт не найден") {
		t.Errorf("page of no payment:\n%s", page)
	}
}

func TestUnpaidOrderExpires(t *testing.T) {
	t.Parallel()
	s, receipt, stocked := cardOrder(t)
	expire := func() {
		t.Helper()
		if _, err := s.Orders.ExpirePayment(t.Context(), receipt.ID); err != nil {
			t.Fatal(err)
		}
	}
	before := s.Head()
	s.Clock.Advance(30*time.Minute - time.Microsecond)
	expire()
	testshop.Equal(t, "head while there is time", s.Head(), before)
	s.Clock.Advance(time.Microsecond)
	expire()
	testshop.EqualText(t, "log", s.Types(before), "[order.payment-expired promocode.returned stock.released]")
	testshop.Equal(t, "after expiry", stocked(), "reserved 0, uses 0, PAYMENT_ERR")
	before = s.Head()
	expire()
	testshop.Equal(t, "head when expired again", s.Head(), before)
}

func TestMoneyThatComesLateTakesTheGoodsAgain(t *testing.T) {
	t.Parallel()
	s, receipt, stocked := cardOrder(t)
	s.Clock.Advance(time.Hour)
	if _, err := s.Orders.ExpirePayment(t.Context(), receipt.ID); err != nil {
		t.Fatal(err)
	}
	s.Notify(s.Says(payments.Notification{PaymentID: payments.ID(receipt.ID, 1), Outcome: payments.Paid, Amount: 16_200})).Wants(200, `{"code":0}`)
	testshop.Equal(t, "after the money", stocked(), "reserved 2, uses 1, APPROVED")
}

func TestMoneyThatComesTooLateGoesBack(t *testing.T) {
	t.Parallel()
	s, receipt, stocked := cardOrder(t)
	s.Clock.Advance(time.Hour)
	if _, err := s.Orders.ExpirePayment(t.Context(), receipt.ID); err != nil {
		t.Fatal(err)
	}
	cream := s.OrderOf(receipt.ID).Placed.Calculation.Lines[0].ProductID
	if _, err := testshop.Count(t.Context(), s.Handler, cream, 1); err != nil {
		t.Fatal(err)
	}
	before := s.Head()
	s.Notify(s.Says(payments.Notification{PaymentID: payments.ID(receipt.ID, 1), Outcome: payments.Paid, Amount: 16_200})).Wants(200, `{"code":0}`)
	testshop.EqualText(t, "log", s.Types(before), "[order.paid order.cancelled order.refunded]")
	testshop.Equal(t, "after the money", stocked(), "reserved 0, uses 0, REFUNDED")
}

// paidElsewhere is a bank that knows of a payment whose notification got lost.
type paidElsewhere struct{ *payments.Sandbox }

func (paidElsewhere) State(_ context.Context, id string) (payments.Notification, error) {
	return payments.Notification{PaymentID: id, Outcome: payments.Paid, Amount: 16_200}, nil
}

func TestExpiryAsksTheProviderFirst(t *testing.T) {
	t.Parallel()
	s, receipt, stocked := cardOrder(t)
	s.Orders.Providers.Current = paidElsewhere{s.Sandbox}
	s.Clock.Advance(44 * time.Minute)
	if _, err := s.Orders.ExpirePayment(t.Context(), receipt.ID); err != nil {
		t.Fatal(err)
	}
	testshop.Equal(t, "after asking", stocked(), "reserved 2, uses 1, APPROVED")
}

// downBank cannot be reached.
type downBank struct{ *payments.Sandbox }

var errDown = errors.New("bank is down")

func (downBank) Create(context.Context, payments.Payment) (string, error) { return "", errDown }

func TestProviderThatIsDownLeavesAnOrderToPayLater(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(9_000, 9_000, 10)
	s.Orders.Providers.Current = downBank{s.Sandbox}
	asked := testshop.Checkout(testshop.Line(cream, 1)).With("payment_method", "CARD")
	receipt := s.Placed(asked, testshop.WithKey("k"))
	testshop.Equal(t, "payment URL", receipt.PaymentURL, "https://shop.example/pay/"+payments.ID(receipt.ID, 1))
	forward := func() string {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/pay/"+payments.ID(receipt.ID, 1), nil)
		r.SetPathValue("payment", payments.ID(receipt.ID, 1))
		return s.Ask(shopapi.Payments{Orders: s.Orders}.Forward, r).Header().Get("Location")
	}
	testshop.Equal(t, "on to the bank that is down", forward(), "/#error_popup")
	s.Orders.Providers.Current = s.Sandbox
	bank := "https://shop.example/pay/sandbox/" + payments.ID(receipt.ID, 1)
	testshop.Equal(t, "on to the bank", forward(), bank)
	testshop.Equal(t, "payment URL of the same request", s.Placed(asked, testshop.WithKey("k")).PaymentURL, bank)
	s.BankPage(payments.ID(receipt.ID, 1), "pay")
	testshop.Equal(t, "on when paid", forward(), "/#success_popup")
}

func TestBodyOfANotificationIsBounded(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	s.Notify(http.Header{}, []byte(strings.Repeat("x", 64<<10+1))).Wants(413, `{"detail":"Слишком большой запрос"}`)
}

func TestCrashAroundTheCommitLeavesAllOrNothing(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	cream := s.Product(9_000, 9_000, 10)
	order := testshop.Checkout(testshop.Line(cream, 1)).With("payment_method", "CARD")

	before := s.Head()
	s.Use(testshop.CrashingLog{Store: s.Log, Before: true})
	if err := (shopapi.Orders{Orders: s.Orders}).Place(httptest.NewRecorder(), testshop.Post(t.Context(), order, testshop.WithKey("k"))); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error is %v", err)
	}
	testshop.Equal(t, "head", s.Head(), before)

	s.Use(testshop.CrashingLog{Store: s.Log, After: true})
	r := s.Place(order, testshop.WithKey("k")) // written, but the process does not know; it looks before it gives up
	testshop.Equal(t, "status", r.Code, 201)
	s.Use(s.Log)
	s.Place(order, testshop.WithKey("k")).Wants(201, r.Text())
	testshop.EqualText(t, "log", s.Types(before), "[order.placed order.payment-requested stock.reserved]")
	_, location := s.BankPage(payments.ID(testshop.Read[commands.Receipt](r).ID, 1), "pay")
	testshop.Equal(t, "location", location, "/#success_popup")
}
