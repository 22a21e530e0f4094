package main

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/cmd/shop/shoptest"
	"shop/commands"
	"shop/commands/changes"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/staff"
	"shop/readapi"
	"shop/readapi/replicas"
)

// TestStaffPublishTheOffer: each publication is a version of its own, with a page's text and a file; orders keep theirs, and what they
// agreed to stays readable after an undo.
func TestStaffPublishTheOffer(t *testing.T) {
	t.Parallel()
	d := contentDesk(t)
	orders := d.orders()
	cream := d.program().stocked("MK-1", 9000, 30)
	shop := readapi.Shop{DB: replicas.Of(d.shop.Pool), Stated: d.shop.Config.ShopView(nil)}
	d.site.Reads.Shop, d.site.Reads.Documents = shop, readapi.Documents{DB: replicas.Of(d.shop.Pool), Shop: shop}
	d.http = d.site.Routes()
	placed := func() string {
		t.Helper()
		receipt, _, err := orders.Checkout(t.Context(), commands.Checkout{
			Lines: []commands.Line{{ProductID: cream, Amount: 1}}, Contact: order.Contact{FirstName: "Анна", LastName: "Ким", Email: "anna@example.kz", Phone: "+77011112233"},
			Address: order.Address{City: "Алматы", Street: "Абая", House: "1"}, DeliveryType: domain.Delivery, PaymentMethod: domain.Card,
		})
		if err != nil {
			t.Fatal(err)
		}
		state, err := commands.See(t.Context(), d.shop.Handler, commands.OrderStream(receipt.ID))
		if err != nil {
			t.Fatal(err)
		}
		return state.Placed.OfferVersion
	}
	says := func(path string, status int, want ...string) {
		t.Helper()
		d.catchUp("documents", "settings")
		w := shoptest.Get(t, d.http, path)
		if w.Code != status {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
		for _, text := range want {
			if !strings.Contains(w.Body.String(), text) {
				t.Errorf("%s: no %s in %.600s", path, text, w.Body)
			}
		}
	}
	pdf := func(path, kept string) []byte {
		t.Helper()
		d.catchUp("documents", "settings")
		w := shoptest.Get(t, d.http, path)
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/pdf" || !bytes.HasPrefix(w.Body.Bytes(), []byte("%PDF-")) ||
			!strings.Contains(w.Header().Get("Content-Disposition"), kept) {
			t.Errorf("%s: %d %v", path, w.Code, w.Header())
		}
		if again := shoptest.Get(t, d.http, path, "If-None-Match", "W/"+w.Header().Get("ETag")); again.Code != http.StatusNotModified {
			t.Errorf("%s again: %d", path, again.Code)
		}
		return w.Body.Bytes()
	}

	// Before anything was published the program's own text holds, about the seller of the settings.
	says("/api/documents/offer/", 200, `"version":"2026-11"`, "ТОО «Дала», БИН 000000000000,", `"current":true`, `"versions":[]`)
	says("/api/shop/", 200, `"offer_url":"/documents/offer.pdf"`, `"offer_version":"2026-11"`)
	first := pdf("/documents/offer.pdf", "offer-2026-11.pdf")
	says("/api/documents/offer/", 200, `"title_kk":"Жария оферта"`, "(бұдан әрі — сатушы)")
	says("/api/documents/privacy/", 200, `"title_kk":"Құпиялылық саясаты"`, "(бұдан әрі — дүкен)")
	kazakh := pdf("/documents/offer.pdf?lang=kk", "offer-2026-11.pdf")
	for path, want := range map[string][]byte{"/documents/offer.pdf": kazakh, "/documents/offer.pdf?lang=ru": first} {
		if w := shoptest.Get(t, d.http, path, "Cookie", "lang=kk"); bytes.Equal(first, kazakh) || !bytes.Equal(w.Body.Bytes(), want) || !slices.Contains(w.Header().Values("Vary"), "Cookie") {
			t.Errorf("%s for a reader of Kazakh: %d bytes, the Russian file has %d and the Kazakh one %d", path, w.Body.Len(), len(first), len(kazakh))
		}
	}
	if w := shoptest.Get(t, d.http, "/offer.pdf"); w.Code != http.StatusMovedPermanently || w.Header().Get("Location") != "/documents/offer.pdf" {
		t.Errorf("where it was: %d %v", w.Code, w.Header())
	}
	if got := placed(); got != "2026-11" {
		t.Errorf("an order agreed to %q", got)
	}

	editor := d.worker(staff.Content)
	words := func(text string) changes.Wording {
		return changes.Wording{RU: changes.Written{Title: "Публичная оферта", Source: "Редакция {version}. " + text + " <script>x</script>"}}
	}
	today := d.shop.Clock().In(domain.Almaty).Format(time.DateOnly)
	made := editor.changed(201, "document", "offer", "text", words("**Первая**"))
	says("/api/documents/offer/", 200, `"version":"`+today+`"`, "Редакция "+today+". <strong>Первая</strong>", `"current":true`)
	says("/api/shop/", 200, `"offer_version":"`+today+`"`)
	if got := placed(); got != today {
		t.Errorf("an order agreed to %q", got)
	}
	if second := pdf("/documents/offer.pdf", "offer-"+today); bytes.Equal(first, second) {
		t.Error("the file is that of the former version")
	}
	editor.changed(201, "document", "offer", "text", words("Вторая"))
	if got := placed(); got != today+"-2" {
		t.Errorf("an order agreed to %q", got)
	}
	// A former version stays what it was: its page is no longer the one in force.
	says("/api/documents/offer/?version="+today, 200, "<strong>Первая</strong>", `"current":false`, `[{"version":"`+today+`-2","date":"`+today+`"}`)
	pdf("/documents/offer/"+today+".pdf", "offer-"+today+".pdf")
	pdf("/documents/offer/2026-11.pdf", "offer-2026-11.pdf")
	says("/api/documents/offer/?version=2020-01-01", 404)
	says("/api/documents/terms/", 404)

	// What is wrong is told, and changes nothing; a role without the permission may not.
	editor.changed(409, "document", "offer", "text", words("{phone}"))
	editor.changed(409, "document", "terms", "text", words("x"))
	var about struct {
		Documents []struct {
			Name, Version string
			Text          *changes.Wording
			Default       changes.Written
			DefaultKK     changes.Written `json:"default_kk"`
		}
	}
	editor.ask(200, "GET", "/api/staff/content/", "", &about)
	if len(about.Documents) != 2 || about.Documents[1].Version != today+"-2" || about.Documents[1].Text == nil || about.Documents[0].Text != nil ||
		!strings.Contains(about.Documents[0].Default.Source, "ТОО «Дала»") || !strings.Contains(about.Documents[0].DefaultKK.Source, "ТОО «Дала»") {
		t.Errorf("%+v", about.Documents)
	}
	d.projectChanges()
	editor.ask(409, "POST", "/api/staff/changes/"+made.ID.String()+"/undo/", `{"reason":"рано"}`, nil) // a later publication is in the way

	// Consent to personal data records the policy in force.
	editor.changed(201, "document", "privacy", "text", changes.Wording{RU: changes.Written{Title: "Политика", Source: "Текст"}})
	if agreed, err := commands.ConsentText(t.Context(), d.shop.Handler, "2026-01"); err != nil || agreed != today {
		t.Errorf("consent to %q, %v", agreed, err)
	}
	withdrawn := editor.changed(201, "document", "offer", "text", nil)
	if got := placed(); withdrawn.ID == uuid.Nil || got != "2026-11" {
		t.Errorf("an order agreed to %q", got)
	}
	d.projectChanges()
	editor.ask(201, "POST", "/api/staff/changes/"+withdrawn.ID.String()+"/undo/", `{"reason":"вернуть"}`, nil)
	if got := placed(); got != today+"-3" {
		t.Errorf("after the undo an order agreed to %q", got)
	}
}
