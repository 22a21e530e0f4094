package shopapi

import (
	"context"
	"errors"
	"net/http"
	"regexp"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/identity/accounts"
	"shop/commands/identity/credential"
	"shop/commands/identity/securitylog"
)

const msgNoSession = "Такого входа нет"

// sessionRoutes adds the calls by which customers look after their sign-ins.
func (a Accounts) sessionRoutes(r chi.Router, by Guards) {
	r.Method("POST", "/api/auth/profile/password", by.Accounts(by.Customer(a.ChangePassword)))
	list := by.Customer(a.Sessions)
	r.Method("GET", "/api/auth/profile/sessions", list)
	r.Method("HEAD", "/api/auth/profile/sessions", list)
	r.Method("DELETE", "/api/auth/profile/sessions", by.Customer(a.EndOtherSessions))
	r.Method("DELETE", "/api/auth/profile/sessions/{id}", by.Customer(a.EndSession))
	a.passkeyRoutes(r, by)
}

// browserFor is how long a browser is known again after its last sign-in, in seconds.
const browserFor = 180 * 24 * 60 * 60

// browserCookie is what a browser is known again by.
const browserCookie = "browser"

// tokenText is what credential.NewToken makes.
var tokenText = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// ClientOf is the program that a request comes from. A page in a browser is told by Origin or Sec-Fetch-Site: browsers add
// them to what a page sends, and scripts can neither change them nor leave them out.
func ClientOf(r *http.Request, network string, secure bool) credential.Client {
	c := credential.Client{
		Device: credential.Device(r.UserAgent()), Network: credential.Network(network),
		Page: r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != "",
	}
	if cookie, err := r.Cookie(cookieName(browserCookie, secure)); err == nil && tokenText.MatchString(cookie.Value) {
		c.Browser = cookie.Value
	}
	return c
}

// atBrowser is the context of a sign-in: a page's browser has a cookie to be known again by. keep makes it stay, once there is a token.
func (a Accounts) atBrowser(r *http.Request) (ctx context.Context, keep func(http.ResponseWriter)) {
	client := credential.ClientOf(r.Context())
	if !client.Page {
		return r.Context(), func(http.ResponseWriter) {}
	}
	if client.Browser == "" {
		client.Browser, _ = credential.NewToken()
	}
	return credential.WithClient(r.Context(), client), func(w http.ResponseWriter) {
		http.SetCookie(w, &http.Cookie{
			Name: cookieName(browserCookie, a.Secure), Value: client.Browser, Path: "/", MaxAge: browserFor,
			HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: a.Secure,
		})
	}
}

// ChangePassword is POST /api/auth/profile/password/ with the present password and another one: all other sign-ins and all that
// was asked for before end.
func (a Accounts) ChangePassword(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	current := f.password("current_password")
	password := f.newPassword("new_password", "password")
	if err := f.done(); err != nil {
		return err
	}
	position, err := a.Accounts.ChangePassword(r.Context(), commands.CustomerOf(r.Context()), Bearer(r), current, password)
	if err != nil {
		return err
	}
	return nothing(w, position)
}

// Sessions is GET /api/auth/profile/sessions/: the sign-ins that have not ended, the one that asks first.
func (a Accounts) Sessions(w http.ResponseWriter, r *http.Request) error {
	sessions, err := a.Accounts.SignIns.Sessions(r.Context(), commands.CustomerOf(r.Context()), Bearer(r))
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, sessions)
}

// EndSession is DELETE /api/auth/profile/sessions/{id}/.
func (a Accounts) EndSession(w http.ResponseWriter, r *http.Request) error {
	id, err := uuid.Parse(r.PathValue("id"))
	if err == nil {
		err = a.Accounts.SignIns.EndSession(r.Context(), commands.CustomerOf(r.Context()), id)
	} else {
		err = accounts.ErrNoSession
	}
	if errors.Is(err, accounts.ErrNoSession) {
		return &Refused{http.StatusNotFound, msgNoSession}
	}
	if err != nil {
		return err
	}
	return nothing(w, 0)
}

// EndOtherSessions is DELETE /api/auth/profile/sessions/: all but the one that asks end.
func (a Accounts) EndOtherSessions(w http.ResponseWriter, r *http.Request) error {
	id := commands.CustomerOf(r.Context())
	if _, err := a.Accounts.SignIns.EndSessions(r.Context(), id, Bearer(r)); err != nil {
		return err
	}
	securitylog.Note(r.Context(), securitylog.Entry{Kind: securitylog.SessionEnd, Outcome: securitylog.OK, How: "others", About: id})
	return nothing(w, 0)
}
