package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// pageOf are the headers that a browser adds to a call of a page, and scripts cannot take away.
var pageOf = []string{"Origin", "http://127.0.0.1", "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "cors"}

// signedInAs signs in and returns the token and, of a browser, the cookie that it keeps.
func (d mailDesk) signedInAs(email, password string, headers ...string) (token, cookie string) {
	d.served.t.Helper()
	body := fmt.Sprintf(`{"username":%q,"password":%q}`, email, password)
	status, header, answer := d.send("POST", "/api/token/", strings.NewReader(body), headers...)
	var in struct{ Access string }
	if err := json.Unmarshal([]byte(answer), &in); err != nil || status != 200 {
		d.served.t.Fatalf("sign in as %s: %d %s", email, status, answer)
	}
	cookie, _, _ = strings.Cut(header.Get("Set-Cookie"), ";")
	return in.Access, cookie
}

// statusOf is the status that a token is answered with.
func (d mailDesk) statusOf(token, cookie string) int {
	d.served.t.Helper()
	headers := []string{"Authorization", "Bearer " + token}
	if cookie != "" {
		headers = append(headers, "Cookie", cookie)
	}
	status, _ := d.call("GET", "/api/auth/profile/", nil, headers...)
	return status
}

// TestAttackStolenStorage reads what a script of a page can read, the token in the browser's storage, and uses it elsewhere.
func TestAttackStolenStorage(t *testing.T) {
	t.Parallel()
	d := openMailDesk(t)
	d.register("victim@example.kz")
	stolen, cookie := d.signedInAs("victim@example.kz", registeredWith, pageOf...)
	if status := d.statusOf(stolen, cookie); status != 200 {
		t.Errorf("the victim's browser: %d", status)
	}
	if status := d.statusOf(stolen, ""); status != 401 {
		t.Errorf("the token without the browser's cookie: %d", status)
	}
	// The attacker's own browser has a cookie too.
	d.register("attacker@example.kz")
	_, attackers := d.signedInAs("attacker@example.kz", registeredWith, pageOf...)
	if status := d.statusOf(stolen, attackers); status != 401 || attackers == "" {
		t.Errorf("the token with the cookie of another browser: %d", status)
	}
	// Clients without cookies go on working.
	plain, _ := d.signedInAs("victim@example.kz", registeredWith)
	for range 2 {
		if status := d.statusOf(plain, ""); status != 200 {
			t.Errorf("the token of a client without cookies: %d", status)
		}
	}
	if status := d.statusOf(stolen, cookie); status != 200 {
		t.Errorf("the victim's browser in the end: %d", status)
	}
}

// TestAttackManySessions hides a sign-in among others, and looks what ends it.
func TestAttackManySessions(t *testing.T) {
	t.Parallel()
	d := openMailDesk(t)
	d.register("victim@example.kz")
	var tokens []string
	for range 22 {
		token, _ := d.signedInAs("victim@example.kz", registeredWith)
		tokens = append(tokens, token)
	}
	if status := d.statusOf(tokens[0], ""); status != 401 {
		t.Errorf("the oldest of 22 sign-ins: %d", status)
	}
	present := tokens[21]
	if status := d.statusOf(present, ""); status != 200 {
		t.Fatalf("the present sign-in: %d", status)
	}
	bearer := []string{"Authorization", "Bearer " + present}
	type session struct {
		ID      string
		Current bool
	}
	list := func() (sessions []session) {
		status, body := d.call("GET", "/api/auth/profile/sessions/", nil, bearer...)
		if err := json.Unmarshal([]byte(body), &sessions); err != nil || status != 200 {
			t.Fatalf("the list of sessions: %d %s", status, body)
		}
		return sessions
	}
	sessions := list()
	if len(sessions) != 20 || !sessions[0].Current {
		t.Fatalf("%d sessions, the first of them %+v", len(sessions), sessions[0])
	}
	if status, _ := d.call("DELETE", "/api/auth/profile/sessions/"+sessions[1].ID+"/", nil, bearer...); status != 204 {
		t.Errorf("ending one: %d", status)
	}
	// Another customer ends none of them.
	other := d.register("other@example.kz")
	if status, _ := d.call("DELETE", "/api/auth/profile/sessions/"+sessions[0].ID+"/", nil, other...); status != http.StatusNotFound {
		t.Errorf("another customer ends the session: %d", status)
	}
	if left := list(); len(left) != 19 {
		t.Errorf("%d sessions after one was ended", len(left))
	}
	if status, _ := d.call("DELETE", "/api/auth/profile/sessions/", nil, bearer...); status != 204 {
		t.Errorf("ending all others: %d", status)
	}
	if left := list(); len(left) != 1 || !left[0].Current {
		t.Errorf("after all others ended: %+v", left)
	}
	if status := d.statusOf(tokens[20], ""); status != 401 {
		t.Errorf("a token of an ended session: %d", status)
	}
}

// TestAttackKnownPassword has the victim change the password that an attacker knows: the attacker's sign-in and all that they
// asked for end, the victim's browser stays signed in.
func TestAttackKnownPassword(t *testing.T) {
	t.Parallel()
	d := openMailDesk(t)
	d.register("victim@example.kz")
	attackers, _ := d.signedInAs("victim@example.kz", registeredWith)
	if !d.wants("attacker@example.com", registeredWith, []string{"Authorization", "Bearer " + attackers}) {
		t.Fatal("the attacker cannot ask for another e-mail")
	}
	link := d.secret("verify-email", "attacker@example.com", 1)
	mine, cookie := d.signedInAs("victim@example.kz", registeredWith, pageOf...)
	change := func(current string) (int, string) {
		return d.call("POST", "/api/auth/profile/password/", map[string]any{
			"current_password": current, "new_password": "кофе на верхней полке", "password": "кофе на верхней полке",
		}, "Authorization", "Bearer "+mine, "Cookie", cookie)
	}
	if status, body := change("not it at all"); status != 400 || !strings.Contains(body, "current_password") {
		t.Errorf("a wrong current password: %d %s", status, body)
	}
	if status := d.statusOf(attackers, ""); status != 200 {
		t.Errorf("a wrong password ended a session: %d", status)
	}
	if status, body := change(registeredWith); status != 204 {
		t.Fatalf("the change: %d %s", status, body)
	}
	if status := d.statusOf(mine, cookie); status != 200 {
		t.Errorf("the victim's own session: %d", status)
	}
	if status := d.statusOf(attackers, ""); status != 401 {
		t.Errorf("the attacker's session: %d", status)
	}
	if d.tries(link, registeredWith, "Authorization", "Bearer "+attackers) {
		t.Error("a link that was asked for with the old password is good")
	}
	if status, _ := d.call("POST", "/api/token/", map[string]any{"username": "victim@example.kz", "password": registeredWith}); status != 401 {
		t.Errorf("the old password: %d", status)
	}
	d.signedInAs("victim@example.kz", "кофе на верхней полке")
}

// TestAttackSignInElsewhere signs in with a known password from a device that the account never had: its owner is told, once
// a day.
func TestAttackSignInElsewhere(t *testing.T) {
	t.Parallel()
	d := openMailDesk(t)
	d.register("victim@example.kz")
	d.signedInAs("victim@example.kz", registeredWith) // as at the registration
	agent := "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36"
	_, cookie := d.signedInAs("victim@example.kz", registeredWith, append([]string{"User-Agent", agent}, pageOf...)...)
	until(t, "the letter about the new device", func() bool { return len(d.mailed("new-device", "victim@example.kz")) == 1 })
	text := d.mailed("new-device", "victim@example.kz")[0]
	if !strings.Contains(text, "Chrome, Windows") || !strings.Contains(text, "Сеть: 127.0.0.*") || strings.Contains(text, "Сеть: 127.0.0.1") {
		t.Errorf("the letter says:\n%s", text)
	}
	d.signedInAs("victim@example.kz", registeredWith, append([]string{"User-Agent", agent, "Cookie", cookie}, pageOf...)...)
	d.signedInAs("victim@example.kz", registeredWith, append([]string{"User-Agent", "curl/8"}, pageOf...)...)
	// A letter that is asked for later is written later.
	d.call("POST", "/api/auth/profile/password-reset/request/", map[string]any{"email": "victim@example.kz"})
	d.secret("reset-code", "victim@example.kz", 1)
	if letters := d.mailed("new-device", "victim@example.kz"); len(letters) != 1 {
		t.Errorf("%d letters about new devices in a day", len(letters))
	}
}
