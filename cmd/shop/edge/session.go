package edge

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/cmd/shop/ops"
	"shop/commands"
	"shop/commands/identity/credential"
	"shop/commands/identity/securitylog"
	"shop/commands/identity/signin"
	"shop/commands/shopapi"
	"shop/domain"
	"shop/domain/staff"
	"shop/readapi/endpoint"
	"shop/readapi/sentences"
)

// What staff are told.
const (
	StaffWrong     = "E-mail, password or code is wrong."
	StaffTooMany   = "Too many attempts. Try again later."
	StaffSignedOut = "Sign in first."
	StaffCSRF      = "The request lacks the token of your session. Reload the page."
	StaffTooLarge  = "The request is too large."
	StaffStepUp    = "Enter a code of your authenticator again."
	staffBusy      = "The shop took too long. Try again."
)

// CsrfHeader is where pages of staff send the token that sign-in and /api/staff/me tell.
const CsrfHeader = "X-CSRF-Token"

// staffAnswer is answer for staff: in the language of their page, and refusals by their messages.
func staffAnswer(log *slog.Logger, e endpoint.Endpoint) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := e(w, r); err != nil {
			status, text, code := staffProblem(err)
			endpoint.SayWhen(w, err)
			if status >= 500 {
				endpoint.LogFailure(log, r, err)
			}
			var fields endpoint.FieldErrors
			language := endpoint.Language(r)
			if errors.As(err, &fields) {
				endpoint.WriteJSON(w, status, fieldsIn(language, fields))
				return
			}
			endpoint.WriteJSON(w, status, endpoint.Refusal(sentences.ForStaff(language, text), code))
		}
	})
}

// fieldsIn is what is wrong with the fields of a request, in a language of staff.
func fieldsIn(language string, fields endpoint.FieldErrors) endpoint.FieldErrors {
	told := endpoint.FieldErrors{}
	for field, wrong := range fields {
		for _, one := range wrong {
			told[field] = append(told[field], sentences.ForStaff(language, one))
		}
	}
	return told
}

// staffProblem says an error to staff; the code is that of a domain.Refusal, and empty for whatever else it is.
func staffProblem(err error) (status int, text, code string) {
	var (
		refused *endpoint.StaffRefusal
		refusal *domain.Refusal
		said    *shopapi.Refused
	)
	if word, text, ok := ops.OpsProblem(err); ok {
		return endpoint.Status(word), text, ""
	}
	switch {
	case errors.As(err, &refused):
		return refused.Status, refused.Detail, ""
	case errors.As(err, &refusal):
		return endpoint.Status(refusal.Code), refusal.Message, refusal.Code
	case errors.As(err, &said):
		return said.Status, said.Detail, ""
	case errors.Is(err, signin.ErrStepUp):
		return endpoint.Status(endpoint.StaffStepUp), StaffStepUp, endpoint.StaffStepUp
	}
	word, text := staffWord(err)
	if word == endpoint.StaffGuessablePassword {
		code = word // pages say it in their own language
	}
	return endpoint.Status(word), text, code
}

// staffWord is the word that an error's status goes by, and what it is called to staff.
func staffWord(err error) (word, text string) {
	var (
		locked   *signin.Locked
		busy     *credential.Busy
		tooLarge *http.MaxBytesError
		fields   endpoint.FieldErrors
	)
	switch {
	case errors.As(err, &fields):
		return endpoint.Invalid, endpoint.NotUnderstood
	case errors.As(err, &locked), errors.As(err, &busy):
		return endpoint.TooMany, StaffTooMany
	case errors.Is(err, signin.ErrWrong):
		return endpoint.StaffWrongCredentials, StaffWrong
	case errors.Is(err, signin.ErrNoSession):
		return endpoint.StaffSignedOut, StaffSignedOut
	case errors.Is(err, signin.ErrLink):
		return endpoint.StaffUsedLink, "The link was used or is too old. Ask an admin for another."
	case errors.Is(err, signin.ErrWeakPassword):
		return endpoint.StaffWeakPassword, "A password needs 12 to 256 characters."
	case errors.Is(err, signin.ErrGuessable):
		return endpoint.StaffGuessablePassword, "This password is a common one, or made of your e-mail or the shop's name. Choose another."
	case errors.As(err, &tooLarge):
		return endpoint.TooLarge, StaffTooLarge
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), isAway(err):
		return endpoint.Busy, staffBusy
	}
	return endpoint.Failed, endpoint.StaffFailed
}

// cookieName of the session. The prefix makes browsers refuse it from a subdomain or without TLS.
func (s *Site) cookieName() string {
	if s.Https {
		return "__Host-staff"
	}
	return "staff"
}

func (s *Site) setSession(w http.ResponseWriter, token string, maxAge time.Duration) {
	seconds := int(maxAge.Seconds())
	if token == "" {
		seconds = -1
	}
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(), Value: token, Path: "/", MaxAge: seconds, HttpOnly: true, Secure: s.Https, SameSite: http.SameSiteStrictMode,
	})
}

// StaffView is who is signed in, as pages see it.
type StaffView struct {
	ID          uuid.UUID          `json:"id"`
	Email       string             `json:"email"`
	Role        string             `json:"role"`
	Permissions []staff.Permission `json:"permissions"`
	// CSRF goes into the X-CSRF-Token header of whatever is no GET.
	CSRF          string   `json:"csrf"`
	RecoveryCodes []string `json:"recovery_codes,omitempty"`
}

func viewOf(a signin.Account, token string) StaffView {
	return StaffView{ID: a.ID, Email: a.Email, Role: a.Role, Permissions: staff.Role(a.Role).Permissions(), CSRF: signin.CSRF(token)}
}

// sessions are the calls by which staff sign in and out.
func (s *Site) sessions(r chi.Router, limit Limits) {
	anyone := s.StaffOnly("")
	r.Method("POST", "/api/staff/session", limit.Staff(staffAnswer(s.Log, s.signIn)))
	r.Method("DELETE", "/api/staff/session", anyone(staffAnswer(s.Log, s.signOut)))
	getOn(r)("/api/staff/me", anyone(staffAnswer(s.Log, s.me)))
	r.Method("POST", "/api/staff/password", limit.Staff(staffAnswer(s.Log, s.choosePassword)))
	r.Method("POST", "/api/staff/session/passkey/options", limit.Staff(staffAnswer(s.Log, s.askPasskey)))
	r.Method("POST", "/api/staff/session/passkey", limit.Staff(staffAnswer(s.Log, s.signInByPasskey)))
	s.ownAccount(r)
}

// signIn answers 201 with a session, or 202 with what is to be sent next: a code, or at the first time the code of an
// authenticator that enrolled with the secret in the answer.
func (s *Site) signIn(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Email    string `json:"email"`
		Password string `json:"password"`
		Code     string `json:"code"`
	}
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	type next struct {
		Next      string            `json:"next"`
		Enrolment *signin.Enrolment `json:"enrolment,omitempty"`
	}
	in, err := s.Staff.SignIn(staffClient(r), signin.Attempt{
		Email: staff.NormalEmail(asked.Email), Password: asked.Password, Code: asked.Code, Network: clientAddr(r).String(), Devices: s.staffDevices(r),
	})
	switch {
	case errors.Is(err, signin.ErrCodeWanted):
		endpoint.WriteJSON(w, http.StatusAccepted, next{Next: "code"})
		return nil
	case err != nil:
		return err
	case in.Enrolment != nil:
		endpoint.WriteJSON(w, http.StatusAccepted, next{"enrol", in.Enrolment})
		return nil
	}
	s.enter(w, r, in)
	return nil
}

// enter gives the session of a sign-in to its browser.
func (s *Site) enter(w http.ResponseWriter, r *http.Request, in signin.SignedIn) {
	s.Log.InfoContext(r.Context(), "staff signed in", "account", in.Account.ID, "request_id", endpoint.RequestID(r.Context()))
	s.setSession(w, in.Token, s.Staff.Longest())
	s.knowDevice(w, r, in.Account.ID)
	view := viewOf(in.Account, in.Token)
	view.RecoveryCodes = in.RecoveryCodes
	endpoint.WriteJSON(w, http.StatusCreated, view)
}

func (s *Site) signOut(w http.ResponseWriter, r *http.Request) error {
	if err := s.Staff.SignOut(r.Context(), signin.SessionOf(r.Context()).Token); err != nil {
		return err
	}
	s.setSession(w, "", 0)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *Site) me(w http.ResponseWriter, r *http.Request) error {
	in := signin.SessionOf(r.Context())
	endpoint.WriteJSON(w, http.StatusOK, viewOf(in.Account, in.Token))
	return nil
}

// choosePassword takes the token of a one-time link and the password to be.
func (s *Site) choosePassword(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Token    string `json:"token"`
		Password string `json:"password"`
	}
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	if err := s.Staff.Accept(r.Context(), asked.Token, asked.Password); err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// StaffOnly lets those through who are signed in and whose role has the permission; "" is any role. What is no GET
// or HEAD needs the session's CSRF token too. Commands below carry the account as their actor.
func (s *Site) StaffOnly(permission staff.Permission) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return staffAnswer(s.Log, func(w http.ResponseWriter, r *http.Request) error {
			cookie, err := r.Cookie(s.cookieName())
			if err != nil {
				return signin.ErrNoSession
			}
			session, err := s.Staff.Session(r.Context(), cookie.Value)
			if err != nil {
				return err
			}
			account := session.Account
			ctx := securitylog.As(r.Context(), securitylog.Who{Party: securitylog.Staff, ID: account.ID, Role: account.Role})
			if r.Method != http.MethodGet && r.Method != http.MethodHead && !signin.IsCSRF(cookie.Value, r.Header.Get(CsrfHeader)) {
				securitylog.Note(ctx, securitylog.Entry{Kind: securitylog.CSRF, Outcome: securitylog.Refused})
				return endpoint.Refuse(http.StatusForbidden, StaffCSRF)
			}
			if permission != "" && !staff.Role(account.Role).May(permission) {
				securitylog.Note(ctx, securitylog.Entry{Kind: securitylog.Permission, Outcome: securitylog.Refused, How: string(permission)})
				return endpoint.Refuse(http.StatusForbidden, endpoint.StaffForbidden)
			}
			origin := commands.OriginOf(r.Context())
			origin.Actor = "staff:" + account.ID.String()
			ctx = commands.WithOrigin(ctx, origin)
			ctx = signin.WithSession(ctx, session)
			next.ServeHTTP(w, r.WithContext(ctx))
			return nil
		})
	}
}
