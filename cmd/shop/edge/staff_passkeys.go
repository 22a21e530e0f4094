package edge

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/commands/identity/passkeys"
	"shop/commands/identity/signin"
	"shop/readapi/endpoint"
)

// staffPasskeys are the calls about the passkeys of one's own account.
func (s *Site) staffPasskeys(r chi.Router, mine func(endpoint.Endpoint) http.Handler) {
	getOn(r)("/api/staff/me/passkeys", mine(s.ownPasskeys))
	r.Method("POST", "/api/staff/me/passkeys/options", mine(s.beginPasskey))
	r.Method("POST", "/api/staff/me/passkeys", mine(s.addPasskey))
	r.Method("DELETE", "/api/staff/me/passkeys/{id}", mine(s.removePasskey))
	r.Method("POST", "/api/staff/me/step-up/passkey/options", mine(s.askOwnPasskey))
	r.Method("POST", "/api/staff/me/step-up/passkey", mine(s.stepUpByPasskey))
}

// passkeyProblem says to staff what is wrong with a passkey; other errors stay.
func passkeyProblem(err error) error {
	for _, said := range []struct {
		err    error
		status int
		text   string
	}{
		{passkeys.ErrUnavailable, http.StatusConflict, "Passkeys need a shop whose address has a name."},
		{passkeys.ErrChallenge, http.StatusBadRequest, "The request was answered or is too old. Try again."},
		{passkeys.ErrOrigin, http.StatusBadRequest, "The passkey answered to another site."},
		{passkeys.ErrUnknown, http.StatusBadRequest, "The passkey is not known here."},
		{signin.ErrWrong, http.StatusBadRequest, "The passkey is not known here."},
		{passkeys.ErrCopied, http.StatusBadRequest, "The counter of the passkey went back: it may have been copied. Remove it and add another."},
		{passkeys.ErrRefused, http.StatusBadRequest, "The answer of the passkey is not accepted."},
		{passkeys.ErrTooMany, http.StatusConflict, "The account has 20 passkeys. Remove one first."},
	} {
		if errors.Is(err, said.err) {
			return endpoint.Refuse(said.status, said.text)
		}
	}
	if errors.Is(err, passkeys.ErrName) {
		return endpoint.WrongField("name", "A name has 1 to 60 characters.")
	}
	return err
}

func ownerOf(r *http.Request) passkeys.Owner {
	return passkeys.Owner{Staff: signin.SessionOf(r.Context()).Account.ID}
}

// answered reads what the browser answered for an authenticator.
func answered(r *http.Request) (name string, credential []byte, err error) {
	var asked struct {
		Name       string          `json:"name"`
		Credential json.RawMessage `json:"credential"`
	}
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return "", nil, err
	}
	if len(asked.Credential) == 0 {
		return "", nil, endpoint.WrongField("credential", "Must be the answer of the browser.")
	}
	return asked.Name, asked.Credential, nil
}

// askPasskey answers with what the browser needs to ask for a passkey of staff.
func (s *Site) askPasskey(w http.ResponseWriter, r *http.Request) error {
	options, err := s.Passkeys.BeginSignIn(r.Context(), passkeys.Staff)
	if err != nil {
		return passkeyProblem(err)
	}
	endpoint.WriteJSON(w, http.StatusOK, options)
	return nil
}

// signInByPasskey answers 201 with a session. A passkey stands for both factors: the device, and what unlocks it.
func (s *Site) signInByPasskey(w http.ResponseWriter, r *http.Request) error {
	_, credential, err := answered(r)
	if err != nil {
		return err
	}
	ctx := staffClient(r)
	var in signin.SignedIn
	err = s.Passkeys.SignIn(ctx, passkeys.Staff, credential, func(tx pgx.Tx, of passkeys.Owner) (err error) {
		in.Token, err = s.Staff.BeginByPasskey(ctx, tx, of.Staff)
		return err
	})
	if err != nil {
		return passkeyProblem(err)
	}
	session, err := s.Staff.Session(ctx, in.Token)
	if err != nil {
		return err
	}
	in.Account = session.Account
	s.enter(w, r, in)
	return nil
}

func (s *Site) ownPasskeys(w http.ResponseWriter, r *http.Request) error {
	list, err := s.Passkeys.List(r.Context(), ownerOf(r))
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string]any{"passkeys": list})
	return nil
}

// beginPasskey answers with what the browser needs to make a passkey.
func (s *Site) beginPasskey(w http.ResponseWriter, r *http.Request) error {
	if err := signin.SteppedUp(r.Context()); err != nil {
		return err
	}
	options, err := s.Passkeys.BeginAdd(r.Context(), ownerOf(r), signin.SessionOf(r.Context()).Account.Email)
	if err != nil {
		return passkeyProblem(err)
	}
	endpoint.WriteJSON(w, http.StatusOK, options)
	return nil
}

func (s *Site) addPasskey(w http.ResponseWriter, r *http.Request) error {
	name, credential, err := answered(r)
	if err != nil {
		return err
	}
	made, err := s.Passkeys.Add(r.Context(), ownerOf(r), name, credential)
	if err != nil {
		return passkeyProblem(err)
	}
	endpoint.WriteJSON(w, http.StatusCreated, made)
	return nil
}

func (s *Site) removePasskey(w http.ResponseWriter, r *http.Request) error {
	if err := signin.SteppedUp(r.Context()); err != nil {
		return err
	}
	id, err := uuid.Parse(chi.URLParam(r, "id"))
	if err == nil {
		err = s.Passkeys.Remove(r.Context(), ownerOf(r), id)
	} else {
		err = passkeys.ErrUnknown
	}
	if errors.Is(err, passkeys.ErrUnknown) {
		return endpoint.Refuse(http.StatusNotFound, "There is no such passkey.")
	}
	if err != nil {
		return err
	}
	return done(w)
}

// askOwnPasskey answers with what the browser needs to ask for a passkey of the session's account.
func (s *Site) askOwnPasskey(w http.ResponseWriter, r *http.Request) error {
	options, err := s.Passkeys.BeginStepUp(r.Context(), ownerOf(r))
	if err != nil {
		return passkeyProblem(err)
	}
	endpoint.WriteJSON(w, http.StatusOK, options)
	return nil
}

// stepUpByPasskey does what stepUp does, by a passkey.
func (s *Site) stepUpByPasskey(w http.ResponseWriter, r *http.Request) error {
	_, credential, err := answered(r)
	if err != nil {
		return err
	}
	session := signin.SessionOf(r.Context())
	err = s.Passkeys.StepUp(r.Context(), ownerOf(r), credential, func(tx pgx.Tx) error { return s.Staff.ProveByPasskey(r.Context(), tx, session) })
	if err != nil {
		return passkeyProblem(err)
	}
	return done(w)
}
