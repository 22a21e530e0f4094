package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// stockShown is how many pieces a product's page shows to whoever has seen a position, and what else went wrong.
func (s *served) stockShown(product uuid.UUID, position string) int64 {
	s.t.Helper()
	request, err := http.NewRequest(http.MethodGet, s.url+"/api/products/"+product.String()+"/stock/", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("X-Min-Position", position)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	var shown struct {
		Amount int64 `json:"amount"`
	}
	if err := json.NewDecoder(response.Body).Decode(&shown); err != nil || response.StatusCode != http.StatusOK {
		s.t.Fatalf("status %d, %v", response.StatusCode, err)
	}
	if behind := response.Header.Get("X-Read-Model-Position"); behind != "" {
		s.t.Fatalf("the read models were only at %s, not at %s", behind, position)
	}
	return shown.Amount
}

// TestShoppersReadAtAReplica: with one that freezes, dies and returns, every shopper goes on seeing their own order at once.
func TestShoppersReadAtAReplica(t *testing.T) {
	t.Parallel()
	servers := startPair(t)
	p := servers.program()
	p.env[0] = "SHOP_DATABASE_URL=" + servers.primaryURL
	p.env = append(p.env, "SHOP_READ_URLS="+servers.standbyURL)
	const pieces = 99 // a page shows no more than one may order
	cream, left := p.stocked("MK-1", 9000, pieces), int64(pieces)
	p.unbounded()
	s := p.serve()
	buy := func(times int) {
		t.Helper()
		for range times {
			r := s.placed(cream, 1, "CASH")
			left--
			if shown := s.stockShown(cream, r.position); shown != left {
				t.Fatalf("%d pieces shown after an order that left %d", shown, left)
			}
		}
	}
	readsThere := func() {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); ; {
			if shown := s.stockShown(cream, ""); shown != left {
				t.Fatalf("%d pieces shown, %d are left", shown, left)
			}
			var yes bool
			conn, err := pgx.Connect(t.Context(), servers.standbyURL)
			if err == nil {
				err = conn.QueryRow(t.Context(), "SELECT count(*) > 0 FROM pg_stat_activity WHERE application_name = 'shop reads' AND query ~ 'catalog'").Scan(&yes)
				conn.Close(t.Context())
			}
			if yes {
				buy(1)
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("nobody reads at the replica (%v)", err)
			}
		}
	}
	readsThere()
	// What a CDN purges the answer by.
	response, err := http.Get(s.url + "/api/products/" + cream.String() + "/")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if keys := response.Header.Get("Surrogate-Key"); !strings.Contains(keys, "catalog/product-"+cream.String()) || !strings.Contains(keys, "stock/") {
		t.Errorf("Surrogate-Key: %s", keys)
	}
	buy(8)
	if err := servers.standby.Freeze(); err != nil {
		t.Fatal(err)
	}
	buy(5)
	if err := servers.standby.Thaw(); err != nil {
		t.Fatal(err)
	}
	buy(5)
	if err := servers.standby.Kill(); err != nil {
		t.Fatal(err)
	}
	buy(5)
	servers.standby.Again()
	readsThere()
	buy(5)
	if status := s.stop(); status != 0 {
		t.Errorf("serve ended with %d: %s", status, s.stderr)
	}
}
