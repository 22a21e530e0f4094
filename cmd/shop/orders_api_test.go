package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"shop/cmd/shop/app"
	"shop/cmd/shop/edge"
	"shop/cmd/shop/shoptest"
	"shop/cmd/shop/terminal"
	"shop/commands"
	"shop/commands/payments"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/staff"
	"shop/eventstore"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

// TestStaffChangeOrders walks an order through all steps over HTTP: who may, with what token, by what name, and who the
// log says it was.
func TestStaffChangeOrders(t *testing.T) {
	t.Parallel()
	d := openStaffDesk(t, "SHOP_SIGNIN_RATE=0")
	orders := d.orders()
	p := d.program()
	cream := p.stocked("MK-1", 9000, 10)
	placed := func() commands.Receipt {
		t.Helper()
		receipt, _, err := orders.Checkout(t.Context(), commands.Checkout{
			Lines: []commands.Line{{ProductID: cream, Amount: 1}}, Contact: order.Contact{FirstName: "А", LastName: "С", Email: "a@example.kz", Phone: "+77010000001"},
			Address: order.Address{City: "Алматы", Street: "Абая", House: "1"}, DeliveryType: domain.Delivery, PaymentMethod: domain.Cash,
		})
		if err != nil {
			t.Fatal(err)
		}
		return receipt
	}
	receipt := placed()

	d.add("help@shop.example", staff.Support)
	cookie, view := d.signIn("help@shop.example")
	answers := newOpsAnswers(t)
	ask := func(name any, change, body string) (status int, said string) {
		path := fmt.Sprintf("/api/staff/orders/%v/%s/", name, change)
		w := d.ask("POST", path, body, "Cookie", cookie, edge.CsrfHeader, view.CSRF)
		answers.check("POST", path, w)
		var stands commands.Standing
		if w.Code != 200 {
			var told struct{ Detail string }
			json.Unmarshal(w.Body.Bytes(), &told)
			return w.Code, told.Detail
		}
		if err := json.Unmarshal(w.Body.Bytes(), &stands); err != nil {
			t.Fatal(err)
		}
		return w.Code, fmt.Sprintf("%s paid %v, holds %d", stands.Status, stands.IsPaid, stands.Captured)
	}
	wants := func(change, body string, status int, text string) {
		t.Helper()
		if got, said := ask(receipt.ID, change, body); got != status || said != text {
			t.Errorf("%s %s: %d %s, want %d %s", change, body, got, said, status, text)
		}
	}
	path := fmt.Sprintf("/api/staff/orders/%s/approval/", receipt.ID)
	d.wants("nobody", d.ask("POST", path, ""), 401, edge.StaffSignedOut)
	d.wants("without the session's token", d.ask("POST", path, "", "Cookie", cookie), 403, edge.StaffCSRF)
	wants("processing", "", 409, order.ErrNotApproved.Message)
	wants("refund", "", 409, order.ErrNotPaid.Message)
	wants("approval", "", 200, "APPROVED paid false, holds 0")
	wants("approval", "", 200, "APPROVED paid false, holds 0")
	wants("processing", "", 200, "PROCESSING paid false, holds 0")
	wants("completion", "", 200, "COMPLETED paid true, holds 10900")
	wants("cancellation", `{"reason":"late"}`, 409, order.ErrCompleted.Message)
	wants("refund", `{"amount":-1}`, 400, "Want an amount of 0 or more and a refund_id of at most 100 characters.")
	wants("refund", `{"amount":900,"refund_id":"r1"}`, 200, "COMPLETED paid false, holds 10000")
	wants("refund", `{"amount":900,"refund_id":"r1"}`, 200, "COMPLETED paid false, holds 10000")
	wants("refund", "", 200, "REFUNDED paid false, holds 0")
	wants("approval", "", 409, order.ErrNotReceived.Message)
	wants("refund", "{", 400, endpoint.NotUnderstood)

	if err := d.shop.CatchUp(t.Context(), terminal.World{Stderr: &strings.Builder{}}, "orders"); err != nil {
		t.Fatal(err)
	}
	if status, said := ask(receipt.Number, "approval", ""); status != 409 {
		t.Errorf("by number: %d %s", status, said)
	}
	for _, nobody := range []any{1, "x", "00000000-0000-0000-0000-000000000001"} {
		if status, said := ask(nobody, "approval", ""); status != 404 || said != order.ErrUnknown.Message {
			t.Errorf("order %v: %d %s", nobody, status, said)
		}
	}

	loaded, err := d.shop.Store.Load(t.Context(), eventstore.From{Stream: order.Stream(receipt.ID)})
	if err != nil {
		t.Fatal(err)
	}
	var history []string
	for _, e := range loaded[order.Stream(receipt.ID)][1:] {
		history = append(history, e.Type)
		if e.Metadata.Actor != "staff:"+view.ID.String() {
			t.Errorf("%s was by %s", e.Type, e.Metadata.Actor)
		}
	}
	if got := strings.Join(history, " "); got != "order.approved order.processing-started order.paid order.completed order.refunded order.refunded" {
		t.Errorf("history %s", got)
	}

	d.add("watcher@shop.example", staff.Analyst)
	d.secret = nil
	cookie, view = d.signIn("watcher@shop.example")
	receipt = placed()
	for _, change := range []string{"approval", "processing", "completion", "cancellation", "refund"} {
		wants(change, "", 403, endpoint.StaffForbidden)
	}
}

// TestOrdersAtTheCommandLine: the same by an operator at the machine.
func TestOrdersAtTheCommandLine(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	cream := p.stocked("MK-1", 9000, 10)
	if said := p.ok("promocodes", "issue", "spring", "--percent", "10", "--uses", "5", "--until", "2126-06-01"); said != "SPRING: issued\n" {
		t.Errorf("issue: %s", said)
	}
	if said := p.ok("promocodes", "issue", "SPRING", "--percent", "10", "--uses", "5", "--until", "2126-06-01"); said != "SPRING: has these terms already\n" {
		t.Errorf("issue again: %s", said)
	}
	s, err := app.OpenShop(t.Context(), p.config(), shoptest.Quiet, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(t.Context()) })
	orders, err := s.Orders()
	if err != nil {
		t.Fatal(err)
	}
	receipt, _, err := orders.Checkout(t.Context(), commands.Checkout{
		Lines: []commands.Line{{ProductID: cream, Amount: 1}}, Contact: order.Contact{FirstName: "А", LastName: "С", Email: "a@example.kz", Phone: "+77010000001"},
		Address: order.Address{City: "Алматы", Street: "Абая", House: "1"}, DeliveryType: domain.Delivery, PaymentMethod: domain.Card, Promocode: "spring",
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := orders.Settle(t.Context(), payments.Notification{PaymentID: payments.ID(receipt.ID, 1), Outcome: payments.Paid, Amount: receipt.TotalPaid}); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ args, said string }{
		{"promocodes list", "SPRING"},
		{"orders process 100001", "order 100001: PROCESSING"},
		{"orders complete 100001", "order 100001: COMPLETED"},
		{"orders refund 100001 --amount 1000 --id r1", "order 100001: COMPLETED"},
		{"orders refund 100001 --amount 1000 --id r1", "order 100001: nothing to change, it is COMPLETED"},
		{"orders refund 100001", "order 100001: REFUNDED"},
		{"promocodes revoke spring", "SPRING: revoked"},
	} {
		if said := p.ok(strings.Fields(step.args)...); !strings.Contains(said, step.said) {
			t.Errorf("%s: %s, want %s", step.args, said, step.said)
		}
	}
	var listed []reads.PromocodeLine
	if err := json.Unmarshal([]byte(p.ok("promocodes", "list", "--format", "json")), &listed); err != nil || len(listed) != 1 || listed[0].Redeemed != 1 || !listed[0].Revoked {
		t.Errorf("codes: %+v, %v", listed, err)
	}
	for args, status := range map[string]int{
		"orders cancel 100001": 0, "orders approve 100001": 1, "orders refund 100001 --amount -1": 2, "promocodes issue X": 2,
		"promocodes issue X --percent 10 --sum 5": 2, "promocodes issue X --percent 101": 1, "promocodes issue X --sum 5 --until soon": 2, "promocodes revoke NONE": 1,
	} {
		if got := p.run(strings.Fields(args)...); got.status != status {
			t.Errorf("%s: status %d %s, want %d", args, got.status, got.stderr, status)
		}
	}
}
