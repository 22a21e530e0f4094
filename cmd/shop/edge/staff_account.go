package edge

import (
	"context"
	"errors"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands/identity/credential"
	"shop/commands/identity/signin"
	"shop/readapi/endpoint"
)

// What staff are told of their own accounts.
const (
	staffWrongCode     = "The code is wrong, or was used already."
	staffWrongPassword = "The password is wrong."
	staffNoSession     = "There is no such session."
)

// ownAccount are the calls by which staff look after their own accounts.
func (s *Site) ownAccount(r chi.Router) {
	mine := func(e endpoint.Endpoint) http.Handler { return s.allowed("", e) }
	getOn(r)("/api/staff/me/sessions", mine(s.ownSessions))
	r.Method("DELETE", "/api/staff/me/sessions", mine(s.endOtherSessions))
	r.Method("DELETE", "/api/staff/me/sessions/{id}", mine(s.endSession))
	getOn(r)("/api/staff/me/step-up", mine(s.steppedUp))
	r.Method("POST", "/api/staff/me/step-up", mine(s.stepUp))
	r.Method("POST", "/api/staff/me/password", mine(s.changePassword))
	r.Method("POST", "/api/staff/me/recovery-codes", mine(s.renewCodes))
	r.Method("POST", "/api/staff/me/authenticator", mine(s.nextAuthenticator))
	r.Method("POST", "/api/staff/me/authenticator/confirmation", mine(s.confirmAuthenticator))
	s.staffPasskeys(r, mine)
}

// staffClient is the context of a sign-in that knows which program it comes from.
func staffClient(r *http.Request) context.Context {
	return credential.WithClient(r.Context(), credential.Client{Device: credential.Device(r.UserAgent()), Network: credential.Network(clientAddr(r).String())})
}

func done(w http.ResponseWriter) error {
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// wrong names the field of a credential that is wrong: 401 would say that the session is over.
func wrong(field, text string, err error) error {
	if errors.Is(err, signin.ErrWrong) {
		return endpoint.WrongField(field, text)
	}
	return err
}

func (s *Site) ownSessions(w http.ResponseWriter, r *http.Request) error {
	sessions, err := s.Staff.Sessions(r.Context(), signin.SessionOf(r.Context()))
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string]any{"sessions": sessions})
	return nil
}

func (s *Site) endSession(w http.ResponseWriter, r *http.Request) error {
	id, err := uuid.Parse(chi.URLParam(r, "id"))
	if err == nil {
		err = s.Staff.EndSession(r.Context(), signin.SessionOf(r.Context()), id)
	} else {
		err = signin.ErrUnknownSession
	}
	if errors.Is(err, signin.ErrUnknownSession) {
		return endpoint.Refuse(http.StatusNotFound, staffNoSession)
	}
	if err != nil {
		return err
	}
	return done(w)
}

func (s *Site) endOtherSessions(w http.ResponseWriter, r *http.Request) error {
	if err := s.Staff.EndOthers(r.Context(), signin.SessionOf(r.Context())); err != nil {
		return err
	}
	return done(w)
}

// steppedUp says whether the second factor was shown lately. Pages ask it before what they do not send themselves, such as a
// download.
func (s *Site) steppedUp(w http.ResponseWriter, r *http.Request) error {
	if err := signin.SteppedUp(r.Context()); err != nil {
		return err
	}
	return done(w)
}

// stepUp takes a code, after which what asks for a second factor again lets the session through for some minutes.
func (s *Site) stepUp(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Code string `json:"code"`
	}
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	if err := s.Staff.StepUp(r.Context(), signin.SessionOf(r.Context()), asked.Code); err != nil {
		return wrong("code", staffWrongCode, err)
	}
	return done(w)
}

func (s *Site) changePassword(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Current string `json:"current_password"`
		New     string `json:"new_password"`
	}
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	err := s.Staff.ChangePassword(r.Context(), signin.SessionOf(r.Context()), asked.Current, asked.New)
	if errors.Is(err, signin.ErrWeakPassword) {
		_, text := staffWord(err)
		return endpoint.WrongField("new_password", text)
	}
	if err != nil {
		return wrong("current_password", staffWrongPassword, err)
	}
	return done(w)
}

// renewCodes answers with recovery codes that replace the former ones; they are shown once.
func (s *Site) renewCodes(w http.ResponseWriter, r *http.Request) error {
	if err := signin.SteppedUp(r.Context()); err != nil {
		return err
	}
	codes, err := s.Staff.RenewCodes(r.Context(), signin.SessionOf(r.Context()))
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string]any{"recovery_codes": codes})
	return nil
}

// nextAuthenticator answers with what another authenticator needs, for the password and a code of the present one.
func (s *Site) nextAuthenticator(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Password string `json:"password"`
		Code     string `json:"code"`
	}
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	enrolment, err := s.Staff.NextAuthenticator(r.Context(), signin.SessionOf(r.Context()), asked.Password, asked.Code)
	if err != nil {
		return wrong("code", "The password or the code is wrong.", err)
	}
	endpoint.WriteJSON(w, http.StatusOK, enrolment)
	return nil
}

// confirmAuthenticator takes the first code of the other authenticator, which then replaces the present one.
func (s *Site) confirmAuthenticator(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Code string `json:"code"`
	}
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	if err := s.Staff.ConfirmAuthenticator(r.Context(), signin.SessionOf(r.Context()), asked.Code); err != nil {
		return wrong("code", staffWrongCode, err)
	}
	return done(w)
}
