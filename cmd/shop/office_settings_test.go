package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"

	"shop/cmd/shop/edge"
	"shop/commands"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/settings"
	"shop/domain/staff"
	"shop/readapi"
	"shop/readapi/endpoint"
)

// TestSettings: staff publish what the shop says of itself; shoppers, letters and new orders follow it.
func TestSettings(t *testing.T) {
	t.Parallel()
	d := openStaffDesk(t, "SHOP_SIGNIN_RATE=0")
	orders := d.orders()
	d.desks(orders)
	cream := d.program().stocked("MK-1", 9000, 30)
	const path = "/api/staff/settings/"
	type published struct {
		Version  int64             `json:"version"`
		Settings settings.Settings `json:"settings"`
	}
	shop := readapi.Shop{DB: d.shop.Pool, Stated: d.shop.Config.ShopView(orders.Providers.Methods())}
	shown := func(show readapi.Endpoint) string {
		t.Helper()
		w := httptest.NewRecorder()
		if err := show.ServeJSON(w, httptest.NewRequest("GET", "/", nil)); err != nil {
			t.Fatal(err)
		}
		return w.Body.String()
	}
	rules := readapi.Rules{DB: d.shop.Pool, Now: d.shop.Clock}
	placed := func() order.Placed {
		t.Helper()
		receipt, _, err := orders.Checkout(t.Context(), commands.Checkout{
			Lines: []commands.Line{{ProductID: cream, Amount: 1}}, Contact: order.Contact{FirstName: "Анна", LastName: "Ким", Email: "anna.kim@example.kz", Phone: "+77011112233"},
			Address: order.Address{City: "Алматы", Street: "Абая", House: "1"}, DeliveryType: domain.Delivery, PaymentMethod: domain.Card,
		})
		if err != nil {
			t.Fatal(err)
		}
		state, err := commands.See(t.Context(), d.shop.Handler, commands.OrderStream(receipt.ID))
		if err != nil {
			t.Fatal(err)
		}
		return state.Placed
	}

	d.project()
	before := shown(shop.Show)
	for _, want := range []string{`"email":"hello@dala.example"`, `"hours":"ежедневно с 10:00 до 19:00"`, `"pickup_address":"Алматы, пр. Достык, 208/5"`, `"offer_version":"2026-11"`, `"menu":[{"text":"О нас","text_kk":"Біз туралы","address":"/about"}`, `"payment_methods":["CARD","KASPI_BILL","CASH"]`} {
		if !strings.Contains(before, want) {
			t.Errorf("before anything was published: no %s in %s", want, before)
		}
	}
	if got := shown(rules.Show); !strings.Contains(got, `"no_delivery_weekdays" : [7], "no_delivery_dates" : []`) {
		t.Error(got)
	}
	if p := placed(); p.DeliveryDate != "2026-03-04" || p.OfferVersion != "2026-11" { // at noon of a Tuesday
		t.Errorf("delivered on %s, offer %q", p.DeliveryDate, p.OfferVersion)
	}

	manager := d.worker(staff.Manager)
	var now published
	manager.ask(200, "GET", path, "", &now)
	if now.Version != 0 || now.Settings.LegalName != "ТОО «Дала»" || now.Settings.Holidays == nil {
		t.Errorf("%+v", now)
	}
	now.Settings.Pickup = settings.Text{RU: "Алматы, ул. Абая, 1", KK: "Алматы, Абай көшесі, 1"}
	now.Settings.NoDelivery, now.Settings.OfferVersion = []int{3, 7}, "2026-03"
	now.Settings.Holidays = []settings.Holiday{{Date: "2026-01-01", Name: settings.Text{RU: "Новый год"}}, {Date: "2026-03-05", Name: settings.Text{RU: "Учёт"}}}
	text := func(p published) string {
		written, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		return string(written)
	}
	wrong := now
	wrong.Settings.Email = "nobody"
	var fields endpoint.FieldErrors
	manager.ask(400, "POST", path, text(wrong), &fields)
	if len(fields["email"]) != 1 {
		t.Errorf("%v", fields)
	}
	draft := strings.TrimSuffix(text(now), "}") + `,"draft":true}`
	proposed := d.ask("POST", path, draft, "Cookie", manager.cookie, edge.CsrfHeader, manager.csrf)
	if manager.answers.check("POST", path, proposed); proposed.Code != 202 || proposed.Header().Get("X-Event-Position") == "" {
		t.Errorf("%d %v: the page of the change could be asked for before there is one", proposed.Code, proposed.Header())
	}
	var still published
	manager.ask(200, "GET", path, "", &still)
	if still.Version != 0 {
		t.Errorf("a draft is published: %+v", still)
	}
	menu := now
	menu.Settings.Menu = append([]settings.MenuEntry{{Text: settings.Text{RU: "Подарки"}, Address: "//evil.example"}}, now.Settings.Menu...)
	manager.ask(400, "POST", path, text(menu), &fields)
	if len(fields["menu[0].address"]) != 1 {
		t.Errorf("%v", fields)
	}
	now.Settings.Menu = []settings.MenuEntry{{Text: settings.Text{RU: "Подарки", KK: "Сыйлықтар"}, Address: "/gifts"}}
	manager.ask(204, "POST", path, text(now), nil)
	manager.ask(409, "POST", path, text(now), nil)
	d.project()
	if got := shown(shop.Show); !strings.Contains(got, `"pickup_address":"Алматы, ул. Абая, 1","pickup_address_kk":"Алматы, Абай көшесі, 1"`) || !strings.Contains(got, `"name":"Дала"`) {
		t.Error(got)
	}
	if got := shown(shop.Show); !strings.Contains(got, `"menu":[{"text":"Подарки","text_kk":"Сыйлықтар","address":"/gifts"}],"footer_menu":[{"text":"Все категории",`) {
		t.Errorf("the footer keeps the default menu: %s", got)
	}
	if got := shown(rules.Show); !strings.Contains(got, `[{"date": "2026-03-05", "name": "Учёт", "name_kk": ""}]`) || !strings.Contains(got, `[3, 7]`) {
		t.Errorf("coming holidays alone: %s", got)
	}
	if p := placed(); p.DeliveryDate != "2026-03-06" || p.OfferVersion != "2026-03" {
		t.Errorf("delivered on %s, offer %q", p.DeliveryDate, p.OfferVersion)
	}

	p := d.program()
	p.says("settings: is so already\n", "settings", "publish", p.file("s.json", p.ok("settings", "show", "--format", "json")))
	p.says("settings: would be published\n", "settings", "publish", p.file("s.yml", "phone: '+7 701'\n"), "--dry-run")
	p.says("settings: published\n", "settings", "publish", p.file("s.yml", "phone: '+7 701'\nreturns:\n  ru: Вернём деньги\n"))
	p.refuses("The settings are at version 2", "settings", "publish", p.file("s.yml", "version: 1\nphone: ''\n"))
	p.refuses("must be no number", "settings", "publish", p.file("s.yml", "phone: 7\n"))
	p.refuses("menu[0].text.ru", "settings", "publish", p.file("s.yml", "menu:\n- text: {ru: ''}\n  address: /news\n"))
	p.says("settings: would be published\n", "settings", "publish", p.file("s.yml", "footer_menu:\n- text: {ru: Блог}\n  address: /news\n"), "--dry-run")
	if table := p.ok("settings", "show"); !strings.Contains(table, "Вернём деньги") || !strings.Contains(table, "2026-03-05  Учёт") || !strings.Contains(table, "Подарки  /gifts") || strings.Contains(table, "footer_menu") {
		t.Error(table)
	}

	for _, role := range staff.Roles {
		w := manager
		if role != staff.Manager {
			w = d.worker(role)
		}
		may := role.May(staff.ChangeRules)
		if got := d.ask("GET", path, "", "Cookie", w.cookie); may != (got.Code == http.StatusOK) {
			t.Errorf("%s reads: %d", role, got.Code)
		}
		if got := d.ask("POST", path, text(now), "Cookie", w.cookie); got.Code != http.StatusForbidden {
			t.Errorf("%s without the token: %d", role, got.Code)
		}
		if !may {
			w.ask(http.StatusForbidden, "POST", path, text(now), nil)
		}
	}
}

// TestTheFirstPublicationOfSettingsIsUndone: the configuration holds again, as if nothing had been published.
func TestTheFirstPublicationOfSettingsIsUndone(t *testing.T) {
	t.Parallel()
	d := openStaffDesk(t)
	orders := d.orders()
	d.desks(orders)
	shop := readapi.Shop{DB: d.shop.Pool, Stated: d.shop.Config.ShopView(orders.Providers.Methods())}
	shown := func() string {
		t.Helper()
		d.project()
		w := httptest.NewRecorder()
		if err := readapi.Endpoint(shop.Show).ServeJSON(w, httptest.NewRequest("GET", "/", nil)); err != nil {
			t.Fatal(err)
		}
		return w.Body.String()
	}
	before := shown()
	manager := d.worker(staff.Manager)
	type inForce struct {
		Version   int64           `json:"version"`
		Settings  json.RawMessage `json:"settings"`
		Published bool            `json:"published"`
	}
	var stated, now inForce
	manager.ask(200, "GET", "/api/staff/settings/", "", &stated)
	publish := fmt.Sprintf(`{"version":%%d,"settings":%s}`, strings.Replace(string(stated.Settings), `"phone":""`, `"phone":"+7 727 000 00 00"`, 1))
	manager.ask(204, "POST", "/api/staff/settings/", fmt.Sprintf(publish, 0), nil)
	if got := shown(); !strings.Contains(got, `"phone":"+7 727 000 00 00"`) {
		t.Errorf("published: %s", got)
	}
	d.projectChanges()
	var changes struct{ Results []struct{ ID uuid.UUID } }
	manager.ask(200, "GET", "/api/staff/changes/?thing=settings", "", &changes)
	manager.ask(201, "POST", "/api/staff/changes/"+changes.Results[0].ID.String()+"/undo/", `{"reason":"рано"}`, nil)
	if got := shown(); got != before {
		t.Errorf("after the undo %s, before %s", got, before)
	}
	if manager.ask(200, "GET", "/api/staff/settings/", "", &now); now.Published || now.Version != 2 || !bytes.Equal(now.Settings, stated.Settings) {
		t.Errorf("after the undo: %+v", now)
	}
	manager.ask(409, "POST", "/api/staff/settings/", fmt.Sprintf(publish, 0), nil)
	manager.ask(204, "POST", "/api/staff/settings/", fmt.Sprintf(publish, 2), nil)
}
