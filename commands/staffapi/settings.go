package staffapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"shop/commands"
	"shop/commands/changes"
	"shop/domain"
	"shop/domain/change"
	"shop/domain/settings"
	"shop/domain/staff"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

// Settings are the calls of staff about what the shop says of itself.
type Settings struct {
	Settings *commands.Settings
	// Changes publish them: the rules may ask for a second person.
	Changes *changes.Changes
	Past    reads.Past
}

// Routes adds its calls.
func (s *Settings) Routes(r chi.Router, allowed endpoint.Guard) {
	r.Method("GET", "/api/staff/settings", allowed(staff.ChangeRules, s.show))
	r.Method("POST", "/api/staff/settings", allowed(staff.ChangeRules, s.publish))
}

// versioned is settings with their version.
type versioned struct {
	Version  int64             `json:"version"`
	Settings settings.Settings `json:"settings"`
}

// inForce are the settings that hold; while none are published they are the configuration's.
type inForce struct {
	versioned
	Published bool `json:"published"`
}

// toPublish are settings made of a version. A draft waits until whoever sends it has looked at it on the pages of the shop.
type toPublish struct {
	versioned
	Draft bool `json:"draft"`
}

// show is GET /api/staff/settings/?at=. Menus are those that shoppers see; publish keeps none that are the default ones.
func (s *Settings) show(w http.ResponseWriter, r *http.Request) error {
	log, err := handlerOf(r, s.Past, s.Settings.Handler)
	if err != nil {
		return err
	}
	now, err := (&commands.Settings{Handler: log, Stated: s.Settings.Stated}).Show(r.Context())
	if err != nil {
		return err
	}
	// Lists are lists, also those that nobody filled.
	now.Settings.NoDelivery = append([]int{}, now.Settings.NoDelivery...)
	now.Settings.Holidays = append([]settings.Holiday{}, now.Settings.Holidays...)
	endpoint.WriteJSON(w, http.StatusOK, inForce{versioned{now.Version, now.Settings.WithMenus()}, now.Published})
	return nil
}

// publish is POST /api/staff/settings/: {"version", "settings", "draft"} replaces the settings of that version by a change; 202 when that
// waits, for a second person or as a draft.
func (s *Settings) publish(w http.ResponseWriter, r *http.Request) error {
	var asked toPublish
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	asked.Settings = asked.Settings.WithoutDefaultMenus()
	differs, err := s.Settings.WouldPublish(r.Context(), asked.Settings, &asked.Version)
	if err != nil {
		return atItsField(err, "")
	}
	if !differs {
		return written(w, 0)
	}
	before, err := s.Settings.Show(r.Context())
	if err != nil {
		return err
	}
	item := changes.Asked{Thing: "settings", ID: settings.Stream, Field: "whole", Was: json.RawMessage("null")}
	if before.Published {
		if item.Was, err = json.Marshal(before.Settings); err != nil {
			return err
		}
	}
	if item.Now, err = json.Marshal(asked.Settings); err != nil {
		return err
	}
	made, err := s.Changes.Propose(r.Context(), changes.Proposal{Title: "Настройки магазина", Items: []changes.Asked{item}, Draft: asked.Draft, May: mayOf(r.Context())})
	var refused *changes.Refused
	switch {
	case errors.As(err, &refused): // somebody was faster
		return settings.ErrMoved
	case err != nil:
		return err
	case made.Status == change.Waiting:
		tellPosition(w, made.Position) // its page is opened next
		endpoint.WriteJSON(w, http.StatusAccepted, madeOf(endpoint.Language(r), made))
		return nil
	}
	return written(w, made.Position)
}

// atItsField is a refusal whose message begins with a field and ": " as an answer that names the field, which stands within another one of
// the body; other errors are as they are.
func atItsField(err error, within string) error {
	var refusal *domain.Refusal
	if !errors.As(err, &refusal) {
		return err
	}
	field, text, ok := strings.Cut(refusal.Message, ": ")
	if !ok {
		return err
	}
	return endpoint.WrongField(within+field, text)
}
