package staffapi

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"slices"
	"strconv"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/identity"
	"shop/domain"
	"shop/domain/reply"
	"shop/domain/review"
	"shop/domain/staff"
	"shop/eventstore"
	"shop/readapi"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

// Reviews are the calls of staff about reviews.
type Reviews struct {
	Reviews *commands.Reviews
	// Guests forget who wrote a review.
	Guests *identity.Guests
	Lines  reads.Shop
	Past   reads.Past
	Album  album
}

// album has the photos of customers; photos.Album does.
type album interface {
	Serve(w http.ResponseWriter, r *http.Request, name string, shows func(ctx context.Context, owner, photo domain.ID) (bool, error)) error
}

// Routes adds its calls.
func (s *Reviews) Routes(r chi.Router, allowed endpoint.Guard) {
	add := func(method, path string, permission staff.Permission, e endpoint.Endpoint) {
		r.Method(method, "/api/staff/reviews"+path, allowed(permission, e))
	}
	add("GET", "", staff.ModerateReviews, s.list)
	add("GET", "/photos/{name}", staff.ModerateReviews, s.photo)
	add("GET", "/templates", staff.ModerateReviews, s.templates)
	add("PUT", "/templates", staff.ModerateReviews, s.keepTemplates)
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

// list is GET /api/staff/reviews/?at=: the queue, narrowed by state, stars, photos, product and what has no reply.
func (s *Reviews) list(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	limit, offset, err := pageOf(q)
	if err != nil {
		return err
	}
	f := reads.ReviewSearch{
		State: q.Get("state"), Photo: q.Get("photo") == "true", Unanswered: q.Get("unanswered") == "true",
		Product: readapi.Clean(q.Get("product"), maxProduct), Limit: limit, Offset: offset,
	}
	if f.State != "" && !slices.Contains(reads.ReviewStates, f.State) {
		return endpoint.WrongField("state", "Must be shown, pending or hidden.")
	}
	if text := q.Get("stars"); text != "" {
		if f.Stars, err = strconv.Atoi(text); err != nil || f.Stars < 1 || f.Stars > 5 {
			return endpoint.WrongField("stars", "Must be a number from 1 to 5.")
		}
	}
	found, err := seen(r, s.Past, s.Lines, func(ctx context.Context, shop reads.Shop) (reads.FoundReviews, error) {
		return shop.SearchReviews(ctx, f, may(ctx, staff.SeeOrders))
	})
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, found)
	return nil
}

// maxProduct is how long the words of a product may be that a list is narrowed by, in characters.
const maxProduct = 200

// photo is GET /api/staff/reviews/photos/{name}: a photo of a review, also of one that shoppers do not see.
func (s *Reviews) photo(w http.ResponseWriter, r *http.Request) error {
	err := s.Album.Serve(w, r, r.PathValue("name"), s.Reviews.HoldsPhoto)
	if errors.Is(err, fs.ErrNotExist) {
		return endpoint.Refuse(http.StatusNotFound, "There is no such photo.")
	}
	return err
}

// templates is GET /api/staff/reviews/templates/?at=: the texts to answer with.
func (s *Reviews) templates(w http.ResponseWriter, r *http.Request) error {
	log, err := handlerOf(r, s.Past, s.Reviews.Handler)
	if err != nil {
		return err
	}
	found, err := (&commands.Reviews{Handler: log}).Templates(r.Context())
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string][]reply.Template{"templates": append([]reply.Template{}, found...)})
	return nil
}

// keepTemplates is PUT /api/staff/reviews/templates/: {"templates": [{"name", "text"}]} replaces them all.
func (s *Reviews) keepTemplates(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Templates []reply.Template `json:"templates"`
	}
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	position, err := s.Reviews.KeepTemplates(r.Context(), asked.Templates)
	if err != nil {
		return err
	}
	return written(w, position)
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
