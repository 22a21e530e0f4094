package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/cmd/shop/edge"
)

// buyer is the body of a guest's order; fields replace those of an ordinary one.
func buyer(fields map[string]any, lines ...any) map[string]any {
	asked := map[string]any{
		"customer_first_name": "Айгерим", "customer_last_name": "Сатпаева", "customer_email": "aigerim@example.com", "customer_phone": "+77011234567",
		"customer_city": "Алматы", "customer_street": "Абая", "customer_house": "10", "payment_method": "CASH", "delivery_type": "DELIVERY",
		"products": lines,
	}
	maps.Copy(asked, fields)
	return asked
}

func pieces(product uuid.UUID, amount int) map[string]any {
	return map[string]any{"product": product, "amount": amount}
}

// responseHead is an answer of the shop without its body.
type responseHead struct {
	StatusCode int
	Header     http.Header
}

// post sends a body to the shop.
func (s *served) post(path, token string, body any) (responseHead, string) {
	s.t.Helper()
	asked, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPost, s.url+path, bytes.NewReader(asked))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	answered, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return responseHead{response.StatusCode, response.Header}, string(answered)
}

// left is how many pieces of a product can still be had.
func (s *served) left(product uuid.UUID) int {
	s.t.Helper()
	var stock struct {
		Amount int `json:"amount"`
	}
	status, body := s.get("/api/products/" + product.String() + "/stock/")
	if status != http.StatusOK {
		s.t.Fatalf("stock: %d %s", status, body)
	}
	if err := json.Unmarshal([]byte(body), &stock); err != nil {
		s.t.Fatal(err)
	}
	return stock.Amount
}

// open sets the bounds on open orders; 0: none.
func (p program) open(bounds map[string]int) {
	p.t.Helper()
	text, err := json.Marshal(bounds)
	if err != nil {
		p.t.Fatal(err)
	}
	file := filepath.Join(p.t.TempDir(), "rules.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.ok("rules", "set", file)
}

// unbounded lets one guest, and one network, have as many open orders as they like, for tests in which all shoppers are one.
func (p program) unbounded() {
	p.t.Helper()
	p.open(map[string]int{"guest_open_orders": 0, "guest_open_pieces": 0, "network_open_orders": 0, "network_open_pieces": 0})
}

// TestAttackStockHeldByOneNetwork: somebody orders on and on, each time with another phone and e-mail.
func TestAttackStockHeldByOneNetwork(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	soap := p.stocked("MK-1", 9000, 1000)
	s := p.serve()
	placed, held := 0, 0
	for i := range 45 {
		response, body := s.post("/api/orders/", "", buyer(map[string]any{
			"customer_email": fmt.Sprintf("a%d@example.com", i), "customer_phone": fmt.Sprintf("+7701123%04d", i),
		}, pieces(soap, 22)))
		switch {
		case response.StatusCode == http.StatusCreated:
			placed, held = placed+1, held+22
		case response.StatusCode != http.StatusConflict || !strings.Contains(body, `"code":"order/too-many-open"`) || !strings.Contains(body, "detail"):
			t.Fatalf("order %d: %d %s", i, response.StatusCode, body)
		}
	}
	if placed > 20 || held > 300 || placed == 0 {
		t.Errorf("one network holds %d pieces in %d orders", held, placed)
	}
	// The network is in no event, and no bound knows more of it than a hash.
	conn, err := pgx.Connect(t.Context(), p.config().DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var named, claims int
	err = conn.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM eventstore.events WHERE data::text || metadata::text LIKE '%127.0.0.1%'),
		(SELECT count(*) FROM eventstore.claims WHERE octet_length(quota) = 16)`).Scan(&named, &claims)
	if err != nil || named != 0 || claims != 3*placed {
		t.Errorf("%d events name the network, %d claims of %d orders, %v", named, claims, placed, err)
	}
}

// TestAttackStockHeldByOnePhone: fifty orders at once with one phone, then with one e-mail, however they are spelled.
func TestAttackStockHeldByOnePhone(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	soap := p.stocked("MK-1", 9000, 1000)
	p.open(map[string]int{"network_open_orders": 0, "network_open_pieces": 0})
	s := p.serve()
	for name, fields := range map[string]func(i int) map[string]any{
		"phone": func(i int) map[string]any {
			phone := []string{"+77011234567", "8 (701) 123-45-67", "+7 701 123 45 67"}[i%3]
			return map[string]any{"customer_phone": phone, "customer_email": fmt.Sprintf("p%d@example.com", i)}
		},
		"e-mail": func(i int) map[string]any {
			email := []string{"victim@example.com", "Victim@Example.COM"}[i%2]
			return map[string]any{"customer_email": email, "customer_phone": fmt.Sprintf("+7702123%04d", i)}
		},
	} {
		var placed atomic.Int64
		var all sync.WaitGroup
		for i := range 50 {
			all.Go(func() {
				response, body := s.post("/api/orders/", "", buyer(fields(i), pieces(soap, 1)))
				for tries := 0; response.StatusCode == http.StatusServiceUnavailable && tries < 50; tries++ { // a slow machine asks shoppers to try again
					response, body = s.post("/api/orders/", "", buyer(fields(i), pieces(soap, 1)))
				}
				if response.StatusCode == http.StatusCreated {
					placed.Add(1)
				} else if response.StatusCode != http.StatusConflict || !strings.Contains(body, "order/too-many-open") {
					t.Errorf("%s: %d %s", name, response.StatusCode, body)
				}
			})
		}
		all.Wait()
		if placed.Load() != 5 {
			t.Errorf("one %s holds %d orders", name, placed.Load())
		}
	}
	if n := strings.Count(p.ok("orders", "list", "--format", "json"), `"number"`); n != 10 {
		t.Errorf("%d orders are written", n)
	}
}

// TestAttackStockHeldByOneOrder: a hundred lines of ninety-nine pieces are no order of somebody unknown.
func TestAttackStockHeldByOneOrder(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	soap, cream := p.stocked("MK-1", 9000, 500), p.stocked("MK-2", 9000, 500)
	s := p.serve()
	for _, lines := range [][]any{{pieces(soap, 99), pieces(cream, 99)}, {pieces(soap, 61)}} {
		response, body := s.post("/api/orders/", "", buyer(nil, lines...))
		if response.StatusCode != http.StatusConflict || !strings.Contains(body, "order/too-many-pieces") {
			t.Errorf("%v: %d %s", lines, response.StatusCode, body)
		}
	}
	if a, b := s.left(soap), s.left(cream); a != 99 || b != 99 { // the most that is shown
		t.Errorf("%d and %d are left", a, b)
	}
	if strings.Contains(p.ok("orders", "list", "--format", "json"), `"number"`) {
		t.Error("an order was written")
	}
	if response, body := s.post("/api/orders/", "", buyer(nil, pieces(soap, 60))); response.StatusCode != http.StatusCreated {
		t.Errorf("an order of sixty pieces: %d %s", response.StatusCode, body)
	}
	// What staff confirmed counts no more.
	p.ok("orders", "approve", p.numberOfOpen()[0])
	for range 2 {
		if response, body := s.post("/api/orders/", "", buyer(nil, pieces(soap, 30))); response.StatusCode != http.StatusCreated {
			t.Errorf("after the first was confirmed: %d %s", response.StatusCode, body)
		}
	}
	// Nor what was cancelled.
	p.ok("orders", "cancel", p.numberOfOpen()[0], "--reason", "test")
	if response, body := s.post("/api/orders/", "", buyer(nil, pieces(soap, 30))); response.StatusCode != http.StatusCreated {
		t.Errorf("after one was cancelled: %d %s", response.StatusCode, body)
	}
}

// numberOfOpen are the numbers of the orders that nobody confirmed.
func (p program) numberOfOpen() []string {
	p.t.Helper()
	var rows []struct {
		Number int64  `json:"number"`
		Status string `json:"status"`
	}
	if err := json.Unmarshal([]byte(p.ok("orders", "list", "--format", "json")), &rows); err != nil {
		p.t.Fatal(err)
	}
	var open []string
	for _, row := range rows {
		if row.Status == "RECEIVED" {
			open = append(open, number(row.Number))
		}
	}
	return open
}

// TestAttackStockHeldFast: orders have a limit of their own, and who meets it may still ask for prices.
func TestAttackStockHeldFast(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.env = append(p.env, "SHOP_ORDER_RATE=") // the default
	soap := p.stocked("MK-1", 9000, 1000)
	s := p.serve()
	passed, refused := 0, 0
	for i := range 14 {
		response, body := s.post("/api/orders/", "", buyer(map[string]any{
			"customer_email": fmt.Sprintf("a%d@example.com", i), "customer_phone": fmt.Sprintf("+7701123%04d", i),
		}, pieces(soap, 1)))
		switch response.StatusCode {
		case http.StatusCreated:
			passed++
		case http.StatusTooManyRequests:
			refused++
			if response.Header.Get("Retry-After") == "" || !strings.Contains(body, edge.TextTooMany) {
				t.Errorf("refused with %v %s", response.Header, body)
			}
		default:
			t.Fatalf("order %d: %d %s", i, response.StatusCode, body)
		}
	}
	if passed < 10 || passed > 12 || refused == 0 {
		t.Errorf("%d orders passed, %d were refused", passed, refused)
	}
	priced := map[string]any{"products": []any{pieces(soap, 1)}, "city": "Алматы"}
	if response, body := s.post("/api/orders/calculate-price/", "", priced); response.StatusCode != http.StatusOK {
		t.Errorf("a price: %d %s", response.StatusCode, body)
	}
}
