package testshop

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"

	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/payments"
	"shop/commands/shopapi"
	"shop/domain"
	"shop/domain/bonus"
	"shop/domain/customer"
	"shop/eventstore"
)

// Customer opens an account.
func (s *Shop) Customer() domain.ID {
	s.T.Helper()
	id := uuid.Must(uuid.NewV7())
	register := customer.Register{
		ID: id, Email: id.String() + "@example.kz", ConsentText: "1", At: Noon,
		Profile: customer.Profile{FirstName: "Айгуль", LastName: "Серикова", Phone: "+77012345678"},
	}
	_, err := commands.Change(s.T.Context(), s.Handler, commands.CustomerStream(id), func(*commands.Unit) customer.Command { return register })
	if err != nil {
		s.T.Fatalf("register: %v", err)
	}
	return id
}

// Credit gives a customer bonuses, as an order that nobody sees would.
func (s *Shop) Credit(id domain.ID, amount domain.Money) {
	s.T.Helper()
	earn := bonus.Earn{CustomerID: id, OrderID: uuid.Must(uuid.NewV7()), Base: amount, Percent: 100, RulesVersion: 1, At: Noon}
	if _, err := commands.Change(s.T.Context(), s.Handler, commands.BonusStream(id), func(*commands.Unit) bonus.Command { return earn }); err != nil {
		s.T.Fatalf("credit: %v", err)
	}
}

func (s *Shop) LedgerOf(id domain.ID) bonus.State {
	s.T.Helper()
	state, err := commands.See(s.T.Context(), commands.New(s.Log, commands.Options{}), commands.BonusStream(id))
	if err != nil {
		s.T.Fatalf("see bonuses: %v", err)
	}
	return state
}

func (s *Shop) Settle(t interface{ Fatal(...any) }, r commands.Receipt, o payments.Outcome) {
	_, err := s.Orders.Settle(s.T.Context(), payments.Notification{PaymentID: payments.ID(r.ID, 1), Outcome: o, Amount: r.PayableNow})
	if err != nil {
		t.Fatal(err)
	}
}

func (s *Shop) Complete(t interface{ Fatal(...any) }, id domain.ID) {
	if _, err := s.Orders.Process(s.T.Context(), id); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Orders.Complete(s.T.Context(), id); err != nil {
		t.Fatal(err)
	}
}

func (s *Shop) Reprice(product domain.ID, price domain.Money) eventstore.Position {
	s.T.Helper()
	position, err := (&commands.Catalog{Handler: s.Handler}).PriceProduct(s.T.Context(), product, price, price)
	if err != nil {
		s.T.Fatal(err)
	}
	return position
}

// Claims are how many claims of orders are kept.
func (s *Shop) Claims() (n int) {
	s.T.Helper()
	if err := s.Pool.QueryRow(s.T.Context(), "SELECT count(*) FROM eventstore.claims").Scan(&n); err != nil {
		s.T.Fatal(err)
	}
	return n
}

// Own asks for something of one's own order.
func (s *Shop) Own(action string, id any, key, actor string) Response {
	s.T.Helper()
	s.Orders.Guests = oneKey{}
	endpoint := map[string]func(http.ResponseWriter, *http.Request) error{"cancellation": shopapi.Orders{Orders: s.Orders}.Cancel, "payment": shopapi.Orders{Orders: s.Orders}.Pay}[action]
	ctx := commands.WithOrigin(s.T.Context(), commands.Origin{Actor: actor})
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, fmt.Sprintf("/api/orders/%v/%s/?key=%s", id, action, key), nil)
	r.SetPathValue("id", fmt.Sprint(id))
	w := s.Ask(endpoint, r)
	KeepsContract(s.T, "/api/orders/{id}/"+action+"/", w.Code, w.Body.Bytes())
	return w
}

func (s *Shop) Expire(id domain.ID) {
	s.T.Helper()
	if _, err := s.Orders.ExpirePayment(s.T.Context(), id); err != nil {
		s.T.Fatal(err)
	}
}

// LinkKey is the key of every guest's link in these tests.
const LinkKey = "letter"

type oneKey struct{}

func (oneKey) OpensOrder(_ domain.ID, key string) bool { return key == LinkKey }

// BankPage walks through the bank's page like a browser: open, then press a button.
func (s *Shop) BankPage(paymentID, decision string) (page, location string) {
	s.T.Helper()
	show := httptest.NewRequestWithContext(s.T.Context(), http.MethodGet, "/pay/sandbox/"+paymentID, nil)
	show.SetPathValue("payment", paymentID)
	shown := s.Ask(s.Bank.Page, show)
	page = shown.Text()
	token := regexp.MustCompile(`name="token" value="([^"]+)"`).FindStringSubmatch(page)
	if token == nil {
		return page, ""
	}
	press := httptest.NewRequestWithContext(s.T.Context(), http.MethodPost, "/pay/sandbox/"+paymentID,
		strings.NewReader(url.Values{"token": {token[1]}, "decision": {decision}}.Encode()))
	press.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	press.SetPathValue("payment", paymentID)
	for _, c := range shown.Result().Cookies() {
		press.AddCookie(c)
	}
	return page, s.Ask(s.Bank.Decide, press).Header().Get("Location")
}

// Notify sends a notification to the shop's endpoint.
func (s *Shop) Notify(header http.Header, body []byte) Response {
	s.T.Helper()
	r := httptest.NewRequestWithContext(s.T.Context(), http.MethodPost, "/api/payments/sandbox", strings.NewReader(string(body)))
	r.Header = header
	r.SetPathValue("provider", "sandbox")
	return s.Ask(shopapi.Payments{Orders: s.Orders}.Notify, r)
}

// Says signs a notification as the bank would.
func (s *Shop) Says(n payments.Notification) (http.Header, []byte) {
	s.T.Helper()
	header, body, err := s.Sandbox.Notification(n)
	if err != nil {
		s.T.Fatal(err)
	}
	return header, body
}

// CrashingLog ends like a process that was killed before or right after the commit.
type CrashingLog struct {
	*eventstore.Store
	Before, After bool
}

func (l CrashingLog) Append(ctx context.Context, together ...eventstore.Append) (eventstore.Appended, error) {
	if l.Before {
		return eventstore.Appended{}, io.ErrUnexpectedEOF
	}
	appended, err := l.Store.Append(ctx, together...)
	if l.After && err == nil {
		err = io.ErrUnexpectedEOF
	}
	return appended, err
}

func (l CrashingLog) AppendEach(ctx context.Context, appends ...eventstore.Append) []eventstore.Result {
	results := make([]eventstore.Result, len(appends))
	if !l.Before {
		results = l.Store.AppendEach(ctx, appends...)
	}
	for i := range results {
		if l.Before || l.After && results[i].Err == nil {
			results[i].Err = io.ErrUnexpectedEOF
		}
	}
	return results
}

func By(id domain.ID) Header {
	return func(r *http.Request) { *r = *r.WithContext(commands.AsCustomer(r.Context(), id)) }
}
