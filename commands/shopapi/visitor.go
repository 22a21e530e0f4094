package shopapi

import (
	"net/http"
	"time"

	"shop/commands"
	"shop/commands/identity/accounts"
	"shop/commands/identity/credential"
	"shop/domain"
)

const (
	// deviceCookie names the accounts that a browser has signed in to, resetCookie the codes that it asked for.
	deviceCookie, resetCookie = "device", "reset"
	// maxDevices are the accounts that one browser is known to.
	maxDevices = 5
	deviceFor  = 365 * 24 * time.Hour
)

// cookieName is how a cookie is called. The prefix makes browsers refuse it from a subdomain or without TLS.
func cookieName(name string, secure bool) string {
	if secure {
		return "__Host-" + name
	}
	return name
}

// tokens are those that a cookie of the request has.
func (a Accounts) tokens(r *http.Request, name string, most int) []string {
	cookie, err := r.Cookie(cookieName(name, a.Secure))
	if err != nil {
		return nil
	}
	return credential.Tokens(cookie.Value, most)
}

// keepToken puts a token before those that a cookie has.
func (a Accounts) keepToken(w http.ResponseWriter, r *http.Request, name, token string, most int, last time.Duration) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieName(name, a.Secure), Value: credential.JoinTokens(most, token, a.tokens(r, name, most)), Path: "/", MaxAge: int(last.Seconds()),
		HttpOnly: true, Secure: a.Secure || r.TLS != nil, SameSite: http.SameSiteStrictMode,
	})
}

// who is the sender of a request that signs in.
func (a Accounts) who(r *http.Request) accounts.Who {
	return accounts.Who{Network: commands.OriginOf(r.Context()).Network, Devices: a.tokens(r, deviceCookie, maxDevices)}
}

// knowDevice lets a browser be known at the next sign-in to an account.
func (a Accounts) knowDevice(w http.ResponseWriter, r *http.Request, id domain.ID) {
	if a.Accounts.SignIns.KnowsDevice(id, a.tokens(r, deviceCookie, maxDevices)) {
		return
	}
	a.keepToken(w, r, deviceCookie, a.Accounts.SignIns.Device(id), maxDevices, deviceFor)
}

// asked are the tokens of the reset codes that the browser asked for.
func (a Accounts) asked(r *http.Request) []string {
	return a.tokens(r, resetCookie, accounts.MaxResets)
}

// ResetByLink is POST /api/auth/profile/password-reset/by-link/ with the token of a letter's link.
func (a Accounts) ResetByLink(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	token, password := f.text("token", textRule{max: 100, required: true}), f.newPassword("new_password", "password")
	a.unguessable(f, "new_password", password)
	if err := f.done(); err != nil {
		return err
	}
	id, position, err := a.Accounts.ResetByLink(r.Context(), token, password)
	if err != nil {
		return oldLink(err)
	}
	a.knowDevice(w, r, id)
	written(w, position)
	return answer(w, http.StatusOK, struct{}{})
}

// unguessable refuses a new password that would be guessed first. Own are the e-mail and the names of its owner.
func (a Accounts) unguessable(f *form, field, password string, own ...string) {
	if _, wrong := f.wrong[field]; wrong || password == "" {
		return
	}
	if text := a.Accounts.Guessable(password, own...); text != "" {
		f.refuse(field, text)
	}
}
