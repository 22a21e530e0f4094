package staffapi

import (
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands/identity"
	"shop/domain/customer"
	"shop/domain/staff"
	"shop/readapi/endpoint"
)

// Customers are the calls of staff about accounts of customers.
type Customers struct{ Accounts *identity.Accounts }

// Routes adds its calls.
func (c *Customers) Routes(r chi.Router, allowed endpoint.Guard) {
	r.Method("DELETE", "/api/staff/customers/{id}/sessions", allowed(staff.ChangeCustomers, c.signOut))
}

// signOut is DELETE /api/staff/customers/{id}/sessions/: all sign-ins of the customer end.
func (c *Customers) signOut(w http.ResponseWriter, r *http.Request) error {
	id, err := uuid.Parse(r.PathValue("id"))
	if err != nil {
		return customer.ErrUnknown
	}
	ended, err := c.Accounts.SignOutEverywhere(r.Context(), id)
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string]int64{"ended": ended})
	return nil
}
