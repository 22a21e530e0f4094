package main

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"shop/cmd/shop/demo"
	"shop/cmd/shop/terminal"
	"shop/domain/staff"
	reads "shop/readapi/staff"
)

func TestDemoIsAShopWithAPast(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	loaded := p.run("demo")
	if loaded.status != 0 || !strings.Contains(loaded.stderr, " 3000 orders, ") {
		t.Fatalf("got %+v", loaded)
	}
	goods, err := demo.Goods()
	if err != nil {
		t.Fatal(err)
	}
	onFile := map[string]int64{}
	for _, g := range goods {
		onFile[g.Article] = g.Stock
	}

	byStatus := map[string]int{}
	for _, o := range p.numbersOf() {
		byStatus[o.Status]++
	}
	// Those just received or approved depend on the hour; some are on their way to other cities at any time.
	for _, status := range []string{"COMPLETED", "CANCELLED", "REFUNDED", "PAYMENT_ERR", "PROCESSING"} {
		if byStatus[status] == 0 {
			t.Errorf("no order is %s: %v", status, byStatus)
		}
	}
	var stock []reads.StockLine
	if err := json.Unmarshal([]byte(p.ok("stock", "list", "--format", "json")), &stock); err != nil || len(stock) != len(goods) {
		t.Fatalf("%d products have stock, %v", len(stock), err)
	}
	soldOut := 0
	for _, s := range stock {
		if s.Available == 0 {
			soldOut++
		}
		// Receipts of the past cover what was ordered; goods come back from orders that were cancelled late.
		if s.Available < onFile[s.Article] || s.Available > onFile[s.Article]+15 {
			t.Errorf("%s: %d free, %d in the file", s.Article, s.Available, onFile[s.Article])
		}
	}
	if soldOut < 5 {
		t.Errorf("%d products are sold out", soldOut)
	}
	if proof := p.ok("replay", "pricing"); !strings.HasPrefix(proof, "3000 orders up to position ") || !strings.HasSuffix(proof, ", 0 differences\n") {
		t.Errorf("prices of the past: %s", proof)
	}
	var funnel struct {
		Total struct{ Priced, Orderable, Tried, Placed, Paid, Completed int }
	}
	if err := json.Unmarshal([]byte(p.ok("reports", "funnel", "--format", "json")), &funnel); err != nil {
		t.Fatal(err)
	}
	if f := funnel.Total; f.Priced != 3600 || f.Placed != 3000 || f.Orderable >= f.Priced || f.Tried >= f.Orderable || f.Paid >= f.Placed || f.Completed >= f.Paid {
		t.Errorf("the funnel is %+v", f)
	}
	losses := p.ok("reports", "losses", "--by", "month", "--format", "csv")
	for _, lost := range []string{
		"Priced,Below the minimum sum", "Priced,Out of stock", "Priced,No cash in that city", "Could order,Delivery price unknown", "Could order,Simply left",
		"Could order,Emptied", "Could order,Promo code did not hold", "Checkout tried,Below the minimum sum", "Checkout tried,Out of stock",
		"Checkout tried,Promo code did not hold", "Checkout tried,No cash in that city", "Placed,Payment refused", "Placed,Payment not made in time", "Paid,Cancelled",
	} {
		if !strings.Contains(losses, ","+lost+",") {
			t.Errorf("nothing was lost by %s", lost)
		}
	}
	if letters := p.ok("deadletters", "list"); strings.Count(letters, "\n") != 1 {
		t.Errorf("dead letters:\n%s", letters)
	}

	if again := p.run("demo"); again.status != terminal.Failed || !strings.Contains(again.stderr, "the log is not empty") {
		t.Errorf("again: %+v", again)
	}
	if accounts := p.ok("staff", "list"); strings.Contains(accounts, "@") {
		t.Errorf("staff without --demo: %s", accounts)
	}
	p.env = append(p.env, "SHOP_SIGNIN_RATE=0")
	first := p.serve("--demo")
	first.stop()
	before := p.lastByHand()
	s := p.serve("--demo")
	staffOfTheDemo(t, p, s, first.stderr.String())
	var found struct{ Count int }
	if status, body := s.get("/api/products/?is_new=true"); status != 200 || json.Unmarshal([]byte(body), &found) != nil || found.Count < 10 {
		t.Errorf("new arrivals: %d %s", status, body)
	}
	if status, _ := s.get("/api/promocodes/welcome10/"); status != 200 {
		t.Errorf("the promo code: %d", status)
	}
	status, _, body := s.send("POST", "/api/token/", strings.NewReader(`{"username":"demo@dala.example","password":"`+demo.AccountPassword+`"}`))
	var in struct{ Access string }
	if status != 200 || json.Unmarshal([]byte(body), &in) != nil {
		t.Fatalf("the demo's customer: %d %s", status, body)
	}
	for path, wants := range map[string][]string{
		"/api/orders/":                 {"COMPLETED", "REFUNDED", "PAYMENT_ERR"},
		"/api/auth/profile/":           {`"email_verified" : true`},
		"/api/auth/profile/bonuses/":   {`"kind":"earned"`, `"kind":"spent"`},
		"/api/subscriptions/products/": {`["`},
	} {
		_, _, body := s.send("GET", path, nil, "Authorization", "Bearer "+in.Access)
		for _, want := range wants {
			if !strings.Contains(body, want) {
				t.Errorf("%s lacks %s: %s", path, want, body)
			}
		}
	}
	var rated struct {
		Results []struct {
			Count int `json:"reviews_count"`
		}
	}
	if _, body := s.get("/api/products/popular/?limit=8"); json.Unmarshal([]byte(body), &rated) != nil || len(rated.Results) == 0 || rated.Results[0].Count == 0 {
		t.Errorf("popular products have no reviews: %s", body)
	}
	for _, block := range []string{"main-slider", "discount-text"} {
		status, body := s.get("/api/content/find/" + block + "/")
		if status != 200 || strings.Contains(body, "{tiers}") || !strings.ContainsAny(body, "әғқңөұүһі") {
			t.Errorf("%s: %d %s", block, status, body)
		}
	}
	if status, body := s.get("/api/blog/posts/?limit=100"); status != 200 || json.Unmarshal([]byte(body), &found) != nil || found.Count < 7 {
		t.Errorf("posts: %d %s", status, body)
	}
	if status := s.stop(); status != 0 {
		t.Errorf("serve ended with %d: %s", status, s.stderr)
	}
	if after := p.lastByHand(); after != before {
		t.Errorf("a second load wrote %s", after)
	}
	p.audit()
}

// staffOfTheDemo: with what --demo printed, somebody of each role signs in, and the log says who made the accounts.
func staffOfTheDemo(t *testing.T, p program, s *served, said string) {
	t.Helper()
	password := regexp.MustCompile(`their password is (\S+),`).FindStringSubmatch(said)
	if password == nil || !strings.Contains(said, "otpauth://totp/") {
		t.Fatalf("--demo says nothing of staff: %s", said)
	}
	code := strings.TrimSpace(p.ok("demo", "code"))
	for _, role := range staff.Roles {
		email := string(role) + "@dala.example"
		if !strings.Contains(said, email) {
			t.Errorf("--demo does not name %s", email)
		}
		status, _, body := s.send("POST", "/api/staff/session/", strings.NewReader(fmt.Sprintf(`{"email":%q,"password":%q,"code":%q}`, email, password[1], code)))
		if status != 201 || !strings.Contains(body, string(role)) {
			t.Errorf("%s signs in: %d %s", role, status, body)
		}
	}
	if last := p.lastByHand(); !strings.Contains(last, `"system:demo"`) {
		t.Errorf("the last account was made by %s", last)
	}
}

// lastByHand is the last event but for those that processes write when their time comes, such as an order that was not paid in time.
func (p program) lastByHand() string {
	p.t.Helper()
	events := strings.Split(strings.TrimSpace(p.ok("events", "tail", "-n", "500", "-f=false", "--format", "json")), "\n")
	for _, event := range slices.Backward(events) {
		if strings.Contains(event, `"actor":"system:demo"`) || !strings.Contains(event, `"actor":"system:`) {
			return event
		}
	}
	p.t.Fatalf("the last %d events were all written by processes", len(events))
	return ""
}

// TestTheDemoFurnishesEveryDesk: shelves, parcels in each state, a courier's day and goods that come back.
func TestTheDemoFurnishesEveryDesk(t *testing.T) {
	t.Parallel()
	d := openStaffDesk(t, "SHOP_SIGNIN_RATE=0")
	if err := demo.Open(t.Context(), d.shop, terminal.World{Stdout: io.Discard, Stderr: io.Discard, Getenv: func(string) string { return "" }}, 1_000); err != nil {
		t.Fatal(err)
	}
	d.catchUp("orders", "packing", "catalog")
	for what, sql := range map[string]string{
		"shelves":               "SELECT count(*) FROM packing.shelf",
		"packed parcels":        "SELECT count(*) FROM orders.orders WHERE packed_at IS NOT NULL AND handed_over_at IS NULL",
		"parcels at a carrier":  "SELECT count(*) FROM orders.orders WHERE carrier <> '' AND handed_over_at IS NOT NULL",
		"orders to pack":        "SELECT count(*) FROM orders.orders WHERE status IN ('APPROVED', 'PROCESSING') AND packed_at IS NULL",
		"stops of a courier":    "SELECT count(*) FROM orders.orders WHERE courier_day IS NOT NULL",
		"requests for a return": "SELECT count(*) FROM orders.orders WHERE return_asked IS NOT NULL",
		"goods that came back":  "SELECT count(*) FROM orders.orders WHERE goods_back > 0",
	} {
		var n int
		if err := d.shop.Pool.QueryRow(t.Context(), sql).Scan(&n); err != nil || n == 0 {
			t.Errorf("%s: %d, %v", what, n, err)
		}
	}
}
