package identity_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/commands/identity"
	"shop/commands/identity/accounts"
	"shop/commands/identity/credential"
	"shop/commands/identity/passkeys"
	"shop/commands/shopapi"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/customer"
)

// from is a request of a program: a page in the browser with a cookie, or another one where it is empty.
func from(device, network, browser string) testshop.Header {
	return func(r *http.Request) {
		c := credential.Client{Device: device, Network: network, Browser: browser, Page: browser != ""}
		*r = *r.WithContext(credential.WithClient(r.Context(), c))
	}
}

// token signs in and returns the token.
func (d *accountDesk) token(email string, headers ...testshop.Header) string {
	d.T.Helper()
	r := d.signIn(email, goodPassword, headers...)
	if r.Code != http.StatusOK {
		d.T.Fatalf("sign-in: %d %s", r.Code, r.Text())
	}
	return testshop.Read[shopapi.Access](r).Access
}

func TestUnusedSessionsEnd(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	used := d.registered("a@b.kz").Access
	unused := d.token("a@b.kz")
	for range 3 {
		d.Clock.Advance(accounts.IdleFor / 2)
		if used != "" && !d.counts(used) {
			t.Error("a session that is used has ended")
		}
	}
	if d.counts(unused) {
		t.Error("a session counts that was not used for 21 days")
	}
	if err := d.accounts.SignIns.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	var left int
	if err := d.Pool.QueryRow(t.Context(), `SELECT count(*) FROM customer_tokens`).Scan(&left); err != nil || left != 1 {
		t.Errorf("%d sessions are left, %v", left, err)
	}
	d.Clock.Advance(accounts.TokenFor - 3*accounts.IdleFor/2)
	if d.counts(used) {
		t.Error("a session that is used counts after thirty days")
	}
}

func TestABrowserHasOneSessionOfAnAccount(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	d.registered("a@b.kz")
	first, second := d.token("a@b.kz", from("Chrome, Windows", "", "cookie")), d.token("a@b.kz", from("Chrome, Windows", "", "cookie"))
	holds := func(token, cookie string) bool {
		_, err := d.accounts.SignIns.Holder(credential.WithClient(t.Context(), credential.Client{Browser: cookie, Page: true}), token)
		return err == nil
	}
	for _, c := range []struct {
		token, cookie string
		want          bool
	}{{first, "cookie", false}, {second, "cookie", true}, {second, "", false}, {second, "another", false}} {
		if got := holds(c.token, c.cookie); got != c.want {
			t.Errorf("the token with the cookie %q: %v", c.cookie, got)
		}
	}
}

func TestSessionsOfAnAccount(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	a, b := d.registered("a@b.kz"), d.registered("b@b.kz")
	d.Clock.Advance(time.Hour)
	phone := d.token("a@b.kz", from("Safari, iPhone", "203.0.113.*", ""))
	bearer := func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+a.Access) }
	list := func() []accounts.OwnSession {
		return testshop.Read[[]accounts.OwnSession](d.call(shopapi.Accounts{Accounts: d.accounts}.Sessions, "GET", "/api/auth/profile/sessions/", a.ID, "", bearer))
	}
	found := list()
	if len(found) != 2 || !found[0].Current || found[1].Current || found[1].Device != "Safari, iPhone" || found[1].Network != "203.0.113.*" {
		t.Fatalf("the sessions are %+v", found)
	}
	end := func(as domain.ID, id string) testshop.Response {
		return d.call(shopapi.Accounts{Accounts: d.accounts}.EndSession, "DELETE", "/api/auth/profile/sessions/{id}/", as, "", bearer, func(r *http.Request) { r.SetPathValue("id", id) })
	}
	for _, id := range []string{uuid.NewString(), "nonsense"} {
		end(a.ID, id).Wants(404, `{"detail":"Такого входа нет"}`)
	}
	end(b.ID, found[1].ID.String()).Wants(404, `{"detail":"Такого входа нет"}`)
	if !d.counts(phone) {
		t.Error("another customer ended a session")
	}
	if r := end(a.ID, found[1].ID.String()); r.Code != 204 || d.counts(phone) || !d.counts(a.Access) {
		t.Errorf("ending a session: %d %s", r.Code, r.Text())
	}
	n, err := d.accounts.SignOutEverywhere(t.Context(), a.ID)
	if err != nil || n != 1 || d.counts(a.Access) || !d.counts(b.Access) {
		t.Errorf("signed out everywhere: %d, %v", n, err)
	}
	if _, err := d.accounts.SignOutEverywhere(t.Context(), uuid.New()); !errors.Is(err, customer.ErrUnknown) {
		t.Errorf("an unknown customer: %v", err)
	}
}

func TestANewDeviceIsToldOnceADay(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	d.registered("a@b.kz")
	told := func() (n int) {
		for _, l := range d.letters.sent {
			if _, is := l.Content.(identity.DeviceLetter); is {
				n++
			}
		}
		return n
	}
	for i, step := range []struct {
		device, cookie string
		after          time.Duration
		want           int
	}{
		{"", "", 0, 0}, // as at the registration
		{"Chrome, Windows", "one", 0, 1},
		{"Chrome, Windows", "one", 0, 1},
		{"Chrome, Windows", "two", time.Hour, 1}, // a day has one letter
		{"Safari, iPhone", "three", 24 * time.Hour, 2},
		{"Chrome, Windows", "two", 48 * time.Hour, 2}, // was there before
		{"curl", "", 48 * time.Hour, 3},
	} {
		d.Clock.Advance(step.after)
		headers := []testshop.Header{from(step.device, "203.0.113.*", step.cookie)}
		if step.device == "" {
			headers = nil
		}
		d.token("a@b.kz", headers...)
		if got := told(); got != step.want {
			t.Errorf("step %d: %d letters, want %d", i, got, step.want)
		}
	}
	last := d.letters.last(t, "a@b.kz").(identity.DeviceLetter)
	if last.Device != "curl" || last.Network != "203.0.113.*" || last.Name != "" {
		t.Errorf("the letter is %+v", last)
	}
}

func TestChangePassword(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	a := d.registered("a@b.kz")
	other := d.token("a@b.kz")
	change := func(current, password, again string) testshop.Response {
		body := testshop.Fields{"current_password": current, "new_password": password, "password": again}
		return d.call(shopapi.Accounts{Accounts: d.accounts}.ChangePassword, "POST", "/api/auth/profile/password/", a.ID, body,
			func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+a.Access) })
	}
	change("", "", "").Wants(400, `{"current_password":["Заполните поле"],"new_password":["Заполните поле"],"password":["Заполните поле"]}`)
	change(goodPassword, "another one", "differs").Wants(400, `{"password":["Пароли не совпадают"]}`)
	change("not it at all", "another one", "another one").Wants(400, `{"current_password":["Неверный пароль"]}`)
	if !d.counts(other) {
		t.Error("a refused change ended a session")
	}
	if r := change(goodPassword, "another one", "another one"); r.Code != 204 || r.Header().Get("X-Event-Position") == "" {
		t.Fatalf("the change: %d %s", r.Code, r.Text())
	}
	if !d.counts(a.Access) || d.counts(other) {
		t.Errorf("the present session counts: %v, another: %v", d.counts(a.Access), d.counts(other))
	}
	if r := d.signIn("a@b.kz", goodPassword); r.Code != 401 {
		t.Errorf("the old password: %d", r.Code)
	}
	if r := d.signIn("a@b.kz", "another one"); r.Code != 200 {
		t.Errorf("the new password: %d %s", r.Code, r.Text())
	}
}

// The answers about passkeys keep the contract; commands/identity/passkeys tests what authenticators answer.
func TestPasskeysOfAnAccount(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	var err error
	if d.accounts.Passkeys, err = passkeys.New(d.Pool, "Дала", "https://shop.example", d.Clock.Now); err != nil {
		t.Fatal(err)
	}
	a := d.registered("a@b.kz")
	api := shopapi.Accounts{Accounts: d.accounts}
	d.call(api.Passkeys, "GET", "/api/auth/profile/passkeys/", a.ID, "").Wants(200, `[]`)
	options := "/api/auth/profile/passkeys/options/"
	d.call(api.BeginPasskey, "POST", options, a.ID, testshop.Fields{"password": "not it at all"}).Wants(400, `{"password":["Неверный пароль"]}`)
	if r := d.call(api.BeginPasskey, "POST", options, a.ID, testshop.Fields{"password": goodPassword}); r.Code != 200 {
		t.Errorf("with the password: %d %s", r.Code, r.Text())
	}
	d.call(api.SignInByPasskey, "POST", "/api/token/passkey/", uuid.Nil, testshop.Fields{"credential": testshop.Fields{"id": "x"}}).Wants(400, `{"detail":"Ответ ключа доступа не принят"}`)
}

// TestClientOf says which requests are a page's in a browser.
func TestClientOf(t *testing.T) {
	t.Parallel()
	cookie := strings.Repeat("a", 43)
	for name, c := range map[string]struct {
		header http.Header
		want   credential.Client
	}{
		"a client of the specification": {http.Header{}, credential.Client{}},
		"Node.js":                       {http.Header{"Sec-Fetch-Mode": {"cors"}, "User-Agent": {"node"}}, credential.Client{Device: "Node.js"}},
		"a page":                        {http.Header{"Origin": {"https://shop.example"}}, credential.Client{Page: true}},
		"a page that reads":             {http.Header{"Sec-Fetch-Site": {"same-origin"}, "Cookie": {"__Host-browser=" + cookie}}, credential.Client{Page: true, Browser: cookie}},
		"a cookie of no browser":        {http.Header{"Origin": {"null"}, "Cookie": {"__Host-browser=short"}}, credential.Client{Page: true}},
		"the cookie of http":            {http.Header{"Cookie": {"browser=" + cookie}}, credential.Client{}},
	} {
		if got := shopapi.ClientOf(&http.Request{Header: c.header, URL: &url.URL{}}, "", true); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// Whoever holds a connection while waiting for another one can wait for ever: when all sign-ins of a moment do, none is free.
func TestASignInFromANewDeviceTakesOneConnectionAtATime(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	d.registered("a@b.kz")
	config := d.Pool.Config()
	config.MaxConns = 1
	one, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(one.Close)
	d.accounts.SignIns = accounts.New(one, accounts.Options{Secret: []byte("account secret"), Clock: d.Clock.Now})
	ctx, cancel := context.WithTimeout(credential.WithClient(t.Context(), credential.Client{Device: "Firefox, Linux", Network: "203.0.113.*"}), 15*time.Second)
	defer cancel()
	sent := len(d.letters.sent)
	if _, _, err := d.accounts.SignIn(ctx, accounts.Who{Network: "203.0.113.7"}, "a@b.kz", goodPassword); err != nil || len(d.letters.sent) != sent+1 {
		t.Errorf("signing in: %v, %d letters", err, len(d.letters.sent)-sent)
	}
}
