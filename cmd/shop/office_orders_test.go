package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"shop/cmd/shop/edge"
	"shop/cmd/shop/terminal"
	"shop/commands"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/rules"
	"shop/domain/staff"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

// officeDesk is a desk with three orders in cash: of Анна Ким for a cream, of Олег Смирнов for soap and a cream, and a pickup.
func officeDesk(t *testing.T) (d *staffDesk, receipts []commands.Receipt) {
	t.Helper()
	d = openStaffDesk(t, "SHOP_SIGNIN_RATE=0")
	orders := d.orders()
	p := d.program()
	cream, soap := p.stocked("MK-1", 9000, 30), p.stocked("SO-77", 3000, 30)
	place := func(first, last, email, phone string, how domain.DeliveryType, lines ...commands.Line) {
		t.Helper()
		receipt, _, err := orders.Checkout(t.Context(), commands.Checkout{
			Lines: lines, Contact: order.Contact{FirstName: first, LastName: last, Email: email, Phone: phone},
			Address: order.Address{City: "Алматы", Street: "Абая", House: "1"}, DeliveryType: how, PaymentMethod: domain.Cash,
		})
		if err != nil {
			t.Fatal(err)
		}
		receipts = append(receipts, receipt)
	}
	place("Анна", "Ким", "anna.kim@example.kz", "+77011112233", domain.Delivery, commands.Line{ProductID: cream, Amount: 1})
	place("Олег", "Смирнов", "oleg@example.kz", "+77479998877", domain.Delivery, commands.Line{ProductID: soap, Amount: 2}, commands.Line{ProductID: cream, Amount: 1})
	place("Айгерім", "Нұрлан", "aigerim@example.kz", "+77055554433", domain.Pickup, commands.Line{ProductID: cream, Amount: 2})
	d.project()
	return d, receipts
}

// project brings the read models of orders, stock and goods up to the log.
func (d *staffDesk) project() {
	d.t.Helper()
	if err := d.shop.CatchUp(d.t.Context(), terminal.World{Stderr: &strings.Builder{}}, "orders", "stock", "catalog", "rules", "settings"); err != nil {
		d.t.Fatal(err)
	}
}

// worker is somebody signed in at a desk, whose answers are held against the contract.
type worker struct {
	d       *staffDesk
	cookie  string
	csrf    string
	answers *opsAnswers
}

func (d *staffDesk) worker(role staff.Role) worker {
	d.t.Helper()
	email := string(role) + "@shop.example"
	d.add(email, role)
	d.secret = nil
	cookie, view := d.signIn(email)
	return worker{d, cookie, view.CSRF, newOpsAnswers(d.t)}
}

// ask wants a status and reads the answer into v, unless it is nil.
func (w worker) ask(status int, method, path, body string, v any) {
	w.d.t.Helper()
	got := w.d.ask(method, path, body, "Cookie", w.cookie, edge.CsrfHeader, w.csrf)
	w.answers.check(method, path, got)
	if got.Code != status {
		w.d.t.Fatalf("%s %s %s: %d %s, want %d", method, path, body, got.Code, got.Body, status)
	}
	if v != nil {
		if err := json.Unmarshal(got.Body.Bytes(), v); err != nil {
			w.d.t.Fatal(err)
		}
	}
}

func (w worker) search(body string) (numbers []int64) {
	w.d.t.Helper()
	var found reads.FoundOrders
	w.ask(200, "POST", "/api/staff/orders/search/", body, &found)
	if int(found.Count) != len(found.Results) {
		w.d.t.Errorf("%s: counted %d of %d", body, found.Count, len(found.Results))
	}
	for _, o := range found.Results {
		numbers = append(numbers, o.Number-100_000)
	}
	slices.Sort(numbers)
	return numbers
}

// TestStaffFindOrders: by number, phone in any spelling, e-mail, name and goods, misspelt too, and by each filter.
func TestStaffFindOrders(t *testing.T) {
	t.Parallel()
	d, _ := officeDesk(t)
	manager := d.worker(staff.Manager)
	for query, want := range map[string]string{
		"": "[1 2 3]", "100002": "[2]", "№100003": "[3]", "8 (701) 111-22-33": "[1]", "+77011112233": "[1]", "7011112233": "[1]", "2233": "[1]", "747": "[]", "7479": "[2]",
		"oleg@": "[2]", "OLEG@example.kz": "[2]", "смирнов": "[2]", "Смернов": "[2]", "анна": "[1]", "so-77": "[2]", "SO-77": "[2]", "%": "[]", "никто": "[]", "'; DROP TABLE x; --": "[]",
	} {
		body, _ := json.Marshal(map[string]string{"query": query})
		if got := fmt.Sprint(manager.search(string(body))); got != want {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
	}
	for body, want := range map[string]string{
		`{"statuses":["RECEIVED"]}`: "[1 2 3]", `{"statuses":["APPROVED","COMPLETED"]}`: "[]", `{"paid":true}`: "[]", `{"paid":false}`: "[1 2 3]",
		`{"payment_method":"CASH"}`: "[1 2 3]", `{"payment_method":"CARD"}`: "[]", `{"delivery_type":"PICKUP"}`: "[3]", `{"city":"Алматы"}`: "[1 2 3]", `{"city":"Астана"}`: "[]",
		`{"placed_from":"2000-01-01","placed_to":"2100-01-01"}`: "[1 2 3]", `{"placed_to":"2000-01-01"}`: "[]", `{"day_from":"2000-01-01"}`: "[1 2]", `{"owing":true}`: "[]", `{"tag":"срочно"}`: "[]",
	} {
		if got := fmt.Sprint(manager.search(body)); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
	for _, sort := range reads.OrderSorts {
		if got := fmt.Sprint(manager.search(`{"sort":"` + sort + `"}`)); got != "[1 2 3]" {
			t.Errorf("sorted by %s: %s", sort, got)
		}
	}
	for body, field := range map[string]string{
		`{"statuses":["X"]}`: "statuses", `{"payment_method":"X"}`: "payment_method", `{"delivery_type":"X"}`: "delivery_type", `{"sort":"X"}`: "sort", `{"day_from":"tomorrow"}`: "day_from",
		`{"day_to":"2026-02-30"}`: "day_to", `{"limit":0}`: "limit", `{"limit":201}`: "limit", `{"offset":-1}`: "offset",
	} {
		var wrong endpoint.FieldErrors
		manager.ask(400, "POST", "/api/staff/orders/search/", body, &wrong)
		if len(wrong) != 1 || len(wrong[field]) == 0 {
			t.Errorf("%s: %v", body, wrong)
		}
	}
}

// TestAnalystsFindNoPerson: a role that may not see persons neither reads them nor finds orders by them.
func TestAnalystsFindNoPerson(t *testing.T) {
	t.Parallel()
	d, _ := officeDesk(t)
	analyst := d.worker(staff.Analyst)
	for _, query := range []string{"смирнов", "oleg@example.kz", "7479998877", "8877"} {
		if got := analyst.search(`{"query":"` + query + `"}`); len(got) > 0 {
			t.Errorf("%q finds %v", query, got)
		}
	}
	if got := fmt.Sprint(analyst.search(`{"query":"SO-77"}`)); got != "[2]" {
		t.Errorf("by article: %s", got)
	}
	for _, call := range []struct{ method, path, body string }{
		{"POST", "/api/staff/orders/search/", "{}"}, {"GET", "/api/staff/orders/100002/", ""},
	} {
		w := d.ask(call.method, call.path, call.body, "Cookie", analyst.cookie, edge.CsrfHeader, analyst.csrf)
		if w.Code != 200 {
			t.Fatalf("%s: %d %s", call.path, w.Code, w.Body)
		}
		for _, person := range []string{"Смирнов", "oleg@example.kz", "+77479998877", "Абая"} {
			if strings.Contains(w.Body.String(), person) {
				t.Errorf("%s shows %s", call.path, person)
			}
		}
	}
}

// TestManyOrdersAreConfirmedAtOnce: each row is told, one's failure stops no other, and a second press does nothing twice.
func TestManyOrdersAreConfirmedAtOnce(t *testing.T) {
	t.Parallel()
	d, receipts := officeDesk(t)
	manager := d.worker(staff.Manager)
	act := func(action string) (said []string) {
		t.Helper()
		var told struct {
			Results []struct {
				Order, Status, Code string
			}
		}
		manager.ask(200, "POST", "/api/staff/orders/actions/", fmt.Sprintf(`{"action":%q,"orders":[100001,"%s",100099,100003],"reason":"test"}`, action, receipts[1].ID), &told)
		for _, r := range told.Results {
			said = append(said, strings.TrimSpace(r.Status+" "+r.Code))
		}
		return said
	}
	for _, step := range []struct{ action, want string }{
		{"process", "[RECEIVED order/not-approved RECEIVED order/not-approved order/unknown RECEIVED order/not-approved]"},
		{"approve", "[APPROVED APPROVED order/unknown APPROVED]"},
		{"approve", "[APPROVED APPROVED order/unknown APPROVED]"},
		{"process", "[PROCESSING PROCESSING order/unknown PROCESSING]"},
		{"complete", "[COMPLETED COMPLETED order/unknown COMPLETED]"},
		{"cancel", "[COMPLETED order/completed COMPLETED order/completed order/unknown COMPLETED order/completed]"},
	} {
		if got := fmt.Sprint(act(step.action)); got != step.want {
			t.Errorf("%s: %s, want %s", step.action, got, step.want)
		}
	}
	events := 0
	if err := d.shop.Pool.QueryRow(t.Context(), "SELECT count(*) FROM eventstore.events WHERE type = 'order.approved'").Scan(&events); err != nil || events != 3 {
		t.Errorf("%d approvals, %v", events, err)
	}
	manager.ask(400, "POST", "/api/staff/orders/actions/", `{"action":"burn","orders":[100001]}`, nil)
	manager.ask(400, "POST", "/api/staff/orders/actions/", `{"action":"approve","orders":[]}`, nil)
}

// TestAnOrdersSheet: what its worker reads, and what they write beside it.
func TestAnOrdersSheet(t *testing.T) {
	t.Parallel()
	d, receipts := officeDesk(t)
	manager := d.worker(staff.Manager)
	path := "/api/staff/orders/100002/"
	manager.ask(204, "POST", path+"notes/", `{"text":"Домофон не работает"}`, nil)
	manager.ask(204, "PUT", path+"tags/", `{"tags":["Срочно"]}`, nil)
	var me struct{ ID string }
	manager.ask(200, "GET", "/api/staff/me/", "", &me)
	manager.ask(204, "PUT", path+"assignee/", `{"staff_id":"`+me.ID+`"}`, nil)
	for _, bad := range []struct{ method, path, body string }{
		{"PUT", "assignee/", `{"staff_id":"00000000-0000-0000-0000-000000000009"}`}, {"PUT", "assignee/", `{"staff_id":7}`},
	} {
		manager.ask(400, bad.method, path+bad.path, bad.body, nil)
	}
	manager.ask(409, "POST", path+"notes/", `{"text":" "}`, nil)
	manager.ask(404, "POST", "/api/staff/orders/100099/notes/", `{"text":"x"}`, nil)
	d.project()
	var sheet struct {
		Order struct {
			Phone    string `json:"customer_phone"`
			Tags     []string
			Assigned string `json:"assigned_to"`
		}
		Stock    []reads.StockLevel
		Possible []string
		Steps    []struct {
			Type, Actor string
			Data        map[string]any
		}
	}
	manager.ask(200, "GET", path, "", &sheet)
	if sheet.Order.Phone != "+77479998877" || !slices.Equal(sheet.Order.Tags, []string{"срочно"}) || sheet.Order.Assigned != me.ID {
		t.Errorf("order %+v", sheet.Order)
	}
	if len(sheet.Stock) != 2 || !slices.Equal(sheet.Possible, []string{"approve", "cancel", "pay_by_hand", "edit"}) {
		t.Errorf("stock %v, possible %v", sheet.Stock, sheet.Possible)
	}
	var noted bool
	for _, s := range sheet.Steps {
		noted = noted || s.Type == "order.noted" && s.Actor == "manager@shop.example" && s.Data["text"] == "Домофон не работает"
	}
	if !noted {
		t.Errorf("no note in %+v", sheet.Steps)
	}
	if got := fmt.Sprint(manager.search(`{"tag":"СРОЧНО"}`)); got != "[2]" {
		t.Errorf("by tag: %s", got)
	}
	if got := fmt.Sprint(manager.search(`{"assigned_to":"` + me.ID + `"}`)); got != "[2]" {
		t.Errorf("by worker: %s", got)
	}
	var raw string
	if err := d.shop.Pool.QueryRow(t.Context(), "SELECT data::text FROM eventstore.events WHERE type = 'order.noted' AND stream = $1", order.Stream(receipts[1].ID)).Scan(&raw); err != nil || strings.Contains(raw, "Домофон") {
		t.Errorf("a note lies in the log in clear: %s %v", raw, err)
	}
}

// TestALetterIsShownAsItWasSent: its text once more, without the key of its links; nobody's letter and a mask's are not there.
func TestALetterIsShownAsItWasSent(t *testing.T) {
	t.Parallel()
	d, receipts := officeDesk(t)
	manager, analyst := d.worker(staff.Manager), d.worker(staff.Analyst)
	manager.ask(404, "GET", "/api/staff/orders/100002/letters/1/", "", nil) // it was not sent
	if _, err := d.shop.Pool.Exec(t.Context(), `INSERT INTO mail_sent (id, kind, sent_at)
		SELECT id, 'order-placed', now() FROM eventstore.events WHERE stream = $1 AND version = 1`, order.Stream(receipts[1].ID)); err != nil {
		t.Fatal(err)
	}
	var letter struct{ Kind, To, Subject, Text string }
	manager.ask(200, "GET", "/api/staff/orders/100002/letters/1/", "", &letter)
	if letter.Kind != "order-placed" || letter.To != "oleg@example.kz" || !strings.Contains(letter.Subject, "100002") || !strings.Contains(letter.Text, "#…") {
		t.Errorf("%+v", letter)
	}
	if strings.Contains(letter.Text, d.shop.Links.OrderKey(receipts[1].ID)) {
		t.Error("the letter's text has the key of its link")
	}
	for _, version := range []string{"0", "2", "x", "99999999999999999999"} {
		manager.ask(404, "GET", "/api/staff/orders/100002/letters/"+version+"/", "", nil)
	}
	analyst.ask(403, "GET", "/api/staff/orders/100002/letters/1/", "", nil)
}

// TestEveryRoleAndEveryCallOfTheOffice: what a role may not do is refused.
func TestEveryRoleAndEveryCallOfTheOffice(t *testing.T) {
	t.Parallel()
	d, _ := officeDesk(t)
	calls := []guarded{
		{"POST", "/api/staff/orders/search/", "{}", staff.SeeOrders},
		{"GET", "/api/staff/orders/100001/", "", staff.SeeOrders},
		{"GET", "/api/staff/orders/100001/letters/1/", "", staff.SeePersonal},
		{"POST", "/api/staff/orders/100001/notes/", `{"text":"x"}`, staff.PackOrders},
		{"PUT", "/api/staff/orders/100001/tags/", `{"tags":[]}`, staff.ChangeOrders},
		{"PUT", "/api/staff/orders/100001/assignee/", `{"staff_id":null}`, staff.ChangeOrders},
		{"POST", "/api/staff/orders/actions/", `{"action":"approve","orders":[1]}`, staff.ChangeOrders},
		{"POST", "/api/staff/orders/actions/", `{"action":"cancel","orders":[1]}`, staff.ChangeOrders},
		{"POST", "/api/staff/orders/actions/", `{"action":"process","orders":[1]}`, staff.PackOrders},
		{"POST", "/api/staff/orders/actions/", `{"action":"complete","orders":[1]}`, staff.PackOrders},
		{"POST", "/api/staff/orders/100001/approval/", "", staff.ChangeOrders},
		{"POST", "/api/staff/orders/100001/processing/", "", staff.PackOrders},
		{"POST", "/api/staff/orders/100001/completion/", "", staff.PackOrders},
		{"POST", "/api/staff/orders/100001/cancellation/", "", staff.ChangeOrders},
		{"POST", "/api/staff/orders/100001/refund/", "", staff.RefundOrders},
		{"POST", "/api/staff/orders/100001/payments/", `{"method":"CASH","reference":"x","amount":0}`, staff.MarkPayments},
		{"PUT", "/api/staff/orders/100001/lines/", `{"lines":[]}`, staff.ChangeOrders},
		{"POST", "/api/staff/orders/100001/lines/preview/", `{"lines":[]}`, staff.ChangeOrders},
		{"PUT", "/api/staff/orders/100001/address/", `{}`, staff.ChangeOrders},
		{"POST", "/api/staff/orders/100001/returns/", `{"lines":[]}`, staff.RefundOrders},
		{"POST", "/api/staff/orders/100001/returns/decline/", `{"reason":"x"}`, staff.ChangeOrders},
		{"POST", "/api/staff/orders/100001/payments/confirmation/", `{"reference":"x"}`, staff.MarkPayments},
		{"POST", "/api/staff/orders/100001/payments/withdrawal/", `{"reference":"x"}`, staff.MarkPayments},
		{"POST", "/api/staff/orders/100001/payments/refund/confirmation/", `{"reference":"x"}`, staff.RefundOrders},
		{"POST", "/api/staff/orders/100001/payments/refund/withdrawal/", `{"reference":"x"}`, staff.RefundOrders},
		{"POST", "/api/staff/orders/100001/payments/refund/", `{"payment_id":"hand:x","reference":"y","amount":1}`, staff.RefundOrders},
	}
	for _, role := range staff.Roles {
		d.worker(role).mayCall(role, calls...)
	}
}

// TestMoneyIsMarkedByHand: in Russian beside the field, by two persons above the rule, and shown on the sheet.
func TestMoneyIsMarkedByHand(t *testing.T) {
	t.Parallel()
	d, _ := officeDesk(t)
	manager, admin := d.worker(staff.Manager), d.worker(staff.Admin)
	const path = "/api/staff/orders/100001/payments/"
	for body, field := range map[string]string{
		`{"method":"CHEQUE","reference":"1","amount":1}`:      "method",
		`{"method":"CASH","reference":" ","amount":1}`:        "reference",
		`{"method":"CASH","reference":"1","amount":-1}`:       "amount",
		`{"method":"CASH","reference":"1","amount":99999999}`: "amount",
	} {
		var wrong map[string][]string
		manager.ask(400, "POST", path, body, &wrong)
		if len(wrong) != 1 || len(wrong[field]) != 1 || !strings.ContainsAny(wrong[field][0], "абвгдежзиклмнопрст") {
			t.Errorf("%s: %v", body, wrong)
		}
	}
	if _, err := (&commands.Rules{Handler: d.shop.Handler}).Change(t.Context(), changedRules(func(r *rules.Rules) { r.HandConfirmAbove = 5_000 }), 0); err != nil {
		t.Fatal(err)
	}
	var stands commands.Standing
	manager.ask(200, "POST", path, `{"method":"KASPI_QR","reference":"77","amount":9000}`, &stands)
	if stands.IsPaid {
		t.Error("paid by one person's word")
	}
	d.project()
	var sheet struct {
		Order struct {
			Claims []order.HandPaymentClaimed `json:"hand_claims"`
			Money  []struct {
				ID string       `json:"payment_id"`
				By order.ByHand `json:"by_hand"`
			} `json:"money"`
		} `json:"order"`
	}
	manager.ask(200, "GET", "/api/staff/orders/100001/", "", &sheet)
	if c := sheet.Order.Claims; len(c) != 1 || c[0].Amount != 9_000 || !strings.HasPrefix(c[0].By, "staff:") {
		t.Errorf("claims %+v", c)
	}
	manager.ask(409, "POST", path+"confirmation/", `{"reference":"77"}`, nil)
	admin.ask(200, "POST", path+"confirmation/", `{"reference":"77"}`, &stands)
	if stands.Captured != 9_000 {
		t.Errorf("%+v", stands)
	}
	admin.ask(400, "POST", path+"confirmation/", `{"reference":"77"}`, nil)
	d.project()
	manager.ask(200, "GET", "/api/staff/orders/100001/", "", &sheet)
	if m := sheet.Order.Money; len(sheet.Order.Claims) != 0 || len(m) != 1 || m[0].ID != "hand:77" || m[0].By.ConfirmedBy == m[0].By.By {
		t.Errorf("%+v", sheet.Order)
	}
}

func changedRules(change func(*rules.Rules)) rules.Rules {
	r := rules.Default()
	change(&r)
	return r
}
