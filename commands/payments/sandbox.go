package payments

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"shop/domain"
)

// signatureHeader carries base64 of HMAC-SHA256 over a notification's body.
const signatureHeader = "Content-HMAC"

// Sandbox is a bank for development: whoever opens its page decides what happens. It moves no money and keeps no
// books, so it can be asked for nothing but what its notifications said.
type Sandbox struct {
	publicURL string
	secret    []byte
}

// NewSandbox makes a sandbox whose page is served under publicURL and whose notifications are signed with secret.
func NewSandbox(publicURL string, secret []byte) *Sandbox {
	return &Sandbox{publicURL: strings.TrimSuffix(publicURL, "/"), secret: secret}
}

// TestBank is the sandbox's name: what it says was paid was not.
const TestBank = "sandbox"

// Name is TestBank.
func (s *Sandbox) Name() string { return TestBank }

// Methods are all that the shop knows.
func (s *Sandbox) Methods() []domain.PaymentMethod {
	return []domain.PaymentMethod{domain.Card, domain.KaspiBill}
}

// Create needs no bank: the address follows from the payment.
func (s *Sandbox) Create(_ context.Context, p Payment) (string, error) {
	return s.publicURL + "/pay/sandbox/" + url.PathEscape(p.ID), nil
}

// Verify reads a notification the sandbox signed.
func (s *Sandbox) Verify(_ string, header http.Header, body []byte) (Notification, error) {
	signature, err := base64.StdEncoding.DecodeString(header.Get(signatureHeader))
	if err != nil || !hmac.Equal(signature, s.mac("notification", body)) {
		return Notification{}, ErrForged
	}
	var n Notification
	if err := json.Unmarshal(body, &n); err != nil {
		return Notification{}, fmt.Errorf("read notification: %w", err)
	}
	return n, nil
}

// State is always Pending: the sandbox keeps no books.
func (s *Sandbox) State(_ context.Context, paymentID string) (Notification, error) {
	return Notification{PaymentID: paymentID, Outcome: Pending}, nil
}

// Refund succeeds: no money was taken.
func (s *Sandbox) Refund(_ context.Context, r Refund) (string, error) { return r.ID, nil }

// Statement is empty: the sandbox keeps no books.
func (s *Sandbox) Statement(context.Context, time.Time, time.Time) ([]Notification, error) {
	return nil, nil
}

// Notification is what the bank would send the shop: a signed body.
func (s *Sandbox) Notification(n Notification) (http.Header, []byte, error) {
	body, err := json.Marshal(n)
	if err != nil {
		return nil, nil, fmt.Errorf("write notification: %w", err)
	}
	header := http.Header{"Content-Type": {"application/json"}}
	header.Set(signatureHeader, base64.StdEncoding.EncodeToString(s.mac("notification", body)))
	return header, body, nil
}

// mac signs data for one purpose, so that a signature made for another is worth nothing here.
func (s *Sandbox) mac(purpose string, data []byte) []byte {
	h := hmac.New(sha256.New, s.secret)
	h.Write([]byte(purpose))
	h.Write([]byte{0})
	h.Write(data)
	return h.Sum(nil)
}
