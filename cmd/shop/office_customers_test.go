package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/cmd/shop/terminal"
	"shop/commands"
	"shop/domain/bonus"
	"shop/domain/customer"
	"shop/domain/restock"
	"shop/domain/staff"
	"shop/eventstore"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

// customersDesk is a desk with two accounts: of Анна Ким and of Олег Смирнов.
func customersDesk(t *testing.T) (d *staffDesk, anna, oleg uuid.UUID) {
	t.Helper()
	d = openStaffDesk(t, "SHOP_SIGNIN_RATE=0")
	d.desks(d.orders())
	register := func(first, last, email, phone string) uuid.UUID {
		t.Helper()
		id := uuid.Must(uuid.NewV7())
		_, err := commands.Change(t.Context(), d.shop.Handler, commands.CustomerStream(id), func(u *commands.Unit) customer.Command {
			return customer.Register{ID: id, Email: email, Profile: customer.Profile{FirstName: first, LastName: last, Phone: phone, City: "Алматы"}, ConsentText: "2026-01", At: u.At()}
		})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	anna, oleg = register("Анна", "Ким", "anna.kim@example.kz", "+77011112233"), register("Олег", "Смирнов", "oleg@example.kz", "+77479998877")
	d.catchUp("customer", "orders", "bonus", "reviews", "restock", "catalog", "stock")
	return d, anna, oleg
}

func (d *staffDesk) catchUp(projections ...string) {
	d.t.Helper()
	if err := d.shop.CatchUp(d.t.Context(), terminal.World{Stderr: &strings.Builder{}}, projections...); err != nil {
		d.t.Fatal(err)
	}
}

func TestStaffFindCustomers(t *testing.T) {
	t.Parallel()
	d, anna, oleg := customersDesk(t)
	manager := d.worker(staff.Manager)
	for query, want := range map[string][]uuid.UUID{
		"": {anna, oleg}, "8 (701) 111-22-33": {anna}, "+77479998877": {oleg}, "2233": {anna}, "OLEG@": {oleg}, "смирнов": {oleg}, "Смернов": {oleg}, "ким анна": {anna},
		"никто": {}, "%": {}, "'; DROP TABLE x; --": {},
	} {
		body, _ := json.Marshal(map[string]string{"query": query})
		var found reads.FoundCustomers
		manager.ask(200, "POST", "/api/staff/customers/search/", string(body), &found)
		ids := []uuid.UUID{}
		for _, c := range found.Results {
			ids = append(ids, c.ID)
		}
		slices.SortFunc(ids, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
		slices.SortFunc(want, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
		if !slices.Equal(ids, want) || int(found.Count) != len(want) {
			t.Errorf("%q: %v (%d), want %v", query, ids, found.Count, want)
		}
	}
	for body, field := range map[string]string{`{"state":"x"}`: "state", `{"limit":0}`: "limit", `{"offset":-1}`: "offset"} {
		var wrong endpoint.FieldErrors
		manager.ask(400, "POST", "/api/staff/customers/search/", body, &wrong)
		if len(wrong[field]) == 0 {
			t.Errorf("%s: %v", body, wrong)
		}
	}
	looked := 0
	err := d.shop.Pool.QueryRow(t.Context(), `SELECT count(*) FROM eventstore.consumer_actions WHERE action = 'look' AND actor LIKE 'staff:%' AND $1 = ANY (streams)`, customer.Stream(anna)).Scan(&looked)
	if err != nil || looked == 0 {
		t.Errorf("looks at anna: %d, %v", looked, err)
	}
}

// TestACustomersSheet: what staff read, write and adjust.
func TestACustomersSheet(t *testing.T) {
	t.Parallel()
	d, anna, _ := customersDesk(t)
	manager, support := d.worker(staff.Manager), d.worker(staff.Support)
	path := "/api/staff/customers/" + anna.String() + "/"
	support.ask(204, "POST", path+"notes/", `{"text":"Просит звонить вечером"}`, nil)
	support.ask(409, "POST", path+"notes/", `{"text":" "}`, nil)
	adjust := func(w worker, status int, id string, amount int64, reason string, into any) {
		t.Helper()
		body, _ := json.Marshal(map[string]any{"id": id, "amount": amount, "reason": reason})
		w.ask(status, "POST", path+"bonuses/", string(body), into)
	}
	gift := uuid.NewString()
	adjust(support, 204, gift, 1500, "за ожидание", nil)
	adjust(support, 204, gift, 1500, "за ожидание", nil)
	var wrong endpoint.FieldErrors
	adjust(support, 400, uuid.NewString(), 2001, "x", &wrong)
	if len(wrong["amount"]) == 0 {
		t.Errorf("above the limit of support: %v", wrong)
	}
	adjust(support, 400, uuid.NewString(), -2001, "x", nil)
	adjust(support, 400, uuid.NewString(), 1, " ", nil)
	adjust(support, 400, "00000000-0000-0000-0000-000000000000", 1, "x", nil)
	adjust(manager, 204, uuid.NewString(), 5000, "подарок", nil)
	adjust(manager, 409, uuid.NewString(), -6501, "x", nil)
	adjust(manager, 409, uuid.NewString(), 0, "x", nil)
	manager.ask(404, "POST", "/api/staff/customers/"+uuid.NewString()+"/bonuses/", fmt.Sprintf(`{"id":%q,"amount":1,"reason":"x"}`, uuid.NewString()), nil)
	manager.ask(404, "GET", "/api/staff/customers/"+uuid.NewString()+"/", "", nil)
	manager.ask(404, "GET", "/api/staff/customers/x/", "", nil)
	d.catchUp("customer", "bonus")
	var sheet struct {
		Account struct{ Phone string } `json:"account"`
		reads.CustomerSheet
	}
	manager.ask(200, "GET", path, "", &sheet)
	if sheet.Account.Phone != "+77011112233" || sheet.Bonus != 6500 || len(sheet.Ledger) != 2 || sheet.Ledger[1].Actor != "support@shop.example" || sheet.Ledger[1].Reason != "за ожидание" {
		t.Errorf("%+v", sheet)
	}
	if len(sheet.Notes) != 1 || sheet.Notes[0].Text != "Просит звонить вечером" || sheet.Notes[0].Actor != "support@shop.example" || len(sheet.Consents) != 1 || sheet.Consents[0].Text != "2026-01" {
		t.Errorf("notes %+v, consents %+v", sheet.Notes, sheet.Consents)
	}
	var shown int64
	if err := d.shop.Pool.QueryRow(t.Context(), "SELECT balance FROM bonus.entry WHERE customer_id = $1 AND kind = 'adjusted' ORDER BY version DESC LIMIT 1", anna).Scan(&shown); err != nil || shown != 6500 {
		t.Errorf("the shopper's ledger says %d, %v", shown, err)
	}
	for _, stream := range []string{customer.Stream(anna), bonus.Stream(anna)} {
		var raw string
		if err := d.shop.Pool.QueryRow(t.Context(), "SELECT string_agg(data::text, ' ') FROM eventstore.events WHERE stream = $1", stream).Scan(&raw); err != nil || strings.Contains(raw, "вечером") || strings.Contains(raw, "ожидание") {
			t.Errorf("%s lies in the log in clear: %s %v", stream, raw, err)
		}
	}
	var exported struct {
		Profile struct{ Email string }
		Events  []struct{ Type string }
	}
	manager.ask(400, "POST", path+"export/", `{"reason":" "}`, nil)
	manager.ask(200, "POST", path+"export/", `{"reason":"запрос по почте"}`, &exported)
	if exported.Profile.Email != "anna.kim@example.kz" || len(exported.Events) < 4 {
		t.Errorf("exported %+v", exported)
	}
	d.pass(6 * time.Minute)
	manager.ask(403, "POST", path+"export/", `{"reason":"x"}`, nil)
	support.ask(200, "DELETE", path+"sessions/", "", nil)
}

// TestNobodyErasesAlone: one proposes, another confirms, both are in the log, and the erasure is carried out.
func TestNobodyErasesAlone(t *testing.T) {
	t.Parallel()
	d, anna, _ := customersDesk(t)
	admin, manager, support := d.worker(staff.Admin), d.worker(staff.Manager), d.worker(staff.Support)
	path := "/api/staff/customers/" + anna.String() + "/erasure/"
	var told struct{ Code string }
	admin.ask(409, "POST", path+"confirmation/", "{}", &told)
	if told.Code != "customer/erasure-not-proposed" {
		t.Errorf("%+v", told)
	}
	support.ask(403, "POST", path, `{"reason":"x"}`, nil)
	admin.ask(204, "POST", path, `{"reason":"письмо от 1 ноября"}`, nil)
	admin.ask(409, "POST", path+"confirmation/", "{}", &told)
	if told.Code != "customer/erasure-same-person" {
		t.Errorf("an admin alone: %+v", told)
	}
	manager.ask(409, "POST", path, `{"reason":"x"}`, nil)
	d.catchUp("customer")
	var waiting reads.FoundCustomers
	manager.ask(200, "POST", "/api/staff/customers/search/", `{"state":"proposed"}`, &waiting)
	if len(waiting.Results) != 1 || waiting.Results[0].ID != anna || waiting.Results[0].ErasureProposedAt == nil {
		t.Errorf("waiting %+v", waiting)
	}
	manager.ask(204, "POST", path+"withdrawal/", "{}", nil)
	manager.ask(409, "POST", path+"confirmation/", "{}", nil)
	manager.ask(204, "POST", path, `{"reason":"всё-таки просит"}`, nil)
	d.pass(6 * time.Minute)
	admin.ask(403, "POST", path+"confirmation/", "{}", &told)
	if told.Code != "step-up-required" {
		t.Errorf("without the second factor: %+v", told)
	}
	d.pass(-6 * time.Minute)
	admin.ask(204, "POST", path+"confirmation/", "{}", nil)
	d.catchUp("customer", "orders", "reviews", "restock")
	if _, _, err := d.shop.Customers.Erase(t.Context(), anna); err != nil {
		t.Fatal(err)
	}
	d.catchUp("customer")
	manager.ask(409, "POST", "/api/staff/customers/"+anna.String()+"/notes/", `{"text":"x"}`, nil)
	events, err := d.shop.Store.Stream(t.Context(), customer.Stream(anna), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]string{}
	for _, e := range events {
		switch data := e.Data.(type) {
		case customer.ErasureProposed:
			by["proposed"] = e.Metadata.Actor
			if data.Reason != "" {
				t.Error("the reason outlives the person")
			}
		case customer.ErasureConfirmed:
			by["confirmed"] = e.Metadata.Actor
			if data.ProposedBy == data.By {
				t.Errorf("%+v", data)
			}
		case customer.Erased:
			by["erased"] = e.Metadata.Actor
		}
	}
	if by["proposed"] == by["confirmed"] || !strings.HasPrefix(by["confirmed"], "staff:") || by["erased"] == "" {
		t.Errorf("%v", by)
	}
}

// TestWhoWaitsForWhat: counts for whoever keeps the stock, persons for whoever may see them.
func TestWhoWaitsForWhat(t *testing.T) {
	t.Parallel()
	d, anna, oleg := customersDesk(t)
	p := d.program()
	cream := p.stocked("MK-1", 9000, 1)
	p.ok("stock", "adjust", "--article", "MK-1", "--on-hand", "0")
	for i, who := range []uuid.UUID{anna, oleg} {
		_, err := d.shop.Store.Append(t.Context(), eventstore.Append{Writes: []eventstore.Write{{Stream: restock.Stream(cream), Expected: eventstore.Version(i), Events: []eventstore.NewEvent{
			{ID: uuid.Must(uuid.NewV7()), Data: restock.Subscribed{ProductID: cream, CustomerID: who, Place: int64(i + 1), At: d.now}},
		}}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	d.catchUp("restock", "catalog", "stock")
	keeper, support := d.worker(staff.Catalog), d.worker(staff.Support)
	var awaited struct{ Results []reads.AwaitedProduct }
	keeper.ask(200, "GET", "/api/staff/waiting/", "", &awaited)
	if len(awaited.Results) != 1 || awaited.Results[0].Waiting != 2 || awaited.Results[0].Article != "MK-1" || awaited.Results[0].Available != 0 {
		t.Errorf("%+v", awaited)
	}
	who := func(w worker) []reads.WaitingCustomer {
		t.Helper()
		var found struct{ Results []reads.WaitingCustomer }
		w.ask(200, "GET", "/api/staff/waiting/"+cream.String()+"/", "", &found)
		return found.Results
	}
	if masked := who(keeper); len(masked) != 2 || masked[0].Name != reads.Masked || masked[0].Email != reads.Masked || masked[0].Phone != reads.Masked {
		t.Errorf("a keeper of the catalog sees %+v", masked)
	}
	if open := who(support); len(open) != 2 || open[0].Name != "Анна Ким" || open[1].Email != "oleg@example.kz" {
		t.Errorf("support sees %+v", open)
	}
	support.ask(400, "GET", "/api/staff/waiting/?limit=0", "", nil)
	support.ask(404, "GET", "/api/staff/waiting/x/", "", nil)
}

// TestEveryRoleAndEveryCallOfTheDesks: what a role may not do is refused.
func TestEveryRoleAndEveryCallOfTheDesks(t *testing.T) {
	t.Parallel()
	d, anna, _ := customersDesk(t)
	one := "/api/staff/customers/" + anna.String() + "/"
	payment := "/api/staff/payments/" + uuid.NewString() + "-1/"
	calls := []guarded{
		{"GET", "/api/staff/payments/", "", staff.SeePayments},
		{"GET", "/api/staff/payments/refunds/", "", staff.SeePayments},
		{"POST", "/api/staff/payments/reconciliation/", `{"day":"2026-03-03","file":"id,amount\n1,1"}`, staff.SeePayments},
		{"POST", payment + "question/", "{}", staff.SeePayments},
		{"POST", payment + "mark/", `{"reason":"x"}`, staff.MarkPayments},
		{"POST", "/api/staff/payments/refunds/attempts/", `{"refund":"x"}`, staff.RefundOrders},
		{"POST", "/api/staff/payments/refunds/settlements/", `{"refund":"x","reference":"x","reason":"x"}`, staff.MarkPayments},
		{"POST", "/api/staff/customers/search/", "{}", staff.SeeCustomers},
		{"GET", one, "", staff.SeeCustomers},
		{"POST", one + "notes/", `{"text":"x"}`, staff.SeeCustomers},
		{"POST", one + "bonuses/", fmt.Sprintf(`{"id":%q,"amount":1,"reason":"x"}`, uuid.NewString()), staff.ChangeCustomers},
		{"POST", one + "export/", `{"reason":"x"}`, staff.ChangeCustomers},
		{"DELETE", one + "sessions/", "", staff.ChangeCustomers},
		{"POST", one + "erasure/withdrawal/", "{}", staff.ErasePersonal},
		{"POST", one + "erasure/", `{"reason":" "}`, staff.ErasePersonal},
		{"POST", one + "erasure/confirmation/", "{}", staff.ErasePersonal},
		{"GET", "/api/staff/waiting/", "", staff.SeeCatalog},
		{"GET", "/api/staff/letters/dead/", "", staff.ChangeOrders},
		{"POST", "/api/staff/letters/" + uuid.NewString() + "/retry/", "{}", staff.ChangeOrders},
		{"GET", "/api/staff/waiting/" + uuid.NewString() + "/", "", staff.SeeCatalog},
	}
	for _, role := range staff.Roles {
		d.worker(role).mayCall(role, calls...)
	}
}
