package payments

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
)

func TestPaymentNamesItsOrder(t *testing.T) {
	t.Parallel()
	order := uuid.MustParse("01a1f92b-e7a1-7333-9bf5-14753a35ca93")
	if got, ok := OrderOf(ID(order, 12)); !ok || got != order {
		t.Errorf("order of %s is %s, %v", ID(order, 12), got, ok)
	}
	for _, wrong := range []string{"", "-1", order.String(), order.String() + "-", order.String() + "-0", order.String() + "-01", order.String() + "-x",
		order.String() + "-1 ", order.String() + "-+1", strings.Repeat("x", 36) + "-1", "{" + order.String() + "}-1"} {
		if got, ok := OrderOf(wrong); ok {
			t.Errorf("order of %q is %s", wrong, got)
		}
	}
}

func TestSignatureIsForOnePurpose(t *testing.T) {
	t.Parallel()
	s := NewSandbox("https://shop.example/", []byte("secret"))
	header, body, err := s.Notification(Notification{PaymentID: "p", Outcome: Paid, Amount: 5})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := s.Verify("", header, body); err != nil || n.Amount != 5 || n.Outcome != Paid {
		t.Errorf("notification is %v, %v", n, err)
	}
	header.Set("Content-HMAC", base64.StdEncoding.EncodeToString(s.mac("form", body)))
	if _, err := s.Verify("", header, body); !errors.Is(err, ErrForged) {
		t.Errorf("a form's token signs a notification: %v", err)
	}
	header.Set("Content-HMAC", "no base64!")
	if _, err := s.Verify("", header, body); !errors.Is(err, ErrForged) {
		t.Errorf("a broken signature: %v", err)
	}
}

// bank is a bank with one open bill, "open", and a paid one, "paid".
func bank(notified *[]string) *Bank {
	s := NewSandbox("https://shop.example", []byte("secret"))
	return &Bank{
		Sandbox: s, Shop: `<b>&"Дала"`,
		Bill: func(_ context.Context, payment string) (Bill, bool, error) {
			return Bill{OrderNumber: 100001, Amount: 16_200, Outcome: map[bool]Outcome{true: Paid, false: Pending}[payment == "paid"]}, true, nil
		},
		Notify: func(_ context.Context, header http.Header, body []byte) error {
			n, err := s.Verify("", header, body)
			*notified = append(*notified, string(n.Outcome))
			return err
		},
		Language: func(context.Context) string { return "" },
	}
}

func TestPageSpeaksTheVisitorsLanguage(t *testing.T) {
	t.Parallel()
	b := bank(nil)
	for language, want := range map[string]string{"": `lang="ru"`, "kk": `lang="kk"`} {
		b.Language = func(context.Context) string { return language }
		w := httptest.NewRecorder()
		if err := b.Page(w, request("GET", "open", "")); err != nil || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%q: %v %s", language, err, w.Body)
		}
	}
}

func request(method, payment, body string) *http.Request {
	r := httptest.NewRequest(method, "/pay/sandbox/"+payment, strings.NewReader(body))
	r.SetPathValue("payment", payment)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

func TestPageAllowsItsOwnStylesheetAndNoMore(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	if err := bank(nil).Page(w, request("GET", "open", "")); err != nil {
		t.Fatal(err)
	}
	style := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(w.Body.String())
	sum := sha256.Sum256([]byte(style[1]))
	policy := w.Header().Get("Content-Security-Policy")
	if want := "style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) || !strings.Contains(policy, "default-src 'none'") {
		t.Errorf("policy is %s, want %s", policy, want)
	}
	if strings.Contains(w.Body.String(), "<b>") {
		t.Error("the shop's name is not escaped")
	}
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	var notified []string
	b := bank(&notified)
	shown := httptest.NewRecorder()
	if err := b.Page(shown, request("GET", "open", "")); err != nil {
		t.Fatal(err)
	}
	cookie := shown.Result().Cookies()[0]
	if !cookie.HttpOnly || !cookie.Secure || cookie.SameSite != http.SameSiteStrictMode {
		t.Errorf("cookie is %v", cookie)
	}
	for _, c := range []struct{ payment, decision, location, notified string }{
		{"open", "pay", "/#success_popup", "paid"},
		{"open", "refuse", "/#error_popup", "refused"},
		{"open", "steal", "/pay/sandbox/open", ""},
		{"paid", "pay", "/pay/sandbox/paid", ""},
	} {
		notified = nil
		r := request("POST", c.payment, "decision="+c.decision+"&token="+b.token(c.payment, cookie.Value))
		r.AddCookie(cookie)
		w := httptest.NewRecorder()
		if err := b.Decide(w, r); err != nil {
			t.Error(err)
		}
		if got := w.Header().Get("Location"); w.Code != 303 || got != c.location || strings.Join(notified, " ") != c.notified {
			t.Errorf("%s %s: %d to %q, notified %v", c.decision, c.payment, w.Code, got, notified)
		}
	}
	notified = nil
	other := request("POST", "open", "decision=pay&token="+b.token("paid", cookie.Value)) // the token of another bill's page
	other.AddCookie(cookie)
	if err := b.Decide(httptest.NewRecorder(), other); err != nil || notified != nil {
		t.Errorf("notified %v, %v", notified, err)
	}
}
