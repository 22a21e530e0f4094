package staffapi

import (
	"context"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/domain/catalog"
	"shop/domain/staff"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

// Looks records that staff looked at persons: whose data were shown to whoever acts under ctx, and why.
type Looks interface {
	Looked(ctx context.Context, persons []uuid.UUID, why string) error
}

// Waiting are the calls of staff about customers who wait for products.
type Waiting struct {
	Shop  reads.Shop
	Past  reads.Past
	Looks Looks
}

// Routes adds its calls. What a call reads is as new as the client's last write.
func (s *Waiting) Routes(r chi.Router, allowed endpoint.Guard, fresh func(projections ...string) func(http.Handler) http.Handler) {
	r.Method("GET", "/api/staff/waiting", fresh("restock", "stock")(allowed(staff.SeeCatalog, s.list)))
	r.Method("GET", "/api/staff/waiting/{product}", fresh("restock")(allowed(staff.SeeCatalog, s.who)))
}

// list is GET /api/staff/waiting/?at=: what is awaited, and how much of it there is.
func (s *Waiting) list(w http.ResponseWriter, r *http.Request) error {
	limit, offset, err := pageOf(r.URL.Query())
	if err != nil {
		return err
	}
	found, err := seen(r, s.Past, s.Shop, func(ctx context.Context, shop reads.Shop) ([]reads.AwaitedProduct, error) {
		return shop.Awaited(ctx, limit, offset)
	})
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string][]reads.AwaitedProduct{"results": found})
	return nil
}

// who is GET /api/staff/waiting/{product}/?at=: who waits for a product. Roles that see no persons get masked ones.
func (s *Waiting) who(w http.ResponseWriter, r *http.Request) error {
	product, err := uuid.Parse(r.PathValue("product"))
	if err != nil {
		return catalog.ErrUnknown
	}
	limit, offset, err := pageOf(r.URL.Query())
	if err != nil {
		return err
	}
	persons := may(r.Context(), staff.SeePersonal) && may(r.Context(), staff.SeeCustomers)
	found, err := seen(r, s.Past, s.Shop, func(ctx context.Context, shop reads.Shop) ([]reads.WaitingCustomer, error) {
		return shop.WaitingFor(ctx, product, persons, limit, offset)
	})
	if err != nil {
		return err
	}
	if persons && len(found) > 0 {
		ids := make([]uuid.UUID, len(found))
		for i, one := range found {
			ids[i] = one.CustomerID
		}
		if err := s.Looks.Looked(r.Context(), ids, "waiting list of "+product.String()); err != nil {
			return err
		}
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string][]reads.WaitingCustomer{"results": found})
	return nil
}
