package staffapi

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/identity"
	"shop/commands/identity/signin"
	"shop/domain"
	"shop/domain/customer"
	"shop/domain/staff"
	"shop/eventstore"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

// Customers are the calls of staff about accounts of customers.
type Customers struct {
	Accounts *identity.Accounts
	Bonuses  *commands.Bonuses
	Shop     reads.Shop
	Sheets   *reads.Reader
	Past     reads.Past
	// Staff knows the accounts of staff.
	Staff *signin.Accounts
	Looks Looks
	Log   *slog.Logger
}

// Routes adds its calls. What a call reads is as new as the client's last write.
func (c *Customers) Routes(r chi.Router, allowed endpoint.Guard, fresh func(projections ...string) func(http.Handler) http.Handler) {
	const one = "/api/staff/customers/{id}"
	r.Method("POST", "/api/staff/customers/search", fresh("customer", "orders")(allowed(staff.SeeCustomers, c.search)))
	r.Method("GET", one, fresh("customer", "orders")(allowed(staff.SeeCustomers, c.sheet)))
	r.Method("POST", one+"/notes", allowed(staff.SeeCustomers, c.note))
	r.Method("GET", "/api/staff/customers/groups", fresh("customer")(allowed(staff.SeeCustomers, c.groups)))
	r.Method("POST", one+"/groups", allowed(staff.ChangeCustomers, c.group))
	r.Method("POST", one+"/bonuses", allowed(staff.ChangeCustomers, c.adjust))
	r.Method("DELETE", one+"/sessions", allowed(staff.ChangeCustomers, c.signOut))
	r.Method("POST", one+"/export", allowed(staff.ChangeCustomers, c.export))
	r.Method("POST", one+"/erasure", allowed(staff.ErasePersonal, c.propose))
	r.Method("POST", one+"/erasure/confirmation", allowed(staff.ErasePersonal, c.confirm))
	r.Method("POST", one+"/erasure/withdrawal", allowed(staff.ErasePersonal, c.withdraw))
}

// customerIn is the customer that a request names.
func customerIn(r *http.Request) (uuid.UUID, error) {
	id, err := uuid.Parse(r.PathValue("id"))
	if err != nil {
		return uuid.UUID{}, customer.ErrUnknown
	}
	return id, nil
}

// search is POST /api/staff/customers/search/. It is a POST because who is searched for stands in no address.
func (c *Customers) search(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		reads.CustomerSearch
		Limit  *int `json:"limit"`
		Offset int  `json:"offset"`
	}
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	f := asked.CustomerSearch
	if f.Limit = 50; asked.Limit != nil {
		f.Limit = *asked.Limit
	}
	f.Offset = asked.Offset
	switch {
	case f.State != "" && !slices.Contains(reads.CustomerStates, f.State):
		return endpoint.WrongField("state", "Must be active, leaving, erased or proposed.")
	case f.Limit < 1 || f.Limit > maxPage:
		return endpoint.WrongField("limit", fmt.Sprintf("Must be 1 to %d.", maxPage))
	case f.Offset < 0 || f.Offset > 10_000:
		return endpoint.WrongField("offset", "Must be 0 to 10000.")
	}
	persons := may(r.Context(), staff.SeePersonal)
	found, err := thenOrNow(r, c.Past, func(ctx context.Context, at *reads.Then) (reads.FoundCustomers, error) {
		return at.SearchCustomers(ctx, c.Shop, f, persons)
	}, func(ctx context.Context) (reads.FoundCustomers, error) {
		return c.Shop.SearchCustomers(ctx, f, persons)
	})
	if err != nil {
		return err
	}
	if persons && len(found.Results) > 0 {
		ids := make([]uuid.UUID, len(found.Results))
		for i, row := range found.Results {
			ids[i] = row.ID
		}
		if err := c.Looks.Looked(r.Context(), ids, "list of customers"); err != nil {
			return err
		}
	}
	endpoint.WriteJSON(w, http.StatusOK, found)
	return nil
}

// sheet is GET /api/staff/customers/{id}/: everything about a customer on one page.
func (c *Customers) sheet(w http.ResponseWriter, r *http.Request) error {
	id, err := customerIn(r)
	if err != nil {
		return err
	}
	persons := may(r.Context(), staff.SeePersonal)
	names, sessions := reads.Names(c.Staff.Names(r.Context(), c.Log)), 0
	view, err := thenOrNow(r, c.Past, func(ctx context.Context, at *reads.Then) (reads.CustomerSheet, error) {
		return at.CustomerSheet(ctx, c.Shop, id, persons, names)
	}, func(ctx context.Context) (view reads.CustomerSheet, err error) {
		view, sessions, err = c.present(ctx, id, persons, names)
		return view, err
	})
	if err != nil {
		return err
	}
	if persons {
		if err := c.Looks.Looked(r.Context(), []uuid.UUID{id}, "page of the customer"); err != nil {
			return err
		}
	}
	if !may(r.Context(), staff.ModerateReviews) {
		view.Reviews = []reads.ReviewLine{}
	}
	endpoint.WriteJSON(w, http.StatusOK, struct {
		reads.CustomerSheet
		Sessions int `json:"sessions"`
	}{view, sessions})
	return nil
}

// present is the sheet of now, with how many sign-ins the customer has.
func (c *Customers) present(ctx context.Context, id uuid.UUID, persons bool, names reads.Names) (reads.CustomerSheet, int, error) {
	view, err := c.Sheets.CustomerSheet(ctx, id, persons, names)
	if err != nil {
		return view, 0, err
	}
	sessions, err := c.Accounts.SignIns.Sessions(ctx, id, "")
	return view, len(sessions), err
}

// note is POST /api/staff/customers/{id}/notes/: {"text": "…"}.
func (c *Customers) note(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Text string `json:"text"`
	}
	return c.act(w, r, &asked, func(id uuid.UUID) (eventstore.Position, error) { return c.Accounts.Note(r.Context(), id, asked.Text) })
}

// groups is GET /api/staff/customers/groups/: the groups of customers.
func (c *Customers) groups(w http.ResponseWriter, r *http.Request) error {
	found, err := seen(r, c.Past, c.Shop, func(ctx context.Context, shop reads.Shop) ([]reads.CustomerGroup, error) {
		return shop.CustomerGroups(ctx)
	})
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string][]reads.CustomerGroup{"results": found})
	return nil
}

// group is POST /api/staff/customers/{id}/groups/: {"group": "VIP", "in": true}.
func (c *Customers) group(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Group string `json:"group"`
		In    bool   `json:"in"`
	}
	return c.act(w, r, &asked, func(id uuid.UUID) (eventstore.Position, error) {
		return c.Accounts.Group(r.Context(), id, asked.Group, asked.In)
	})
}

// adjust is POST /api/staff/customers/{id}/bonuses/: {"id": "…", "amount": 500, "reason": "…"}, within the role's limit.
func (c *Customers) adjust(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		ID     uuid.UUID    `json:"id"`
		Amount domain.Money `json:"amount"`
		Reason string       `json:"reason"`
	}
	return c.act(w, r, &asked, func(id uuid.UUID) (eventstore.Position, error) {
		switch limit := limitsOf(r.Context()).Bonus; {
		case asked.ID == uuid.Nil:
			return 0, endpoint.WrongField("id", "Must be an id of its own for each adjustment.")
		case strings.TrimSpace(asked.Reason) == "":
			return 0, endpoint.WrongField("reason", "Must not be empty.")
		case limit > 0 && (asked.Amount > limit || asked.Amount < -limit):
			return 0, endpoint.WrongField("amount", fmt.Sprintf("Your role may move at most %d bonuses at once.", limit))
		}
		return c.Bonuses.Adjust(r.Context(), id, asked.ID, asked.Amount, asked.Reason)
	})
}

// signOut is DELETE /api/staff/customers/{id}/sessions/: all sign-ins of the customer end.
func (c *Customers) signOut(w http.ResponseWriter, r *http.Request) error {
	id, err := customerIn(r)
	if err != nil {
		return err
	}
	ended, err := c.Accounts.SignOutEverywhere(r.Context(), id)
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string]int64{"ended": ended})
	return nil
}

// export is POST /api/staff/customers/{id}/export/: {"reason": "…"}: all that the shop holds of the customer, as the customer gets it.
func (c *Customers) export(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Reason string `json:"reason"`
	}
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	if err := signin.SteppedUp(r.Context()); err != nil {
		return err
	}
	reason := strings.TrimSpace(asked.Reason)
	if reason == "" || len(reason) > maxReason {
		return endpoint.WrongField("reason", "Must be a text of at most 1000 bytes.")
	}
	id, err := customerIn(r)
	if err != nil {
		return err
	}
	if !may(r.Context(), staff.SeePersonal) {
		return endpoint.Refuse(http.StatusForbidden, endpoint.StaffForbidden)
	}
	// It is recorded before it leaves.
	if err := c.Looks.Looked(r.Context(), []uuid.UUID{id}, "export: "+reason); err != nil {
		return err
	}
	state, err := commands.See(r.Context(), c.Accounts.Handler, commands.CustomerStream(id))
	if err != nil {
		return err
	}
	if !state.Exists() {
		return customer.ErrUnknown
	}
	if !state.Open() {
		return customer.ErrErased
	}
	all, err := c.Accounts.Export(r.Context(), id)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Disposition", `attachment; filename="customer-`+id.String()+`.json"`)
	endpoint.WriteJSON(w, http.StatusOK, all)
	return nil
}

// propose is POST /api/staff/customers/{id}/erasure/: {"reason": "…"}. A second account of staff has to confirm it.
func (c *Customers) propose(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Reason string `json:"reason"`
	}
	return c.act(w, r, &asked, func(id uuid.UUID) (eventstore.Position, error) {
		if err := signin.SteppedUp(r.Context()); err != nil {
			return 0, err
		}
		return c.Accounts.ProposeErasure(r.Context(), id, me(r.Context()), asked.Reason)
	})
}

// confirm is POST /api/staff/customers/{id}/erasure/confirmation/: who proposed it may not.
func (c *Customers) confirm(w http.ResponseWriter, r *http.Request) error {
	var nothing struct{}
	return c.act(w, r, &nothing, func(id uuid.UUID) (eventstore.Position, error) {
		if err := signin.SteppedUp(r.Context()); err != nil {
			return 0, err
		}
		return c.Accounts.ConfirmErasure(r.Context(), id, me(r.Context()))
	})
}

// withdraw is POST /api/staff/customers/{id}/erasure/withdrawal/: anybody who may erase may keep.
func (c *Customers) withdraw(w http.ResponseWriter, r *http.Request) error {
	var nothing struct{}
	return c.act(w, r, &nothing, func(id uuid.UUID) (eventstore.Position, error) {
		return c.Accounts.WithdrawErasure(r.Context(), id, me(r.Context()))
	})
}

// act reads a body, changes the customer that the request names, and answers with nothing.
func (c *Customers) act(w http.ResponseWriter, r *http.Request, body any, change func(id uuid.UUID) (eventstore.Position, error)) error {
	if err := endpoint.StaffBody(r, body); err != nil {
		return err
	}
	id, err := customerIn(r)
	if err != nil {
		return err
	}
	position, err := change(id)
	if err != nil {
		return err
	}
	return written(w, position)
}
