package payments

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"shop/domain"
)

// CloudPayments takes money through cloudpayments.kz. Its API is described at developers.cloudpayments.ru; what is used
// of it: orders/create, v2/payments/find, v2/payments/list, payments/get, payments/refund, and the notifications Check, Pay, Fail, Refund and
// Cancel, each sent to /api/payments/cloudpayments/{kind} and signed over its raw body.
type CloudPayments struct {
	// URL is the API's address, without a final slash.
	URL string
	// PublicID and Secret are the shop's account.
	PublicID, Secret string
	// ShopURL is where payers come back to.
	ShopURL string
	Books   links
}

// direct follows no redirect: the account's secret goes to the API's address and nowhere else. Callers bound the time by their
// context.
var direct = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// links remember where payments are paid; Books do.
type links interface {
	Link(ctx context.Context, paymentID string) (string, error)
	KeepLink(ctx context.Context, paymentID, url string) (string, error)
}

const (
	tenge = "KZT"
	// maxAnswer bounds an answer of the API, in bytes.
	maxAnswer = 1 << 20
	// maxPages bounds a statement.
	maxPages = 1000
)

// Name is "cloudpayments".
func (c *CloudPayments) Name() string { return "cloudpayments" }

// Methods is the card alone: the page of a bill takes cards, and a bill by SMS leads to the same page.
func (c *CloudPayments) Methods() []domain.PaymentMethod { return []domain.PaymentMethod{domain.Card} }

// Create opens a bill, once per payment.
func (c *CloudPayments) Create(ctx context.Context, p Payment) (string, error) {
	if link, err := c.Books.Link(ctx, p.ID); err != nil || link != "" {
		return link, err
	}
	request := map[string]any{
		"Amount": p.Amount, "Currency": tenge, "InvoiceId": p.ID, "Email": p.Email,
		"Description":        "Заказ " + strconv.FormatInt(p.OrderNumber, 10),
		"SuccessRedirectUrl": c.ShopURL + "/#success_popup", "FailRedirectUrl": c.ShopURL + "/#error_popup",
		"CultureName": "ru-RU", "RequireConfirmation": false,
	}
	var made struct{ URL string }
	if err := c.call(ctx, "/orders/create", p.ID, request, &made); err != nil {
		return "", err
	}
	if !c.isBill(made.URL) {
		return "", fmt.Errorf("cloudpayments: the address of bill %s is %q", p.ID, made.URL)
	}
	return c.Books.KeepLink(ctx, p.ID, made.URL)
}

// isBill: an address that payers may be sent to with their cards is https. That of an API of this very machine, as tests have
// it, may be on the API's own host.
func (c *CloudPayments) isBill(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil {
		return false
	}
	api, err := url.Parse(c.URL)
	return u.Scheme == "https" || u.Scheme == "http" && err == nil && api.Scheme == "http" && u.Host == api.Host
}

// State asks for the bill's last transaction.
func (c *CloudPayments) State(ctx context.Context, paymentID string) (Notification, error) {
	found, known, err := c.find(ctx, paymentID)
	if err != nil || !known {
		return Notification{PaymentID: paymentID, Outcome: Pending}, err
	}
	return found.notification()
}

// Refund refunds a part or all of a capture: of the one with the receipt, else of the bill's last.
func (c *CloudPayments) Refund(ctx context.Context, r Refund) (string, error) {
	paid, known, err := c.captured(ctx, r)
	if err != nil {
		return "", err
	}
	if !known || paid.Status != "Completed" {
		return "", fmt.Errorf("%w: cloudpayments holds no money of %s", ErrRefused, r.PaymentID)
	}
	var made struct{ TransactionId int64 }
	request := map[string]any{"TransactionId": paid.TransactionId, "Amount": r.Amount}
	if err := c.call(ctx, "/payments/refund", r.ID, request, &made); err != nil {
		return "", err
	}
	return strconv.FormatInt(made.TransactionId, 10), nil
}

func (c *CloudPayments) find(ctx context.Context, paymentID string) (t transaction, known bool, err error) {
	err = c.call(ctx, "/v2/payments/find", "", map[string]any{"InvoiceId": paymentID}, &t)
	// A bill that nobody tried to pay is answered without success, and so is a declined one, with its transaction.
	if err != nil && !errors.Is(err, ErrRefused) {
		return transaction{}, false, err
	}
	t.InvoiceId = paymentID
	return t, t.TransactionId != 0, nil
}

// captured looks at the transaction that a refund is of.
func (c *CloudPayments) captured(ctx context.Context, r Refund) (t transaction, known bool, err error) {
	if r.Receipt == "" {
		return c.find(ctx, r.PaymentID)
	}
	id, err := strconv.ParseInt(r.Receipt, 10, 64)
	if err != nil {
		return t, false, nil // no receipt of theirs
	}
	err = c.call(ctx, "/payments/get", "", map[string]any{"TransactionId": id}, &t)
	if err != nil && !errors.Is(err, ErrRefused) {
		return transaction{}, false, err
	}
	return t, err == nil && t.TransactionId == id && t.InvoiceId == r.PaymentID, nil
}

// Statement reads the list of transactions, page by page to the first that is empty. What is no payment of the shop's is left out.
func (c *CloudPayments) Statement(ctx context.Context, since, until time.Time) ([]Notification, error) {
	var told []Notification
	for page := 1; page <= maxPages; page++ {
		var found []transaction
		request := map[string]any{
			"CreatedDateGte": since.UTC().Format(time.RFC3339), "CreatedDateLte": until.UTC().Format(time.RFC3339), "TimeZone": "UTC", "PageNumber": page,
		}
		if err := c.call(ctx, "/v2/payments/list", "", request, &found); err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return told, nil
		}
		for _, t := range found {
			if n, ok := t.entry(); ok {
				told = append(told, n)
			}
		}
	}
	return nil, fmt.Errorf("cloudpayments: more than %d pages of transactions since %s", maxPages, since.UTC().Format(time.RFC3339))
}

// entry is a line of the statement; false for what moved no money of the shop's payments.
func (t transaction) entry() (Notification, bool) {
	if _, ours := OrderOf(t.InvoiceId); !ours || t.Status != "Completed" || t.Currency != "" && t.Currency != tenge {
		return Notification{}, false
	}
	n := Notification{PaymentID: t.InvoiceId, Amount: domain.Money(t.Amount), Outcome: Paid, Receipt: number(t.TransactionId)}
	if t.returned() {
		n.Outcome, n.Receipt, n.RefundID = Refunded, number(max(t.PaymentTransactionId, t.OriginalTransactionId)), number(t.TransactionId)
	}
	return n, true
}

// returned says that the transaction gave money back.
func (t transaction) returned() bool {
	return t.PaymentTransactionId != 0 || t.OperationType == "Refund" || t.Type == refundType
}

// refundType is the Type of a refund in lists.
const refundType = 1

// number is a transaction's name; empty for none.
func number(transaction int64) string {
	if transaction == 0 {
		return ""
	}
	return strconv.FormatInt(transaction, 10)
}

// transaction is what notifications and answers say of one.
type transaction struct {
	TransactionId        int64
	PaymentTransactionId int64
	// OriginalTransactionId is PaymentTransactionId in lists.
	OriginalTransactionId int64
	Type                  int
	InvoiceId             string
	Amount                amount
	Currency              string
	Status                string
	OperationType         string
	Reason                string
	ReasonCode            int
	CardHolderMessage     string
}

// amount is tenge that came as a number or as text, with or without zeros behind the point.
type amount domain.Money

func (a *amount) UnmarshalJSON(text []byte) error {
	return a.UnmarshalText(bytes.Trim(text, `"`))
}

func (a *amount) UnmarshalText(text []byte) error {
	whole, rest, _ := strings.Cut(string(text), ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || strings.Trim(rest, "0") != "" {
		return fmt.Errorf("%q is no sum in tenge", text)
	}
	*a = amount(n)
	return nil
}

func (t transaction) notification() (Notification, error) {
	n := Notification{PaymentID: t.InvoiceId, Amount: domain.Money(t.Amount), Outcome: Pending, Receipt: number(t.TransactionId)}
	if t.Currency != "" && t.Currency != tenge {
		return n, fmt.Errorf("%w: payment %s is in %s", ErrUnreadable, t.InvoiceId, t.Currency)
	}
	switch t.Status {
	case "Completed":
		n.Outcome = Paid
	case "Declined", "Cancelled":
		n.Outcome, n.Reason = Refused, t.reason()
	}
	return n, nil
}

func (t transaction) reason() string {
	if t.CardHolderMessage != "" {
		return t.CardHolderMessage
	}
	return t.Reason
}

// Verify reads a notification. Only the address has its kind, and the address is not signed, so a body that does not fit the
// kind counts as forged.
func (c *CloudPayments) Verify(kind string, header http.Header, body []byte) (Notification, error) {
	signature, err := base64.StdEncoding.DecodeString(header.Get(signatureHeader))
	mac := hmac.New(sha256.New, []byte(c.Secret))
	mac.Write(body)
	if err != nil || !hmac.Equal(signature, mac.Sum(nil)) {
		return Notification{}, ErrForged
	}
	t, err := readTransaction(header.Get("Content-Type"), body)
	if err != nil {
		return Notification{}, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	if t.Currency != "" && t.Currency != tenge {
		return Notification{}, fmt.Errorf("%w: payment %s is in %s", ErrUnreadable, t.InvoiceId, t.Currency)
	}
	n := Notification{PaymentID: t.InvoiceId, Amount: domain.Money(t.Amount), Receipt: number(t.TransactionId)}
	declined, returned := t.ReasonCode != 0 || t.Status == "Declined", t.returned()
	switch {
	case kind == "check" && !declined && !returned:
		n.Outcome = Asked
	case kind == "pay" && !declined && !returned && t.Status == "Completed":
		n.Outcome = Paid
	case kind == "pay" && !declined && !returned && t.Status == "Authorized":
		n.Outcome = Pending
	case kind == "fail" && !returned && t.Status != "Completed":
		n.Outcome, n.Reason = Refused, t.reason()
	case kind == "cancel" && !returned && t.Status != "Completed":
		n.Outcome, n.Reason = Refused, "Платёж отменён"
	case kind == "refund" && returned && t.TransactionId != 0:
		n.Outcome, n.Receipt, n.RefundID = Refunded, number(t.PaymentTransactionId), number(t.TransactionId)
	default:
		return Notification{}, ErrForged
	}
	return n, nil
}

// readTransaction reads a notification's body: a form, or JSON where the account is set up so.
func readTransaction(contentType string, body []byte) (t transaction, err error) {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return t, fmt.Errorf("content type: %w", err)
	}
	if media == "application/json" {
		return t, json.Unmarshal(body, &t)
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return t, err
	}
	number := func(name string) (n int64) {
		if v := form.Get(name); v != "" && err == nil {
			n, err = strconv.ParseInt(v, 10, 64)
		}
		return n
	}
	t = transaction{
		TransactionId: number("TransactionId"), PaymentTransactionId: number("PaymentTransactionId"), InvoiceId: form.Get("InvoiceId"),
		Currency: form.Get("Currency"), Status: form.Get("Status"), OperationType: form.Get("OperationType"),
		Reason: form.Get("Reason"), ReasonCode: int(number("ReasonCode")), CardHolderMessage: form.Get("CardHolderMessage"),
	}
	return t, errors.Join(err, t.Amount.UnmarshalText([]byte(form.Get("Amount"))))
}

// call asks the API; with a request id it does nothing twice. An answer without success is ErrRefused, and into holds
// what it says.
func (c *CloudPayments) call(ctx context.Context, path, requestID string, request, into any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("cloudpayments %s: %w", path, err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(c.URL, "/")+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("cloudpayments %s: %w", path, err)
	}
	r.SetBasicAuth(c.PublicID, c.Secret)
	r.Header.Set("Content-Type", "application/json")
	if requestID != "" {
		r.Header.Set("X-Request-ID", requestID)
	}
	response, err := direct.Do(r)
	if err != nil {
		return fmt.Errorf("cloudpayments %s: %w", path, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("cloudpayments %s: status %d", path, response.StatusCode)
	}
	var answer struct {
		Success bool
		Message string
		Model   json.RawMessage
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, maxAnswer)).Decode(&answer); err != nil {
		return fmt.Errorf("cloudpayments %s: read answer: %w", path, err)
	}
	if len(answer.Model) > 0 && string(answer.Model) != "null" {
		if err := json.Unmarshal(answer.Model, into); err != nil {
			return fmt.Errorf("cloudpayments %s: read answer: %w", path, err)
		}
	}
	if !answer.Success {
		return fmt.Errorf("%w: cloudpayments %s: %s", ErrRefused, path, answer.Message)
	}
	return nil
}
