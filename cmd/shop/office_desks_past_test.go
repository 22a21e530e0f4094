package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/commands/payments"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/customer"
	"shop/domain/order"
	"shop/domain/restock"
	"shop/domain/review"
	"shop/domain/staff"
	reads "shop/readapi/staff"
)

// awaitedThen are the customers who wait for a product at a moment, as whoever asks sees them.
func (w worker) awaitedThen(product uuid.UUID, at string) string {
	w.d.t.Helper()
	var found struct{ Results []reads.WaitingCustomer }
	w.ask(200, "GET", "/api/staff/waiting/"+product.String()+"/"+at, "", &found)
	rows := make([]string, len(found.Results))
	for i, c := range found.Results {
		rows[i] = fmt.Sprint(c.Place, " ", c.Name, " ", c.Phone)
	}
	return strings.Join(rows, "; ")
}

// reviewsThen are the reviews of a query, each as author, text, state and reply.
func (w worker) reviewsThen(query string) string {
	w.d.t.Helper()
	var found reads.FoundReviews
	w.ask(200, "GET", "/api/staff/reviews/"+query, "", &found)
	rows := make([]string, len(found.Results))
	for i, v := range found.Results {
		rows[i] = fmt.Sprint(v.Article, " ", v.Author, " ", v.Content, " ", v.State, " ", v.Reply)
	}
	return strings.Join(rows, "; ")
}

// TestReviewsAndWaitsAsTheyWere: the queue, the templates, who waited and the page of a customer at the moment before all of it changed.
func TestReviewsAndWaitsAsTheyWere(t *testing.T) {
	t.Parallel()
	d, anna, oleg := customersDesk(t)
	support, keeper := d.worker(staff.Support), d.worker(staff.Catalog)
	cream, first, second := uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7())
	d.wrote(catalog.ProductStream(cream), 0, catalog.ProductAdded{ID: cream, Article: "MK-1", Link: "mk-1", At: d.now}, catalog.ProductDescribed{Text: catalog.ProductText{Name: "Крем"}, At: d.now})
	d.wrote(review.Stream(first), 0, review.Posted{ID: first, ProductID: cream, CustomerID: anna, PersonID: first, Author: review.Author{Name: "Анна"}, Rating: 2, Content: "Сухо", Pending: true, At: d.now})
	d.wrote(restock.Stream(cream), 0, restock.Subscribed{ProductID: cream, CustomerID: anna, Place: 1, At: d.now})
	const templates = "/api/staff/reviews/templates/"
	support.ask(204, "PUT", templates, `{"templates":[{"name":"Ответ","text":"Раньше"}]}`, nil)
	at := fmt.Sprintf("?at=%d", d.head())
	d.wrote(review.Stream(first), 1, review.Shown{ID: first, ProductID: cream, At: d.now}, review.Answered{ID: first, ProductID: cream, Text: "Жаль", At: d.now})
	d.wrote(review.Stream(second), 0, review.Posted{ID: second, ProductID: cream, CustomerID: oleg, PersonID: second, Author: review.Author{Name: "Олег"}, Rating: 5, Content: "Ура", At: d.now.Add(time.Second)})
	d.wrote(restock.Stream(cream), 1, restock.Unsubscribed{ProductID: cream, CustomerID: anna, Place: 1, At: d.now}, restock.Subscribed{ProductID: cream, CustomerID: oleg, Place: 2, At: d.now})
	support.ask(204, "PUT", templates, `{"templates":[{"name":"Ответ","text":"Теперь"}]}`, nil)
	d.changed(anna, func(at time.Time) customer.Command {
		return customer.ChangeProfile{Profile: customer.Profile{FirstName: "Анна", LastName: "Цой", Phone: "+77015556677", City: "Алматы"}, At: at}
	})
	d.catchUp("reviews", "catalog", "orders", "restock", "stock", "customer")

	const then, now = "MK-1 Анна Сухо pending ", "MK-1 Олег Ура shown ; MK-1 Анна Сухо shown Жаль"
	for query, want := range map[string]string{
		"": now, at: then, at + "&state=pending": then, at + "&state=shown": "", at + "&unanswered=true": then, at + "&product=mk-1&stars=2": then, at + "&stars=5": "",
	} {
		if got := support.reviewsThen(query); got != want {
			t.Errorf("reviews %s: %q, want %q", query, got, want)
		}
	}
	for query, want := range map[string]string{"": "Теперь", at: "Раньше"} {
		var kept struct{ Templates []struct{ Text string } }
		if support.ask(200, "GET", templates+query, "", &kept); len(kept.Templates) != 1 || kept.Templates[0].Text != want {
			t.Errorf("templates %s: %+v", query, kept)
		}
	}
	looks := func() (n int) {
		t.Helper()
		if err := d.shop.Pool.QueryRow(t.Context(), `SELECT count(*) FROM eventstore.consumer_actions WHERE action = 'look' AND $1 = ANY (streams)`, customer.Stream(anna)).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := looks()
	if got, masked := support.awaitedThen(cream, at), keeper.awaitedThen(cream, at); got != "1 Анна Ким +77011112233" || masked != "1 ••• •••" || looks() != before+1 {
		t.Errorf("who waited then: %s, masked %s, %d looks", got, masked, looks()-before)
	}
	if got := support.awaitedThen(cream, ""); got != "2 Олег Смирнов +77479998877" {
		t.Errorf("who waits now: %s", got)
	}
	var awaited struct{ Results []reads.AwaitedProduct }
	if keeper.ask(200, "GET", "/api/staff/waiting/"+at, "", &awaited); len(awaited.Results) != 1 || awaited.Results[0].Waiting != 1 || awaited.Results[0].Article != "MK-1" {
		t.Errorf("awaited then: %+v", awaited)
	}
	var sheet sheetThen
	support.ask(200, "GET", "/api/staff/customers/"+anna.String()+"/"+at, "", &sheet)
	if len(sheet.Reviews) != 1 || sheet.Reviews[0].Content != "Сухо" || sheet.Reviews[0].Reply != "" || len(sheet.Waits) != 1 || sheet.Waits[0].Article != "MK-1" {
		t.Errorf("the page then: %+v, %+v", sheet.Reviews, sheet.Waits)
	}

	d.wrote(review.Stream(first), 3, review.Forgotten{ID: first, ProductID: cream, At: d.now})
	if got := support.reviewsThen(at); got != "MK-1 Покупатель  pending " {
		t.Errorf("forgotten since, with the key still there: %q", got)
	}
	d.changed(anna, func(at time.Time) customer.Command { return customer.RequestErasure{By: "staff", At: at} })
	d.catchUp("customer", "orders", "reviews", "restock")
	if _, _, err := d.shop.Customers.Erase(t.Context(), anna); err != nil {
		t.Fatal(err)
	}
	if got := support.awaitedThen(cream, at); got != "1  " {
		t.Errorf("erased since: %q", got)
	}
}

// TestPaymentsAsTheyWere: bills, money and refunds at the moment before they were settled.
func TestPaymentsAsTheyWere(t *testing.T) {
	t.Parallel()
	d, _, receipts := paymentsDesk(t)
	manager := d.worker(staff.Manager)
	refund := receipts[2].ID.String() + "/one"
	for _, sql := range []string{
		`INSERT INTO payment_refunds (id, order_id, payment_id, receipt, amount, actor, created_at, tries, next_at) VALUES ($1, $2, $3, 'r-3', 100, 'staff:cli', $4, 7, $4)`,
		`INSERT INTO payment_questions (payment_id, asked, next_at) SELECT $3, 4, $4 WHERE $1 <> '' AND $2::uuid IS NOT NULL`,
	} {
		if _, err := d.shop.Pool.Exec(t.Context(), sql, refund, receipts[2].ID, payments.ID(receipts[2].ID, 1), d.now); err != nil {
			t.Fatal(err)
		}
	}
	at := fmt.Sprintf("&at=%d", d.head())
	d.pass(time.Hour) // the bill's half an hour is over
	manager.ask(204, "POST", "/api/staff/payments/"+payments.ID(receipts[1].ID, 1)+"/mark/", `{"reason":"вернули переводом"}`, nil)
	if _, err := d.shop.Pool.Exec(t.Context(), "UPDATE payment_refunds SET done_at = $1", d.now); err != nil {
		t.Fatal(err)
	}
	d.project()
	for state, want := range map[string][2]string{"open": {"[1]", "[]"}, "late": {"[]", "[1]"}, "mismatched": {"[3]", "[3]"}, "twice": {"[2]", "[]"}, "marked": {"[]", "[2]"}} {
		then, _ := manager.payments(state + at)
		now, _ := manager.payments(state)
		if got := [2]string{fmt.Sprint(then), fmt.Sprint(now)}; got != want {
			t.Errorf("%s: %v, want %v", state, got, want)
		}
	}
	tries := func(query string) string {
		t.Helper()
		var found reads.FoundPayments
		manager.ask(200, "GET", "/api/staff/payments/?state=mismatched"+query, "", &found)
		return fmt.Sprint(found.Results[0].Tries, " ", found.Results[0].NextTry != nil)
	}
	if then, now := tries(at), tries(""); then != "0 false" || now != "4 true" {
		t.Errorf("questions then %s, now %s", then, now)
	}
	var then, now struct{ Results []reads.RefundRow }
	manager.ask(200, "GET", "/api/staff/payments/refunds/?limit=10"+at, "", &then)
	manager.ask(200, "GET", "/api/staff/payments/refunds/", "", &now)
	if len(now.Results) != 0 || len(then.Results) != 3 || slices.ContainsFunc(then.Results, func(r reads.RefundRow) bool { return r.Tries != 0 || r.NextTry != nil || r.Number == 0 }) {
		t.Errorf("refunds then %+v, now %+v", then, now)
	}
	manager.refused(400, "GET", "/api/staff/payments/refunds/?stuck=true"+at, "", "stuck")
}

// parcelsThen are parcels, each as number, person, address, shelf of the first line and courier.
func (d parcelDay) parcelsThen() string {
	rows := make([]string, len(d.Orders))
	for i, o := range d.Orders {
		rows[i] = fmt.Sprint(o.Number-100_000, " ", o.Name, " ", o.Phone, " ", o.Address, " ", o.Lines[0].Shelf, " ", o.Courier != nil)
	}
	return strings.Join(rows, "; ")
}

// waitsThen are the numbers of the first page, those that are not 0.
func (w worker) waitsThen(at string) string {
	w.d.t.Helper()
	var found struct {
		Waits []struct {
			Code  string
			Count int64
			City  string
		}
	}
	w.ask(200, "GET", "/api/staff/today/"+at, "", &found)
	var rows []string
	for _, wait := range found.Waits {
		if wait.Count > 0 {
			rows = append(rows, strings.TrimSpace(fmt.Sprint(wait.Code, " ", wait.Count, " ", wait.City)))
		}
	}
	return strings.Join(rows, "; ")
}

// TestParcelsAndCashAsTheyWere: packing, deliveries, cash and the first page at the moments before a parcel left and before its cash was counted.
func TestParcelsAndCashAsTheyWere(t *testing.T) {
	t.Parallel()
	d, receipts := officeDesk(t)
	d.desks(d.site.StaffOrders.Orders)
	manager, keeper, courier := d.worker(staff.Manager), d.worker(staff.Warehouse), d.worker(staff.Courier)
	azat, today := d.account("courier@shop.example"), d.shop.Clock().In(domain.Almaty).Format(time.DateOnly)
	for _, n := range []string{"100001", "100002"} {
		manager.ask(200, "POST", "/api/staff/orders/"+n+"/approval/", "", nil)
	}
	d.projectParcels()
	var list parcelDay
	keeper.ask(200, "GET", "/api/staff/packing/?day=2100-01-01", "", &list)
	then := d.head()
	before := fmt.Sprintf("&at=%d", then)
	d.pass(time.Minute)
	events, err := d.shop.Store.Stream(t.Context(), order.Stream(receipts[0].ID), 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	d.happened(receipts[0].ID, 2, order.AddressChanged{
		Contact: order.Contact{FirstName: "Анна", LastName: "Цой", Phone: "+77015556677"}, PersonID: events[0].Data.(order.Placed).PersonID, City: "Алматы", Address: order.Address{Street: "Сатпаева", House: "2", Apartment: "7"}, At: d.now,
	})
	keeper.ask(204, "PUT", "/api/staff/products/"+list.Orders[0].Lines[0].ProductID.String()+"/shelf/", `{"shelf":"A-01"}`, nil)
	keeper.ask(204, "POST", "/api/staff/orders/100002/packing/", `{"reason":"сканер сломан"}`, nil)
	keeper.ask(204, "PUT", "/api/staff/orders/100002/courier/", `{"courier":"`+azat+`","day":"`+today+`"}`, nil)
	keeper.ask(204, "POST", "/api/staff/orders/100002/hand-over/", `{"courier":"`+azat+`"}`, nil)
	d.projectParcels()
	courier.ask(204, "POST", "/api/staff/stops/100002/delivery/", `{"method":"CASH"}`, nil)
	middle := fmt.Sprintf("&at=%d", d.head())
	d.pass(time.Minute)
	d.projectParcels()
	keeper.ask(204, "POST", "/api/staff/rounds/"+azat+"/"+today+"/cash/", `{"handed_in":1,"note":"размен"}`, nil)
	d.catchUp("orders", "packing", "reviews", "restock", "stock", "catalog", "rules")

	const oleg = "2 Олег Смирнов +77479998877 Абая, 1  false"
	for query, want := range map[string]string{
		"packing/?day=2100-01-01" + before:    "1 Анна Ким +77011112233 Абая, 1  false; " + oleg,
		"packing/?day=2100-01-01":             "1 Анна Цой +77015556677 Сатпаева, 2, кв. 7 A-01 false",
		"deliveries/?day=2100-01-01" + before: "1 Анна Ким +77011112233 Абая, 1  false; " + oleg,
	} {
		list = parcelDay{}
		keeper.ask(200, "GET", "/api/staff/"+query, "", &list)
		if got := list.parcelsThen(); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	if keeper.ask(200, "GET", "/api/staff/packing/?x"+before, "", &list); list.Day != today {
		t.Errorf("packing then is of %s, want %s", list.Day, today)
	}
	cash := func(query string) string {
		t.Helper()
		var all struct{ Results []reads.CashDay }
		keeper.ask(200, "GET", "/api/staff/rounds/?state="+query, "", &all)
		var rows []string
		for _, day := range all.Results {
			rows = append(rows, fmt.Sprint(day.State, " ", day.HandedIn, " ", day.Note, " ", day.CourierName))
		}
		return strings.Join(rows, "; ")
	}
	if then, between, now := cash(before), cash(middle), cash(""); then != "" || between != "running 0  courier@shop.example" || now != "short 1 размен courier@shop.example" {
		t.Errorf("cash then %q, between %q, now %q", then, between, now)
	}
	list = parcelDay{}
	if keeper.ask(200, "GET", "/api/staff/deliveries/?day="+today+middle, "", &list); len(list.Rounds) != 1 || list.Rounds[0].Cash == 0 || list.Rounds[0].SettledAt != nil {
		t.Errorf("the round before its cash was counted: %+v", list.Rounds)
	}
	for at, want := range map[string]string{"?x" + before: "to_confirm 1; to_pack 2", "?x" + middle: "to_confirm 1; to_pack 1", "": "to_confirm 1; to_pack 1; cash_open 1"} {
		if got := manager.waitsThen(at); got != want {
			t.Errorf("the first page %s: %s, want %s", at, got, want)
		}
	}

	moment, err := d.shop.Past.At(t.Context(), reads.Moment{Position: then})
	if err != nil {
		t.Fatal(err)
	}
	err = moment.See(t.Context(), func(ctx context.Context, shop reads.Shop) error {
		masked, err := shop.ToPack(ctx, "2100-01-01", false)
		if err == nil && (len(masked) != 2 || masked[0].Name != reads.Masked || masked[0].Phone != reads.Masked || masked[0].Address != reads.Masked || masked[0].Comment != reads.Masked) {
			t.Errorf("without persons: %+v", masked)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	d.happened(receipts[0].ID, 3, order.Forgotten{At: d.now})
	list = parcelDay{}
	if keeper.ask(200, "GET", "/api/staff/packing/?day=2100-01-01"+before, "", &list); list.parcelsThen() != "1     false; "+oleg {
		t.Errorf("forgotten since: %s", list.parcelsThen())
	}
}

// TestChangesAsTheyWere: the list, the file and the page of a change at the moment before it was approved; and what a letter said.
func TestChangesAsTheyWere(t *testing.T) {
	t.Parallel()
	d := productsDesk(t)
	manager, keeper, admin := d.worker(staff.Manager), d.worker(staff.Catalog), d.worker(staff.Admin)
	var goods reads.FoundProducts
	manager.ask(200, "GET", "/api/staff/products/?query=mk-2", "", &goods)
	price := func(now int) string {
		return fmt.Sprintf(`{"title":"Весна","items":[{"thing":"product","id":%q,"field":"price","was":3000,"now":%d}]}`, goods.Results[0].ID, now)
	}
	var first changedThings
	keeper.ask(201, "POST", "/api/staff/changes/", price(3100), &first)
	admin.changed(201, "content", "letter-order-placed.opening", "text", "Слово до")
	at := fmt.Sprintf("?at=%d", d.head())
	manager.ask(204, "POST", "/api/staff/changes/"+first.ID.String()+"/approve/", `{}`, nil)
	second := admin.changed(201, "content", "letter-order-placed.opening", "text", "Слово после")
	d.catchUp("changes", "catalog", "content")
	list := func(query string) string {
		t.Helper()
		var found struct{ Results []reads.ChangeRow }
		manager.ask(200, "GET", "/api/staff/changes/"+query, "", &found)
		var rows []string
		for _, c := range found.Results {
			if strings.HasPrefix(c.Title, "shop catalog import") {
				continue
			}
			rows = append(rows, fmt.Sprint(c.Title, " ", c.Status, " ", c.Done, " ", c.DecidedName))
		}
		return strings.Join(rows, "; ")
	}
	for query, want := range map[string]string{
		at: "Тексты applied 1 ; Весна waiting 0 ", at + "&status=waiting": "Весна waiting 0 ", at + "&status=applied&thing=product": "", "?thing=product": "Весна applied 1 manager@shop.example",
	} {
		if got := list(query); got != want {
			t.Errorf("changes %s: %s, want %s", query, got, want)
		}
	}
	for query, want := range map[string]string{at: "waiting 0  ", "": "applied 1 manager@shop.example done"} {
		var sheet reads.ChangeSheet
		manager.ask(200, "GET", "/api/staff/changes/"+first.ID.String()+"/"+query, "", &sheet)
		if got := fmt.Sprint(sheet.Status, " ", sheet.Done, " ", sheet.DecidedName, " ", sheet.Page[0].Outcome); got != want || sheet.Page[0].Name != "Крем для ног" {
			t.Errorf("the page %s: %s, want %s", query, got, want)
		}
	}
	manager.ask(404, "GET", "/api/staff/changes/"+second.ID.String()+"/"+at, "", nil)
	keeper.ask(200, "GET", "/api/staff/changes/"+first.ID.String()+"/"+at, "", nil)
	file := d.ask("GET", "/api/staff/changes/file/"+at, "", "Cookie", manager.cookie)
	if body := file.Body.String(); file.Code != http.StatusOK || !strings.Contains(body, "Слово до") || strings.Contains(body, "Слово после") {
		t.Errorf("the file then: %d %s", file.Code, body)
	}
	for query, says := range map[string][2]string{at: {"Слово до", "Слово после"}, "": {"Слово после", "Слово до"}} {
		said := d.ask("GET", "/api/staff/letters/texts/"+query, "", "Cookie", admin.cookie)
		if body := said.Body.String(); said.Code != http.StatusOK || !strings.Contains(body, says[0]) || strings.Contains(body, says[1]) {
			t.Errorf("the letter %s says not %q", query, says[0])
		}
	}
}
