package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/parquet-go/parquet-go"

	"shop/cmd/shop/app"
	"shop/commands"
	"shop/projections/dataset"
	"shop/readapi"
)

// exportAll writes every data set about persons, as CSV and as Parquet, and beside each Parquet file what is in it.
func (p program) exportAll(folder string, unmasked bool) {
	p.t.Helper()
	p.past(0, func(ctx context.Context, s *app.Shop, _ *commands.Orders) {
		for _, set := range []string{"orders", "order-lines", "baskets", "events"} {
			for _, format := range []string{dataset.CSV, dataset.Parquet} {
				o := dataset.Options{Dir: filepath.Join(folder, format), Format: format, Unmasked: unmasked, Secret: []byte("pseudonyms"), Cities: readapi.Cities{}.City}
				if _, err := dataset.Write(ctx, s.Store, set, o); err != nil {
					p.t.Fatal(err)
				}
			}
		}
	})
	err := filepath.WalkDir(filepath.Join(folder, dataset.Parquet), func(path string, entry os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".parquet" {
			return err
		}
		rows, err := parquet.ReadFile[any](path)
		if err != nil {
			return err
		}
		return os.WriteFile(path+".txt", []byte(fmt.Sprint(rows)), 0o600)
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// collector takes what a program tells of itself.
type collector struct {
	*httptest.Server
	mu   sync.Mutex
	said strings.Builder
}

func collect(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.said.Write(body)
	}))
	t.Cleanup(c.Close)
	return c
}

// TestAttackGuestIsNowhere: a guest with an order, a promo code, a city that is an address, a review with a photo, letters and a
// place in read models of the past is nowhere once they are forgotten, and was never in what leaves the shop without keys:
// exports, traces.
func TestAttackGuestIsNowhere(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	traced := collect(t)
	p.env = append(p.env, "SHOP_EMAIL_RATE=0", "SHOP_MAIL_RATE=0", "OTEL_EXPORTER_OTLP_ENDPOINT="+traced.URL, "OTEL_BSP_SCHEDULE_DELAY=200")
	cream := p.stocked("MK-1", 9000, 10)
	p.ok("promocodes", "issue", "WELCOME10", "--percent", "10", "--uses-per-customer", "1")
	pool := p.pool()
	d := mailDesk{p, p.serve()}
	priced := map[string]any{"products": []any{pieces(cream, 1)}, "promocode": "WELCOME10", "city": personCity}
	for range 2 { // the first one's cookie is lost, so nothing is remembered; the order remembers
		d.post("/api/orders/calculate-price/", "", priced)
	}
	r := d.taken("", guestOrder(cream, map[string]any{"customer_city": personCity, "payment_method": "CARD", "promocode": "WELCOME10"}))
	p.ok("orders", "cancel", number(r.Number))
	review := d.reviewed(cream).String()
	p.ok("reviews", "answer", review, "--text", "Спасибо")
	p.letters("order-cancelled", 1)
	p.letters("review-answered", 1)
	d.call("POST", "/api/auth/profile/password-reset/request/", map[string]any{"email": personEmail})
	hash := emailHash(t, pool, "reset")
	mistakes(t, pool)
	until(t, "the review is there", func() bool {
		var n int
		return pool.QueryRow(t.Context(), "SELECT count(*) FROM reviews.review WHERE content <> ''").Scan(&n) == nil && n == 1
	})
	for _, name := range []string{"orders", "reviews"} {
		p.ok("projections", "rebuild", name)
		p.ok("projections", "build", name, "--position", number(p.head()))
	}
	if _, err := pool.Exec(t.Context(), "ANALYZE"); err != nil {
		t.Fatal(err)
	}
	if places := traces(t, pool); len(places) < len(personal) {
		t.Fatalf("the search does not find who is there: %q", places)
	}
	backup := t.TempDir()
	p.ok("events", "export", "--out", filepath.Join(backup, "shop.jsonl"))
	p.exportAll(backup, false)
	if places := (program{t, []string{"SHOP_DATA_DIR=" + backup}}).leftovers(); len(places) > 0 {
		t.Errorf("exports without keys, and masked data sets: %q", places)
	}
	was := totals(t, pool)

	p.ok("orders", "forget", number(r.Number))
	p.ok("reviews", "forget", review)
	d.nowhere()
	until(t, "the files of the review's photo are gone", func() bool { return p.photoFiles() == 0 })
	check := func(when string) {
		t.Helper()
		if places := append(traces(t, pool), p.leftovers()...); len(places) > 0 {
			t.Errorf("%s: %q", when, places)
		}
		if now := totals(t, pool); now != was {
			t.Errorf("%s the totals are %s, and were %s", when, now, was)
		}
	}
	check("forgotten")
	until(t, "no record leads to the guest", func() bool { return records(t, pool, uuid.Nil, hash) == 0 })
	folder := t.TempDir()
	p.ok("events", "export", "--out", filepath.Join(folder, "shop.jsonl"), "--with-keys", filepath.Join(folder, "shop.keys"))
	p.exportAll(folder, true)
	if places := (program{t, []string{"SHOP_DATA_DIR=" + folder}}).leftovers(); len(places) > 0 {
		t.Errorf("exports: %q", places)
	}
	for _, name := range []string{"orders", "reviews"} {
		p.ok("projections", "rebuild", name)
	}
	check("rebuilt")
	for _, stream := range []string{"order-" + r.ID.String(), "review-" + review, "promocode-WELCOME10"} {
		if places := found("stream", p.ok("events", "stream", stream, "--personal")); len(places) > 0 {
			t.Errorf("the log still reads: %q", places)
		}
	}
	if status := d.stop(); status != 0 {
		t.Errorf("serve ended with %d: %s", status, d.stderr)
	}
	if places := found("the program's log", d.stderr.String()); len(places) > 0 {
		t.Errorf("%q", places)
	}
	traced.mu.Lock()
	defer traced.mu.Unlock()
	if said := traced.said.String(); !strings.Contains(said, "place order") {
		t.Errorf("no trace of the order in %d bytes", len(said))
	} else if places := found("traces", said); len(places) > 0 {
		t.Errorf("%q", places)
	}
}
