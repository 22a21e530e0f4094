package staffapi

import (
	"net/http"

	"github.com/google/uuid"

	"shop/domain"
	"shop/readapi/endpoint"
)

// longestComposition is that of a product's text.
const longestComposition = 20_000

// composition is POST /api/staff/products/composition/: the names of ingredients in {"composition"} that are neither in the list of known
// ones nor borne by two products beside {"product"}.
func (s *Products) composition(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Composition string    `json:"composition"`
		Product     uuid.UUID `json:"product"`
	}
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	if !domain.TextFits(asked.Composition, longestComposition) {
		return endpoint.WrongField("composition", "Состав слишком длинный или не читается")
	}
	doubts, err := s.Products.Doubts(r.Context(), asked.Product, asked.Composition)
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string]any{"results": doubts})
	return nil
}
