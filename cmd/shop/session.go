package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"mime"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/signin"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/staff"
)

// What staff are told.
const (
	staffWrong     = "E-mail, password or code is wrong."
	staffTooMany   = "Too many attempts. Try again later."
	staffSignedOut = "Sign in first."
	staffForbidden = "Your role does not allow this."
	staffCSRF      = "The request lacks the token of your session. Reload the page."
	staffFailed    = "Something went wrong. Try again later."
	staffBadBody   = "The request is not understood."
	staffTooLarge  = "The request is too large."
	staffBusy      = "The shop took too long. Try again."
)

// csrfHeader is where pages of staff send the token that sign-in and /api/staff/me tell.
const csrfHeader = "X-CSRF-Token"

// staffRefusal is an answer to staff that is no success.
type staffRefusal struct {
	status int
	detail string
}

func (e *staffRefusal) Error() string { return e.detail }

// fieldErrors says what is wrong with which field of a request.
type fieldErrors map[string][]string

func (e fieldErrors) Error() string { return staffBadBody }

// wrongField is a request with one wrong field.
func wrongField(name, text string) error { return fieldErrors{name: {text}} }

// staffAnswer is answer for staff: in English, and refusals by their messages.
func staffAnswer(log *slog.Logger, e endpoint) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := e(w, r); err != nil {
			status, text := staffProblem(w, err)
			if status >= 500 {
				logFailure(log, r, err)
			}
			var fields fieldErrors
			if errors.As(err, &fields) {
				writeJSON(w, status, fields)
				return
			}
			writeJSON(w, status, detail(text))
		}
	})
}

// staffProblem says an error to staff.
func staffProblem(w http.ResponseWriter, err error) (status int, text string) {
	var (
		refused  *staffRefusal
		refusal  *domain.Refusal
		said     *commands.Refused
		locked   *signin.Locked
		tooLarge *http.MaxBytesError
		fields   fieldErrors
	)
	if status, text, ok := opsProblem(err); ok {
		return status, text
	}
	switch {
	case errors.As(err, &refused):
		return refused.status, refused.detail
	case errors.As(err, &fields):
		return http.StatusBadRequest, staffBadBody
	case errors.As(err, &locked):
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(locked.For.Seconds()))))
		return http.StatusTooManyRequests, staffTooMany
	case errors.Is(err, signin.ErrWrong):
		return http.StatusUnauthorized, staffWrong
	case errors.Is(err, signin.ErrNoSession):
		return http.StatusUnauthorized, staffSignedOut
	case errors.Is(err, signin.ErrLink):
		return http.StatusGone, "The link was used or is too old. Ask an admin for another."
	case errors.Is(err, signin.ErrWeakPassword):
		return http.StatusBadRequest, "A password needs 12 to 256 characters."
	case errors.Is(err, order.ErrUnknown):
		return http.StatusNotFound, order.ErrUnknown.Message
	case errors.As(err, &refusal):
		return http.StatusConflict, refusal.Message
	case errors.As(err, &said):
		return said.Status, said.Detail
	case errors.As(err, &tooLarge):
		return http.StatusRequestEntityTooLarge, staffTooLarge
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), isAway(err):
		return http.StatusServiceUnavailable, staffBusy
	}
	return http.StatusInternalServerError, staffFailed
}

// staffBody reads a JSON body. To ask for the JSON type keeps other sites' forms out: a browser asks us before it
// sends that type from another origin, and we say no.
func staffBody(r *http.Request, into any) error {
	if sent, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || sent != "application/json" {
		return &staffRefusal{http.StatusUnsupportedMediaType, "The body must be application/json."}
	}
	err := json.NewDecoder(r.Body).Decode(into)
	var (
		tooLarge *http.MaxBytesError
		kind     *json.UnmarshalTypeError
	)
	switch {
	case errors.As(err, &kind) && kind.Field != "":
		return wrongField(kind.Field, "Must not be a "+kind.Value+".")
	case err != nil && !errors.As(err, &tooLarge):
		return &staffRefusal{http.StatusBadRequest, staffBadBody}
	}
	return err
}

// cookieName of the session. The prefix makes browsers refuse it from a subdomain or without TLS.
func (s *site) cookieName() string {
	if s.https {
		return "__Host-staff"
	}
	return "staff"
}

func (s *site) setSession(w http.ResponseWriter, token string, maxAge time.Duration) {
	seconds := int(maxAge.Seconds())
	if token == "" {
		seconds = -1
	}
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(), Value: token, Path: "/", MaxAge: seconds, HttpOnly: true, Secure: s.https, SameSite: http.SameSiteStrictMode,
	})
}

// staffView is who is signed in, as pages see it.
type staffView struct {
	ID          uuid.UUID          `json:"id"`
	Email       string             `json:"email"`
	Role        string             `json:"role"`
	Permissions []staff.Permission `json:"permissions"`
	// CSRF goes into the X-CSRF-Token header of whatever is no GET.
	CSRF          string   `json:"csrf"`
	RecoveryCodes []string `json:"recovery_codes,omitempty"`
}

func viewOf(a signin.Account, token string) staffView {
	return staffView{ID: a.ID, Email: a.Email, Role: a.Role, Permissions: staff.Role(a.Role).Permissions(), CSRF: signin.CSRF(token)}
}

// signIn answers 201 with a session, or 202 with what is to be sent next: a code, or at the first time the code of an
// authenticator that enrolled with the secret in the answer.
func (s *site) signIn(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Email    string `json:"email"`
		Password string `json:"password"`
		Code     string `json:"code"`
	}
	if err := staffBody(r, &asked); err != nil {
		return err
	}
	type next struct {
		Next      string            `json:"next"`
		Enrolment *signin.Enrolment `json:"enrolment,omitempty"`
	}
	in, err := s.staff.SignIn(r.Context(), signin.Attempt{Email: staff.NormalEmail(asked.Email), Password: asked.Password, Code: asked.Code})
	switch {
	case errors.Is(err, signin.ErrCodeWanted):
		writeJSON(w, http.StatusAccepted, next{Next: "code"})
		return nil
	case err != nil:
		return err
	case in.Enrolment != nil:
		writeJSON(w, http.StatusAccepted, next{"enrol", in.Enrolment})
		return nil
	}
	s.log.InfoContext(r.Context(), "staff signed in", "account", in.Account.ID, "request_id", requestID(r.Context()))
	s.setSession(w, in.Token, signin.LongestSession)
	view := viewOf(in.Account, in.Token)
	view.RecoveryCodes = in.RecoveryCodes
	writeJSON(w, http.StatusCreated, view)
	return nil
}

func (s *site) signOut(w http.ResponseWriter, r *http.Request) error {
	if err := s.staff.SignOut(r.Context(), signin.SessionOf(r.Context()).Token); err != nil {
		return err
	}
	s.setSession(w, "", 0)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *site) me(w http.ResponseWriter, r *http.Request) error {
	in := signin.SessionOf(r.Context())
	writeJSON(w, http.StatusOK, viewOf(in.Account, in.Token))
	return nil
}

// choosePassword takes the token of a one-time link and the password to be.
func (s *site) choosePassword(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Token    string `json:"token"`
		Password string `json:"password"`
	}
	if err := staffBody(r, &asked); err != nil {
		return err
	}
	if err := s.staff.Accept(r.Context(), asked.Token, asked.Password); err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// staffOnly lets those through who are signed in and whose role has the permission; "" is any role. What is no GET
// or HEAD needs the session's CSRF token too. Commands below carry the account as their actor.
func (s *site) staffOnly(permission staff.Permission) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return staffAnswer(s.log, func(w http.ResponseWriter, r *http.Request) error {
			cookie, err := r.Cookie(s.cookieName())
			if err != nil {
				return signin.ErrNoSession
			}
			account, err := s.staff.Session(r.Context(), cookie.Value)
			if err != nil {
				return err
			}
			if r.Method != http.MethodGet && r.Method != http.MethodHead && !signin.IsCSRF(cookie.Value, r.Header.Get(csrfHeader)) {
				return &staffRefusal{http.StatusForbidden, staffCSRF}
			}
			if permission != "" && !staff.Role(account.Role).May(permission) {
				return &staffRefusal{http.StatusForbidden, staffForbidden}
			}
			origin := commands.OriginOf(r.Context())
			origin.Actor = "staff:" + account.ID.String()
			ctx := commands.WithOrigin(r.Context(), origin)
			ctx = signin.WithSession(ctx, signin.Session{Account: account, Token: cookie.Value})
			next.ServeHTTP(w, r.WithContext(ctx))
			return nil
		})
	}
}
