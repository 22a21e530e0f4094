package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/order"
	"shop/domain/staff"
	reads "shop/readapi/staff"
)

// guestOrder places an order of a guest.
func (d *staffDesk) guestOrder(number int64, contact order.Contact, city string, sum domain.Money) uuid.UUID {
	d.t.Helper()
	id := uuid.Must(uuid.NewV7())
	d.happened(id, 0, order.Placed{
		ID: id, Number: number, PersonID: id, Contact: contact, City: city, Address: order.Address{Street: "Абая", House: "1"},
		DeliveryType: domain.Delivery, PaymentMethod: domain.Cash, Calculation: domain.Calculation{TotalPaid: sum}, At: d.now,
	})
	return id
}

// listThen is the list of orders at a moment, each as number, status, name, phone, city and street.
func (w worker) listThen(at, body string) (found reads.FoundOrders, said string) {
	w.d.t.Helper()
	w.ask(200, "POST", "/api/staff/orders/search/"+at, body, &found)
	rows := make([]string, len(found.Results))
	for i, o := range found.Results {
		rows[i] = fmt.Sprint(o.Number, " ", o.Status, " ", o.Name, " ", o.Phone, " ", o.City, " ", o.Street)
	}
	return found, strings.Join(rows, "; ")
}

// TestOrdersAsTheyWere: the list at the moment before an order was moved, tagged and cancelled and another was placed.
func TestOrdersAsTheyWere(t *testing.T) {
	t.Parallel()
	d, _, _ := customersDesk(t)
	manager, keeper := d.worker(staff.Manager), d.worker(staff.Courier)
	anna := d.guestOrder(101, order.Contact{FirstName: "Анна", LastName: "Ким", Phone: "+77011112233"}, "Алматы", 9000)
	d.guestOrder(102, order.Contact{FirstName: "Олег", LastName: "Смирнов", Phone: "+77479998877"}, "Астана", 8000)
	at := fmt.Sprintf("?at=%d", d.head())
	d.happened(anna, 1, order.AddressChanged{
		Contact: order.Contact{FirstName: "Анна", LastName: "Цой", Phone: "+77015556677"}, PersonID: anna, City: "Астана", Address: order.Address{Street: "Сатпаева", House: "2"}, At: d.now,
	})
	d.happened(anna, 2, order.Tagged{Tags: []string{"срочно"}, At: d.now})
	d.happened(anna, 3, order.Cancelled{By: "staff", Reason: "x", At: d.now})
	d.guestOrder(103, order.Contact{FirstName: "Анна", LastName: "Цой", Phone: "+77015556677"}, "Алматы", 7000)
	d.catchUp("orders", "catalog")
	const annaThen, olegThen = "101 RECEIVED Анна Ким +77011112233 Алматы Абая, 1", "102 RECEIVED Олег Смирнов +77479998877 Астана Абая, 1"
	if _, now := manager.listThen("", `{"query":"101"}`); now != "101 CANCELLED Анна Цой +77015556677 Астана Сатпаева, 2" {
		t.Errorf("now: %s", now)
	}
	for body, want := range map[string]string{
		"{}": olegThen + "; " + annaThen, `{"sort":"oldest"}`: annaThen + "; " + olegThen, `{"sort":"dearest","limit":1}`: annaThen, `{"limit":1,"offset":1}`: annaThen,
		`{"statuses":["RECEIVED"]}`: olegThen + "; " + annaThen, `{"statuses":["CANCELLED"]}`: "", `{"tag":"срочно"}`: "", `{"city":"Алматы"}`: annaThen, `{"city":"Астана"}`: olegThen,
		`{"query":"цой"}`: annaThen, `{"query":"8 701 555 66 77"}`: annaThen, `{"query":"Смернов"}`: olegThen, `{"query":"103"}`: "", `{"query":"никто"}`: "", `{"paid":true}`: "",
	} {
		found, got := manager.listThen(at, body)
		if count := int64(strings.Count(got, ";") + 1); got != want || !strings.Contains(body, "limit") && got != "" && found.Count != count {
			t.Errorf("%s: %s, counted %d, want %s", body, got, found.Count, want)
		}
	}
	keeper.ask(403, "POST", "/api/staff/orders/search/"+at, "{}", nil)
}

// TestTheListOfThePastTellsNoMoreThanItMay: refused moments, persons masked, and somebody forgotten since is forgotten then too.
func TestTheListOfThePastTellsNoMoreThanItMay(t *testing.T) {
	t.Parallel()
	d, _, _ := customersDesk(t)
	manager, analyst := d.worker(staff.Manager), d.worker(staff.Analyst)
	anna := d.guestOrder(101, order.Contact{FirstName: "Анна", LastName: "Ким", Phone: "+77011112233"}, "Алматы", 9000)
	at := fmt.Sprintf("?at=%d", d.head())
	d.catchUp("orders", "catalog")
	for _, wrong := range []string{"?at=999999999", "?at=2001-01-01T00:00:00Z", "?at=2999-01-01T00:00:00Z", "?at=x"} {
		manager.refused(400, "POST", "/api/staff/orders/search/"+wrong, "{}", "at")
	}
	if _, got := analyst.listThen(at, "{}"); got != "101 RECEIVED ••• ••• Алматы •••" {
		t.Errorf("without persons: %s", got)
	}
	if _, got := analyst.listThen(at, `{"query":"Ким"}`); got != "" {
		t.Errorf("searched for without persons: %s", got)
	}
	d.happened(anna, 1, order.Forgotten{At: d.now})
	if _, got := manager.listThen(at, "{}"); got != "101 RECEIVED   Алматы " {
		t.Errorf("forgotten, with the key still there: %s", got)
	}
	if err := d.shop.Guests.CarryOut(t.Context(), order.Stream(anna)); err != nil {
		t.Fatal(err)
	}
	d.catchUp("orders")
	if _, got := manager.listThen(at, "{}"); got != "101 RECEIVED   Алматы " {
		t.Errorf("forgotten: %s", got)
	}
	if _, got := manager.listThen(at, `{"query":"Ким"}`); got != "" {
		t.Errorf("searched for when forgotten: %s", got)
	}
}
