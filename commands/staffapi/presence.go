package staffapi

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"shop/commands/identity/signin"
	"shop/domain/staff"
	"shop/readapi/endpoint"
)

// openTo are the sorts of things that a page may say to have open, with the permission that shows them.
var openTo = map[string]staff.Permission{
	"order":    staff.SeeOrders,
	"product":  staff.SeeCatalog,
	"category": staff.SeeCatalog, "brand": staff.SeeCatalog, "mark": staff.SeeCatalog,
	"content": staff.ChangeContent, "post": staff.ChangeContent, "document": staff.ChangeContent,
	"settings": staff.ChangeRules, "rules": staff.ChangeRules,
}

// Presence are the calls by which a page says what it has open, and hears who else has.
type Presence struct{ Accounts *signin.Accounts }

// Routes adds its calls. Whoever is signed in may say it of what the role sees.
func (s *Presence) Routes(r chi.Router, allowed endpoint.Guard) {
	r.Method("POST", "/api/staff/presence", allowed("", s.say))
	r.Method("DELETE", "/api/staff/presence", allowed("", s.leave))
}

// opened is what a page has open.
type opened struct {
	Thing   string `json:"thing"`
	ID      string `json:"id"`
	Editing bool   `json:"editing"`
}

func (o opened) check(r *http.Request) error {
	needs, known := openTo[o.Thing]
	switch {
	case !known:
		return endpoint.WrongField("thing", "There is no such sort of things.")
	case o.ID == "" || len(o.ID) > 100:
		return endpoint.WrongField("id", "Needs 1 to 100 characters.")
	case !may(r.Context(), needs):
		return endpoint.Refuse(http.StatusForbidden, endpoint.StaffForbidden)
	}
	return nil
}

// say is POST /api/staff/presence/: who else has the same thing open.
func (s *Presence) say(w http.ResponseWriter, r *http.Request) error {
	var o opened
	if err := endpoint.StaffBody(r, &o); err != nil {
		return err
	}
	if err := o.check(r); err != nil {
		return err
	}
	others, err := s.Accounts.Present(r.Context(), signin.SessionOf(r.Context()).Account.ID, o.Thing, o.ID, o.Editing)
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string][]signin.Present{"results": others})
	return nil
}

// leave is DELETE /api/staff/presence/?thing=&id=: the page was closed.
func (s *Presence) leave(w http.ResponseWriter, r *http.Request) error {
	o := opened{Thing: r.URL.Query().Get("thing"), ID: r.URL.Query().Get("id")}
	if err := o.check(r); err != nil {
		return err
	}
	return done(w, s.Accounts.Left(r.Context(), signin.SessionOf(r.Context()).Account.ID, o.Thing, o.ID))
}
