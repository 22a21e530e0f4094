package edge

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// cloud is CloudPayments as its description has it, with the faults of a bad day. What it captured and gave back is
// the truth that the shop's books are held against.
type cloud struct {
	t      *testing.T
	server *httptest.Server
	secret string

	mu    sync.Mutex
	rand  *rand.Rand
	calm  bool // no faults any more
	bills map[string]*bill
	done  map[string]givenAnswer // by X-Request-ID; forgotten after an hour
	last  int64
	// now is the time by which requests are forgotten and transactions dated.
	now func() time.Time
	// deaf: the next refund is made, and neither its answer nor its notification arrives.
	deaf bool
	// mail is what is to be told the shop: lost things are not in it.
	mail []letter
	// tell says a letter to the shop at once and returns its answer.
	tell func(letter) (status int, code int)
	// sent, lost and failed count letters and calls.
	sent, lost, failed int
}

// givenAnswer is what was answered to a request, and when.
type givenAnswer struct {
	text []byte
	at   time.Time
}

// bill may be paid more than once: by a payer with two tabs, or when it was opened twice.
type bill struct {
	invoice string
	amount  int64
	// last is the last transaction, whatever became of it.
	last     int64
	charges  []*charge
	declined bool
}

// charge is money captured, with what of it went back.
type charge struct {
	transaction, amount, refunded int64
	at                            time.Time
	refunds                       []refund
}

type refund struct {
	transaction, amount int64
	at                  time.Time
}

func (b *bill) captured() (sum int64) {
	for _, paid := range b.charges {
		sum += paid.amount
	}
	return sum
}

func (b *bill) refunded() (sum int64) {
	for _, paid := range b.charges {
		sum += paid.refunded
	}
	return sum
}

// refunded is what went back of a bill.
func (c *cloud) refunded(invoice string) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bills[invoice].refunded()
}

// losesTheNextRefund makes the next refund one that is done, of which neither the answer nor the notification arrives.
func (c *cloud) losesTheNextRefund() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deaf = true
}

// letter is a notification.
type letter struct {
	kind, contentType, signature string
	body                         []byte
}

func openCloud(t *testing.T, seed uint64) *cloud {
	c := &cloud{t: t, secret: "api secret", rand: rand.New(rand.NewPCG(seed, 1)), bills: map[string]*bill{},
		done: map[string]givenAnswer{}, last: 1000, now: time.Now}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /orders/create", c.answer(c.create))
	mux.HandleFunc("POST /v2/payments/find", c.answer(c.find))
	mux.HandleFunc("POST /v2/payments/list", c.answer(c.list))
	mux.HandleFunc("POST /payments/get", c.answer(c.get))
	mux.HandleFunc("POST /payments/refund", c.answer(c.refund))
	c.server = httptest.NewServer(mux)
	t.Cleanup(c.server.Close)
	return c
}

// chance is true in so many of a hundred, until the day is calm.
func (c *cloud) chance(percent int) bool { return !c.calm && c.rand.IntN(100) < percent }

type asked struct {
	Amount        int64
	Currency      string
	InvoiceId     string
	TransactionId int64
	Phone         string

	CreatedDateGte, CreatedDateLte string
	PageNumber                     int
}

func success(model any) any { return map[string]any{"Success": true, "Message": nil, "Model": model} }

func refused(message string, model any) any {
	return map[string]any{"Success": false, "Message": message, "Model": model}
}

// answer checks the account, repeats what was answered to the same request, and fails before or after the deed.
func (c *cloud) answer(do func(asked) any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id, secret, _ := r.BasicAuth()
		var a asked
		if err := json.NewDecoder(r.Body).Decode(&a); err != nil || id != "pk_test" || secret != c.secret {
			http.Error(w, "who?", http.StatusUnauthorized)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.chance(10) {
			c.failed++
			http.Error(w, "away", http.StatusBadGateway)
			return
		}
		request := r.Header.Get("X-Request-ID")
		said, known := c.done[request]
		if request == "" || !known || c.now().Sub(said.at) >= time.Hour {
			said.text, _ = json.Marshal(do(a))
			said.at = c.now()
			if request != "" {
				c.done[request] = said
			}
		}
		lost := c.deaf && strings.HasSuffix(r.URL.Path, "/refund")
		if lost {
			c.deaf = false
		}
		if c.chance(10) || lost { // it was done, and the answer is lost
			c.failed++
			if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
				conn.Close()
			}
			return
		}
		w.Write(said.text)
	}
}

func (c *cloud) create(a asked) any {
	b := c.bills[a.InvoiceId]
	if b == nil {
		b = &bill{invoice: a.InvoiceId, amount: a.Amount}
		c.bills[a.InvoiceId] = b
	}
	if a.Currency != "KZT" || b.amount != a.Amount {
		return refused("another bill", nil)
	}
	if c.chance(10) && len(b.charges) == 0 {
		c.capture(b) // the payer is faster than our answer
	}
	return success(map[string]any{"Id": "bill", "Url": c.server.URL + "/d/" + a.InvoiceId})
}

func (c *cloud) find(a asked) any {
	b := c.bills[a.InvoiceId]
	if b == nil || b.last == 0 {
		return refused("Not found", nil)
	}
	if b.declined {
		return refused("Declined", map[string]any{"TransactionId": b.last, "Amount": b.amount, "Currency": "KZT", "InvoiceId": b.invoice,
			"Status": "Declined", "ReasonCode": 5051, "CardHolderMessage": "Недостаточно средств"})
	}
	return success(completed(b, b.charges[len(b.charges)-1]))
}

func (c *cloud) get(a asked) any {
	if b, paid := c.charge(a.TransactionId); paid != nil {
		return success(completed(b, paid))
	}
	return refused("Not found", nil)
}

func (c *cloud) charge(transaction int64) (*bill, *charge) {
	for _, b := range c.bills {
		for _, paid := range b.charges {
			if paid.transaction == transaction {
				return b, paid
			}
		}
	}
	return nil, nil
}

func completed(b *bill, paid *charge) map[string]any {
	return map[string]any{"TransactionId": paid.transaction, "Amount": paid.amount, "Currency": "KZT", "InvoiceId": b.invoice, "Status": "Completed",
		"Type": 0, "Refunded": paid.refunded > 0}
}

// list answers pages of ten transactions, the earliest first.
func (c *cloud) list(a asked) any {
	const page = 10
	since, err := time.Parse(time.RFC3339, a.CreatedDateGte)
	until, err2 := time.Parse(time.RFC3339, a.CreatedDateLte)
	if err != nil || err2 != nil || a.PageNumber < 1 {
		return refused("bad request", nil)
	}
	var found []map[string]any
	within := func(at time.Time) bool { return !at.Before(since) && !at.After(until) }
	for _, b := range c.bills {
		for _, paid := range b.charges {
			if within(paid.at) {
				found = append(found, completed(b, paid))
			}
			for _, r := range paid.refunds {
				if within(r.at) {
					found = append(found, map[string]any{"TransactionId": r.transaction, "OriginalTransactionId": paid.transaction, "Amount": r.amount,
						"Currency": "KZT", "InvoiceId": b.invoice, "Status": "Completed", "Type": 1})
				}
			}
		}
	}
	slices.SortFunc(found, func(x, y map[string]any) int {
		return cmp.Compare(x["TransactionId"].(int64), y["TransactionId"].(int64))
	})
	from := min((a.PageNumber-1)*page, len(found))
	return success(found[from:min(from+page, len(found))])
}

func (c *cloud) refund(a asked) any {
	b, paid := c.charge(a.TransactionId)
	if paid == nil {
		return refused("no such transaction", nil)
	}
	if a.Amount < 1 || paid.refunded+a.Amount > paid.amount {
		return refused("too much", nil)
	}
	c.last++
	paid.refunded += a.Amount
	paid.refunds = append(paid.refunds, refund{c.last, a.Amount, c.now()})
	if !c.deaf {
		c.post("refund", url.Values{
			"TransactionId": {strconv.FormatInt(c.last, 10)}, "PaymentTransactionId": {strconv.FormatInt(paid.transaction, 10)},
			"Amount": {fmt.Sprintf("%d.00", a.Amount)}, "InvoiceId": {b.invoice}, "OperationType": {"Refund"},
		})
	}
	return success(map[string]any{"TransactionId": c.last})
}

// capture takes the money of a bill, as often as it is paid.
func (c *cloud) capture(b *bill) {
	c.last++
	b.last, b.declined = c.last, false
	b.charges = append(b.charges, &charge{transaction: c.last, amount: b.amount, at: c.now()})
	c.post("pay", c.payment(b, "Completed"))
}

func (c *cloud) decline(b *bill) {
	if len(b.charges) > 0 {
		return
	}
	c.last++
	b.last, b.declined = c.last, true
	fields := c.payment(b, "Declined")
	fields.Set("Reason", "InsufficientFunds")
	fields.Set("ReasonCode", "5051")
	fields.Set("CardHolderMessage", "Недостаточно средств")
	c.post("fail", fields)
}

func (c *cloud) payment(b *bill, status string) url.Values {
	return url.Values{
		"TransactionId": {strconv.FormatInt(b.last, 10)}, "Amount": {fmt.Sprintf("%d.00", b.amount)}, "Currency": {"KZT"},
		"InvoiceId": {b.invoice}, "Status": {status}, "OperationType": {"Payment"}, "TestMode": {"1"},
	}
}

// post puts a letter into the mail: lost, or once, or several times.
func (c *cloud) post(kind string, fields url.Values) {
	if c.chance(25) {
		c.lost++
		return
	}
	for range 1 + c.rand.IntN(3) {
		c.mail = append(c.mail, c.sign(kind, fields))
	}
}

func (c *cloud) sign(kind string, fields url.Values) letter {
	body := []byte(fields.Encode())
	mac := hmac.New(sha256.New, []byte(c.secret))
	mac.Write(body)
	return letter{kind, "application/x-www-form-urlencoded", base64.StdEncoding.EncodeToString(mac.Sum(nil)), body}
}

// deliver tells the shop a letter of any place in the mail; false when there is none.
func (c *cloud) deliver() bool {
	c.mu.Lock()
	if len(c.mail) == 0 {
		c.mu.Unlock()
		return false
	}
	i := c.rand.IntN(len(c.mail))
	l := c.mail[i]
	c.mail[i] = c.mail[len(c.mail)-1]
	c.mail = c.mail[:len(c.mail)-1]
	c.sent++
	c.mu.Unlock()
	if status, code := c.tell(l); status != http.StatusOK || code != 0 {
		if status >= 500 {
			c.t.Errorf("the shop answers %s with %d: %s", l.kind, status, l.body)
		}
		c.mu.Lock()
		if c.chance(50) || c.calm { // repeated later; not for ever
			c.mail = append(c.mail, l)
		}
		c.mu.Unlock()
	}
	return true
}

// payer does with a bill what people do: pays, is declined and pays, is declined, or walks away.
func (c *cloud) payer(invoice string) {
	c.mu.Lock()
	b, what := c.bills[invoice], c.rand.IntN(10)
	if b == nil {
		c.mu.Unlock()
		return
	}
	if what == 8 || what == 7 || what == 6 {
		c.decline(b)
	}
	pays := what < 8 && len(b.charges) == 0
	tabs := 1
	if c.chance(15) {
		tabs = 2 // both ask before one pays
	}
	ask := c.sign("check", c.payment(b, "Completed"))
	c.mu.Unlock()
	if !pays {
		return
	}
	allowed := 0
	for range tabs {
		if status, code := c.tell(ask); status == http.StatusOK && code == 0 {
			allowed++
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if allowed == 0 && c.chance(30) { // there are payers whom nobody asks the shop about
		allowed = 1
	}
	for range allowed {
		c.capture(b)
	}
}

// forge sends what nobody signed, and says what was not refused.
func (c *cloud) forge(invoice string, amount int64) (sent int, taken []string) {
	b := &bill{invoice: invoice, amount: amount, last: 7}
	good := c.sign("pay", c.payment(b, "Completed"))
	cheap := c.sign("pay", c.payment(&bill{invoice: invoice, amount: 1, last: 7}, "Completed"))
	failed := c.payment(b, "Declined")
	failed.Set("ReasonCode", "5051")
	stranger := (&cloud{secret: "another"}).sign("pay", c.payment(b, "Completed"))
	for name, l := range map[string]letter{
		"no signature":       {good.kind, good.contentType, "", good.body},
		"broken signature":   {good.kind, good.contentType, "####", good.body},
		"another's":          stranger,
		"another body":       {good.kind, good.contentType, cheap.signature, good.body},
		"fail sent as pay":   {"pay", good.contentType, c.sign("fail", failed).signature, []byte(failed.Encode())},
		"pay sent as fail":   {"fail", good.contentType, good.signature, good.body},
		"pay sent as refund": {"refund", good.contentType, good.signature, good.body},
		"unknown kind":       {"confirm", good.contentType, good.signature, good.body},
		"empty":              {"pay", good.contentType, "", nil},
	} {
		sent++
		if status, _ := c.tell(l); status != http.StatusForbidden {
			taken = append(taken, fmt.Sprintf("%s: %d", name, status))
		}
	}
	return sent, taken
}

// request is a letter on its way to the shop.
func (l letter) request() *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/api/payments/cloudpayments/"+l.kind+"/", bytes.NewReader(l.body))
	r.Header.Set("Content-Type", l.contentType)
	if l.signature != "" {
		r.Header.Set("Content-HMAC", l.signature)
	}
	return r
}

func replyOf(w *httptest.ResponseRecorder) (status, code int) {
	var said struct{ Code int }
	if strings.HasPrefix(w.Body.String(), "{") {
		json.Unmarshal(w.Body.Bytes(), &said)
	}
	return w.Code, said.Code
}
