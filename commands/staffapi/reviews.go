package staffapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/identity"
	"shop/domain/review"
	"shop/domain/staff"
	"shop/eventstore"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

// Reviews are the calls of staff about reviews.
type Reviews struct {
	Reviews *commands.Reviews
	// Guests forget who wrote a review.
	Guests *identity.Guests
	Lines  reads.Shop
}

// Routes adds its calls.
func (s *Reviews) Routes(r chi.Router, allowed endpoint.Guard) {
	add := func(method, path string, permission staff.Permission, e endpoint.Endpoint) {
		r.Method(method, "/api/staff/reviews"+path, allowed(permission, e))
	}
	add("GET", "", staff.ModerateReviews, s.list)
	add("POST", "/{id}/answer", staff.ModerateReviews, s.change(func(ctx context.Context, id uuid.UUID, text string) (eventstore.Position, error) {
		return s.Reviews.Answer(ctx, id, text)
	}))
	add("POST", "/{id}/hide", staff.ModerateReviews, s.change(func(ctx context.Context, id uuid.UUID, text string) (eventstore.Position, error) {
		return s.Reviews.Hide(ctx, id, text)
	}))
	add("POST", "/{id}/show", staff.ModerateReviews, s.change(func(ctx context.Context, id uuid.UUID, _ string) (eventstore.Position, error) {
		return s.Reviews.Show(ctx, id)
	}))
	add("POST", "/{id}/remove-photos", staff.ModerateReviews, s.change(func(ctx context.Context, id uuid.UUID, _ string) (eventstore.Position, error) {
		return s.Reviews.RemovePhotos(ctx, id)
	}))
	add("POST", "/{id}/erasure", staff.ErasePersonal, s.change(func(ctx context.Context, id uuid.UUID, _ string) (eventstore.Position, error) {
		return s.Guests.ForgetReview(ctx, id)
	}))
}

func (s *Reviews) list(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	number := func(name string, fallback, most int) (int, error) {
		text := q.Get(name)
		if text == "" {
			return fallback, nil
		}
		n, err := strconv.Atoi(text)
		if err == nil && (n < 0 || n > most) {
			err = strconv.ErrRange
		}
		return n, err
	}
	limit, badLimit := number("limit", 50, 500)
	offset, badOffset := number("offset", 0, 1_000_000)
	state := q.Get("state")
	if err := errors.Join(badLimit, badOffset); err != nil || state != "" && !slices.Contains(reads.ReviewStates, state) {
		return endpoint.Refuse(http.StatusBadRequest, "state is shown, pending or hidden; limit and offset are numbers.")
	}
	lines, err := s.Lines.Reviews(r.Context(), state, limit, offset)
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string][]reads.ReviewLine{"results": append([]reads.ReviewLine{}, lines...)})
	return nil
}

// change takes {"text": "…"}: the reply, or why a review is hidden.
func (s *Reviews) change(do func(context.Context, uuid.UUID, string) (eventstore.Position, error)) endpoint.Endpoint {
	return func(w http.ResponseWriter, r *http.Request) error {
		id, err := uuid.Parse(r.PathValue("id"))
		if err != nil {
			return endpoint.Refuse(http.StatusNotFound, "There is no such review.")
		}
		var asked struct {
			Text string `json:"text"`
		}
		if err := endpoint.StaffBody(r, &asked); err != nil {
			return err
		}
		position, err := do(r.Context(), id, asked.Text)
		if errors.Is(err, review.ErrUnknown) {
			return endpoint.Refuse(http.StatusNotFound, "There is no such review.")
		}
		if err != nil {
			return err
		}
		return written(w, position)
	}
}
