package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"shop/cmd/shop/terminal"
	"shop/commands"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/staff"
	reads "shop/readapi/staff"
)

func TestAnalystsFollowHistory(t *testing.T) {
	t.Parallel()
	d := openOpsDesk(t)
	d.project()
	p := d.program()
	cream := p.stocked("MK-1", 8_000, 10)
	orders, err := d.shop.Orders()
	if err != nil {
		t.Fatal(err)
	}
	basketID := cream // any id does
	ctx := commands.WithOrigin(t.Context(), commands.Origin{Actor: "guest", Correlation: "request-9"})
	receipt, _, err := orders.Checkout(ctx, commands.Checkout{
		BasketID: basketID, Lines: []commands.Line{{ProductID: cream, Amount: 2}},
		Contact:      order.Contact{FirstName: "Алия", LastName: "Сатпаева", Email: "aliya@example.kz", Phone: "+77010000001"},
		Address:      order.Address{City: "Алматы", Street: "Абая", House: "17"},
		DeliveryType: domain.Delivery, PaymentMethod: domain.Cash,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := orders.Approve(t.Context(), receipt.ID); err != nil {
		t.Fatal(err)
	}
	p.ok("orders", "show", fmt.Sprint(receipt.Number)) // waits for the read models
	sentAt := time.Date(2026, 3, 2, 7, 0, 0, 0, time.UTC)
	if _, err := d.shop.Pool.Exec(t.Context(), "INSERT INTO mail_sent SELECT id, 'order-placed', $1 FROM eventstore.events WHERE type = 'order.placed'", sentAt); err != nil {
		t.Fatal(err)
	}
	const waits = `INSERT INTO mail_jobs (id, kind, stream, version, created_at, due_at) SELECT id, 'order-approved', stream, version, now(), now()
		FROM eventstore.events WHERE type = 'order.approved'`
	if _, err := d.shop.Pool.Exec(t.Context(), waits); err != nil {
		t.Fatal(err)
	}

	var trail struct {
		reads.Trail
		Price struct{ Holds bool }
	}
	path := fmt.Sprintf("/api/analytics/orders/%d/", receipt.Number)
	d.got(staff.Analyst, 200, "GET", path, "", &trail)
	if len(trail.Steps) != 2 || !trail.Price.Holds || trail.Steps[0].Correlation != "request-9" || trail.Steps[0].Actor != "guest" {
		t.Fatalf("got %+v", trail)
	}
	var byID struct {
		Number int64
		reads.Trail
	}
	d.got(staff.Analyst, 200, "GET", "/api/analytics/orders/"+receipt.ID.String()+"/", "", &byID)
	if byID.Number != receipt.Number || len(byID.Steps) != len(trail.Steps) {
		t.Errorf("by its id it is %d with %d steps", byID.Number, len(byID.Steps))
	}
	var effects, changed []string
	for _, e := range trail.Steps[0].Effects {
		effects = append(effects, e.Type)
	}
	for _, c := range trail.Steps[1].Changes {
		changed = append(changed, c.Field+" "+string(c.Was)+" "+string(c.Now))
	}
	if slices.Sort(effects); !slices.Equal(effects, []string{"basket.checked-out", "basket.priced", "stock.reserved"}) {
		t.Errorf("effects %v", effects)
	}
	if !slices.Contains(changed, `status "RECEIVED" "APPROVED"`) || !slices.Contains(trail.Steps[1].Projections, "orders") {
		t.Errorf("changed %v, read by %v", changed, trail.Steps[1].Projections)
	}
	if l := trail.Steps[0].Letters; len(l) != 1 || l[0].Kind != "order-placed" || l[0].State != "sent" || l[0].SentAt == nil || !l[0].SentAt.Equal(sentAt) {
		t.Errorf("letters of the first step: %+v", l)
	}
	if l := trail.Steps[1].Letters; len(l) != 1 || l[0].Kind != "order-approved" || l[0].State != "waiting" || l[0].SentAt != nil {
		t.Errorf("letters of the second step: %+v", l)
	}
	// An analyst counts; names are for others.
	for role, sees := range map[staff.Role]bool{staff.Analyst: false, staff.Manager: true} {
		said := d.call(role, "GET", path, "").Body.String()
		for _, personal := range []string{"Алия", "Сатпаева", "aliya@example.kz", "+77010000001", `"17"`} {
			if strings.Contains(said, personal) != sees {
				t.Errorf("%s sees %s: %v", role, personal, !sees)
			}
		}
	}

	var stock reads.Ledger
	d.got(staff.Analyst, 200, "GET", "/api/analytics/products/"+cream.String()+"/stock/", "", &stock)
	if stock.OnHand != 10 || stock.Reserved != 2 || stock.Gap != 0 || len(stock.Entries) != 2 || *stock.Entries[0].OrderNumber != receipt.Number {
		t.Errorf("got %+v", stock)
	}
	d.got(staff.Analyst, 200, "GET", "/api/analytics/products/"+cream.String()+"/stock/?at=2020-01-01T00:00:00Z", "", &stock)
	if stock.OnHand != 0 || stock.Movements != 0 {
		t.Errorf("before there was any: %+v", stock)
	}
	for at, movements := range map[string]int{"2020-01-01": 0, "2100-01-01": 2, "2100-01-01T12:00": 2, "2100-01-01%2012:00:30": 2, "2100-01-01T12:00Z": 2} {
		d.got(staff.Analyst, 200, "GET", "/api/analytics/products/"+cream.String()+"/stock/?at="+at, "", &stock)
		if stock.Movements != movements {
			t.Errorf("at %s: %+v", at, stock)
		}
	}
	d.wants("stock of a product that never was", d.call(staff.Analyst, "GET", "/api/analytics/products/"+receipt.ID.String()+"/stock/", ""), 404, "There is no such product.")
	d.wants("stock at no moment", d.call(staff.Analyst, "GET", "/api/analytics/products/"+cream.String()+"/stock/?at=yesterday", ""), 400, `{"at":["Must be a time such as`)
	var prices struct{ Prices []struct{ Price int64 } }
	d.got(staff.Analyst, 200, "GET", "/api/analytics/products/"+cream.String()+"/prices/", "", &prices)
	if len(prices.Prices) != 1 || prices.Prices[0].Price != 8_000 {
		t.Errorf("got %+v", prices)
	}
	var steps reads.Trail
	d.got(staff.Analyst, 200, "GET", "/api/analytics/baskets/"+basketID.String()+"/", "", &steps)
	if len(steps.Steps) != 2 || steps.Steps[0].Type != "basket.priced" || steps.Steps[1].Type != "basket.checked-out" {
		t.Errorf("got %+v", steps)
	}
	d.got(staff.Analyst, 200, "GET", "/api/analytics/rules/", "", &steps)
	if len(steps.Steps) != 1 || len(steps.Steps[0].Changes) == 0 {
		t.Errorf("got %+v", steps)
	}
	for path, status := range map[string]int{
		"/api/analytics/orders/999999/": 404, "/api/analytics/orders/x/": 400, "/api/analytics/orders/01a20224-fbd8-768a-8515-9c3809f2a706/": 404, "/api/analytics/baskets/x/": 400,
		"/api/analytics/products/" + basketID.String() + "/stock/?at=yesterday": 400, "/api/analytics/products/" + basketID.String() + "/stock/?limit=0": 400,
		"/api/analytics/reports/sales/?at=5": 400,
	} {
		d.got(staff.Analyst, status, "GET", path, "", nil)
	}
	for method, test := range map[domain.PaymentMethod]bool{domain.Cash: false, domain.Card: true} {
		at := path
		if test {
			card, _, err := orders.Checkout(ctx, commands.Checkout{
				BasketID: cream, Lines: []commands.Line{{ProductID: cream, Amount: 1}}, PaymentMethod: method, DeliveryType: domain.Pickup,
				Contact: order.Contact{FirstName: "Алия", LastName: "Сатпаева", Email: "aliya@example.kz", Phone: "+77010000001"},
			})
			if err != nil {
				t.Fatal(err)
			}
			p.ok("orders", "show", fmt.Sprint(card.Number)) // waits for the read models
			at = "/api/analytics/orders/" + card.ID.String() + "/"
		}
		var shown struct {
			TestPayment *bool `json:"test_payment"`
		}
		d.got(staff.Analyst, 200, "GET", at, "", &shown)
		if shown.TestPayment == nil || *shown.TestPayment != test {
			t.Errorf("an order by %s is shown with a test payment: %v", method, shown.TestPayment)
		}
	}
}

func TestOrdersAndStockAsTheyWere(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	receipt := p.ordered(p.stocked("MK-1", 8_000, 10), 1)
	number := fmt.Sprint(receipt.Number)
	p.ok("orders", "approve", number)
	for args, want := range map[string]string{"--version=1": "RECEIVED, not paid", "--version=2": "APPROVED, not paid", "--at=2100-01-01": "APPROVED, not paid"} {
		if said := p.ok("orders", "show", number, args); !strings.Contains(said, want) {
			t.Errorf("%s: %s", args, said)
		}
	}
	for args, want := range map[string]result{
		"--version=3":     {"", "has 2 events", terminal.Failed},
		"--at=2020-01-01": {"", "was not placed yet", terminal.Failed},
		"--version=0":     {"", "want --version from 1", terminal.Misuse},
		"--at=yesterday":  {"", "want a time such as", terminal.Misuse},
	} {
		if got := p.run("orders", "show", number, args); got.status != want.status || !strings.Contains(got.stderr, want.stderr) {
			t.Errorf("%s: %+v", args, got)
		}
	}
	if said := p.ok("stock", "ledger", "--article", "MK-1"); !strings.HasPrefix(said, "MK-1: 10 on hand, 1 reserved, the sum of 2 movements\n") ||
		!strings.Contains(said, "order "+number) {
		t.Errorf("got %s", said)
	}
	for at, want := range map[string]string{"2020-01-01": "0 on hand", "2020-01-01T12:00": "0 on hand", "2100-01-01 12:00": "10 on hand, 1 reserved"} {
		if said := p.ok("stock", "ledger", "--article", "MK-1", "--at", at); !strings.HasPrefix(said, "MK-1: "+want) {
			t.Errorf("at %s: %s", at, said)
		}
	}
	if got := p.run("stock", "ledger", "--article", "none"); got.status != terminal.Failed || !strings.Contains(got.stderr, `no product with the article "none"`) {
		t.Errorf("got %+v", got)
	}
	if got := p.run("stock", "ledger", "--article", "MK-1", "--at", "noon"); got.status != terminal.Misuse || !strings.Contains(got.stderr, "--at") || !strings.Contains(got.stderr, "want a time such as") {
		t.Errorf("got %+v", got)
	}
}
