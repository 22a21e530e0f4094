package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/eventstore/relay/natstest"
	"shop/migrations/pgtest"
)

// ask sends a request and answers status, headers and body.
func (s *served) ask(method, path, body string, headers ...string) (int, http.Header, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer.StatusCode, answer.Header, string(text)
}

// freeAddress is one that a process can take again after another ended.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// with is the program with other settings.
func (p program) with(settings ...string) program {
	env := append([]string{}, p.env...)
	for _, s := range settings {
		name, _, _ := strings.Cut(s, "=")
		env = append(without(env, name), s)
	}
	return program{p.t, env}
}

// regionOf is the program of a new region of a home region that is served at an address.
func (p program) regionOf(at string) program {
	p.t.Helper()
	homeDatabase := ""
	for _, s := range p.env {
		if v, ok := strings.CutPrefix(s, "SHOP_DATABASE_URL="); ok {
			homeDatabase = v
		}
	}
	return p.with("SHOP_DATABASE_URL="+pgtest.URL(p.t), "SHOP_DATA_DIR="+p.t.TempDir(), "SHOP_ADDR=127.0.0.1:0",
		"SHOP_HOME_URL=http://"+at, "SHOP_HOME_DATABASE_URL="+homeDatabase)
}

// TestRegion: a region seeds itself, shows what the home region has, passes orders on, shows shoppers their own writes, and
// when it is cut off goes on showing the catalog and refuses orders.
func TestRegion(t *testing.T) {
	t.Parallel()
	nats, at := natstest.Start(t), freeAddress(t)
	home := onDatabase(t).with("SHOP_NATS_URL="+nats.URL(), "SHOP_ADDR="+at)
	cream := home.stocked("MK-1", 9000, 10)
	atHome := home.serve("--roles", "web,projectors,policies,relay")

	region := home.regionOf(at)
	if refused := region.run("serve", "--region", "almaty", "--roles", "web,policies"); refused.status == 0 || !strings.Contains(refused.stderr, "policies and relay belong to the home region") {
		t.Errorf("a region with policies: %+v", refused)
	}
	s := region.serve("--region", "almaty")

	status, header, body := s.ask("GET", "/api/products/mk-1/", "")
	if status != 200 || !strings.Contains(body, "Крем MK-1") || header.Get("X-Shop-Region") != "almaty" {
		t.Fatalf("the product in the region: %d %v %s", status, header, body)
	}
	if status, _, body := s.ask("GET", "/product/mk-1", ""); status != 200 || !strings.Contains(body, "Крем MK-1") || !strings.Contains(body, `<aside id="region"`) || !strings.Contains(body, `src="/region.js"`) {
		t.Errorf("its page: %d %s", status, body)
	}
	if status, header, _ := s.ask("GET", "/region.js", ""); status != 200 || header.Get("X-Shop-Home") != "" {
		t.Errorf("the script of the banner: %d %v", status, header)
	}

	// An order goes home, once however often it is sent, and the region shows what it did to the stock.
	key := uuid.NewString()
	status, placed, body, err := s.order(cream, 3, "CASH", key)
	if err != nil || status != 201 && status != 200 {
		t.Fatalf("an order in the region: %d %s %v", status, body, err)
	}
	_, again, _, err := s.order(cream, 3, "CASH", key)
	if err != nil || again.Number != placed.Number {
		t.Errorf("the same order again: %+v, %v, before %+v", again, err, placed)
	}
	if show := home.ok("orders", "show", number(placed.Number)); !strings.Contains(show, "MK-1") {
		t.Errorf("the order at home: %s", show)
	}
	_, header, body = s.ask("GET", "/api/products/mk-1/stock", "", "X-Min-Position", placed.position)
	if header.Get("X-Read-Model-Position") != "" || !strings.Contains(body, "7") {
		t.Errorf("the stock after the order: %v %s", header, body)
	}

	// What was seen before a promotion is answered at home.
	if _, header, body := s.ask("GET", "/api/products/mk-1/stock", "", "X-Min-Position", placed.position+".00000000"); header.Get("X-Read-Model-Position") != "" || !strings.Contains(body, "7") {
		t.Errorf("the stock for a token of another history: %v %s", header, body)
	}
	if status, _, page := atHome.ask("GET", "/product/mk-1", ""); status != 200 || strings.Contains(page, "region.js") {
		t.Errorf("the home region's page has the banner of a region: %d", status)
	}

	// Cut off: the catalog stays, orders are refused in the shopper's language, and nothing is lost.
	atHome.kill()
	if status, _, body := s.ask("GET", "/api/products/mk-1/", ""); status != 200 || !strings.Contains(body, "Крем MK-1") {
		t.Errorf("the product in a region that is cut off: %d %s", status, body)
	}
	s.told("away")
	status, _, body, err = s.order(cream, 1, "CASH", uuid.NewString())
	var told struct{ Detail string }
	if err != nil || status != http.StatusServiceUnavailable || json.Unmarshal([]byte(body), &told) != nil || !strings.Contains(told.Detail, "Корзина сохранена") {
		t.Errorf("an order in a region that is cut off: %d %s %v", status, body, err)
	}
	// It catches up alone.
	home.stocked("MK-2", 5000, 4)
	home.serve("--roles", "web,projectors,policies,relay")
	s.eventually("/api/products/mk-2/", "Крем MK-2")
	s.told("")
	if status, _, body, err = s.order(cream, 1, "CASH", uuid.NewString()); err != nil || status >= 300 {
		t.Errorf("an order after that: %d %s %v", status, body, err)
	}
}

// told returns when the region says this of the home region.
func (s *served) told(want string) {
	s.t.Helper()
	deadline := time.After(time.Minute)
	for {
		_, header, _ := s.ask("GET", "/api/shop/", "")
		if header.Get("X-Shop-Home") == want && (want != "" || header.Get("X-Shop-Age") == "") {
			return
		}
		select {
		case <-deadline:
			s.t.Fatalf("the region says %v, want %q of the home region; %s", header, want, s.stderr)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// eventually returns when a path answers with a text.
func (s *served) eventually(path, want string) {
	s.t.Helper()
	deadline := time.After(time.Minute)
	for {
		status, _, body := s.ask("GET", path, "")
		if status == 200 && strings.Contains(body, want) {
			return
		}
		select {
		case <-deadline:
			s.t.Fatalf("%s is %d %s; %s", path, status, body, s.stderr)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
