package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"shop/cmd/shop/edge"
	"shop/commands/identity/signin"
	"shop/commands/staffapi"
	"shop/domain/staff"
	"shop/readapi/endpoint"
)

// teamDesk is a desk with an admin who has just signed in.
func teamDesk(t *testing.T) (*staffDesk, worker) {
	t.Helper()
	d := openStaffDesk(t, "SHOP_SIGNIN_RATE=0")
	return d, d.worker(staff.Admin)
}

// by are the actors of the last n events, with their types.
func (d *staffDesk) by(n int) string {
	d.t.Helper()
	rows, err := d.shop.Pool.Query(d.t.Context(), `SELECT type, metadata->>'actor' FROM eventstore.events WHERE stream LIKE 'staff-%' ORDER BY position DESC LIMIT $1`, n)
	if err != nil {
		d.t.Fatal(err)
	}
	defer rows.Close()
	var told []string
	for rows.Next() {
		var kind, actor string
		if err := rows.Scan(&kind, &actor); err != nil {
			d.t.Fatal(err)
		}
		told = append([]string{kind + " by " + actor}, told...)
	}
	return strings.Join(told, ", ")
}

// TestAnAdminRunsTheTeam: every call about accounts does what it says, and each change names who made it.
func TestAnAdminRunsTheTeam(t *testing.T) {
	t.Parallel()
	d, admin := teamDesk(t)
	var me struct{ ID string }
	admin.ask(200, "GET", "/api/staff/me/", "", &me)
	wrote := func(types ...string) {
		t.Helper()
		want := strings.Join(types, " by staff:"+me.ID+", ") + " by staff:" + me.ID
		if got := d.by(len(types)); got != want {
			t.Errorf("the log has %s, want %s", got, want)
		}
	}
	var invited staffapi.Invitation
	admin.ask(201, "POST", "/api/staff/accounts/", `{"email":" Dana@Shop.example","role":"support"}`, &invited)
	wrote("staff.added", "staff.invited")
	if a := invited.Account; a.Email != "dana@shop.example" || a.Role != "support" || a.State != "invited" || a.InvitedUntil == nil || !a.InvitedUntil.Equal(invited.Link.EndsAt) {
		t.Errorf("invited: %+v", invited)
	}
	dana := "/api/staff/accounts/" + invited.Account.ID.String()
	former := strings.TrimPrefix(invited.Link.Path, "/ops/password#")
	admin.ask(201, "POST", dana+"/invitation/", "", &invited)
	accept := func(status int, token string) {
		t.Helper()
		if got := d.ask("POST", "/api/staff/password", `{"token":"`+token+`","password":"`+staffPassword+`"}`); got.Code != status {
			t.Errorf("the link: %d %s, want %d", got.Code, got.Body, status)
		}
	}
	accept(http.StatusGone, former)
	accept(http.StatusNoContent, strings.TrimPrefix(invited.Link.Path, "/ops/password#"))
	admin.ask(409, "POST", dana+"/invitation/", "", nil) // she has a password: a link would be a way around it

	d.secret = nil
	cookie, _ := d.signIn("dana@shop.example")
	d.ask("POST", "/api/staff/session", `{"email":"dana@shop.example","password":"wrong"}`)
	for range 6 {
		d.ask("POST", "/api/staff/session", `{"email":"dana@shop.example","password":"wrong"}`)
	}
	var list struct{ Accounts []signin.Member }
	admin.ask(200, "GET", "/api/staff/accounts/", "", &list)
	if len(list.Accounts) != 2 || list.Accounts[1].Sessions != 1 || !list.Accounts[1].TOTP || list.Accounts[1].State != "active" || list.Accounts[1].LockedUntil == nil || list.Accounts[1].SeenAt == nil {
		t.Errorf("the accounts: %+v", list.Accounts)
	}
	var account signin.Member
	admin.ask(200, "DELETE", dana+"/attempts/", "", &account)
	if wrote("staff.unlocked"); account.LockedUntil != nil {
		t.Errorf("unlocked: %+v", account)
	}
	here := func(status int) {
		t.Helper()
		if got := d.ask("GET", "/api/staff/me", "", "Cookie", cookie); got.Code != status {
			t.Errorf("her session: %d, want %d", got.Code, status)
		}
	}
	here(200)
	admin.ask(200, "DELETE", dana+"/sessions/", "", &account)
	wrote("staff.sessions-ended")
	here(401)
	admin.ask(200, "PUT", dana+"/role/", `{"role":"analyst"}`, &account)
	if wrote("staff.role-changed"); account.Role != "analyst" {
		t.Errorf("another role: %+v", account)
	}
	admin.ask(200, "PUT", dana+"/access/", `{"enabled":false}`, &account)
	if wrote("staff.disabled"); account.State != "disabled" {
		t.Errorf("disabled: %+v", account)
	}
	admin.ask(409, "POST", dana+"/reset/", "", nil)
	admin.ask(200, "PUT", dana+"/access/", `{"enabled":true}`, nil)
	wrote("staff.enabled")
	admin.ask(201, "POST", dana+"/reset/", "", &invited)
	if wrote("staff.credentials-reset", "staff.invited"); invited.Account.TOTP || invited.Account.State != "invited" {
		t.Errorf("reset: %+v", invited.Account)
	}
}

// TestTheTeamsBadInput: what cannot be is refused with its reason and changes nothing.
func TestTheTeamsBadInput(t *testing.T) {
	t.Parallel()
	d, admin := teamDesk(t)
	var me struct{ ID string }
	admin.ask(200, "GET", "/api/staff/me/", "", &me)
	own := "/api/staff/accounts/" + me.ID
	before := d.by(100)
	for _, c := range []struct {
		status             int
		method, path, body string
		says               string
	}{
		{400, "POST", "/api/staff/accounts/", `{"email":"dana","role":"support"}`, `{"email":[`},
		{400, "POST", "/api/staff/accounts/", `{"email":"Dana <dana@shop.example>","role":"support"}`, `{"email":[`},
		{400, "POST", "/api/staff/accounts/", `{"email":"dana@shop.example","role":"king"}`, `{"role":[`},
		{400, "POST", "/api/staff/accounts/", `{"email":"admin@shop.example","role":"support"}`, `{"email":[`},
		{415, "POST", "/api/staff/accounts/", "", "application/json"},
		{409, "PUT", own + "/role/", `{"role":"support"}`, `"staff/self"`},
		{409, "PUT", own + "/access/", `{"enabled":false}`, `"staff/self"`},
		{400, "PUT", own + "/access/", `{}`, `{"enabled":[`},
		{400, "PUT", own + "/role/", `{"role":7}`, `{"role":[`},
		{409, "POST", own + "/reset/", "", `"staff/self"`},
		{404, "DELETE", "/api/staff/accounts/1/sessions/", "", "no such"},
		{404, "PUT", "/api/staff/accounts/0199a202-fbd8-768a-8515-9c3809f2a706/role/", `{"role":"support"}`, "no such"},
	} {
		got := d.ask(c.method, c.path, c.body, "Cookie", admin.cookie, edge.CsrfHeader, admin.csrf)
		admin.answers.check(c.method, c.path, got)
		if said := strings.ReplaceAll(got.Body.String(), " ", ""); got.Code != c.status || !strings.Contains(said, strings.ReplaceAll(c.says, " ", "")) {
			t.Errorf("%s %s %s: %d %s, want %d with %s", c.method, c.path, c.body, got.Code, got.Body, c.status, c.says)
		}
	}
	if after := d.by(100); after != before {
		t.Errorf("the log has more: %s", after)
	}
	// A second admin takes the first one's role; then the last one keeps theirs.
	d.add("second@shop.example", staff.Admin)
	second, err := d.site.Staff.Find(t.Context(), "second@shop.example")
	if err != nil {
		t.Fatal(err)
	}
	admin.ask(200, "PUT", "/api/staff/accounts/"+second.ID.String()+"/access/", `{"enabled":false}`, nil)
	admin.ask(409, "PUT", own+"/access/", `{"enabled":false}`, nil)
}

// TestOfTwoAdminsOneStays: admins who disable each other at the same moment do not leave the shop without one.
func TestOfTwoAdminsOneStays(t *testing.T) {
	t.Parallel()
	d, _ := teamDesk(t)
	d.add("second@shop.example", staff.Admin)
	both := []string{"admin@shop.example", "second@shop.example"}
	for range 20 {
		ended := make(chan error, 2)
		for _, email := range both {
			go func() { ended <- d.team().Disable(t.Context(), email) }()
		}
		first, then := <-ended, <-ended
		if (first == nil) == (then == nil) {
			t.Fatalf("both ended with %v and %v", first, then)
		}
		for _, email := range both {
			if err := d.team().Enable(t.Context(), email); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestEveryRoleAndEveryCallOfTheTeam: none but admins reach accounts, and none without a second factor shown lately.
func TestEveryRoleAndEveryCallOfTheTeam(t *testing.T) {
	t.Parallel()
	d, admin := teamDesk(t)
	var invited staffapi.Invitation
	admin.ask(201, "POST", "/api/staff/accounts/", `{"email":"target@shop.example","role":"support"}`, &invited)
	target := "/api/staff/accounts/" + invited.Account.ID.String()
	calls := []struct{ method, path, body string }{
		{"GET", "/api/staff/accounts/", ""},
		{"POST", "/api/staff/accounts/", `{"email":"%s-made@shop.example","role":"support"}`},
		{"POST", target + "/invitation/", ""},
		{"POST", target + "/reset/", ""},
		{"PUT", target + "/role/", `{"role":"support"}`},
		{"PUT", target + "/access/", `{"enabled":true}`},
		{"DELETE", target + "/attempts/", ""},
		{"DELETE", target + "/sessions/", ""},
	}
	for _, role := range staff.Roles {
		w := admin
		if role != staff.Admin {
			w = d.worker(role)
		}
		for _, c := range calls {
			body := c.body
			if strings.Contains(body, "%s") {
				body = fmt.Sprintf(body, role)
			}
			w.mayCall(role, guarded{c.method, c.path, body, staff.ManageStaff})
		}
	}
	d.pass(signin.StepUpFor)
	for _, c := range calls {
		got := d.ask(c.method, c.path, c.body, "Cookie", admin.cookie, edge.CsrfHeader, admin.csrf)
		var said struct{ Code string }
		if json.Unmarshal(got.Body.Bytes(), &said); (said.Code == endpoint.StaffStepUp) == (c.method == "GET") {
			t.Errorf("%s %s without a second factor: %d %s", c.method, c.path, got.Code, got.Body)
		}
	}
}
