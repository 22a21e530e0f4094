package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"shop/cmd/shop/app"
	"shop/cmd/shop/edge"
	"shop/cmd/shop/shoptest"
	"shop/cmd/shop/terminal"
	"shop/commands"
	"shop/commands/fulfilment"
	"shop/commands/identity"
	"shop/commands/payments"
	"shop/commands/staffapi"
	"shop/domain/staff"
	"shop/eventstore"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

const staffPassword = "correct horse battery"

// staffDesk is a site with staff, on a database, at a time that tests move.
type staffDesk struct {
	t    *testing.T
	shop *app.Shop
	site *edge.Site
	http http.Handler
	mu   sync.Mutex
	now  time.Time
	// secret is the authenticator's.
	secret []byte
}

func openStaffDesk(t *testing.T, settings ...string) *staffDesk {
	t.Helper()
	d := &staffDesk{t: t, now: time.Date(2026, 3, 3, 7, 0, 0, 0, time.UTC)}
	p := onDatabase(t)
	p.env = append(settings, p.env...)
	ctx := context.Background()
	var err error
	d.shop, err = app.OpenShop(ctx, p.config(), shoptest.Quiet, func() time.Time { d.mu.Lock(); defer d.mu.Unlock(); return d.now })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.shop.Close(ctx) })
	files, err := edge.LoadAssets(shoptest.Built)
	if err != nil {
		t.Fatal(err)
	}
	accounts := d.shop.Accounts
	d.site = &edge.Site{
		Config: d.shop.Config, Log: shoptest.Quiet, Https: true, Pages: testPages(t), Assets: files, StaffOrders: &staffapi.Orders{}, StaffParcels: &staffapi.Parcels{}, StaffReviews: &staffapi.Reviews{},
		Baskets: &commands.Baskets{}, Orders: &commands.Orders{}, Bank: &payments.Bank{}, Customers: &identity.Accounts{}, Staff: accounts, Passkeys: d.shop.Passkeys, Security: d.shop.Security,
		Team: &staffapi.Team{Staff: d.shop.Staff, Accounts: accounts},
	}
	d.http = d.site.Routes()
	return d
}

// program is the program on the desk's database, at the real time.
func (d *staffDesk) program(settings ...string) program {
	d.t.Helper()
	return program{d.t, append(settings,
		"SHOP_DATABASE_URL="+d.shop.Config.DatabaseURL, "SHOP_DATABASE_CONNS=8", "SHOP_DATA_DIR="+d.t.TempDir(), "SHOP_KEY_FILE="+d.shop.Config.KeyPath(), "SHOP_ADDR=127.0.0.1:0",
	)}
}

// orders lets the desk's staff change orders, and returns what shoppers place them with.
func (d *staffDesk) orders() *commands.Orders {
	d.t.Helper()
	orders, err := d.shop.Orders()
	if err != nil {
		d.t.Fatal(err)
	}
	*d.site.StaffOrders = staffapi.Orders{
		Orders: orders, Numbered: reads.Shop{DB: d.shop.Pool}, Sheets: reads.NewReader(d.shop.Pool, d.shop.Store, d.shop.Builder),
		Accounts: d.shop.Accounts, Letters: d.shop.Letters(), Guests: d.shop.Guests, Log: d.shop.Log, Past: d.shop.Past,
	}
	*d.site.StaffParcels = staffapi.Parcels{
		Parcels: fulfilment.Parcels{Orders: orders, Album: d.shop.Album}, Catalog: &commands.Catalog{Handler: d.shop.Handler}, Orders: d.site.StaffOrders,
		Shop: reads.Shop{DB: d.shop.Pool}, Past: d.shop.Past, Accounts: d.shop.Accounts, Album: d.shop.Album, Clock: d.shop.Clock, Log: d.shop.Log, Seller: "Дала",
	}
	return orders
}

func (d *staffDesk) team() *identity.Staff {
	return &identity.Staff{Handler: d.shop.Handler, Accounts: d.site.Staff}
}

// add makes an account with the password of tests.
func (d *staffDesk) add(email string, role staff.Role) {
	d.t.Helper()
	id, err := d.team().Add(d.t.Context(), email, role)
	if err != nil {
		d.t.Fatal(err)
	}
	if err := d.site.Staff.SetPassword(d.t.Context(), id, staffPassword); err != nil {
		d.t.Fatal(err)
	}
}

func (d *staffDesk) pass(by time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now = d.now.Add(by)
}

// code is what the authenticator shows; it follows RFC 6238 on its own.
func (d *staffDesk) code() string {
	mac := hmac.New(sha1.New, d.secret)
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(d.now.Unix()/30)))
	sum := mac.Sum(nil)
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[sum[19]&15:])&0x7fffffff%1_000_000)
}

func (d *staffDesk) ask(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	d.http.ServeHTTP(w, r)
	return w
}

func (d *staffDesk) try(email, password, code string) *httptest.ResponseRecorder {
	d.t.Helper()
	body, err := json.Marshal(map[string]string{"email": email, "password": password, "code": code})
	if err != nil {
		d.t.Fatal(err)
	}
	return d.ask("POST", "/api/staff/session/", string(body))
}

// signIn goes all the way, enrolling an authenticator, and returns the session's cookie and what the page was told.
func (d *staffDesk) signIn(email string) (cookie string, view edge.StaffView) {
	d.t.Helper()
	first := d.try(email, staffPassword, "")
	var told struct {
		Next      string `json:"next"`
		Enrolment struct{ Secret, URI string }
	}
	if err := json.Unmarshal(first.Body.Bytes(), &told); err != nil || first.Code != 202 || told.Next != "enrol" || !strings.HasPrefix(told.Enrolment.URI, "otpauth://totp/") {
		d.t.Fatalf("the first attempt: %d %s", first.Code, first.Body)
	}
	var err error
	if d.secret, err = base32.StdEncoding.DecodeString(told.Enrolment.Secret); err != nil {
		d.t.Fatal(err)
	}
	in := d.try(email, staffPassword, d.code())
	if err := json.Unmarshal(in.Body.Bytes(), &view); err != nil || in.Code != 201 || len(view.RecoveryCodes) != 10 {
		d.t.Fatalf("the first sign-in: %d %s", in.Code, in.Body)
	}
	cookie = in.Header().Get("Set-Cookie")
	for _, want := range []string{"__Host-staff=", "; Path=/;", "HttpOnly", "Secure", "SameSite=Strict", "Max-Age=604800"} {
		if !strings.Contains(cookie, want) {
			d.t.Errorf("the cookie %q lacks %s", cookie, want)
		}
	}
	cookie, _, _ = strings.Cut(cookie, ";")
	return cookie, view
}

func (d *staffDesk) wants(what string, w *httptest.ResponseRecorder, status int, text string) {
	d.t.Helper()
	if w.Code != status || !strings.Contains(w.Body.String(), text) {
		d.t.Errorf("%s: %d %s, want %d %s", what, w.Code, w.Body, status, text)
	}
}

func TestStaffSignInAndOut(t *testing.T) {
	t.Parallel()
	d := openStaffDesk(t, "SHOP_SIGNIN_RATE=0")
	d.add("boss@shop.example", staff.Manager)
	d.wants("nobody signed in", d.ask("GET", "/api/staff/me", ""), 401, edge.StaffSignedOut)
	d.wants("a made-up session", d.ask("GET", "/api/staff/me", "", "Cookie", "__Host-staff=abc"), 401, edge.StaffSignedOut)
	cookie, view := d.signIn("boss@shop.example")
	if view.Role != "manager" || view.Email != "boss@shop.example" || len(view.Permissions) != len(staff.Manager.Permissions()) || view.CSRF == "" {
		t.Errorf("signed in as %+v", view)
	}
	me := d.ask("GET", "/api/staff/me/", "", "Cookie", cookie)
	var again edge.StaffView
	if err := json.Unmarshal(me.Body.Bytes(), &again); err != nil || me.Code != 200 || again.ID != view.ID || again.CSRF != view.CSRF || again.RecoveryCodes != nil {
		t.Errorf("me: %d %s", me.Code, me.Body)
	}
	if cache := me.Header().Get("Cache-Control"); cache != "no-store" {
		t.Errorf("me may be cached: %q", cache)
	}

	d.pass(time.Minute)
	d.wants("without a code", d.try(" BOSS@shop.example", staffPassword, ""), 202, `{"next":"code"}`)
	wrong := d.try("boss@shop.example", "another password", d.code())
	d.wants("a wrong password", wrong, 401, edge.StaffWrong)
	if unknown := d.try("nobody@shop.example", "another password", d.code()); unknown.Code != wrong.Code || unknown.Body.String() != wrong.Body.String() {
		t.Errorf("an e-mail of nobody is told: %s", unknown.Body)
	}
	d.wants("a wrong code", d.try("boss@shop.example", staffPassword, "123"), 401, edge.StaffWrong)
	d.wants("a right code", d.try("boss@shop.example", staffPassword, d.code()), 201, "csrf")
	d.wants("the code again", d.try("boss@shop.example", staffPassword, d.code()), 401, edge.StaffWrong)
	d.wants("no JSON", d.ask("POST", "/api/staff/session", "{", "X", ""), 400, endpoint.NotUnderstood)
	d.wants("a form", d.ask("POST", "/api/staff/session", "email=a", "Content-Type", "application/x-www-form-urlencoded"), 415, "application/json")

	// Whatever changes something needs the session's token; another session's is none.
	d.wants("without CSRF", d.ask("DELETE", "/api/staff/session", "", "Cookie", cookie), 403, edge.StaffCSRF)
	d.wants("with another CSRF", d.ask("DELETE", "/api/staff/session", "", "Cookie", cookie, edge.CsrfHeader, view.CSRF+"x"), 403, edge.StaffCSRF)
	d.wants("still signed in", d.ask("GET", "/api/staff/me", "", "Cookie", cookie), 200, "boss@")
	out := d.ask("DELETE", "/api/staff/session", "", "Cookie", cookie, edge.CsrfHeader, view.CSRF)
	d.wants("signing out", out, 204, "")
	if gone := out.Header().Get("Set-Cookie"); !strings.Contains(gone, "Max-Age=0") {
		t.Errorf("the cookie stays: %q", gone)
	}
	d.wants("signed out", d.ask("GET", "/api/staff/me", "", "Cookie", cookie), 401, edge.StaffSignedOut)
}

func TestStaffAreLockedOutByEmailAndByAddress(t *testing.T) {
	t.Parallel()
	d := openStaffDesk(t, "SHOP_SIGNIN_RATE=0")
	d.add("boss@shop.example", staff.Admin)
	for _, email := range []string{"boss@shop.example", "nobody@shop.example"} {
		for range 5 {
			d.wants(email, d.try(email, "guess guess guess", ""), 401, edge.StaffWrong)
		}
		locked := d.try(email, staffPassword, "")
		d.wants(email, locked, 429, edge.StaffTooMany)
		if wait := locked.Header().Get("Retry-After"); wait != "60" {
			t.Errorf("%s: try again after %q", email, wait)
		}
	}
	d.pass(time.Minute)
	d.wants("after the wait", d.try("boss@shop.example", staffPassword, ""), 202, "enrol")

	few := openStaffDesk(t, "SHOP_SIGNIN_RATE=0.1") // a burst of one
	few.wants("the first", few.try("a@shop.example", "guess guess guess", ""), 401, edge.StaffWrong)
	second := few.try("b@shop.example", "guess guess guess", "")
	few.wants("the second", second, 429, edge.StaffTooMany)
	if wait := second.Header().Get("Retry-After"); wait != "10" {
		t.Errorf("try again after %q", wait)
	}
}

func TestStaffOnly(t *testing.T) {
	t.Parallel()
	d := openStaffDesk(t, "SHOP_SIGNIN_RATE=0")
	d.add("boss@shop.example", staff.Admin)
	d.add("operator@shop.example", staff.Operator)
	cookie, view := d.signIn("operator@shop.example")
	// An action of staff: it changes a stream, and the event says who did it.
	action := func(permission staff.Permission) *httptest.ResponseRecorder {
		r := httptest.NewRequest("POST", "/ops", nil)
		r.Header.Set("Cookie", cookie)
		r.Header.Set(edge.CsrfHeader, view.CSRF)
		w := httptest.NewRecorder()
		d.site.From(d.site.StaffOnly(permission)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := d.team().Enable(r.Context(), "boss@shop.example"); err != nil {
				t.Error(err)
			}
			if _, err := d.team().Reset(r.Context(), "boss@shop.example"); err != nil {
				t.Error(err)
			}
		}))).ServeHTTP(w, r)
		return w
	}
	d.wants("what the role forbids", action(staff.ManageStaff), 403, endpoint.StaffForbidden)
	d.wants("what the role allows", action(staff.RunProjections), 200, "")
	head, err := d.shop.Store.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	last, err := d.shop.Store.Read(t.Context(), eventstore.Query{After: head - 1, Range: -1})
	if err != nil || len(last) != 1 || last[0].Type != "staff.credentials-reset" || last[0].Metadata.Actor != "staff:"+view.ID.String() {
		t.Errorf("the last event is %+v, %v", last, err)
	}

	// Another role ends the sessions, and so does being disabled.
	if err := d.team().ChangeRole(t.Context(), "operator@shop.example", staff.Analyst); err != nil {
		t.Fatal(err)
	}
	d.wants("the session of the former role", action(staff.SeeLog), 401, edge.StaffSignedOut)
	if err := d.team().Disable(t.Context(), "operator@shop.example"); err != nil {
		t.Fatal(err)
	}
	d.wants("disabled", action(staff.SeeLog), 401, edge.StaffSignedOut)
	d.wants("disabled", d.try("operator@shop.example", staffPassword, ""), 401, edge.StaffWrong)
}

func TestStaffSessionsEndByTheClock(t *testing.T) {
	t.Parallel()
	d := openStaffDesk(t, "SHOP_SIGNIN_RATE=0")
	d.add("boss@shop.example", staff.Admin)
	cookie, _ := d.signIn("boss@shop.example")
	d.pass(12*time.Hour - time.Second)
	d.wants("before twelve hours", d.ask("GET", "/api/staff/me", "", "Cookie", cookie), 200, "boss")
	d.pass(12 * time.Hour)
	d.wants("after twelve idle hours", d.ask("GET", "/api/staff/me", "", "Cookie", cookie), 401, edge.StaffSignedOut)
}

func TestStaffAtTheCommandLine(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	added := p.ok("staff", "add", "--email", "Boss@shop.example", "--role", "admin")
	_, token, found := strings.Cut(strings.TrimSpace(added), "/ops/password#")
	if !found || !strings.HasPrefix(added, "boss@shop.example: added, admin\n") {
		t.Fatalf("added: %q", added)
	}
	if again := p.run("staff", "add", "--email", "boss@shop.example", "--role", "support"); again.status != terminal.Failed || !strings.Contains(again.stderr, "staff/exists") {
		t.Errorf("again: %+v", again)
	}
	if last := p.run("staff", "disable", "boss@shop.example"); last.status != terminal.Failed || !strings.Contains(last.stderr, "staff/last-admin") {
		t.Errorf("the last admin: %+v", last)
	}
	// A password comes by standard input, never as an argument.
	piped := p.command("staff", "add", "--email", "help@shop.example", "--role", "support", "--password")
	piped.Stdin = strings.NewReader(staffPassword + "\n")
	if out, err := piped.CombinedOutput(); err != nil || string(out) != "help@shop.example: added, support\n" {
		t.Errorf("with a password: %s, %v", out, err)
	}
	weak := p.command("staff", "add", "--email", "weak@shop.example", "--role", "support", "--password")
	weak.Stdin = strings.NewReader("short\n")
	if out, err := weak.CombinedOutput(); err == nil || !strings.Contains(string(out), "12 to 256") {
		t.Errorf("with a weak password: %s, %v", out, err)
	}
	if said := p.ok("staff", "role", "help@shop.example", "analyst"); said != "help@shop.example: analyst\n" {
		t.Errorf("role: %q", said)
	}
	if said := p.ok("staff", "disable", "help@shop.example"); said != "help@shop.example: disabled\n" {
		t.Errorf("disable: %q", said)
	}
	list := p.ok("staff", "list")
	for _, want := range []string{"boss@shop.example  admin    invited   no             never", "help@shop.example  analyst  disabled  no             never"} {
		if !strings.Contains(list, want) {
			t.Errorf("list lacks %q:\n%s", want, list)
		}
	}
	if strings.Contains(list, "weak@") {
		t.Errorf("who was refused is listed:\n%s", list)
	}
	// The link works once, in a running shop.
	s := p.serve()
	choose := func() int {
		response, err := http.Post(s.url+"/api/staff/password", "application/json", strings.NewReader(`{"token":"`+token+`","password":"`+staffPassword+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode
	}
	if first, second := choose(), choose(); first != 204 || second != 410 {
		t.Errorf("the link was answered with %d and %d", first, second)
	}
	if list := p.ok("staff", "list"); !strings.Contains(list, "boss@shop.example  admin    active ") {
		t.Errorf("list:\n%s", list)
	}
	if said := p.ok("staff", "reset", "boss@shop.example"); !strings.Contains(said, "boss@shop.example: reset\n") || !strings.Contains(said, "/ops/password#") {
		t.Errorf("reset: %q", said)
	}
	// The log knows the account, and no e-mail unless asked.
	if tail := p.ok("events", "tail", "-f=false", "-n", "20"); strings.Contains(tail, "boss@") || !strings.Contains(tail, "staff.credentials-reset") {
		t.Errorf("the log:\n%s", tail)
	}
}
