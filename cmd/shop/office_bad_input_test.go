package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"shop/cmd/shop/edge"
	"shop/commands"
	"shop/domain/order"
	"shop/domain/staff"
)

const cyrillic = "абвгдежзиклмнопрстуфхцчшщыэюя"

// refused wants a status, and words in Russian beside a field; an empty field: in the detail.
func (w worker) refused(status int, method, path, body, field string) {
	w.d.t.Helper()
	got := w.d.ask(method, path, body, "Cookie", w.cookie, edge.CsrfHeader, w.csrf)
	var told map[string]any
	if err := json.Unmarshal(got.Body.Bytes(), &told); err != nil {
		w.d.t.Fatalf("%s %s %s: %d %s", method, path, body, got.Code, got.Body)
	}
	if field == "" {
		field = "detail"
	}
	if got.Code != status || !strings.ContainsAny(fmt.Sprint(told[field]), cyrillic) {
		w.d.t.Errorf("%s %s %s: %d %v, want %d and Russian beside %s", method, path, body, got.Code, told, status, field)
	}
}

// versionOf is how many events an order has.
func (d *staffDesk) versionOf(w worker, order string) int {
	d.t.Helper()
	var sheet struct {
		Stream string `json:"stream"`
		Steps  []struct {
			Stream  string `json:"stream"`
			Version int    `json:"version"`
		} `json:"steps"`
	}
	d.project()
	w.ask(200, "GET", "/api/staff/orders/"+order+"/", "", &sheet)
	version := 0
	for _, s := range sheet.Steps {
		if s.Stream == sheet.Stream {
			version = max(version, s.Version)
		}
	}
	return version
}

// TestBadInputIsToldInRussianBesideItsField: and nothing of it is done.
func TestBadInputIsToldInRussianBesideItsField(t *testing.T) {
	t.Parallel()
	d, receipts := officeDesk(t)
	manager, keeper := d.worker(staff.Manager), d.worker(staff.Warehouse)
	const one, two = "/api/staff/orders/100001/", "/api/staff/orders/100002/"
	version := d.versionOf(manager, "100001")
	var sheet struct {
		Order struct {
			Lines []struct {
				ID string `json:"product_id"`
			} `json:"lines"`
		} `json:"order"`
	}
	manager.ask(200, "GET", one, "", &sheet)
	cream := sheet.Order.Lines[0].ID
	for _, amount := range []int{-1, 0, 31, 100_000_000} {
		lines := fmt.Sprintf(`{"version":%d,"lines":[{"product_id":%q,"amount":%d}]}`, version, cream, amount)
		manager.refused(400, "PUT", one+"lines/", lines, "lines.0.amount")
	}
	address := `{"version":%d,"contact":{"first_name":"Анна","last_name":"Ким","email":"anna.kim@example.kz","phone":"+77011112233"},"address":{"city":%q,"street":%q,"house":"1"}}`
	manager.refused(400, "PUT", one+"address/", fmt.Sprintf(address, version, "Алматы", " "), "street")
	manager.refused(400, "PUT", one+"address/", fmt.Sprintf(address, version, "", "Абая"), "city")
	for _, body := range []string{`{}`, `{"checked":[{"article":"\u0000\u001b[2J'; DROP","amount":1}]}`, `{"checked":[{"article":"MK-1","amount":-1}]}`} {
		keeper.refused(409, "POST", two+"packing/", body, "")
	}
	if got := d.versionOf(manager, "100001"); got != version {
		t.Errorf("refused input made %d events", got-version)
	}

	// More than was paid does not go back, and neither do goods below zero or more of them than there are.
	manager.ask(200, "POST", one+"payments/", fmt.Sprintf(`{"method":"CASH","reference":"7","amount":%d}`, receipts[0].TotalPaid), nil)
	manager.refused(400, "POST", one+"payments/refund/", fmt.Sprintf(`{"payment_id":"hand:7","amount":%d,"reference":"8"}`, receipts[0].TotalPaid+1), "amount")
	manager.refused(400, "POST", one+"payments/refund/", `{"payment_id":"hand:7","amount":-5,"reference":"8"}`, "amount")
	for _, action := range []string{"processing/", "completion/"} {
		manager.ask(200, "POST", one+action, "", nil)
	}
	version = d.versionOf(manager, "100001")
	for _, amount := range []int{-1, 0, 2} {
		manager.refused(400, "POST", one+"returns/", fmt.Sprintf(`{"version":%d,"reason":"x","lines":[{"product_id":%q,"amount":%d}]}`, version, cream, amount), "lines")
	}
	if got := d.versionOf(manager, "100001"); got != version {
		t.Errorf("refused returns made %d events", got-version)
	}
}

// TestAnOrderThatIsCompletedWhileItsLineIsEdited: two managers at once. The second is told who did what, and nothing of theirs is half done.
func TestAnOrderThatIsCompletedWhileItsLineIsEdited(t *testing.T) {
	t.Parallel()
	d, receipts := officeDesk(t)
	manager, admin := d.worker(staff.Manager), d.worker(staff.Admin)
	const path = "/api/staff/orders/100001/"
	version := d.versionOf(manager, "100001")
	admin.ask(200, "POST", path+"payments/", fmt.Sprintf(`{"method":"CASH","reference":"7","amount":%d}`, receipts[0].TotalPaid), nil)
	for _, action := range []string{"processing/", "completion/"} {
		admin.ask(200, "POST", path+action, "", nil)
	}
	state := func() order.State {
		s, err := commands.See(t.Context(), d.shop.Handler, commands.OrderStream(receipts[0].ID))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	before := state()
	cream := before.Placed.Calculation.Lines[0].ProductID
	var told struct {
		Detail  string `json:"detail"`
		Code    string `json:"code"`
		Changes []struct {
			Type  string `json:"type"`
			Actor string `json:"actor"`
		} `json:"changes"`
	}
	lines := fmt.Sprintf(`{"version":%d,"lines":[{"product_id":%q,"amount":2}]}`, version, cream)
	manager.ask(409, "PUT", path+"lines/", lines, &told)
	last := len(told.Changes) - 1
	if told.Code != "order/overtaken" || !strings.ContainsAny(told.Detail, cyrillic) || last < 0 || told.Changes[last].Type != "order.completed" ||
		!strings.Contains(told.Changes[last].Actor, "admin") {
		t.Errorf("the second is told %+v", told)
	}
	// Who looks again and still wants it is refused by the rule.
	manager.refused(409, "PUT", path+"lines/", fmt.Sprintf(`{"version":%d,"lines":[{"product_id":%q,"amount":2}]}`, d.versionOf(manager, "100001"), cream), "")
	if after := state(); after.Placed.Calculation.TotalPaid != before.Placed.Calculation.TotalPaid || after.Status != order.StatusCompleted {
		t.Errorf("half of it was done: %+v", after)
	}
}
