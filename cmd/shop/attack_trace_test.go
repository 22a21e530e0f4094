package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/cmd/shop/edge"
	"shop/cmd/shop/ops"
	"shop/cmd/shop/shoptest"
	"shop/commands/identity/signin"
	"shop/domain/staff"
	reads "shop/readapi/staff"
)

// traced is a row of the security log.
type traced struct {
	What, How, Party, Route string
	Who, About              *[16]byte
	Network, Email          []byte
	Times                   int64
	All                     string
}

// securityTrail reads the security log of a program.
type securityTrail struct {
	t    *testing.T
	pool *pgxpool.Pool
}

// all is the whole log, oldest first; What is kind and outcome.
func (p securityTrail) all() []traced {
	p.t.Helper()
	rows, _ := p.pool.Query(p.t.Context(), `SELECT kind || ' ' || outcome, how, party, route, who, about, network, email, times, r::text FROM security.records r ORDER BY id`)
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[traced])
	if err != nil {
		p.t.Fatal(err)
	}
	return all
}

// leaves waits until something has left its trace in the security log, and returns the first such row.
func (p securityTrail) leaves(what, how string, is func(traced) bool) (found traced) {
	p.t.Helper()
	last := ""
	p.t.Cleanup(func() {
		if p.t.Failed() && last != "" {
			p.t.Log(last)
		}
	})
	until(p.t, "the trace of "+what+" by "+how, func() bool {
		last = ""
		for _, row := range p.all() {
			last += row.All + "\n"
			if row.What == what && row.How == how && (is == nil || is(row)) {
				found = row
				return true
			}
		}
		return false
	})
	last = ""
	return found
}

// holdsNothing wants none of some texts in any row, however it is written.
func (p securityTrail) holdsNothing(texts ...string) {
	p.t.Helper()
	for _, row := range p.all() {
		for _, text := range texts {
			if text == "" {
				p.t.Fatal("nothing is looked for")
			}
			if slices.ContainsFunc(forms(text), func(form string) bool { return strings.Contains(row.All, form) }) {
				p.t.Errorf("%q stands in %s", text, row.All)
			}
		}
	}
}

// TestAttackTracesOfCustomers guesses at a customer's account and takes it over in every way there is: each step is in the security
// log, and no password, code, token, e-mail, name, phone or address.
func TestAttackTracesOfCustomers(t *testing.T) {
	t.Parallel()
	d := openMailDesk(t)
	tr := securityTrail{t, d.pool()}
	const victim, attacker, guess = "planted.victim@example.kz", "planted.attacker@example.kz", "planted guess 77"
	status, _, body := d.send("POST", "/api/auth/register/", strings.NewReader(fmt.Sprintf(
		`{"first_name":"Плантагенет","last_name":"Закладкина","phone":"+77019998877","email":%q,"password":%q,"password_check":%q,"consent":true}`, victim, registeredWith, registeredWith)))
	var in struct {
		Access string
		ID     uuid.UUID
	}
	if err := json.Unmarshal([]byte(body), &in); err != nil || status != 201 {
		t.Fatalf("registration: %d %s", status, body)
	}
	mine := []string{"Authorization", "Bearer " + in.Access}
	own := func(r traced) bool { return r.Who != nil && *r.Who == in.ID }
	registered := tr.leaves("registration ok", "", own)
	d.register("planted.other@example.kz")
	d.call("POST", "/api/auth/register/", map[string]any{
		"first_name": "А", "last_name": "Б", "phone": "87011234567", "email": victim, "password": guess, "password_check": guess, "consent": true,
	})
	tr.leaves("registration taken", "", nil)

	d.signIn(victim, guess)
	d.signIn(victim, guess)
	wrong := tr.leaves("sign-in wrong", "password", nil)
	if wrong.Party != "customer" || wrong.Route != "POST /api/token" || !bytes.Equal(wrong.Email, registered.Email) || !bytes.Equal(wrong.Network, registered.Network) {
		t.Errorf("the failed sign-in: %+v", wrong)
	}
	second := d.signIn(victim, registeredWith)
	tr.leaves("sign-in ok", "password", own)
	for range 11 {
		d.signIn("planted.nobody@example.kz", guess)
	}
	tr.leaves("sign-in locked", "password", nil)
	d.call("POST", "/api/auth/profile/password/", map[string]any{"current_password": guess, "new_password": "planted next 1", "password": "planted next 1"}, mine...)
	tr.leaves("password-change wrong", "password", own)
	d.call("DELETE", "/api/token/", nil, second...)
	tr.leaves("session-end ok", "", own)
	d.call("DELETE", "/api/auth/profile/sessions/", nil, mine...)
	tr.leaves("session-end ok", "others", own)
	d.call("GET", "/api/auth/profile/export/", nil, mine...)
	tr.leaves("export ok", "account", own)

	// Another e-mail.
	if !d.wants(attacker, registeredWith, mine) {
		t.Fatal("no other e-mail is asked for")
	}
	tr.leaves("email-change asked", "password", own)
	cancel := d.secret("email-change-requested", victim, 1)
	d.call("POST", "/api/auth/email/cancel/", map[string]any{"token": cancel})
	tr.leaves("email-change cancelled", "link", own)
	d.call("POST", "/api/auth/email/cancel/", map[string]any{"token": strings.Repeat("p", 43)})
	tr.leaves("email-change wrong", "link", nil)

	// A reset.
	d.call("POST", "/api/auth/profile/password-reset/request/", map[string]any{"email": victim})
	tr.leaves("reset asked", "", nil)
	code := d.secret("reset-code", victim, 1)
	not := "100000"
	if code == not {
		not = "100001"
	}
	d.call("POST", "/api/auth/profile/password-reset/validate-code/", map[string]any{"email": victim, "code": not})
	tr.leaves("reset wrong", "code", nil)
	if status, body := d.call("POST", "/api/auth/profile/password-reset/", map[string]any{
		"email": victim, "code": code, "new_password": "planted next 2", "password": "planted next 2",
	}); status != 200 {
		t.Fatalf("the reset: %d %s", status, body)
	}
	tr.leaves("reset ok", "code", own)
	again := d.signIn(victim, "planted next 2")

	d.call("DELETE", "/api/auth/profile/", map[string]any{"password": guess}, again...)
	tr.leaves("password wrong", "", own)
	tr.holdsNothing(victim, attacker, guess, registeredWith, "planted next", code, not, in.Access, cancel, "Плантагенет", "Закладкина", "7019998877", "127.0.0.1",
		"planted.nobody", strings.TrimPrefix(again[1], "Bearer "))
}

// enrolled is a member of staff of a running program, signed in at the real time.
type enrolled struct {
	cookie, csrf, id, secret string
	recovery                 []string
}

func totpAt(t *testing.T, secret string, at time.Time) string {
	t.Helper()
	key, err := base32.StdEncoding.DecodeString(secret)
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha1.New, key)
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(at.Unix()/30)))
	sum := mac.Sum(nil)
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[sum[19]&15:])&0x7fffffff%1_000_000)
}

// employs adds a member of staff at the command line and signs them in for the first time.
func (d mailDesk) employs(email string, role staff.Role) (e enrolled) {
	t := d.served.t
	t.Helper()
	piped := d.command("staff", "add", "--email", email, "--role", string(role), "--password")
	piped.Stdin = strings.NewReader(staffPassword + "\n")
	if out, err := piped.CombinedOutput(); err != nil {
		t.Fatalf("add %s: %s", email, out)
	}
	_, body := d.call("POST", "/api/staff/session/", map[string]any{"email": email, "password": staffPassword})
	var first struct{ Enrolment struct{ Secret string } }
	if err := json.Unmarshal([]byte(body), &first); err != nil {
		t.Fatal(err)
	}
	status, header, body := d.send("POST", "/api/staff/session/", strings.NewReader(fmt.Sprintf(`{"email":%q,"password":%q,"code":%q}`,
		email, staffPassword, totpAt(t, first.Enrolment.Secret, time.Now()))))
	var view edge.StaffView
	if err := json.Unmarshal([]byte(body), &view); err != nil || status != 201 {
		t.Fatalf("sign in %s: %d %s", email, status, body)
	}
	cookie, _, _ := strings.Cut(header.Get("Set-Cookie"), ";")
	return enrolled{cookie, view.CSRF, view.ID.String(), first.Enrolment.Secret, view.RecoveryCodes}
}

// as asks as a member of staff.
func (d mailDesk) as(e enrolled, method, path string, body map[string]any) (int, string) {
	d.served.t.Helper()
	return d.call(method, path, body, "Cookie", e.cookie, edge.CsrfHeader, e.csrf)
}

// TestAttackTracesOfStaff: guesses at staff, what staff may not do, changes of their accounts and each look at persons leave a trace, with
// whose it is.
func TestAttackTracesOfStaff(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.env = append(p.env, "SHOP_SIGNIN_RATE=0", "SHOP_ACCOUNT_RATE=0")
	cream := p.stocked("MK-1", 9000, 10)
	d := mailDesk{p, p.serve()}
	tr := securityTrail{t, p.pool()}
	const boss, help = "planted.boss@shop.example", "planted.help@shop.example"
	admin := d.employs(boss, staff.Admin)
	of := func(id string) func(traced) bool {
		return func(r traced) bool { return r.Party == "staff" && r.Who != nil && uuid.UUID(*r.Who).String() == id }
	}
	about := func(id string) func(traced) bool {
		return func(r traced) bool { return r.About != nil && uuid.UUID(*r.About).String() == id }
	}
	tr.leaves("staff-account added", "admin", about(admin.id))
	tr.leaves("sign-in half", "password", of(admin.id))
	tr.leaves("sign-in ok", "code", of(admin.id))

	const guess = "planted guess guess"
	d.call("POST", "/api/staff/session/", map[string]any{"email": boss, "password": guess})
	tr.leaves("sign-in wrong", "password", of(admin.id))
	d.call("POST", "/api/staff/session/", map[string]any{"email": boss, "password": staffPassword, "code": "000000"})
	tr.leaves("sign-in wrong", "code", of(admin.id))
	d.call("POST", "/api/staff/session/", map[string]any{"email": boss, "password": staffPassword, "code": admin.recovery[0]})
	tr.leaves("sign-in ok", "recovery-code", of(admin.id))
	for range 8 {
		d.call("POST", "/api/staff/session/", map[string]any{"email": "planted.nobody@shop.example", "password": guess})
	}
	tr.leaves("sign-in locked", "password", nil)

	// What the session's page did not send, and what the role does not allow.
	d.call("DELETE", "/api/staff/me/sessions/", nil, "Cookie", admin.cookie, edge.CsrfHeader, "planted-token")
	tr.leaves("csrf refused", "", of(admin.id))
	support := d.employs(help, staff.Support)
	d.as(support, "GET", "/api/ops/health/", nil)
	if r := tr.leaves("permission refused", "health.see", of(support.id)); r.Route != "GET /api/ops/health" {
		t.Errorf("the refused permission: %+v", r)
	}
	d.as(support, "POST", "/api/staff/me/step-up/", map[string]any{"code": "000000"})
	tr.leaves("step-up wrong", "code", of(support.id))
	d.as(support, "POST", "/api/staff/me/step-up/", map[string]any{"code": support.recovery[0]})
	tr.leaves("step-up ok", "recovery-code", of(support.id))
	d.as(support, "POST", "/api/staff/me/recovery-codes/", nil)
	tr.leaves("second-factor renewed", "recovery-code", of(support.id))

	// The command line.
	for _, c := range []struct{ verb, outcome string }{{"disable", "disabled"}, {"enable", "enabled"}, {"unlock", "unlocked"}} {
		p.ok("staff", c.verb, help)
		tr.leaves("staff-account "+c.outcome, "", about(support.id))
	}
	p.ok("staff", "role", help, "warehouse")
	if r := tr.leaves("staff-role changed", "warehouse", about(support.id)); r.Party != "cli" || r.Route != "shop staff role" {
		t.Errorf("the changed role: %+v", r)
	}

	// Persons.
	placed := d.placed(cream, 1, "CASH")
	for _, look := range []struct{ at, method, path, subject string }{
		{"order sheet", "GET", "/api/staff/orders/" + placed.ID.String() + "/", placed.ID.String()},
		{"orders", "POST", "/api/staff/orders/search/", ""},
		{"log", "GET", "/api/ops/events/", ""},
		{"order", "GET", "/api/analytics/orders/" + number(placed.Number) + "/", placed.ID.String()},
	} {
		var sent map[string]any
		if look.method == "POST" {
			sent = map[string]any{}
		}
		until(t, "the order shows at "+look.path, func() bool {
			status, body := d.as(admin, look.method, look.path, sent)
			return status == 200 && strings.Contains(body, "Айгерим")
		})
		r := tr.leaves("look ok", look.at, of(admin.id))
		if look.subject != "" && !about(look.subject)(r) {
			t.Errorf("a look at %s: %+v", look.at, r)
		}
	}
	if status, body := d.as(admin, "GET", "/api/analytics/datasets/orders/?format=csv&unmasked=1", nil); status != 200 {
		t.Errorf("the data set: %d %s", status, body)
	}
	tr.leaves("export ok", "data set, with personal data", of(admin.id))
	status, file := d.as(admin, "GET", "/api/ops/security/file/?kind=look", nil)
	file, marked := strings.CutPrefix(file, "\ufeff") // spreadsheets read it as UTF-8
	rows, err := csv.NewReader(strings.NewReader(file)).ReadAll()
	if err != nil || status != 200 || !marked || len(rows) < 5 || rows[0][0] != "id" || !strings.Contains(file, "look,ok,order sheet,staff,"+admin.id+","+boss) {
		t.Errorf("the file: %d %v %s", status, err, file)
	}
	tr.leaves("export ok", "security log", of(admin.id))
	atCLI := func(r traced) bool { return r.Party == "cli" }
	p.ok("events", "stream", "order-"+placed.ID.String(), "--personal")
	tr.leaves("look ok", "log", atCLI)
	p.ok("orders", "show", number(placed.Number))
	tr.leaves("look ok", "orders", atCLI)
	p.ok("events", "export", "--out", t.TempDir()+"/shop.jsonl", "--with-keys", t.TempDir()+"/shop.keys")
	tr.leaves("export ok", "log, with keys", atCLI)
	p.ok("orders", "cancel", number(placed.Number))
	until(t, "the guest may be forgotten", func() bool {
		status, _ := d.as(admin, "POST", "/api/staff/orders/"+placed.ID.String()+"/erasure/", nil)
		return status == 200
	})
	tr.leaves("erasure asked", "order", of(admin.id))
	var listed []reads.SecurityRecord
	if err := json.Unmarshal([]byte(p.ok("security", "list", "--since", "2020-01-01", "--kind", "sign-in", "--outcome", "locked", "--format", "json")), &listed); err != nil || len(listed) == 0 || listed[0].Email == "" {
		t.Errorf("at the command line: %+v, %v", listed, err)
	}
	tr.holdsNothing(append([]string{
		boss, help, guess, staffPassword, "planted-token", "planted.nobody", admin.secret, strings.TrimPrefix(admin.cookie, "staff="), admin.csrf,
		"Айгерим", "Сатпаева", "aigerim@example.com", "7011234567", "127.0.0.1",
	}, slices.Concat(admin.recovery, support.recovery)...)...)
}

// TestAttackTracesOfLimits: guesses that a limit refuses are in the log too, and a flood of them takes few rows.
func TestAttackTracesOfLimits(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.env = append(p.env, "SHOP_ACCOUNT_RATE=1", "SHOP_PROMOCODE_RATE=1")
	p.env = slices.DeleteFunc(p.env, func(s string) bool { return s == "SHOP_PROMOCODE_RATE=0" })
	d := mailDesk{p, p.serve()}
	tr := securityTrail{t, p.pool()}
	for i := range 150 {
		d.signIn(fmt.Sprintf("planted.%d@example.kz", i%3), "planted guess")
		d.call("GET", fmt.Sprintf("/api/promocodes/PLANTED%d/", i), nil)
	}
	tr.leaves("limit refused", "accounts", func(r traced) bool { return len(r.Network) == 16 })
	tr.leaves("limit refused", "promo codes", nil)
	if status := d.stop(); status != 0 {
		t.Errorf("serve ended with %d: %s", status, d.stderr)
	}
	var times int64
	all := tr.all()
	for _, r := range all {
		if strings.HasPrefix(r.What, "limit") {
			times += r.Times
		}
	}
	if len(all) > 40 || times < 200 {
		t.Errorf("%d rows, %d refusals", len(all), times)
	}
	tr.holdsNothing("PLANTED", "planted")
}

// TestAttackLooksNeedTheSecondFactorOfTheDay: a session whose second factor was shown yesterday sees no persons where many are, until it is
// shown again. Roles that see no persons are asked nothing.
func TestAttackLooksNeedTheSecondFactorOfTheDay(t *testing.T) {
	t.Parallel()
	d, receipts := officeDesk(t)
	d.site.Ops = ops.NewOps(d.shop.Pool, d.shop.Store, d.shop.Builder, d.site.Staff, shoptest.Quiet)
	d.http = d.site.Routes()
	manager := d.worker(staff.Manager)
	secret := d.secret
	analyst := d.worker(staff.Analyst)
	d.secret = secret
	looks := []struct{ method, path, body string }{
		{"GET", "/api/ops/events/", ""}, {"GET", "/api/analytics/orders/" + receipts[1].ID.String() + "/", ""}, {"POST", "/api/staff/orders/search/", "{}"},
	}
	see := func(when string, w worker, person, again bool) {
		t.Helper()
		for _, look := range looks {
			got := d.ask(look.method, look.path, look.body, "Cookie", w.cookie, edge.CsrfHeader, w.csrf)
			w.answers.check(look.method, look.path, got)
			if seen := strings.Contains(got.Body.String(), "oleg@example.kz"); got.Code != 200 || seen != person {
				t.Errorf("%s %s: %d, the person is seen: %v", when, look.path, got.Code, seen)
			}
			if asked := strings.Contains(got.Body.String(), `"step_up":true`); asked != again {
				t.Errorf("%s %s: a second factor is asked for: %v", when, look.path, asked)
			}
		}
	}
	see("just in", manager, true, false)
	see("an analyst", analyst, false, false)
	for range 2 {
		d.pass(7 * time.Hour) // an unused session ends
		for _, w := range []worker{manager, analyst} {
			w.ask(200, "GET", "/api/staff/me/", "", nil)
		}
	}
	see("the next day", manager, false, true)
	see("an analyst the next day", analyst, false, false)
	found := manager.search(`{"query":"oleg@example.kz"}`)
	if len(found) > 0 {
		t.Errorf("an order is found by its person: %v", found)
	}
	var sheet reads.OrderSheet
	manager.ask(200, "GET", "/api/staff/orders/"+receipts[1].ID.String()+"/", "", &sheet)
	if !strings.Contains(string(sheet.Order), "oleg@example.kz") {
		t.Error("the sheet of one order is masked")
	}
	if status, body := d.own("POST", "step-up/", `{"code":"`+d.code()+`"}`, manager.cookie); status != 204 {
		t.Fatalf("the step-up: %d %s", status, body)
	}
	see("after the step-up", manager, true, false)
	if signin.LookFor <= signin.StepUpFor {
		t.Error("a look needs a fresher second factor than a refund")
	}
}

// TestSecurityLogIsRead: by admins and operators alone, by each filter, page by page.
func TestSecurityLogIsRead(t *testing.T) {
	t.Parallel()
	d := openOpsDesk(t)
	for i := range 12 {
		d.tryFrom("", "", fmt.Sprintf("nobody%d@shop.example", i%3), "guess guess guess", "")
	}
	for _, role := range staff.Roles {
		want := 403
		if role == staff.Admin || role == staff.Operator {
			want = 200
		}
		for _, path := range []string{"/api/ops/security/", "/api/ops/security/file/"} {
			in := d.as(role)
			if w := d.ask("GET", path, "", "Cookie", in.cookie); w.Code != want {
				t.Errorf("%s for %s: %d %s", path, role, w.Code, w.Body)
			}
		}
	}
	if err := d.shop.Security.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	list := func(query string) (page reads.SecurityPage) {
		t.Helper()
		d.got(staff.Operator, 200, "GET", "/api/ops/security/?"+query, "", &page)
		return page
	}
	wrong := list("kind=sign-in&outcome=wrong&party=staff").Records
	if len(wrong) != 6 { // three e-mails, each with a row for the first guess and one for the others
		t.Fatalf("%d failed sign-ins", len(wrong))
	}
	same := list(fmt.Sprintf("email=%d", wrong[0].ID)).Records
	if len(same) < 2 || len(same) >= 6 || slices.ContainsFunc(same, func(r reads.SecurityRecord) bool { return r.Email != wrong[0].Email }) {
		t.Errorf("the same e-mail: %+v", same)
	}
	if there := list(fmt.Sprintf("network=%d", wrong[0].ID)).Records; len(there) < 6 {
		t.Errorf("the same network: %d", len(there))
	}
	operator := d.as(staff.Operator)
	if own := list("who=" + operator.id + "&kind=sign-in&outcome=ok").Records; len(own) != 1 || own[0].Name != "operator@shop.example" || own[0].Role != "operator" {
		t.Errorf("the operator's own: %+v", own)
	}
	if refused := list("kind=permission,csrf&limit=200").Records; len(refused) != 14 {
		t.Errorf("%d refused", len(refused))
	}
	if later := list("since=2026-03-04").Records; len(later) != 0 {
		t.Errorf("%d in the future", len(later))
	}
	var pages []int64
	for before := ""; ; {
		page := list("limit=7" + before)
		for _, r := range page.Records {
			pages = append(pages, r.ID)
		}
		if page.Next == nil {
			break
		}
		before = fmt.Sprintf("&before=%d", *page.Next)
	}
	if all := list("limit=200").Records; len(pages) != len(all) || !slices.IsSortedFunc(pages, func(a, b int64) int { return int(b - a) }) {
		t.Errorf("%d by pages, %d in all", len(pages), len(all))
	}
	for query, field := range map[string]string{
		"kind=x": "kind", "outcome=x": "outcome", "party=x": "party", "who=x": "who", "since=x": "since", "until=x": "until", "network=x": "network", "email=0": "email",
		"before=x": "before", "limit=201": "limit",
	} {
		if w := d.call(staff.Operator, "GET", "/api/ops/security/?"+query, ""); w.Code != 400 || !strings.Contains(w.Body.String(), `"`+field+`"`) {
			t.Errorf("%s: %d %s", query, w.Code, w.Body)
		}
	}
}
