package staffapi

import (
	"context"
	"errors"
	"net/http"
	"net/mail"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands/identity"
	"shop/commands/identity/signin"
	"shop/domain/staff"
	"shop/readapi/endpoint"
)

// Team are the calls about the accounts of staff. Whatever changes one needs a second factor shown lately.
type Team struct {
	Staff    *identity.Staff
	Accounts *signin.Accounts
}

// passwordPage is where a one-time link leads. What follows the # reaches no server's log.
const passwordPage = "/ops/password#"

// Invitation is an account with a link that is shown once.
type Invitation struct {
	Account signin.Member `json:"account"`
	Link    Link          `json:"link"`
}

// Link is a path of the shop with which the account's owner chooses a password, once, until it ends.
type Link struct {
	Path   string    `json:"path"`
	EndsAt time.Time `json:"ends_at"`
}

// Routes adds its calls.
func (t *Team) Routes(r chi.Router, allowed endpoint.Guard) {
	r.Method("GET", "/api/staff/accounts", allowed(staff.ManageStaff, t.list))
	change := func(method, path string, e endpoint.Endpoint) {
		r.Method(method, "/api/staff/accounts"+path, allowed(staff.ManageStaff, func(w http.ResponseWriter, r *http.Request) error {
			if err := signin.SteppedUp(r.Context()); err != nil {
				return err
			}
			return e(w, r)
		}))
	}
	change("POST", "", t.add)
	change("POST", "/{id}/invitation", t.invite)
	change("POST", "/{id}/reset", t.reset)
	change("PUT", "/{id}/role", t.role)
	change("PUT", "/{id}/access", t.access)
	change("DELETE", "/{id}/attempts", t.does((*identity.Staff).Unlock))
	change("DELETE", "/{id}/sessions", t.does((*identity.Staff).EndSessions))
}

func (t *Team) list(w http.ResponseWriter, r *http.Request) error {
	members, err := t.Accounts.Members(r.Context())
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string][]signin.Member{"accounts": members})
	return nil
}

// named is the account of a request's path.
func (t *Team) named(r *http.Request) (signin.Member, error) {
	id, err := uuid.Parse(r.PathValue("id"))
	if err != nil {
		return signin.Member{}, staff.ErrUnknown
	}
	member, err := t.Accounts.Member(r.Context(), id)
	if errors.Is(err, signin.ErrUnknown) {
		err = staff.ErrUnknown
	}
	return member, err
}

// wrongField names the field that a refusal is about.
func wrongField(err error) error {
	switch {
	case errors.Is(err, staff.ErrBadRole):
		return endpoint.WrongField("role", staff.ErrBadRole.Message)
	case errors.Is(err, staff.ErrBadEmail):
		return endpoint.WrongField("email", staff.ErrBadEmail.Message)
	case errors.Is(err, staff.ErrExists):
		return endpoint.WrongField("email", staff.ErrExists.Message)
	}
	return err
}

func (t *Team) add(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Email string     `json:"email"`
		Role  staff.Role `json:"role"`
	}
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	email := staff.NormalEmail(asked.Email)
	if a, err := mail.ParseAddress(email); err != nil || a.Address != email || len(email) > 254 {
		return wrongField(staff.ErrBadEmail)
	}
	id, err := t.Staff.Add(r.Context(), email, asked.Role)
	if err != nil {
		return wrongField(err)
	}
	return t.link(w, r.Context(), http.StatusCreated, id, email)
}

// link answers with a new link for an account.
func (t *Team) link(w http.ResponseWriter, ctx context.Context, status int, id uuid.UUID, email string) error {
	token, ends, err := t.Staff.Invite(ctx, email)
	if err != nil {
		return err
	}
	member, err := t.Accounts.Member(ctx, id)
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, status, Invitation{member, Link{passwordPage + token, ends}})
	return nil
}

func (t *Team) invite(w http.ResponseWriter, r *http.Request) error {
	member, err := t.named(r)
	if err != nil {
		return err
	}
	return t.link(w, r.Context(), http.StatusCreated, member.ID, member.Email)
}

func (t *Team) reset(w http.ResponseWriter, r *http.Request) error {
	member, err := t.named(r)
	if err == nil {
		_, err = t.Staff.Reset(r.Context(), member.Email)
	}
	if err != nil {
		return err
	}
	return t.link(w, r.Context(), http.StatusCreated, member.ID, member.Email)
}

func (t *Team) role(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Role staff.Role `json:"role"`
	}
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	return t.does(func(team *identity.Staff, ctx context.Context, email string) error {
		return wrongField(team.ChangeRole(ctx, email, asked.Role))
	})(w, r)
}

func (t *Team) access(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Enabled *bool `json:"enabled"`
	}
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	switch {
	case asked.Enabled == nil:
		return endpoint.WrongField("enabled", "Want true or false.")
	case *asked.Enabled:
		return t.does((*identity.Staff).Enable)(w, r)
	}
	return t.does((*identity.Staff).Disable)(w, r)
}

// does changes the account of the path and answers with it as it is then.
func (t *Team) does(change func(*identity.Staff, context.Context, string) error) endpoint.Endpoint {
	return func(w http.ResponseWriter, r *http.Request) error {
		member, err := t.named(r)
		if err == nil {
			err = change(t.Staff, r.Context(), member.Email)
		}
		if err == nil {
			member, err = t.Accounts.Member(r.Context(), member.ID)
		}
		if err != nil {
			return err
		}
		endpoint.WriteJSON(w, http.StatusOK, member)
		return nil
	}
}
