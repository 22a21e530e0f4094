package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"shop/cmd/shop/edge"
	"shop/commands"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/staff"
	"shop/readapi/endpoint"
)

// TestManyOrdersAreCancelledAtOnce: what becomes of one order stops no other, at the command line and over HTTP.
func TestManyOrdersAreCancelledAtOnce(t *testing.T) {
	t.Parallel()
	d := openStaffDesk(t, "SHOP_SIGNIN_RATE=0")
	orders := d.orders()
	p := d.program()
	cream := p.stocked("MK-1", 9000, 10)
	for range 4 {
		_, _, err := orders.Checkout(t.Context(), commands.Checkout{
			Lines: []commands.Line{{ProductID: cream, Amount: 1}}, Contact: order.Contact{FirstName: "А", LastName: "С", Email: "a@example.kz", Phone: "+77010000001"},
			Address: order.Address{City: "Алматы", Street: "Абая", House: "1"}, DeliveryType: domain.Delivery, PaymentMethod: domain.Cash,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []string{"approve", "process", "complete"} {
		p.ok("orders", step, "100002")
	}
	r := p.run("orders", "cancel", "100001", "100002", "100099", "--reason", "nobody answers")
	if want := "order 100001: CANCELLED\norder 100002: not cancelled: order/completed: " + order.ErrCompleted.Message +
		"\norder 100099: not cancelled: there is no such order\n"; r.status != 1 || r.stdout != want {
		t.Errorf("status %d %s%s, want %s", r.status, r.stdout, r.stderr, want)
	}
	if r := p.run("orders", "cancel", "100001"); r.status != 0 || r.stdout != "order 100001: nothing to change, it is CANCELLED\n" {
		t.Errorf("again: %d %s", r.status, r.stdout)
	}

	d.add("help@shop.example", staff.Support)
	cookie, view := d.signIn("help@shop.example")
	answers := newOpsAnswers(t)
	const path = "/api/staff/orders/cancellation/"
	w := d.ask("POST", path, `{"orders":[100002,"100003",100099,"x",100004],"reason":"test"}`, "Cookie", cookie, edge.CsrfHeader, view.CSRF)
	answers.check("POST", path, w)
	var told struct {
		Results []struct{ Order, Status, Code string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &told); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(told.Results), "[{100002 COMPLETED order/completed} {100003 CANCELLED } {100099  order/unknown} {x  order/unknown} {100004 CANCELLED }]"; w.Code != 200 || got != want {
		t.Errorf("%d %s, want %s", w.Code, got, want)
	}
	many := `{"orders":[1` + strings.Repeat(",1", 200) + `]}`
	for body, field := range map[string]string{`{"orders":[]}`: "orders", `{}`: "orders", many: "orders"} {
		if w := d.ask("POST", path, body, "Cookie", cookie, edge.CsrfHeader, view.CSRF); w.Code != 400 || !strings.Contains(w.Body.String(), `"`+field+`"`) {
			t.Errorf("%.40s: %d %s", body, w.Code, w.Body)
		}
	}
	d.wants("nobody", d.ask("POST", path, `{"orders":[1]}`), 401, edge.StaffSignedOut)
	d.add("watcher@shop.example", staff.Analyst)
	d.secret = nil
	cookie, view = d.signIn("watcher@shop.example")
	d.wants("an analyst", d.ask("POST", path, `{"orders":[1]}`, "Cookie", cookie, edge.CsrfHeader, view.CSRF), 403, endpoint.StaffForbidden)
}
