package payments

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"shop/domain"
)

// memory keeps links like Books.
type memory map[string]string

func (m memory) Link(_ context.Context, id string) (string, error) { return m[id], nil }

func (m memory) KeepLink(_ context.Context, id, url string) (string, error) {
	if m[id] == "" {
		m[id] = url
	}
	return m[id], nil
}

// api is an API that answers what a test says, and remembers what it was asked.
func api(t *testing.T, answer string) (*CloudPayments, *[]string) {
	t.Helper()
	var seen []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked map[string]any
		json.NewDecoder(r.Body).Decode(&asked)
		id, secret, _ := r.BasicAuth()
		seen = append(seen, fmt.Sprintf("%s %s:%s %s %v", r.URL.Path, id, secret, r.Header.Get("X-Request-ID"), asked))
		fmt.Fprint(w, answer)
	}))
	t.Cleanup(server.Close)
	return &CloudPayments{URL: server.URL + "/", PublicID: "pk", Secret: "secret", ShopURL: "https://shop.example", Books: memory{}}, &seen
}

func TestBillIsOpenedOnce(t *testing.T) {
	t.Parallel()
	c, seen := api(t, `{"Success":true,"Model":{"Id":"f2K8LV6reGE9WBFn","Url":"https://orders.cloudpayments.ru/d/f2K8"}}`)
	p := Payment{ID: "order-1", OrderNumber: 100001, Amount: 16_200, Method: domain.KaspiBill, Phone: "+77010000001", Email: "a@example.kz"}
	for range 2 {
		if url, err := c.Create(t.Context(), p); err != nil || url != "https://orders.cloudpayments.ru/d/f2K8" {
			t.Errorf("bill at %s, %v", url, err)
		}
	}
	if len(*seen) != 1 {
		t.Fatalf("asked %d times", len(*seen))
	}
	for _, want := range []string{"/orders/create pk:secret order-1 ", "Amount:16200", "Currency:KZT", "InvoiceId:order-1", "SuccessRedirectUrl:https://shop.example/#success_popup"} {
		if !strings.Contains((*seen)[0], want) {
			t.Errorf("asked %s, want %s", (*seen)[0], want)
		}
	}
}

func TestStateOfABill(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		`{"Success":true,"Model":{"TransactionId":5,"Amount":16200.0,"Currency":"KZT","Status":"Completed"}}`:                               "paid 16200 <nil>",
		`{"Success":true,"Model":{"TransactionId":5,"Amount":16200,"Currency":"KZT","Status":"Authorized"}}`:                                "pending 16200 <nil>",
		`{"Success":false,"Model":{"TransactionId":5,"Amount":16200,"Currency":"KZT","Status":"Declined","CardHolderMessage":"Нет денег"}}`: "refused Нет денег 16200 <nil>",
		`{"Success":false,"Message":"Not found"}`:                                                          "pending 0 <nil>",
		`{"Success":true,"Model":{"TransactionId":5,"Amount":10,"Currency":"RUB","Status":"Completed"}}`:   "payments: notification is not understood",
		`{"Success":true,"Model":{"TransactionId":5,"Amount":10.5,"Currency":"KZT","Status":"Completed"}}`: `"10.5" is no sum in tenge`,
		`<html>`: "read answer",
	} {
		c, _ := api(t, answer)
		n, err := c.State(t.Context(), "order-1")
		got := fmt.Sprint(err)
		if err == nil {
			got = strings.Join(strings.Fields(fmt.Sprint(n.Outcome, " ", n.Reason, " ", n.Amount, " ", err)), " ")
		}
		if !strings.Contains(got, want) || err == nil && n.PaymentID != "order-1" {
			t.Errorf("%s: %s of %s, want %s", answer, got, n.PaymentID, want)
		}
	}
}

func TestNotificationsOfCloudPayments(t *testing.T) {
	t.Parallel()
	c := &CloudPayments{Secret: "secret"}
	verify := func(kind, media, body string) string {
		mac := hmac.New(sha256.New, []byte("secret"))
		mac.Write([]byte(body))
		header := http.Header{"Content-Type": {media}}
		header.Set("Content-HMAC", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		n, err := c.Verify(kind, header, []byte(body))
		switch {
		case errors.Is(err, ErrForged):
			return "forged"
		case errors.Is(err, ErrUnreadable):
			return "unreadable"
		case err != nil:
			return err.Error()
		}
		return strings.TrimSpace(fmt.Sprint(n.Outcome, " ", n.PaymentID, " ", n.Amount, " ", n.RefundID, n.Reason))
	}
	const form, paid = "application/x-www-form-urlencoded; charset=utf-8", "TransactionId=7&Amount=16200.00&Currency=KZT&InvoiceId=o-1&Status=Completed&OperationType=Payment"
	for _, x := range []struct{ kind, media, body, want string }{
		{"check", form, paid, "asked o-1 16200"},
		{"pay", form, paid, "paid o-1 16200"},
		{"pay", "application/json", `{"TransactionId":7,"Amount":16200.00,"Currency":"KZT","InvoiceId":"o-1","Status":"Completed"}`, "paid o-1 16200"},
		{"pay", form, strings.Replace(paid, "Completed", "Authorized", 1), "pending o-1 16200"},
		{"fail", form, "TransactionId=7&Amount=16200&Currency=KZT&InvoiceId=o-1&ReasonCode=5051&Reason=InsufficientFunds", "refused o-1 16200 InsufficientFunds"},
		{"refund", form, "TransactionId=8&PaymentTransactionId=7&Amount=200.00&InvoiceId=o-1&OperationType=Refund", "refunded o-1 200 8"},
		{"cancel", form, "TransactionId=7&Amount=16200.00&InvoiceId=o-1", "refused o-1 16200 Платёж отменён"},
		{"refund", form, paid, "forged"},
		{"fail", form, paid, "forged"},
		{"cancel", form, paid, "forged"},
		{"", form, paid, "forged"},
		{"pay", form, "TransactionId=8&PaymentTransactionId=7&Amount=200.00&InvoiceId=o-1&Status=Completed", "forged"},
		{"pay", form, paid + "&ReasonCode=5051", "forged"},
		{"pay", form, strings.Replace(paid, "KZT", "RUB", 1), "unreadable"},
		{"pay", form, strings.Replace(paid, "16200.00", "16200.50", 1), "unreadable"},
		{"pay", form, strings.Replace(paid, "16200.00", "", 1), "unreadable"},
		{"pay", form, "%zz", "unreadable"},
		{"pay", "", paid, "unreadable"},
	} {
		if got := verify(x.kind, x.media, x.body); got != x.want {
			t.Errorf("%s %s: %s, want %s", x.kind, x.body, got, x.want)
		}
	}
}

// The account's secret and the payer's card go over https, and to nobody that an answer names.
func TestSecretsGoNowhereElse(t *testing.T) {
	t.Parallel()
	told := make(chan string, 1)
	thief := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, secret, _ := r.BasicAuth()
		select {
		case told <- secret:
		default:
		}
		fmt.Fprint(w, `{"Success":true,"Model":{"Url":"https://thief.example/d/1"}}`)
	}))
	defer thief.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		server := httptest.NewServer(http.RedirectHandler(thief.URL, status))
		c := &CloudPayments{URL: server.URL, PublicID: "pk", Secret: "secret", Books: memory{}}
		if url, err := c.Create(t.Context(), Payment{ID: "order-1", Amount: 1}); err == nil || !strings.Contains(err.Error(), fmt.Sprint("status ", status)) {
			t.Errorf("after %d the bill is at %q, %v", status, url, err)
		}
		server.Close()
	}
	select {
	case secret := <-told:
		t.Errorf("a redirect was followed, with the secret %q", secret)
	default:
	}
	for _, bad := range []string{"http://orders.cloudpayments.ru/d/1", "http://127.0.0.1:1/d/1", "https://", "//orders.cloudpayments.ru/d/1", "javascript:alert(1)", "https://user@orders.cloudpayments.ru/"} {
		c, _ := api(t, fmt.Sprintf(`{"Success":true,"Model":{"Url":%q}}`, bad))
		if url, err := c.Create(t.Context(), Payment{ID: "order-1", Amount: 1}); err == nil {
			t.Errorf("payers are sent to %q", url)
		}
	}
}
