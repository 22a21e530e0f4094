package payments

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	_ "embed"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"time"

	"shop/commands/standalone"
	"shop/domain"
)

// Bill is what the bank's page shows of a payment.
type Bill struct {
	OrderNumber int64
	Amount      domain.Money
	// Outcome other than Pending: the page only tells it. Method and PayBefore are those of a pending one.
	Outcome   Outcome
	Method    domain.PaymentMethod
	PayBefore time.Time
}

// Bank serves the sandbox's page at /pay/sandbox/{payment}: pay, refuse, or walk away.
type Bank struct {
	Sandbox *Sandbox
	// Shop is the shop's name.
	Shop string
	// Bill finds a payment's bill; false when there is no such payment.
	Bill func(ctx context.Context, paymentID string) (Bill, bool, error)
	// Language is that of the person whose request it is, by its context.
	Language func(ctx context.Context) string
	// Notify delivers a notification the way a bank's call would.
	Notify func(ctx context.Context, header http.Header, body []byte) error
}

const nonceCookie = "sandbox"

//go:embed bank.html
var bankHTML string

//go:embed bank-kk.html
var bankKazakh string

//go:embed bank.css
var bankCSS string

var bankPages = standalone.InBoth("bank", bankHTML, bankKazakh, bankCSS)

// Page shows the bill (GET).
func (b *Bank) Page(w http.ResponseWriter, r *http.Request) error {
	payment := r.PathValue("payment")
	bill, ok, err := b.Bill(r.Context(), payment)
	if err != nil {
		return fmt.Errorf("find bill of %s: %w", payment, err)
	}
	status := http.StatusOK
	if !ok {
		status = http.StatusNotFound
	}
	token := ""
	if ok && bill.Outcome == Pending {
		nonce := rand.Text()
		token = b.token(payment, nonce)
		http.SetCookie(w, &http.Cookie{
			Name: nonceCookie, Value: nonce, Path: "/pay/sandbox/", MaxAge: 3600,
			HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: strings.HasPrefix(b.Sandbox.publicURL, "https:"),
		})
	}
	return bankPages.In(b.Language(r.Context())).Write(w, status, page{Shop: b.Shop, Known: ok, Bill: bill, Token: token})
}

// Decide takes what the person on the page decided (POST): the bank notifies the shop and sends the person back.
func (b *Bank) Decide(w http.ResponseWriter, r *http.Request) error {
	payment := r.PathValue("payment")
	r.Body = http.MaxBytesReader(w, r.Body, 4<<10)
	nonce, err := r.Cookie(nonceCookie)
	if err != nil || !hmac.Equal([]byte(r.PostFormValue("token")), []byte(b.token(payment, nonce.Value))) {
		// Too old a page, or another site's form: show the bill again and let the person decide.
		http.Redirect(w, r, r.URL.Path, http.StatusSeeOther)
		return nil
	}
	bill, ok, err := b.Bill(r.Context(), payment)
	if err != nil {
		return fmt.Errorf("find bill of %s: %w", payment, err)
	}
	n := Notification{PaymentID: payment, Amount: bill.Amount}
	back := "/#success_popup"
	switch decision := r.PostFormValue("decision"); {
	case !ok || bill.Outcome != Pending:
		http.Redirect(w, r, r.URL.Path, http.StatusSeeOther)
		return nil
	case decision == "pay":
		n.Outcome = Paid
	case decision == "refuse":
		n.Outcome, n.Reason, back = Refused, "Отказ банка", "/#error_popup"
	default:
		http.Redirect(w, r, r.URL.Path, http.StatusSeeOther)
		return nil
	}
	header, body, err := b.Sandbox.Notification(n)
	if err != nil {
		return err
	}
	if err := b.Notify(r.Context(), header, body); err != nil {
		return fmt.Errorf("notify of payment %s: %w", payment, err)
	}
	http.Redirect(w, r, back, http.StatusSeeOther)
	return nil
}

// token ties a form to the page it was on.
func (b *Bank) token(payment, nonce string) string {
	return base64.RawURLEncoding.EncodeToString(b.Sandbox.mac("form", []byte(payment+" "+nonce)))
}

type page struct {
	Shop  string
	Known bool
	Bill
	Token string
}

// Sum is the amount as the shop writes it.
func (p page) Sum() string { return domain.Tenge(p.Amount) }

// ByKaspi says that the bill went to the customer's Kaspi.
func (p page) ByKaspi() bool { return p.Method == domain.KaspiBill }

// Until is the moment up to which the bill can be paid, as people in Almaty write it; empty when it stays open.
func (p page) Until() string {
	if p.PayBefore.IsZero() {
		return ""
	}
	return p.PayBefore.In(domain.Almaty).Format("02.01.2006, 15:04")
}
