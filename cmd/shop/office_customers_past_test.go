package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/commands"
	"shop/domain"
	"shop/domain/customer"
	"shop/domain/order"
	"shop/domain/staff"
	"shop/eventstore"
	reads "shop/readapi/staff"
)

// sheetThen is what a test reads of a customer's page.
type sheetThen struct {
	Account struct {
		State, Email, Phone, Street string
		LastName                    string `json:"last_name"`
		Groups                      []string
	} `json:"account"`
	reads.CustomerSheet
	Sessions int
}

// changed does a command to a customer.
func (d *staffDesk) changed(id uuid.UUID, command func(at time.Time) customer.Command) {
	d.t.Helper()
	_, err := commands.Change(d.t.Context(), d.shop.Handler, commands.CustomerStream(id), func(u *commands.Unit) customer.Command { return command(u.At()) })
	if err != nil {
		d.t.Fatal(err)
	}
}

// happened appends an event to an order's stream.
func (d *staffDesk) happened(id uuid.UUID, after eventstore.Version, event order.Event) {
	d.t.Helper()
	d.wrote(order.Stream(id), after, event)
}

// wrote appends events to a stream.
func (d *staffDesk) wrote(stream string, after eventstore.Version, events ...domain.Event) {
	d.t.Helper()
	write := eventstore.Write{Stream: stream, Expected: after}
	for _, event := range events {
		write.Events = append(write.Events, eventstore.NewEvent{Data: event})
	}
	if _, err := d.shop.Store.Append(d.t.Context(), eventstore.Append{Writes: []eventstore.Write{write}}); err != nil {
		d.t.Fatal(err)
	}
}

// ordered places an order of a customer.
func (d *staffDesk) ordered(who uuid.UUID, number int64) uuid.UUID {
	d.t.Helper()
	id := uuid.Must(uuid.NewV7())
	d.happened(id, 0, order.Placed{ID: id, Number: number, CustomerID: who, PersonID: who, Contact: order.Contact{FirstName: "Анна"}, At: d.now})
	return id
}

// rowThen is the row of a customer in a list.
func rowThen(results []reads.CustomerRow, id uuid.UUID) (row reads.CustomerRow) {
	for _, r := range results {
		if r.ID == id {
			row = r
		}
	}
	return row
}

// TestCustomersAsTheyWere: the page and the list at the moment before a person moved, married, was grouped and ordered again.
func TestCustomersAsTheyWere(t *testing.T) {
	t.Parallel()
	d, anna, oleg := customersDesk(t)
	manager, keeper := d.worker(staff.Manager), d.worker(staff.Catalog)
	path := "/api/staff/customers/" + anna.String() + "/"
	moved := func(last, phone, street, group, note string, bonuses int) {
		t.Helper()
		d.changed(anna, func(at time.Time) customer.Command {
			return customer.ChangeProfile{Profile: customer.Profile{FirstName: "Анна", LastName: last, Phone: phone, Street: street, City: "Алматы"}, At: at}
		})
		manager.ask(204, "POST", path+"groups/", `{"group":"`+group+`","in":true}`, nil)
		manager.ask(204, "POST", path+"notes/", `{"text":"`+note+`"}`, nil)
		manager.ask(204, "POST", path+"bonuses/", fmt.Sprintf(`{"id":%q,"amount":%d,"reason":"подарок"}`, uuid.NewString(), bonuses), nil)
	}
	moved("Ким", "+77011112233", "Абая", "VIP", "Раньше", 100)
	id := d.ordered(anna, 101)
	at := fmt.Sprintf("?at=%d", d.head())
	moved("Цой", "+77015556677", "Сатпаева", "Опт", "Теперь", 50)
	d.happened(id, 1, order.Cancelled{Reason: "x", At: d.now})
	d.ordered(anna, 102)
	d.catchUp("customer", "orders")
	var then, now sheetThen
	manager.ask(200, "GET", path+at, "", &then)
	manager.ask(200, "GET", path, "", &now)
	for _, c := range []struct {
		when string
		of   sheetThen
		want string
	}{
		{"then", then, "active Ким +77011112233 Абая [VIP] 1 RECEIVED 100 1 Раньше 1"},
		{"now", now, "active Цой +77015556677 Сатпаева [VIP Опт] 2 CANCELLED 150 2 Теперь 1"},
	} {
		a := c.of.Account
		said := fmt.Sprint(a.State, " ", a.LastName, " ", a.Phone, " ", a.Street, " ", a.Groups, " ", c.of.Orders, " ", c.of.Latest[len(c.of.Latest)-1].Status, " ",
			c.of.Bonus, " ", len(c.of.Ledger), " ", c.of.Notes[0].Text, " ", len(c.of.Consents))
		if said != c.want {
			t.Errorf("%s: %s, want %s", c.when, said, c.want)
		}
	}
	list := func(w worker, at, body string) reads.FoundCustomers {
		t.Helper()
		var all reads.FoundCustomers
		w.ask(200, "POST", "/api/staff/customers/search/"+at, body, &all)
		return all
	}
	if row := rowThen(list(manager, at, "{}").Results, anna); row.Name != "Анна Ким" || row.Phone != "+77011112233" || row.Orders != 1 || strings.Join(row.Groups, " ") != "VIP" {
		t.Errorf("the list then: %+v", row)
	}
	for body, want := range map[string][]uuid.UUID{
		`{"query":"цой"}`: {anna}, `{"query":"Смернов"}`: {oleg}, `{"query":"никто"}`: {}, `{"group":"VIP"}`: {anna}, `{"group":"Опт"}`: {}, `{"state":"active"}`: {anna, oleg}, `{"state":"erased"}`: {},
		`{"limit":1,"offset":1}`: {oleg},
	} {
		all := list(manager, at, body)
		ids := []uuid.UUID{}
		for _, row := range all.Results {
			ids = append(ids, row.ID)
		}
		if fmt.Sprint(ids) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", body, ids, want)
		}
	}
	var groups struct{ Results []reads.CustomerGroup }
	manager.ask(200, "GET", "/api/staff/customers/groups/"+at, "", &groups)
	if len(groups.Results) != 1 || groups.Results[0].Name != "VIP" {
		t.Errorf("groups then: %+v", groups)
	}
	keeper.ask(403, "GET", path+at, "", nil)
	keeper.ask(403, "POST", "/api/staff/customers/search/"+at, "{}", nil)
}

// TestThePastTellsNoMoreThanItMay: refused moments, persons masked, looks recorded, and somebody erased since is erased then too.
func TestThePastTellsNoMoreThanItMay(t *testing.T) {
	t.Parallel()
	d, anna, oleg := customersDesk(t)
	manager := d.worker(staff.Manager)
	one, search := "/api/staff/customers/"+anna.String()+"/", "/api/staff/customers/search/"
	manager.ask(204, "POST", one+"notes/", `{"text":"Просит звонить"}`, nil)
	manager.ask(204, "POST", one+"groups/", `{"group":"VIP","in":true}`, nil)
	d.ordered(anna, 101)
	at := fmt.Sprintf("?at=%d", d.head())
	for _, wrong := range []string{"?at=999999999", "?at=2001-01-01T00:00:00Z", "?at=2999-01-01T00:00:00Z", "?at=x"} {
		manager.refused(400, "GET", one+wrong, "", "at")
		manager.refused(400, "POST", search+wrong, "{}", "at")
	}
	manager.ask(404, "GET", "/api/staff/customers/"+uuid.NewString()+"/"+at, "", nil)
	manager.ask(404, "GET", one+"?at=1", "", nil)
	looks := func() (n int) {
		t.Helper()
		err := d.shop.Pool.QueryRow(t.Context(), `SELECT count(*) FROM eventstore.consumer_actions WHERE action = 'look' AND $1 = ANY (streams)`, customer.Stream(anna)).Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := looks()
	said := d.ask("GET", one+at, "", "Cookie", manager.cookie)
	if !strings.Contains(said.Body.String(), "Анна") || looks() != before+1 {
		t.Errorf("the page: %s, %d looks after %d", said.Body, looks(), before)
	}
	manager.ask(200, "POST", search+at, "{}", nil)
	if looks() != before+2 {
		t.Errorf("the list: %d looks after %d", looks(), before)
	}
	moment, err := d.shop.Past.At(t.Context(), reads.Moment{Position: d.head()})
	if err != nil {
		t.Fatal(err)
	}
	shop := reads.Shop{DB: d.shop.Pool}
	sheet, err := moment.CustomerSheet(t.Context(), shop, anna, false, func(actor string) string { return actor })
	if body := fmt.Sprintf("%s %v", sheet.Account, sheet.Notes); err != nil || strings.Contains(body, "Анна") || strings.Contains(body, "7701") || strings.Contains(body, "Просит") || !strings.Contains(body, reads.Masked) {
		t.Errorf("without persons: %s, %v", body, err)
	}
	masked, err := moment.SearchCustomers(t.Context(), shop, reads.CustomerSearch{Limit: 10}, false)
	if row := rowThen(masked.Results, oleg); err != nil || row.Name != reads.Masked || row.Phone != reads.Masked || row.Email != reads.Masked {
		t.Errorf("without persons, in the list: %+v, %v", row, err)
	}
	if masked, err = moment.SearchCustomers(t.Context(), shop, reads.CustomerSearch{Query: "Ким", Limit: 10}, false); err != nil || masked.Count != 0 {
		t.Errorf("searched for without persons: %+v, %v", masked, err)
	}
	d.changed(anna, func(at time.Time) customer.Command { return customer.RequestErasure{By: "staff", At: at} })
	d.catchUp("customer", "orders", "reviews", "restock")
	if _, _, err := d.shop.Customers.Erase(t.Context(), anna); err != nil {
		t.Fatal(err)
	}
	d.catchUp("customer", "orders")
	said = d.ask("GET", one+at, "", "Cookie", manager.cookie)
	var then sheetThen
	if err := json.Unmarshal(said.Body.Bytes(), &then); err != nil || said.Code != 200 {
		t.Fatal(said.Code, err)
	}
	if body := said.Body.String(); then.Account.State != "erased" || len(then.Account.Groups) != 0 || then.Orders != 1 || strings.Contains(body, "Анна") || strings.Contains(body, "Просит") || strings.Contains(body, "7701") {
		t.Errorf("erased since: %s", body)
	}
	var all reads.FoundCustomers
	manager.ask(200, "POST", search+at, "{}", &all)
	if row := rowThen(all.Results, anna); row.State != "erased" || row.Name+row.Email+row.Phone+row.City != "" || len(row.Groups) != 0 || row.Orders != 1 {
		t.Errorf("erased since, in the list: %+v", row)
	}
	for body, want := range map[string]int64{`{"state":"active"}`: 1, `{"state":"erased"}`: 1, `{"query":"Ким"}`: 0, `{"group":"VIP"}`: 0} {
		all = reads.FoundCustomers{}
		manager.ask(200, "POST", search+at, body, &all)
		if all.Count != want {
			t.Errorf("%s: %d, want %d", body, all.Count, want)
		}
	}
}
