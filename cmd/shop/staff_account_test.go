package main

import (
	"encoding/base32"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"shop/cmd/shop/edge"
	"shop/commands/identity/signin"
	"shop/domain/staff"
)

// own asks a call of staff about their own account.
func (d *staffDesk) own(method, path, body, cookie string) (status int, answer string) {
	d.t.Helper()
	w := d.ask(method, "/api/staff/me/"+path, body, "Cookie", cookie, edge.CsrfHeader, csrfOf(cookie))
	return w.Code, w.Body.String()
}

// csrfOf is the token that a page sends beside its session's cookie.
func csrfOf(cookie string) string { return signin.CSRF(strings.TrimPrefix(cookie, "__Host-staff=")) }

// signInAgain signs in with the authenticator there is.
func (d *staffDesk) signInAgain(email, password string) (cookie string) {
	d.t.Helper()
	d.pass(time.Minute) // the last code was used
	in := d.try(email, password, d.code())
	if in.Code != http.StatusCreated {
		d.t.Fatalf("sign in again: %d %s", in.Code, in.Body)
	}
	cookie, _, _ = strings.Cut(in.Header().Get("Set-Cookie"), ";")
	return cookie
}

func TestStaffLookAfterTheirAccounts(t *testing.T) {
	t.Parallel()
	d := openStaffDesk(t, "SHOP_SIGNIN_RATE=0")
	d.add("boss@shop.example", staff.Admin)
	first, _ := d.signIn("boss@shop.example")
	other := d.signInAgain("boss@shop.example", staffPassword)
	mine := d.signInAgain("boss@shop.example", staffPassword)
	here := func(what, cookie string, want int) {
		t.Helper()
		if status, body := d.own("GET", "", "", cookie); status != want {
			t.Errorf("%s: %d %s", what, status, body)
		}
	}
	var list struct {
		Sessions []struct {
			ID      string
			Current bool
		}
	}
	status, body := d.own("GET", "sessions/", "", mine)
	if err := json.Unmarshal([]byte(body), &list); err != nil || status != 200 || len(list.Sessions) != 3 || !list.Sessions[0].Current || list.Sessions[1].Current {
		t.Fatalf("the sessions: %d %s", status, body)
	}
	if status, body := d.own("DELETE", "sessions/"+list.Sessions[2].ID+"/", "", mine); status != 204 {
		t.Errorf("ending one: %d %s", status, body)
	}
	here("the ended session", first, 401)
	if status, _ := d.own("DELETE", "sessions/"+list.Sessions[2].ID+"/", "", mine); status != 404 {
		t.Errorf("ending it again: %d", status)
	}

	change := func(current, next string) (int, string) {
		return d.own("POST", "password/", `{"current_password":"`+current+`","new_password":"`+next+`"}`, mine)
	}
	if status, body := change("not it", "another long password"); status != 400 || !strings.Contains(body, "current_password") {
		t.Errorf("a wrong password: %d %s", status, body)
	}
	if status, body := change(staffPassword, "short"); status != 400 || !strings.Contains(body, "new_password") {
		t.Errorf("a weak password: %d %s", status, body)
	}
	here("another session before the change", other, 200)
	if status, body := change(staffPassword, "another long password"); status != 204 {
		t.Fatalf("the change: %d %s", status, body)
	}
	here("the session of the change", mine, 200)
	here("another session after the change", other, 401)
	for range 5 {
		change("not it", "another long password")
	}
	if status, _ := change("another long password", staffPassword); status != 429 {
		t.Errorf("after five wrong passwords: %d", status)
	}
	// The account itself is not locked: sign-ins count apart.
	d.signInAgain("boss@shop.example", "another long password")
}

// TestStaffShowTheirSecondFactorAgain holds what is grave back from a session whose second factor was shown long ago.
func TestStaffShowTheirSecondFactorAgain(t *testing.T) {
	t.Parallel()
	d := openStaffDesk(t, "SHOP_SIGNIN_RATE=0")
	d.add("boss@shop.example", staff.Admin)
	mine, _ := d.signIn("boss@shop.example")
	renew := func() (int, string) { return d.own("POST", "recovery-codes/", "", mine) }
	if status, body := renew(); status != 200 || strings.Count(body, "-") < 20 {
		t.Errorf("just after the sign-in: %d %s", status, body)
	}
	d.pass(6 * time.Minute)
	if status, body := renew(); status != 403 || !strings.Contains(body, `"code":"step-up-required"`) {
		t.Errorf("later: %d %s", status, body)
	}
	refund := d.ask("POST", "/api/staff/orders/0196a000-0000-7000-8000-000000000000/refund/", "{}", "Cookie", mine, edge.CsrfHeader, csrfOf(mine))
	d.wants("a refund", refund, 403, "step-up-required")
	if status, body := d.own("POST", "step-up/", `{"code":"123456"}`, mine); status != 400 || !strings.Contains(body, "code") {
		t.Errorf("a wrong code: %d %s", status, body)
	}
	code := d.code()
	if status, body := d.own("POST", "step-up/", `{"code":"`+code+`"}`, mine); status != 204 {
		t.Fatalf("a right code: %d %s", status, body)
	}
	if status, _ := d.own("POST", "step-up/", `{"code":"`+code+`"}`, mine); status != 400 {
		t.Errorf("the same code again: %d", status)
	}
	status, body := renew()
	if status != 200 {
		t.Fatalf("after the code: %d %s", status, body)
	}
	// Codes of the former list are none.
	var codes struct {
		RecoveryCodes []string `json:"recovery_codes"`
	}
	if err := json.Unmarshal([]byte(body), &codes); err != nil || len(codes.RecoveryCodes) != 10 {
		t.Fatalf("the codes: %s", body)
	}
	d.pass(5 * time.Minute)
	if status, _ := renew(); status != 403 {
		t.Errorf("five minutes later: %d", status)
	}
	if status, body := d.own("POST", "step-up/", `{"code":"`+codes.RecoveryCodes[0]+`"}`, mine); status != 204 {
		t.Errorf("a recovery code: %d %s", status, body)
	}
}

func TestStaffReplaceTheirAuthenticator(t *testing.T) {
	t.Parallel()
	d := openStaffDesk(t, "SHOP_SIGNIN_RATE=0")
	d.add("boss@shop.example", staff.Admin)
	other, _ := d.signIn("boss@shop.example")
	mine := d.signInAgain("boss@shop.example", staffPassword)
	d.pass(time.Minute)
	next := func(password, code string) (int, string) {
		return d.own("POST", "authenticator/", `{"password":"`+password+`","code":"`+code+`"}`, mine)
	}
	if status, _ := d.own("POST", "authenticator/confirmation/", `{"code":"123456"}`, mine); status != 400 {
		t.Errorf("confirmed without another authenticator: %d", status)
	}
	if status, _ := next("not it", d.code()); status != 400 {
		t.Errorf("a wrong password: %d", status)
	}
	status, body := next(staffPassword, d.code())
	var enrolment struct{ Secret, URI string }
	if err := json.Unmarshal([]byte(body), &enrolment); err != nil || status != 200 || !strings.HasPrefix(enrolment.URI, "otpauth://totp/") {
		t.Fatalf("another authenticator: %d %s", status, body)
	}
	// Until it is confirmed, the former one counts.
	mine2 := d.signInAgain("boss@shop.example", staffPassword)
	secret, err := base32.StdEncoding.DecodeString(enrolment.Secret)
	if err != nil {
		t.Fatal(err)
	}
	former := d.secret
	d.secret = secret
	if status, body := d.own("POST", "authenticator/confirmation/", `{"code":"`+d.code()+`"}`, mine); status != 204 {
		t.Fatalf("its first code: %d %s", status, body)
	}
	for _, cookie := range []string{other, mine2} {
		if status, _ := d.own("GET", "", "", cookie); status != 401 {
			t.Errorf("another session after the change: %d", status)
		}
	}
	d.signInAgain("boss@shop.example", staffPassword)
	d.pass(time.Minute)
	d.secret = former
	d.wants("the former authenticator", d.try("boss@shop.example", staffPassword, d.code()), 401, edge.StaffWrong)
}
