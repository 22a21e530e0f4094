package main

import (
	"bytes"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"shop/commands/notices"
	"shop/commands/staffapi"
	"shop/domain/staff"
)

// noticesDesk is a desk with a board that allows public addresses alone.
func noticesDesk(t *testing.T) *opsDesk {
	t.Helper()
	d := openOpsDesk(t)
	board, err := notices.NewBoard(d.shop.Pool, notices.Options{Key: bytes.Repeat([]byte{1}, 32), VAPID: bytes.Repeat([]byte{2}, 32), Clock: time.Now, Guard: &notices.Guard{}})
	if err != nil {
		t.Fatal(err)
	}
	d.site.StaffNotices = staffapi.Notices{Board: board}
	d.http = d.site.Routes()
	return d
}

const someWebhook = `{"name":"CRM","kind":"json","causes":["new_order"],"language":"ru","enabled":true,"url":"https://crm.example/in","secret":"a-secret-of-sixteen"}`

// someBrowser is a subscription as a browser writes it.
func someBrowser(t *testing.T, endpoint string) string {
	t.Helper()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`{"endpoint":%q,"expirationTime":null,"keys":{"p256dh":%q,"auth":%q}}`, endpoint,
		base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes()), base64.RawURLEncoding.EncodeToString(make([]byte, 16)))
}

// TestEveryRoleAndEveryCallAboutNotices: each calls what it may, and nobody without the session's token.
func TestEveryRoleAndEveryCallAboutNotices(t *testing.T) {
	t.Parallel()
	d := noticesDesk(t)
	const nobody = "/01990000-0000-7000-8000-000000000001/"
	for _, role := range staff.Roles {
		in := d.as(role)
		for _, c := range []struct {
			method, path, body string
			permission         staff.Permission
		}{
			{"GET", "/", "", ""},
			{"PUT", "/", `{"mail":[],"push":[],"quiet_from":null,"quiet_to":null,"digest":false,"language":"kk"}`, ""},
			{"POST", "/trial/", "{}", ""},
			{"POST", "/browsers/", someBrowser(t, "https://push.example/"+string(role)), ""},
			{"DELETE", "/browsers" + nobody, "", ""},
			{"GET", "/webhooks/", "", staff.ManageStaff},
			{"POST", "/webhooks/", someWebhook, staff.ManageStaff},
			{"PUT", "/webhooks" + nobody, someWebhook, staff.ManageStaff},
			{"DELETE", "/webhooks" + nobody, "", staff.ManageStaff},
			{"POST", "/webhooks" + nobody + "trial/", "{}", staff.ManageStaff},
		} {
			path := "/api/staff/notices" + c.path
			w := d.call(role, c.method, path, c.body)
			if allowed := c.permission == "" || role.May(c.permission); allowed == (w.Code == 403) || w.Code >= 500 || w.Code == 400 {
				t.Errorf("%s %s as %s: %d %s", c.method, path, role, w.Code, w.Body)
			}
			if c.method != "GET" {
				if w := d.ask(c.method, path, c.body, "Cookie", in.cookie); w.Code != 403 {
					t.Errorf("%s %s without the session's token: %d", c.method, path, w.Code)
				}
			}
			if w := d.ask(c.method, path, c.body); w.Code != 401 {
				t.Errorf("%s %s signed out: %d", c.method, path, w.Code)
			}
		}
	}
}

func TestNoticesAreChosenByTheirReaders(t *testing.T) {
	t.Parallel()
	d := noticesDesk(t)
	var mine struct {
		Causes   []string
		Choice   notices.Choice
		Browsers []struct{ ID, Name string }
		PushKey  string `json:"push_key"`
	}
	d.got(staff.Catalog, 200, "GET", "/api/staff/notices/", "", &mine)
	if fmt.Sprint(mine.Causes) != "[stock_low]" || mine.Choice.Language != "ru" || len(mine.PushKey) != 87 {
		t.Errorf("the catalog's keeper may choose %+v", mine)
	}
	choice := func(mail, quietTo, language string) string {
		return fmt.Sprintf(`{"mail":[%s],"push":[],"quiet_from":1320,"quiet_to":%s,"digest":true,"language":%q}`, mail, quietTo, language)
	}
	for field, body := range map[string]string{
		"mail": choice(`"new_order"`, "480", "ru"), "quiet_to": choice("", "null", "ru"), "language": choice("", "480", "de"),
	} {
		d.wants(field, d.call(staff.Catalog, "PUT", "/api/staff/notices/", body), 400, `"`+field+`":[`)
	}
	d.got(staff.Catalog, 204, "PUT", "/api/staff/notices/", choice(`"stock_low"`, "480", "en"), nil)
	d.got(staff.Catalog, 204, "POST", "/api/staff/notices/browsers/", someBrowser(t, "https://push.example/1"), nil)
	d.got(staff.Catalog, 204, "POST", "/api/staff/notices/browsers/", someBrowser(t, "https://push.example/1"), nil)
	d.wants("a private push address", d.call(staff.Catalog, "POST", "/api/staff/notices/browsers/", someBrowser(t, "https://169.254.169.254/1")), 400, `"endpoint":["The address must be public."]`)
	d.got(staff.Catalog, 200, "GET", "/api/staff/notices/", "", &mine)
	if len(mine.Browsers) != 1 || !mine.Choice.Digest || *mine.Choice.QuietTo != 480 {
		t.Fatalf("%+v", mine)
	}
	// Another's browser is not there.
	d.wants("another's browser", d.call(staff.Manager, "DELETE", "/api/staff/notices/browsers/"+mine.Browsers[0].ID+"/", ""), 404, "")
	d.got(staff.Catalog, 204, "DELETE", "/api/staff/notices/browsers/"+mine.Browsers[0].ID+"/", "", nil)

	var made struct{ ID string }
	d.got(staff.Admin, 201, "POST", "/api/staff/notices/webhooks/", someWebhook, &made)
	d.wants("a private address", d.call(staff.Admin, "POST", "/api/staff/notices/webhooks/", strings.Replace(someWebhook, "crm.example", "127.0.0.1", 1)), 400, `"url":["The address must be public."]`)
	w := d.call(staff.Admin, "GET", "/api/staff/notices/webhooks/", "")
	if said := w.Body.String(); strings.Contains(said, "secret") || strings.Contains(said, "/in") || !strings.Contains(said, `"host":"crm.example"`) || !strings.Contains(said, `"changed_by":"staff:`) {
		t.Errorf("the list says %s", said)
	}
	d.got(staff.Admin, 204, "PUT", "/api/staff/notices/webhooks/"+made.ID+"/", `{"name":"Касса","kind":"json","causes":[],"language":"kk","enabled":false}`, nil)
	d.got(staff.Admin, 204, "POST", "/api/staff/notices/webhooks/"+made.ID+"/trial/", "{}", nil)
	d.got(staff.Admin, 204, "DELETE", "/api/staff/notices/webhooks/"+made.ID+"/", "", nil)
}
