package staffapi

import (
	"errors"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"shop/commands"
	"shop/domain"
	"shop/domain/settings"
	"shop/domain/staff"
	"shop/readapi/endpoint"
)

// Settings are the calls of staff about what the shop says of itself.
type Settings struct{ Settings *commands.Settings }

// Routes adds its calls.
func (s *Settings) Routes(r chi.Router, allowed endpoint.Guard) {
	r.Method("GET", "/api/staff/settings", allowed(staff.ChangeRules, s.show))
	r.Method("POST", "/api/staff/settings", allowed(staff.ChangeRules, s.publish))
}

// published is settings with their version; 0: the configuration's.
type published struct {
	Version  int64             `json:"version"`
	Settings settings.Settings `json:"settings"`
}

// show is GET /api/staff/settings/.
func (s *Settings) show(w http.ResponseWriter, r *http.Request) error {
	now, err := s.Settings.Show(r.Context())
	if err != nil {
		return err
	}
	// Lists are lists, also those that nobody filled.
	now.Settings.NoDelivery = append([]int{}, now.Settings.NoDelivery...)
	now.Settings.Holidays = append([]settings.Holiday{}, now.Settings.Holidays...)
	endpoint.WriteJSON(w, http.StatusOK, published{now.Version, now.Settings})
	return nil
}

// publish is POST /api/staff/settings/: {"version", "settings"} replaces the settings of that version.
func (s *Settings) publish(w http.ResponseWriter, r *http.Request) error {
	var asked published
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	position, err := s.Settings.Publish(r.Context(), asked.Settings, &asked.Version)
	var refusal *domain.Refusal
	if errors.As(err, &refusal) && !errors.Is(err, settings.ErrMoved) {
		if field, text, ok := strings.Cut(refusal.Message, ": "); ok {
			return endpoint.WrongField(field, text)
		}
	}
	if err != nil {
		return err
	}
	return written(w, position)
}
