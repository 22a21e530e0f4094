package staffapi

import (
	"context"
	"net/http"

	"shop/eventstore"
	"shop/readapi"
	"shop/readapi/endpoint"
)

// Storefront draws the shop's pages as they would be with events that are in no log, and writes nothing down.
type Storefront interface {
	// Show answers with the page at an address. Its links lead on in the preview at base.
	Show(w http.ResponseWriter, r *http.Request, events []eventstore.Event, page PreviewPage) error
	// Touched are the pages that would show something of the events.
	Touched(ctx context.Context, events []eventstore.Event) ([]readapi.TouchedPage, error)
}

// PreviewPage is the page of a preview that is asked for.
type PreviewPage struct {
	Base, Path, Language string
}

// preview is GET /api/staff/changes/{id}/preview/: a page of the storefront as it would be with the change.
func (s *Changes) preview(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	page := PreviewPage{Path: q.Get("path"), Language: q.Get("language")}
	switch page.Language {
	case "", "ru", "kk":
	default:
		return endpoint.WrongField("language", "Must be ru or kk.")
	}
	found, err := s.shown(r)
	if err != nil {
		return err
	}
	pending, err := s.Changes.Pending(r.Context(), found.ID)
	if err != nil {
		return err
	}
	page.Base = "/api/staff/changes/" + found.ID.String() + "/preview/"
	return s.Storefront.Show(w, r, pending.Events, page)
}

// pages is GET /api/staff/changes/{id}/pages/: the pages of the storefront that the change touches.
func (s *Changes) pages(w http.ResponseWriter, r *http.Request) error {
	found, err := s.shown(r)
	if err != nil {
		return err
	}
	pending, err := s.Changes.Pending(r.Context(), found.ID)
	if err != nil {
		return err
	}
	touched, err := s.Storefront.Touched(r.Context(), pending.Events)
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string]any{"results": touched, "left": pending.Left})
	return nil
}
