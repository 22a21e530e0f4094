package staffapi

import (
	"context"
	"errors"
	"io/fs"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands/identity/signin"
	"shop/domain/order"
	"shop/domain/staff"
	"shop/eventstore"
	"shop/readapi/endpoint"
)

// photoRoutes adds the calls about photos of hand-overs.
func (s *Parcels) photoRoutes(r chi.Router, allowed endpoint.Guard) {
	r.Method("POST", "/api/staff/stops/{order}/photos", allowed(staff.Deliver, s.photograph))
	r.Method("GET", "/api/staff/orders/{order}/photos/{photo}", allowed(staff.SeePersonal, s.photo))
	r.Handle("POST /api/staff/orders/{order}/photos/removal", allowed(staff.ChangeOrders, s.change(
		func(ctx context.Context, id uuid.UUID, _ parcelChange) (eventstore.Position, error) {
			return s.Parcels.RemovePhotos(ctx, id)
		})))
}

// photograph is POST /api/staff/stops/{order}/photos/: the body is the image.
func (s *Parcels) photograph(w http.ResponseWriter, r *http.Request) error {
	id, err := s.Orders.named(r.Context(), r.PathValue("order"))
	if err != nil {
		return err
	}
	image, err := readImage(w, r)
	if err != nil {
		return err
	}
	position, err := s.Parcels.Photograph(r.Context(), me(r.Context()), id, image)
	if err != nil {
		return besideField(err)
	}
	return written(w, position)
}

// photo is GET /api/staff/orders/{order}/photos/{photo}/?small=true. It may show a person and a home: no cache keeps it, and each look
// is recorded.
func (s *Parcels) photo(w http.ResponseWriter, r *http.Request) error {
	if !may(r.Context(), staff.SeeOrders) {
		return endpoint.Refuse(http.StatusForbidden, "Your role may not see orders.")
	}
	id, err := s.Orders.named(r.Context(), r.PathValue("order"))
	if err != nil {
		return err
	}
	photo, err := uuid.Parse(r.PathValue("photo"))
	if err != nil {
		return order.ErrUnknown
	}
	w.Header().Set("Cache-Control", "no-store")
	err = s.Album.ServeTo(w, r, id, photo, r.URL.Query().Get("small") == "true")
	if errors.Is(err, fs.ErrNotExist) {
		return order.ErrUnknown
	}
	if err == nil {
		signin.LookedAt(r.Context(), "delivery photo", id)
	}
	return err
}
