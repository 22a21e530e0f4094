package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/commands/payments"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/order"
	"shop/domain/promocode"
	"shop/domain/rules"
	"shop/domain/stock"
	"shop/eventstore"
	"shop/eventstore/registry"
	"shop/migrations/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// noon is a Tuesday, 12:00 in Almaty.
var noon = time.Date(2026, 3, 3, 7, 0, 0, 0, time.UTC)

// clock is a time that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// testShop is a shop on a database of its own.
type testShop struct {
	t       testing.TB
	pool    *pgxpool.Pool
	log     *eventstore.Store
	clock   *clock
	handler *Handler
	baskets *Baskets
	orders  *Orders
	bank    *payments.Bank
	sandbox *payments.Sandbox
}

// openShop makes a shop with rules, and no goods. Guests may have as many open orders as they like: most tests have one guest.
func openShop(t testing.TB) *testShop {
	t.Helper()
	r := rules.Default()
	r.GuestOpenOrders, r.GuestOpenPieces, r.CustomerOpenOrders, r.CustomerOpenPieces = 0, 0, 0, 0
	return openShopWith(t, r)
}

// openShopWith makes a shop with these rules, and no goods.
func openShopWith(t testing.TB, r rules.Rules) *testShop {
	t.Helper()
	pool := pgtest.Open(t)
	log := eventstore.Open(pool, registry.New(), eventstore.Options{})
	t.Cleanup(log.Close)
	s := &testShop{t: t, pool: pool, log: log, clock: &clock{now: noon}}
	s.use(log)
	if _, err := (&Rules{s.handler}).Change(t.Context(), r, 0); err != nil {
		t.Fatalf("open rules: %v", err)
	}
	return s
}

// use lets the shop's commands work on a log, with nothing remembered: a process that has just started.
func (s *testShop) use(log Log) {
	s.handler = New(log, Options{Clock: s.clock.Now})
	s.sandbox = payments.NewSandbox("https://shop.example", []byte("bank secret"))
	s.baskets = &Baskets{Handler: s.handler}
	s.orders = &Orders{Handler: s.handler, Numbers: &OrderNumbers{Pool: s.pool}, Provider: s.sandbox, Secret: []byte("shop secret"), Books: payments.Books{Pool: s.pool}, PublicURL: "https://shop.example"}
	s.bank = &payments.Bank{Sandbox: s.sandbox, Shop: "Дала", Bill: s.orders.Bill, Notify: s.orders.Deliver}
}

// product adds a product to the catalog, with pieces on hand.
func (s *testShop) product(price, discounted domain.Money, onHand int64) domain.ID {
	s.t.Helper()
	id := uuid.Must(uuid.NewV7())
	put := catalog.PutProduct{
		ID: id, Article: "A-" + id.String(), Link: "krem-" + id.String(), CategoryID: uuid.Must(uuid.NewV7()),
		Text: catalog.ProductText{Name: "Крем"}, Price: price, DiscountedPrice: discounted,
	}
	if _, err := (&Catalog{Handler: s.handler}).PutProduct(s.t.Context(), put); err != nil {
		s.t.Fatalf("add product: %v", err)
	}
	if onHand > 0 {
		if _, err := (&Stock{s.handler}).Receive(s.t.Context(), id, onHand, ""); err != nil {
			s.t.Fatalf("receive stock: %v", err)
		}
	}
	return id
}

func (s *testShop) promocode(code string, terms promocode.Terms) {
	s.t.Helper()
	if _, err := (&Promocodes{s.handler}).Issue(s.t.Context(), code, terms); err != nil {
		s.t.Fatalf("issue promo code: %v", err)
	}
}

// stockOf is a product's stock by the log alone.
func (s *testShop) stockOf(product domain.ID) stock.State {
	s.t.Helper()
	state, err := see(s.t.Context(), New(s.log, Options{}), stockStream(product))
	if err != nil {
		s.t.Fatalf("see stock: %v", err)
	}
	return state
}

func (s *testShop) orderOf(id domain.ID) order.State {
	s.t.Helper()
	state, err := see(s.t.Context(), New(s.log, Options{}), orderStream(id))
	if err != nil {
		s.t.Fatalf("see order: %v", err)
	}
	return state
}

func (s *testShop) codeOf(code string) promocode.State {
	s.t.Helper()
	state, err := see(s.t.Context(), New(s.log, Options{}), promocodeStream(code))
	if err != nil {
		s.t.Fatalf("see promo code: %v", err)
	}
	return state
}

// types are the stored names of the events since a position, in order.
func (s *testShop) types(after eventstore.Position) []string {
	s.t.Helper()
	events, err := s.log.Read(s.t.Context(), eventstore.Query{After: after, Range: -1})
	if err != nil {
		s.t.Fatalf("read log: %v", err)
	}
	types := []string{}
	for _, e := range events {
		types = append(types, e.Type)
	}
	return types
}

// head is where the log ends.
func (s *testShop) head() eventstore.Position {
	s.t.Helper()
	head, err := s.log.Head(s.t.Context())
	if err != nil {
		s.t.Fatalf("head of the log: %v", err)
	}
	return head
}

// response is what an endpoint answered.
type response struct {
	*httptest.ResponseRecorder
	t testing.TB
}

// body is the answer's text, with plain spaces for no-break ones.
func (r response) body() string { return plain(strings.TrimSpace(r.Body.String())) }

func plain(text string) string { return strings.ReplaceAll(text, "\u00a0", " ") }

// read decodes the answer.
func read[T any](r response) T {
	r.t.Helper()
	var v T
	if err := json.Unmarshal(r.Body.Bytes(), &v); err != nil {
		r.t.Fatalf("answer %s: %v", r.Body, err)
	}
	return v
}

func (r response) wants(status int, body string) {
	r.t.Helper()
	if r.Code != status || r.body() != body {
		r.t.Errorf("answer is %d %s\nwant %d %s", r.Code, r.body(), status, body)
	}
}

// ask sends a request to an endpoint the way cmd/shop answers.
func (s *testShop) ask(endpoint func(http.ResponseWriter, *http.Request) error, r *http.Request) response {
	s.t.Helper()
	w := httptest.NewRecorder()
	if err := endpoint(w, r); err != nil {
		status, body, ok := Answer(err)
		if !ok {
			s.t.Errorf("%s: %v", r.URL, err)
		}
		if err := answer(w, status, body); err != nil {
			s.t.Fatalf("write answer: %v", err)
		}
	}
	return response{w, s.t}
}

type header func(*http.Request)

func withKey(key string) header {
	return func(r *http.Request) { r.Header.Set("Idempotency-Key", key) }
}

func withBasket(id string) header {
	return func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "basket", Value: id}) }
}

// post makes a JSON request; a body that is not text is encoded.
func post(ctx context.Context, body any, headers ...header) *http.Request {
	var text []byte
	switch body := body.(type) {
	case string:
		text = []byte(body)
	default:
		text, _ = json.Marshal(body)
	}
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/api/orders/", bytes.NewReader(text))
	r.Header.Set("Content-Type", "application/json")
	for _, h := range headers {
		h(r)
	}
	return r
}

type fields map[string]any

func lineOf(product any, amount any) fields { return fields{"product": product, "amount": amount} }

// checkout is a good order: CASH, delivery in Almaty.
func checkout(lines ...fields) fields {
	return fields{
		"products": lines, "customer_first_name": "Айгуль", "customer_last_name": "Серикова",
		"customer_email": "aigul@example.kz", "customer_phone": "8 (701) 234-56-78",
		"payment_method": "CASH", "delivery_type": "DELIVERY",
		"customer_city": "Алматы", "customer_street": "Абая", "customer_house": "10",
	}
}

func (f fields) with(name string, value any) fields {
	changed := fields{}
	for k, v := range f {
		changed[k] = v
	}
	changed[name] = value
	return changed
}

func (f fields) without(name string) fields {
	changed := f.with(name, nil)
	delete(changed, name)
	return changed
}

func (s *testShop) price(body any, headers ...header) response {
	s.t.Helper()
	r := s.ask(s.baskets.Calculate, post(s.t.Context(), body, headers...))
	keepsContract(s.t, "/api/orders/calculate-price/", r.Code, r.Body.Bytes())
	return r
}

func (s *testShop) place(body any, headers ...header) response {
	s.t.Helper()
	r := s.ask(s.orders.Place, post(s.t.Context(), body, headers...))
	keepsContract(s.t, "/api/orders/", r.Code, r.Body.Bytes())
	return r
}

// placed places an order that must succeed.
func (s *testShop) placed(body any, headers ...header) Receipt {
	s.t.Helper()
	r := s.place(body, headers...)
	if r.Code != http.StatusCreated {
		s.t.Fatalf("order was refused: %d %s", r.Code, r.body())
	}
	return read[Receipt](r)
}

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func equalText(t testing.TB, what string, got, want any) {
	t.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		t.Errorf("%s is\n%s, want\n%s", what, g, w)
	}
}

// eventuallyTrue is for what another goroutine makes true without a signal a test could wait for.
func eventuallyTrue(t testing.TB, what string, true func() bool) {
	t.Helper()
	for until := time.Now().Add(time.Minute); !true(); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("never ", what)
		}
	}
}
