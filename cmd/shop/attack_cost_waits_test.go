package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestAttackCostOfPositionsOfTheFuture: who claims to have seen what nobody wrote yet waits for nothing.
func TestAttackCostOfPositionsOfTheFuture(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	soap := p.stocked("MK-1", 9000, 10)
	s := p.serve()
	for _, position := range []string{"9000000000000", "9223372036854775807", fmt.Sprint(p.head() + 1000)} {
		for _, path := range []string{"/api/products/mk-1/", "/api/products/?limit=3", "/api/orders/" + soap.String() + "/?key=x"} {
			began := time.Now()
			status, header, body := s.send(http.MethodGet, path, nil, "X-Min-Position", position)
			if took := time.Since(began); took > time.Second || status >= 500 {
				t.Errorf("%s after %s took %s: %d %v %.80s", path, position, took, status, header, body)
			}
		}
		began := time.Now()
		asked := fmt.Sprintf(`{"products":[{"product":%q,"amount":1}]}`, soap)
		status, _, body := s.send(http.MethodPost, calculatePrice, strings.NewReader(asked), "X-Min-Position", position)
		if took := time.Since(began); took > time.Second || status != http.StatusOK {
			t.Errorf("a price after %s took %s: %d %s", position, took, status, body)
		}
	}
	for _, position := range []string{"-1", "0", "x", "1e9", strings.Repeat("9", 400)} {
		if status, _, body := s.send(http.MethodGet, "/api/products/mk-1/", nil, "X-Min-Position", position); status != http.StatusOK {
			t.Errorf("after %.20s: %d %s", position, status, body)
		}
	}
	// Whoever wrote something still sees it, also where another process wrote it.
	for i := range int64(5) {
		order := s.placed(soap, 1, "CASH")
		_, header, body := s.send(http.MethodGet, "/api/products/mk-1/stock/", nil, "X-Min-Position", order.position)
		var stock struct{ Amount int64 }
		if err := json.Unmarshal([]byte(body), &stock); err != nil || stock.Amount != 9-i || header.Get("X-Read-Model-Position") != "" {
			t.Errorf("after the order: %v %v %s", err, header, body)
		}
	}
	if left := s.left(soap); left != 5 {
		t.Errorf("%d are left", left)
	}
}

// TestAttackCostOfForeignCorrelations: an id that a caller makes up names nothing in the log.
func TestAttackCostOfForeignCorrelations(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	soap := p.stocked("MK-1", 9000, 10)
	s := p.serve()
	text, _ := json.Marshal(buyer(nil, pieces(soap, 1)))
	status, header, body := s.send(http.MethodPost, "/api/orders/", strings.NewReader(string(text)), "X-Request-ID", "someone-elses", "Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "Baggage", "user=admin")
	if status != http.StatusCreated {
		t.Fatalf("%d %s", status, body)
	}
	if id := header.Get("X-Request-ID"); id == "someone-elses" || len(id) != 36 {
		t.Errorf("the request has the id %q", id)
	}
	var foreign int
	err := p.pool().QueryRow(t.Context(), `SELECT count(*) FROM eventstore.events WHERE metadata::text LIKE '%someone-elses%' OR metadata::text LIKE '%4bf92f3577b34da6a3ce929d0e0e4736%'`).Scan(&foreign)
	if err != nil || foreign != 0 {
		t.Errorf("%d events have the caller's id, %v", foreign, err)
	}
	s.send(http.MethodGet, "/api/rules/", nil, "X-Request-ID", strings.Repeat("x", 5000)+"\" level=ERROR")
	s.stop()
	if logged := s.stderr.String(); !strings.Contains(logged, "caller_request_id=someone-elses") || strings.Contains(logged, strings.Repeat("x", 65)) || strings.Contains(logged, " request_id=someone-elses") {
		t.Errorf("logged %s", logged)
	}
}
