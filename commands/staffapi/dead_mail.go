package staffapi

import (
	"context"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands/identity/signin"
	"shop/domain/staff"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

// postbox tries dead letters again; mail.Outbox does.
type postbox interface {
	// Retry makes a dead letter due now and tells how many it found.
	Retry(ctx context.Context, id uuid.UUID) (int64, error)
}

// DeadMail are the calls of staff about letters that could not be sent.
type DeadMail struct {
	Shop   reads.Shop
	Outbox postbox
	// Retried records who sent a letter again.
	Retried func(ctx context.Context, id uuid.UUID) error
}

// Routes adds its calls.
func (s *DeadMail) Routes(r chi.Router, allowed endpoint.Guard, fresh func(projections ...string) func(http.Handler) http.Handler) {
	r.Method("GET", "/api/staff/letters/dead", fresh("orders", "customer")(allowed(staff.ChangeOrders, s.list)))
	r.Method("POST", "/api/staff/letters/{letter}/retry", allowed(staff.ChangeOrders, s.retry))
}

// list is GET /api/staff/letters/dead/: whom the shop could not write to, about what, since when and why.
func (s *DeadMail) list(w http.ResponseWriter, r *http.Request) error {
	limit, offset, err := pageOf(r.URL.Query())
	if err != nil {
		return err
	}
	persons := may(r.Context(), staff.SeePersonal)
	found, all, err := s.Shop.DeadMails(r.Context(), persons, limit, offset)
	if err != nil {
		return err
	}
	for _, one := range found {
		if persons && one.About != nil {
			signin.LookedAt(r.Context(), "letters that could not be sent", *one.About)
		}
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string]any{"results": found, "count": all})
	return nil
}

// retry is POST /api/staff/letters/{letter}/retry/: the letter is due now, with all attempts ahead. One that waits again or was sent
// is not found, so a second press sends nothing twice.
func (s *DeadMail) retry(w http.ResponseWriter, r *http.Request) error {
	gone := endpoint.Refuse(http.StatusNotFound, "There is no such letter, or it is being sent again.")
	id, err := uuid.Parse(r.PathValue("letter"))
	if err != nil || id == uuid.Nil { // which would mean all
		return gone
	}
	n, err := s.Outbox.Retry(r.Context(), id)
	if err != nil {
		return err
	}
	if n == 0 {
		return gone
	}
	if err := s.Retried(r.Context(), id); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
