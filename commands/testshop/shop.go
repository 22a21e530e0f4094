package testshop

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

	"shop/commands"
	"shop/commands/payments"
	"shop/commands/shopapi"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/order"
	"shop/domain/promocode"
	"shop/domain/rules"
	"shop/domain/stock"
	"shop/eventstore"
	"shop/eventstore/registry"
	"shop/migrations/pgtest"
	"shop/readapi/endpoint"
)

// Noon is a Tuesday, 12:00 in Almaty.
var Noon = time.Date(2026, 3, 3, 7, 0, 0, 0, time.UTC)

// Clock is a time that tests move.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Shop is a shop on a database of its own.
type Shop struct {
	T       testing.TB
	Pool    *pgxpool.Pool
	Log     *eventstore.Store
	Clock   *Clock
	Handler *commands.Handler
	Baskets *commands.Baskets
	Orders  *commands.Orders
	Bank    *payments.Bank
	Sandbox *payments.Sandbox
}

// Open makes a shop with rules, and no goods. Guests may have as many open orders as they like: most tests have one guest.
func Open(t testing.TB) *Shop {
	t.Helper()
	r := rules.Default()
	r.GuestOpenOrders, r.GuestOpenPieces, r.CustomerOpenOrders, r.CustomerOpenPieces = 0, 0, 0, 0
	return OpenWith(t, r)
}

// OpenWith makes a shop with these rules, and no goods.
func OpenWith(t testing.TB, r rules.Rules) *Shop {
	t.Helper()
	pool := pgtest.Open(t)
	log := eventstore.Open(pool, registry.New(), eventstore.Options{})
	t.Cleanup(log.Close)
	s := &Shop{T: t, Pool: pool, Log: log, Clock: &Clock{now: Noon}}
	s.Use(log)
	if _, err := (&commands.Rules{Handler: s.Handler}).Change(t.Context(), r, 0); err != nil {
		t.Fatalf("open rules: %v", err)
	}
	return s
}

// Use lets the shop's commands work on a log, with nothing remembered: a process that has just started.
func (s *Shop) Use(log commands.Log) { s.UseWith(log, commands.Options{}) }

// UseWith is Use with options; the clock is the shop's.
func (s *Shop) UseWith(log commands.Log, o commands.Options) {
	o.Clock = s.Clock.Now
	s.Handler = commands.New(log, o)
	s.Sandbox = payments.NewSandbox("https://shop.example", []byte("bank secret"))
	s.Baskets = &commands.Baskets{Handler: s.Handler}
	s.Orders = &commands.Orders{Handler: s.Handler, Numbers: &commands.OrderNumbers{Pool: s.Pool}, Providers: payments.Providers{Current: s.Sandbox}, Secret: []byte("shop secret"), Books: payments.Books{Pool: s.Pool}, PublicURL: "https://shop.example"}
	s.Bank = &payments.Bank{Sandbox: s.Sandbox, Shop: "Дала", Bill: s.Orders.Bill, Language: func(ctx context.Context) string { return commands.OriginOf(ctx).Language }, Notify: shopapi.Payments{Orders: s.Orders}.Deliver}
}

// Product adds a product to the catalog, with pieces on hand.
func (s *Shop) Product(price, discounted domain.Money, onHand int64) domain.ID {
	s.T.Helper()
	id := uuid.Must(uuid.NewV7())
	put := catalog.PutProduct{
		ID: id, Article: "A-" + id.String(), Link: "krem-" + id.String(), CategoryID: uuid.Must(uuid.NewV7()),
		Text: catalog.ProductText{Name: "Крем"}, Price: price, DiscountedPrice: discounted,
	}
	if _, err := (&commands.Catalog{Handler: s.Handler}).PutProduct(s.T.Context(), put); err != nil {
		s.T.Fatalf("add product: %v", err)
	}
	if onHand > 0 {
		if _, err := (&commands.Stock{Handler: s.Handler}).Receive(s.T.Context(), id, onHand, ""); err != nil {
			s.T.Fatalf("receive stock: %v", err)
		}
	}
	return id
}

// Count says how many pieces of a product somebody counted.
func Count(ctx context.Context, h *commands.Handler, product domain.ID, onHand int64) (eventstore.Position, error) {
	return commands.Change(ctx, h, commands.StockStream(product), func(u *commands.Unit) stock.Command {
		return stock.Count{ProductID: product, OnHand: onHand, Cause: stock.Cause{Kind: "count"}, At: u.At()}
	})
}

func (s *Shop) Promocode(code string, terms promocode.Terms) {
	s.T.Helper()
	if _, err := (&commands.Promocodes{Handler: s.Handler}).Issue(s.T.Context(), code, terms); err != nil {
		s.T.Fatalf("issue promo code: %v", err)
	}
}

// StockOf is a product's stock by the log alone.
func (s *Shop) StockOf(product domain.ID) stock.State {
	s.T.Helper()
	state, err := commands.See(s.T.Context(), commands.New(s.Log, commands.Options{}), commands.StockStream(product))
	if err != nil {
		s.T.Fatalf("see stock: %v", err)
	}
	return state
}

func (s *Shop) OrderOf(id domain.ID) order.State {
	s.T.Helper()
	state, err := commands.See(s.T.Context(), commands.New(s.Log, commands.Options{}), commands.OrderStream(id))
	if err != nil {
		s.T.Fatalf("see order: %v", err)
	}
	return state
}

func (s *Shop) CodeOf(code string) promocode.State {
	s.T.Helper()
	state, err := commands.See(s.T.Context(), commands.New(s.Log, commands.Options{}), commands.PromocodeStream(code))
	if err != nil {
		s.T.Fatalf("see promo code: %v", err)
	}
	return state
}

// Types are the stored names of the events since a position, in order.
func (s *Shop) Types(after eventstore.Position) []string {
	s.T.Helper()
	events, err := s.Log.Read(s.T.Context(), eventstore.Query{After: after, Range: -1})
	if err != nil {
		s.T.Fatalf("read log: %v", err)
	}
	types := []string{}
	for _, e := range events {
		types = append(types, e.Type)
	}
	return types
}

// Head is where the log ends.
func (s *Shop) Head() eventstore.Position {
	s.T.Helper()
	head, err := s.Log.Head(s.T.Context())
	if err != nil {
		s.T.Fatalf("head of the log: %v", err)
	}
	return head
}

// Response is what an endpoint answered.
type Response struct {
	*httptest.ResponseRecorder
	T testing.TB
}

// Text is the answer's text, with plain spaces for no-break ones.
func (r Response) Text() string { return Plain(strings.TrimSpace(r.Body.String())) }

func Plain(text string) string { return strings.ReplaceAll(text, "\u00a0", " ") }

// Read decodes the answer.
func Read[T any](r Response) T {
	r.T.Helper()
	var v T
	if err := json.Unmarshal(r.Body.Bytes(), &v); err != nil {
		r.T.Fatalf("answer %s: %v", r.Body, err)
	}
	return v
}

func (r Response) Wants(status int, body string) {
	r.T.Helper()
	if r.Code != status || r.Text() != body {
		r.T.Errorf("answer is %d %s\nwant %d %s", r.Code, r.Text(), status, body)
	}
}

// Ask sends a request to an endpoint the way cmd/shop answers.
func (s *Shop) Ask(e endpoint.Endpoint, r *http.Request) Response {
	s.T.Helper()
	w := httptest.NewRecorder()
	if err := e(w, r); err != nil {
		status, body, ok := shopapi.Problem(err)
		if !ok {
			s.T.Errorf("%s: %v", r.URL, err)
		}
		endpoint.SayWhen(w, err)
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(status)
		if err := json.NewEncoder(w).Encode(body); err != nil {
			s.T.Fatalf("write answer: %v", err)
		}
	}
	return Response{w, s.T}
}

type Header func(*http.Request)

func WithKey(key string) Header {
	return func(r *http.Request) { r.Header.Set("Idempotency-Key", key) }
}

func WithBasket(id string) Header {
	return func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "basket", Value: id}) }
}

// Post makes a JSON request; a body that is not text is encoded.
func Post(ctx context.Context, body any, headers ...Header) *http.Request {
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

type Fields map[string]any

func Line(product any, amount any) Fields { return Fields{"product": product, "amount": amount} }

// Checkout is a good order: CASH, delivery in Almaty.
func Checkout(lines ...Fields) Fields {
	return Fields{
		"products": lines, "customer_first_name": "Айгуль", "customer_last_name": "Серикова",
		"customer_email": "aigul@example.kz", "customer_phone": "8 (701) 234-56-78",
		"payment_method": "CASH", "delivery_type": "DELIVERY",
		"customer_city": "Алматы", "customer_street": "Абая", "customer_house": "10",
	}
}

func (f Fields) With(name string, value any) Fields {
	changed := Fields{}
	for k, v := range f {
		changed[k] = v
	}
	changed[name] = value
	return changed
}

func (f Fields) Without(name string) Fields {
	changed := f.With(name, nil)
	delete(changed, name)
	return changed
}

func (s *Shop) Price(body any, headers ...Header) Response {
	s.T.Helper()
	r := s.Ask(shopapi.Baskets{Baskets: s.Baskets}.Calculate, Post(s.T.Context(), body, headers...))
	KeepsContract(s.T, "/api/orders/calculate-price/", r.Code, r.Body.Bytes())
	return r
}

// Basket prices twice, so that the basket is remembered, and returns its cookie's value.
func (s *Shop) Basket(body any) string {
	s.T.Helper()
	cookie := s.Price(body).Result().Cookies()[0].Value
	s.Price(body, WithBasket(cookie))
	return cookie
}

// BasketID is the basket of a cookie's value.
func BasketID(cookie string) domain.ID {
	id, _, _ := strings.Cut(cookie, ".")
	return uuid.MustParse(id)
}

func (s *Shop) Place(body any, headers ...Header) Response {
	s.T.Helper()
	r := s.Ask(shopapi.Orders{Orders: s.Orders}.Place, Post(s.T.Context(), body, headers...))
	KeepsContract(s.T, "/api/orders/", r.Code, r.Body.Bytes())
	return r
}

// Placed places an order that must succeed.
func (s *Shop) Placed(body any, headers ...Header) commands.Receipt {
	s.T.Helper()
	r := s.Place(body, headers...)
	if r.Code != http.StatusCreated {
		s.T.Fatalf("order was refused: %d %s", r.Code, r.Text())
	}
	return Read[commands.Receipt](r)
}

func Equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func EqualText(t testing.TB, what string, got, want any) {
	t.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		t.Errorf("%s is\n%s, want\n%s", what, g, w)
	}
}

// Eventually is for what another goroutine makes true without a signal a test could wait for.
func Eventually(t testing.TB, what string, true func() bool) {
	t.Helper()
	for until := time.Now().Add(time.Minute); !true(); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("never ", what)
		}
	}
}
