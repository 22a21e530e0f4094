package staffapi

import (
	"context"
	"net/http"
	"strconv"

	"shop/commands/identity/signin"
	"shop/domain/order"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

// letters are what customers were written.
type letters interface {
	// Letter is the one that the event of a stream's version caused.
	Letter(ctx context.Context, stream string, version int64) (reads.OrderLetter, error)
}

// letter is GET /api/staff/orders/{order}/letters/{version}/: the letter that an event of the order caused, as it was sent.
func (s *Orders) letter(w http.ResponseWriter, r *http.Request) error {
	id, err := s.named(r.Context(), r.PathValue("order"))
	if err != nil {
		return err
	}
	version, err := strconv.ParseInt(r.PathValue("version"), 10, 64)
	if err != nil {
		version = 0 // which no event has
	}
	signin.LookedAt(r.Context(), "order letter", id)
	letter, err := s.Letters.Letter(r.Context(), order.Stream(id), version)
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, letter)
	return nil
}
