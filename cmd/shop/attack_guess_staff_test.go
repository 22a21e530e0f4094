package main

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"shop/cmd/shop/edge"
	"shop/domain/staff"
)

// tryFrom signs in from a network, with a cookie or without.
func (d *staffDesk) tryFrom(network, cookie, email, password, code string) *httptest.ResponseRecorder {
	d.t.Helper()
	headers := []string{"X-Forwarded-For", network}
	if cookie != "" {
		headers = append(headers, "Cookie", cookie)
	}
	body := fmt.Sprintf(`{"email":%q,"password":%q,"code":%q}`, email, password, code)
	return d.ask("POST", "/api/staff/session/", body, headers...)
}

// TestAttackGuessStaffCannotBeKeptOut: who guesses at the e-mail of a member of staff locks their own network, and nobody else.
func TestAttackGuessStaffCannotBeKeptOut(t *testing.T) {
	t.Parallel()
	d := openStaffDesk(t, "SHOP_SIGNIN_RATE=0", "SHOP_TRUSTED_PROXIES=192.0.2.0/24") // httptest's peer is 192.0.2.1
	const boss = "boss@shop.example"
	d.add(boss, staff.Admin)
	for range 6 {
		d.tryFrom("198.51.100.1", "", boss, "guess guess guess", "")
	}
	d.wants("the guesser", d.tryFrom("198.51.100.1", "", boss, staffPassword, ""), 429, edge.StaffTooMany)
	d.wants("the owner elsewhere", d.tryFrom("203.0.113.1", "", boss, staffPassword, ""), 202, "enrol")
}

// TestAttackGuessStaffKnownDevice: a browser that has signed in is let through from a network that is locked.
func TestAttackGuessStaffKnownDevice(t *testing.T) {
	t.Parallel()
	d := openStaffDesk(t, "SHOP_SIGNIN_RATE=0", "SHOP_TRUSTED_PROXIES=192.0.2.0/24")
	const boss = "boss@shop.example"
	d.add(boss, staff.Admin)
	d.signIn(boss)
	d.pass(time.Minute)
	in := d.tryFrom("203.0.113.1", "", boss, staffPassword, d.code())
	device := ""
	for _, cookie := range in.Header().Values("Set-Cookie") {
		if pair, _, _ := strings.Cut(cookie, ";"); strings.Contains(pair, "device") {
			device = pair
			for _, want := range []string{"HttpOnly", "Secure", "SameSite=Strict"} {
				if !strings.Contains(cookie, want) {
					t.Errorf("the cookie %q lacks %s", cookie, want)
				}
			}
		}
	}
	for range 6 {
		d.tryFrom("203.0.113.1", "", boss, "guess guess guess", "")
	}
	d.pass(30 * time.Second)
	d.wants("a guesser in the owner's network", d.tryFrom("203.0.113.1", "", boss, staffPassword, d.code()), 429, edge.StaffTooMany)
	d.wants("the owner's browser", d.tryFrom("203.0.113.1", device, boss, staffPassword, d.code()), 201, "csrf")
	for range 6 {
		d.tryFrom("203.0.113.1", device, boss, "guess guess guess", "")
	}
	d.wants("a browser that guesses", d.tryFrom("203.0.113.1", device, boss, staffPassword, ""), 429, edge.StaffTooMany)
}

// TestAttackGuessStaffUnlocked: an admin opens what is locked, and a reset or being enabled opens it as well.
func TestAttackGuessStaffUnlocked(t *testing.T) {
	t.Parallel()
	d := openStaffDesk(t, "SHOP_SIGNIN_RATE=0")
	const boss, help = "boss@shop.example", "help@shop.example"
	d.add(boss, staff.Admin)
	d.add(help, staff.Support)
	lock := func() {
		t.Helper()
		for range 6 {
			d.try(help, "guess guess guess", "")
		}
		d.wants("locked", d.try(help, staffPassword, ""), 429, edge.StaffTooMany)
	}
	lock()
	if err := d.team().Disable(t.Context(), help); err != nil {
		t.Fatal(err)
	}
	if err := d.team().Enable(t.Context(), help); err != nil {
		t.Fatal(err)
	}
	d.wants("enabled", d.try(help, staffPassword, ""), 202, "enrol")
	lock()
	id, err := d.team().Reset(t.Context(), help)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.site.Staff.SetPassword(t.Context(), id, staffPassword); err != nil {
		t.Fatal(err)
	}
	d.wants("reset", d.try(help, staffPassword, ""), 202, "enrol")
}

// TestAttackGuessStaffPasswordsThatAreCommon: a common password is none, by link and at the command line.
func TestAttackGuessStaffPasswordsThatAreCommon(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	added := p.ok("staff", "add", "--email", "director@shop.example", "--role", "admin")
	_, token, _ := strings.Cut(strings.TrimSpace(added), "/ops/password#")
	s := p.serve()
	for _, password := range []string{"qwertyuiop12", "director@shop.example", "Director-2026"} {
		body := fmt.Sprintf(`{"token":%q,"password":%q}`, token, password)
		status, _, answer := s.send("POST", "/api/staff/password/", strings.NewReader(body))
		if status != 400 {
			t.Errorf("%q by link: %d %s", password, status, answer)
		}
		piped := p.command("staff", "reset", "director@shop.example", "--password")
		piped.Stdin = strings.NewReader(password + "\n")
		if out, err := piped.CombinedOutput(); err == nil {
			t.Errorf("%q at the command line: %s", password, out)
		}
	}
	status, _, answer := s.send("POST", "/api/staff/password/", strings.NewReader(fmt.Sprintf(`{"token":%q,"password":%q}`, token, staffPassword)))
	if status != 204 {
		t.Errorf("a good password: %d %s", status, answer)
	}
	if said := p.ok("staff", "unlock", "director@shop.example"); said != "director@shop.example: unlocked\n" {
		t.Errorf("unlock: %q", said)
	}
}
