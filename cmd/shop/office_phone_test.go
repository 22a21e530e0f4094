package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"shop/cmd/shop/edge"
	"shop/cmd/shop/terminal"
	"shop/commands"
	"shop/domain/order"
	"shop/domain/staff"
)

// phone is somebody at a desk who takes orders by phone.
type phone struct{ worker }

func (p phone) ask(path, body string, headers ...string) *httptest.ResponseRecorder {
	p.d.t.Helper()
	return p.d.ask(http.MethodPost, "/api/staff/phone-orders"+path, body, append([]string{"Cookie", p.cookie, edge.CsrfHeader, p.csrf}, headers...)...)
}

const somebody = `"customer_first_name":"Анна","customer_last_name":"Ким","customer_email":"anna@example.kz","customer_phone":"8 701 111 22 33",` +
	`"customer_city":"Алматы","customer_street":"Абая","customer_house":"1"`

// TestAnOrderByPhone: staff price and place it with a discount by hand; the log says who took it, and its price can be proved.
func TestAnOrderByPhone(t *testing.T) {
	t.Parallel()
	d, _ := officeDesk(t)
	d.site.Orders = d.orders()
	d.site.Baskets = &commands.Baskets{Handler: d.shop.Handler, Links: d.site.Orders.Links, Cities: d.site.Orders.Cities, Secret: d.site.Orders.Secret}
	d.site.Config.ConsentText = "2026-01"
	d.http = d.site.Routes()
	if err := d.shop.CatchUp(t.Context(), terminal.World{Stderr: &strings.Builder{}}, "catalog"); err != nil { // goods are named by their links
		t.Fatal(err)
	}
	support := phone{d.worker(staff.Support)}
	order1 := func(percent int, reason, more string) string {
		return fmt.Sprintf(`{"products":[{"product":"mk-1","amount":2}],"delivery_type":"DELIVERY","payment_method":"CASH","manual_percent":%d,"manual_reason":%q%s}`, percent, reason, more)
	}
	var price commands.Calculation
	w := support.ask("/price/", order1(10, "apology", `,"city":"Алматы"`))
	if err := json.Unmarshal(w.Body.Bytes(), &price); err != nil || w.Code != 200 || price.TotalPaid != 16_200 {
		t.Fatalf("priced %d %s", w.Code, w.Body)
	}
	// Within the role's limit, with a reason of the list.
	d.wants("above the limit", support.ask("/price/", order1(11, "apology", "")), 400, `"manual_percent":["Скидка вручную: целое число процентов от 0 до 10"]`)
	d.wants("without a reason", support.ask("/price/", order1(5, "", "")), 400, `"manual_reason":["Выберите причину скидки"]`)
	d.wants("above the limit when placed", support.ask("/", order1(11, "apology", ","+somebody+`,"consent":true`)), 400, `"manual_percent"`)
	d.wants("without consent", support.ask("/", order1(0, "", ","+somebody)), 400, `"consent":[`)
	d.wants("more than there is", support.ask("/", strings.Replace(order1(0, "", ","+somebody+`,"consent":true`), `"amount":2`, `"amount":90`, 1)), 400, `не больше 26 штук`)
	d.wants("below the minimum", support.ask("/", strings.Replace(strings.Replace(order1(0, "", ","+somebody+`,"consent":true`), "mk-1", "so-77", 1), `"amount":2`, `"amount":1`, 1)), 400, "Минимальная сумма")
	d.wants("another total", support.ask("/", order1(10, "apology", ","+somebody+`,"consent":true,"expected_total":1`)), 409, `"total_paid":16200`)
	d.wants("an account that is none", support.ask("/", order1(0, "", ","+somebody+`,"consent":true,"customer_id":"01990000-0000-7000-8000-000000000001"`)), 400, `"customer_id":["Такого покупателя нет"]`)

	body := order1(10, "apology", ","+somebody+`,"consent":true,"expected_total":16200`)
	placed := support.ask("/", body, "Idempotency-Key", "k1")
	var receipt commands.Receipt
	if err := json.Unmarshal(placed.Body.Bytes(), &receipt); err != nil || placed.Code != 201 || receipt.TotalPaid != 16_200 {
		t.Fatalf("placed %d %s", placed.Code, placed.Body)
	}
	d.wants("again", support.ask("/", body, "Idempotency-Key", "k1"), 201, fmt.Sprintf(`"number":%d`, receipt.Number))
	events, err := d.shop.Store.Stream(t.Context(), order.Stream(receipt.ID), 0, 0)
	if err != nil || len(events) == 0 {
		t.Fatal(err)
	}
	first := events[0].Data.(order.Placed)
	if !strings.HasPrefix(events[0].Metadata.Actor, "staff:") || first.Taken.Channel != order.ByPhone || "staff:"+first.Taken.StaffID.String() != events[0].Metadata.Actor || first.Taken.ConsentText != "2026-01" {
		t.Errorf("%s took %+v", events[0].Metadata.Actor, first.Taken)
	}
	if m := first.Calculation.Manual; m.Percent != 10 || m.Reason != "apology" || m.Amount != 1_800 || first.Contact.Phone != "+77011112233" {
		t.Errorf("the log says %+v, %+v", m, first.Contact)
	}
	if said := d.program().ok("replay", "pricing"); !strings.HasSuffix(said, ", 0 differences\n") {
		t.Errorf("the proof says %s", said)
	}
}

func TestOrdersByPhoneAreForWhoChangesOrders(t *testing.T) {
	t.Parallel()
	d, _ := officeDesk(t)
	d.site.Orders = d.orders()
	d.site.Baskets = &commands.Baskets{Handler: d.shop.Handler, Links: d.site.Orders.Links}
	d.http = d.site.Routes()
	for _, role := range staff.Roles {
		p := phone{d.worker(role)}
		for _, path := range []string{"/price/", "/"} {
			if w := p.ask(path, "{}"); role.May(staff.ChangeOrders) == (w.Code == 403) || w.Code >= 500 || w.Code == 201 {
				t.Errorf("%s as %s: %d %s", path, role, w.Code, w.Body)
			}
			if w := d.ask(http.MethodPost, "/api/staff/phone-orders"+path, "{}", "Cookie", p.cookie); w.Code != 403 {
				t.Errorf("%s as %s without the session's token: %d", path, role, w.Code)
			}
		}
	}
	if w := d.ask(http.MethodPost, "/api/staff/phone-orders/", "{}"); w.Code != 401 {
		t.Errorf("signed out: %d", w.Code)
	}
}
