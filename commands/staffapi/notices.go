package staffapi

import (
	"errors"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/identity/credential"
	"shop/commands/identity/signin"
	"shop/commands/notices"
	"shop/domain/staff"
	"shop/readapi/endpoint"
)

// Notices are the calls about what staff are told at once: everybody's own choice, and the shop's webhooks.
type Notices struct{ Board *notices.Board }

// Routes adds its calls.
func (s *Notices) Routes(r chi.Router, allowed endpoint.Guard) {
	add := func(method, path string, permission staff.Permission, e endpoint.Endpoint) {
		r.Method(method, "/api/staff/notices"+path, allowed(permission, e))
	}
	add("GET", "", "", s.show)
	add("PUT", "", "", s.choose)
	add("POST", "/trial", "", s.try)
	add("POST", "/browsers", "", s.subscribe)
	add("DELETE", "/browsers/{id}", "", s.unsubscribe)
	add("GET", "/webhooks", staff.ManageStaff, s.hooks)
	add("POST", "/webhooks", staff.ManageStaff, s.addHook)
	add("PUT", "/webhooks/{id}", staff.ManageStaff, s.changeHook)
	add("DELETE", "/webhooks/{id}", staff.ManageStaff, s.dropHook)
	add("POST", "/webhooks/{id}/trial", staff.ManageStaff, s.tryHook)
}

// wrongOr answers a field that cannot be meant beside it.
func wrongOr(err error) error {
	var wrong *notices.Wrong
	switch {
	case errors.As(err, &wrong):
		return endpoint.WrongField(wrong.Field, wrong.Text)
	case errors.Is(err, notices.ErrNoHook):
		return endpoint.Refuse(http.StatusNotFound, "There is no such webhook.")
	}
	return err
}

// done answers what has nothing to say.
func done(w http.ResponseWriter, err error) error {
	if err != nil {
		return wrongOr(err)
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// show is GET /api/staff/notices/: what may be chosen, what is, and the browsers that take pushes.
func (s *Notices) show(w http.ResponseWriter, r *http.Request) error {
	account := signin.SessionOf(r.Context()).Account
	choice, err := s.Board.ChoiceOf(r.Context(), account.ID)
	if err != nil {
		return err
	}
	browsers, err := s.Board.Devices(r.Context(), account.ID)
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, struct {
		Causes   []notices.Cause  `json:"causes"`
		Choice   notices.Choice   `json:"choice"`
		Browsers []notices.Device `json:"browsers"`
		PushKey  string           `json:"push_key"`
	}{notices.CausesFor(staff.Role(account.Role)), choice, browsers, s.Board.PushKey()})
	return nil
}

// choose is PUT /api/staff/notices/.
func (s *Notices) choose(w http.ResponseWriter, r *http.Request) error {
	var asked notices.Choice
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	account := signin.SessionOf(r.Context()).Account
	return done(w, s.Board.Choose(r.Context(), account.ID, staff.Role(account.Role), asked))
}

// try is POST /api/staff/notices/trial/.
func (s *Notices) try(w http.ResponseWriter, r *http.Request) error {
	return done(w, s.Board.Try(r.Context(), signin.SessionOf(r.Context()).Account.ID))
}

// subscribe is POST /api/staff/notices/browsers/: a PushSubscription as a browser writes it.
func (s *Notices) subscribe(w http.ResponseWriter, r *http.Request) error {
	var asked notices.Subscription
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	return done(w, s.Board.Subscribe(r.Context(), signin.SessionOf(r.Context()).Account.ID, credential.ClientOf(r.Context()).Device, asked))
}

// unsubscribe is DELETE /api/staff/notices/browsers/{id}.
func (s *Notices) unsubscribe(w http.ResponseWriter, r *http.Request) error {
	id, err := uuid.Parse(chi.URLParam(r, "id"))
	known := false
	if err == nil {
		if known, err = s.Board.Unsubscribe(r.Context(), signin.SessionOf(r.Context()).Account.ID, id); err != nil {
			return err
		}
	}
	if !known {
		return endpoint.Refuse(http.StatusNotFound, "There is no such browser.")
	}
	return done(w, nil)
}

// hooks is GET /api/staff/notices/webhooks/.
func (s *Notices) hooks(w http.ResponseWriter, r *http.Request) error {
	hooks, err := s.Board.Hooks(r.Context())
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, struct {
		Causes   []notices.Cause `json:"causes"`
		Webhooks []notices.Hook  `json:"webhooks"`
	}{notices.Causes, hooks})
	return nil
}

// addHook is POST /api/staff/notices/webhooks/.
func (s *Notices) addHook(w http.ResponseWriter, r *http.Request) error {
	var asked notices.HookSetting
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	id, err := s.Board.AddHook(r.Context(), commands.OriginOf(r.Context()).Actor, asked)
	if err != nil {
		return wrongOr(err)
	}
	endpoint.WriteJSON(w, http.StatusCreated, map[string]uuid.UUID{"id": id})
	return nil
}

// changeHook is PUT /api/staff/notices/webhooks/{id}.
func (s *Notices) changeHook(w http.ResponseWriter, r *http.Request) error {
	var asked notices.HookSetting
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	return s.ofHook(w, r, func(id uuid.UUID) error {
		return s.Board.ChangeHook(r.Context(), commands.OriginOf(r.Context()).Actor, id, asked)
	})
}

// dropHook is DELETE /api/staff/notices/webhooks/{id}.
func (s *Notices) dropHook(w http.ResponseWriter, r *http.Request) error {
	return s.ofHook(w, r, func(id uuid.UUID) error { return s.Board.DropHook(r.Context(), id) })
}

// tryHook is POST /api/staff/notices/webhooks/{id}/trial/.
func (s *Notices) tryHook(w http.ResponseWriter, r *http.Request) error {
	return s.ofHook(w, r, func(id uuid.UUID) error { return s.Board.TryHook(r.Context(), id) })
}

func (s *Notices) ofHook(w http.ResponseWriter, r *http.Request, do func(id uuid.UUID) error) error {
	id, err := uuid.Parse(chi.URLParam(r, "id"))
	if err != nil {
		return wrongOr(notices.ErrNoHook)
	}
	return done(w, do(id))
}
