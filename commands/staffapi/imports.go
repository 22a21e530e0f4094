package staffapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/go-chi/chi/v5"

	"shop/commands/changes"
	"shop/domain/staff"
	"shop/readapi/endpoint"
	"shop/readapi/sentences"
)

// MaxCatalogFile bounds a catalog file from a browser.
const MaxCatalogFile = 32 << 20

// Imports are the calls about catalog files. What a file changes is proposed as any change.
type Imports struct {
	// Plan says what a file would change; columns name the file's headers by our fields, nil: as for the last file with such headers. Tell
	// hears which share of it is read.
	Plan func(ctx context.Context, file []byte, columns map[string]string, tell func(share float64)) (changes.Plan, error)
}

// Routes adds its calls.
func (s *Imports) Routes(r chi.Router, allowed endpoint.Guard) {
	r.Method("POST", "/api/staff/imports/plan", allowed(staff.ChangeCatalog, s.plan))
}

// plan is POST /api/staff/imports/plan/?columns={"article":"Код"} with a catalog file as its body. Nothing of it is written but the columns,
// for the next file with such headers.
func (s *Imports) plan(w http.ResponseWriter, r *http.Request) error {
	var columns map[string]string
	if text := r.URL.Query().Get("columns"); text != "" {
		if err := json.Unmarshal([]byte(text), &columns); err != nil {
			return endpoint.WrongField("columns", "Must be an object of our columns and theirs.")
		}
	}
	file, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxCatalogFile))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return endpoint.Refuse(http.StatusRequestEntityTooLarge, "The file is larger than 32 MB.")
	}
	if err != nil {
		return endpoint.Refuse(http.StatusBadRequest, "The file did not arrive whole.")
	}
	plan, err := s.Plan(r.Context(), file, columns, progress(w, r))
	if err != nil {
		return err
	}
	language := endpoint.Language(r)
	plan.Refused = sentences.ForStaff(language, plan.Refused)
	for i := range plan.Bad {
		plan.Bad[i].Reason = sentences.ForStaff(language, plan.Bad[i].Reason)
	}
	endpoint.WriteJSON(w, http.StatusOK, plan)
	return nil
}
