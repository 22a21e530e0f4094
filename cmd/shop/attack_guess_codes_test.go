package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// openGuessDesk is a shop behind a proxy, so that requests come from any network, without the limits by address.
func openGuessDesk(t *testing.T, settings ...string) mailDesk {
	t.Helper()
	p := onDatabase(t)
	p.env = append(p.env, "SHOP_ACCOUNT_RATE=0", "SHOP_SIGNIN_RATE=0", "SHOP_MAIL_RATE=0", "SHOP_TRUSTED_PROXIES=127.0.0.0/8")
	p.env = append(p.env, settings...)
	return mailDesk{p, p.serve()}
}

// from sends JSON as a network does, with the cookies it has, and keeps those it gets.
func (d mailDesk) from(network string, jar map[string]string, method, path string, body map[string]any) (int, http.Header, string) {
	d.served.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		d.served.t.Fatal(err)
	}
	var cookies []string
	for name, value := range jar {
		cookies = append(cookies, name+"="+value)
	}
	headers := []string{"X-Forwarded-For", network}
	if len(cookies) > 0 {
		headers = append(headers, "Cookie", strings.Join(cookies, "; "))
	}
	status, header, answer := d.send(method, path, strings.NewReader(string(text)), headers...)
	if jar != nil {
		for _, line := range header.Values("Set-Cookie") {
			if c, err := http.ParseSetCookie(line); err == nil {
				jar[c.Name] = c.Value
			}
		}
	}
	return status, header, answer
}

const resetPath = "/api/auth/profile/password-reset/"

// asks asks for a code and gives the n-th letter's.
func (d mailDesk) asks(network string, jar map[string]string, email string, n int) string {
	d.served.t.Helper()
	status, _, body := d.from(network, jar, "POST", resetPath+"request/", map[string]any{"email": email})
	if status != 200 {
		d.served.t.Fatalf("the request of a reset: %d %s", status, body)
	}
	return d.secret("reset-code", email, n)
}

// guesses tries a code.
func (d mailDesk) guesses(network string, jar map[string]string, email, code string) int {
	d.served.t.Helper()
	status, _, _ := d.from(network, jar, "POST", resetPath+"validate-code/", map[string]any{"email": email, "code": code})
	return status
}

// chooses sets a password by a code.
func (d mailDesk) chooses(network string, jar map[string]string, email, code, password string) (int, string) {
	d.served.t.Helper()
	status, _, body := d.from(network, jar, "POST", resetPath, map[string]any{"email": email, "code": code, "new_password": password, "password": password})
	return status, body
}

// other is a code that is none of these.
func other(codes ...string) string {
	for i := range 10 {
		if code := fmt.Sprintf("00000%d", i); !strings.Contains(strings.Join(codes, " "), code) {
			return code
		}
	}
	return ""
}

// TestAttackGuessCodesOfTheOwner: wrong codes and requests of strangers leave the owner's code alone, and a later request of
// the owner leaves the former code alone.
func TestAttackGuessCodesOfTheOwner(t *testing.T) {
	t.Parallel()
	d := openGuessDesk(t)
	const owner = "owner@example.kz"
	d.register(owner)
	home := map[string]string{}
	code := d.asks("192.0.2.1", home, owner, 1)
	for i := range 8 { // without a cookie, from elsewhere
		d.guesses(fmt.Sprintf("198.51.100.%d", i), nil, owner, other(code))
	}
	for range 8 { // a neighbour behind the same address
		d.guesses("192.0.2.1", nil, owner, other(code))
	}
	stranger := map[string]string{}
	second := d.asks("198.51.100.7", stranger, owner, 2)
	for range 3 {
		d.guesses("198.51.100.7", stranger, owner, other(code, second))
	}
	if status := d.guesses("192.0.2.1", home, owner, code); status != 200 {
		t.Errorf("the owner's code after the strangers' guesses: %d", status)
	}
	if status := d.guesses("198.51.100.7", stranger, owner, code); status != 400 {
		t.Errorf("the owner's code at who asked for another: %d", status)
	}
	if status := d.guesses("203.0.113.9", nil, owner, code); status != 400 {
		t.Errorf("the owner's code from a network that asked for none: %d", status)
	}
	third := d.asks("192.0.2.1", home, owner, 3)
	for name, good := range map[string]string{"former": code, "latter": third} {
		if status := d.guesses("192.0.2.1", home, owner, good); status != 200 {
			t.Errorf("the %s of two codes that one browser asked for: %d", name, status)
		}
	}
	if status, body := d.chooses("192.0.2.1", home, owner, code, "an own choice"); status != 200 {
		t.Errorf("the reset: %d %s", status, body)
	}
}

// TestAttackGuessCodesWithoutCookies: the three calls go on working for a client that keeps no cookies.
func TestAttackGuessCodesWithoutCookies(t *testing.T) {
	t.Parallel()
	d := openGuessDesk(t)
	const owner = "plain@example.kz"
	d.register(owner)
	code := d.asks("192.0.2.1", nil, owner, 1)
	if status := d.guesses("192.0.2.1", nil, owner, code); status != 200 {
		t.Errorf("the code of a plain client: %d", status)
	}
	if status, body := d.chooses("192.0.2.1", nil, owner, code, "an own choice"); status != 200 {
		t.Errorf("the reset of a plain client: %d %s", status, body)
	}
}

var linkInLetter = regexp.MustCompile(`/new-password#([\w-]{22,})`)

// TestAttackGuessCodesAllDay: the tries of an account are bounded over all requests; then the link of a letter works, and the
// owner is told, once.
func TestAttackGuessCodesAllDay(t *testing.T) {
	t.Parallel()
	d := openGuessDesk(t)
	const owner = "owner@example.kz"
	d.register(owner)
	tried := 0
	for i := range 6 {
		jar := map[string]string{}
		network := fmt.Sprintf("198.51.100.%d", i)
		code := d.asks(network, jar, owner, i+1)
		for range 5 {
			if d.guesses(network, jar, owner, other(code)) == 400 {
				tried++
			}
		}
		if i%3 == 2 { // three codes are alive side by side; quarters of an hour pass between them
			d.sql(`UPDATE customer_resets SET ends_at = ends_at - interval '1 hour'`)
		}
	}
	if tried != 30 {
		t.Errorf("%d of 30 wrong codes were tried", tried)
	}
	jar := map[string]string{}
	code := d.asks("203.0.113.5", jar, owner, 7)
	if status := d.guesses("203.0.113.5", jar, owner, code); status != 400 {
		t.Errorf("after %d wrong codes in a day a right code: %d", tried, status)
	}
	letters := d.mailed("reset-code", owner)
	link := linkInLetter.FindStringSubmatch(letters[len(letters)-1])
	if link == nil {
		t.Fatalf("the letter has no link:\n%s", letters[len(letters)-1])
	}
	until(t, "the letter about wrong codes", func() bool { return len(d.mailed("reset-tries", owner)) > 0 })
	status, _, body := d.from("192.0.2.1", nil, "POST", resetPath+"by-link/", map[string]any{"token": link[1], "new_password": "an own choice", "password": "an own choice"})
	if status != 200 {
		t.Errorf("the link of the letter: %d %s", status, body)
	}
	if d.signIn(owner, "an own choice") == nil {
		t.Error("the password that was chosen by the link does not sign in")
	}
	if n := len(d.mailed("reset-tries", owner)); n != 1 {
		t.Errorf("%d letters about wrong codes in a day", n)
	}
}
