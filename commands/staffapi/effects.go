package staffapi

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"shop/commands"
	"shop/domain/change"
	"shop/domain/staff"
	"shop/readapi/endpoint"
)

// keptEffect is an effect that a change keeps, with who was shown it and when.
type keptEffect struct {
	By     string        `json:"by"`
	Name   string        `json:"name"`
	At     time.Time     `json:"at"`
	Effect change.Effect `json:"effect"`
}

// dryEffect is POST /api/staff/changes/effect/: what a proposal would have made of the orders of the last days. It needs both to
// propose and to see reports, as the figures are the shop's sales.
func (s *Changes) dryEffect(w http.ResponseWriter, r *http.Request) error {
	if !may(r.Context(), staff.ProposeChanges) {
		return endpoint.Refuse(http.StatusForbidden, endpoint.StaffForbidden)
	}
	p, err := asked(r)
	if err != nil {
		return err
	}
	days := p.EffectDays
	effect, err := s.Changes.Effect(r.Context(), p, days)
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, told(r, effect))
	return nil
}

// told is an effect as whoever asks may see it.
func told(r *http.Request, effect change.Effect) change.Effect {
	if !may(r.Context(), staff.SeeCosts) {
		return effect.WithoutCosts()
	}
	return effect
}

// effect is POST /api/staff/changes/{id}/effect/: what a change would make of the orders of the last days, which it keeps.
func (s *Changes) effect(w http.ResponseWriter, r *http.Request) error {
	var said struct {
		Days int `json:"days"`
	}
	if err := endpoint.StaffBody(r, &said); err != nil {
		return err
	}
	found, err := s.shown(r)
	if err != nil {
		return err
	}
	effect, position, err := s.Changes.EffectOf(r.Context(), found.ID, said.Days)
	if err != nil {
		return err
	}
	tellPosition(w, position)
	endpoint.WriteJSON(w, http.StatusOK, told(r, effect))
	return nil
}

// effects is GET /api/staff/changes/{id}/effect/: the effects that people were shown before the change was decided.
func (s *Changes) effects(w http.ResponseWriter, r *http.Request) error {
	found, err := s.shown(r)
	if err != nil {
		return err
	}
	name := s.Accounts.Names(r.Context(), s.Log)
	kept := make([]keptEffect, len(found.Effects))
	for i, e := range found.Effects {
		kept[i] = keptEffect{e.By, name(e.By), e.At, told(r, e.Effect)}
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string]any{"results": kept})
	return nil
}

// shown is a change that whoever is signed in may see: their own, or any for who sees what others do.
func (s *Changes) shown(r *http.Request) (change.State, error) {
	id, err := uuid.Parse(r.PathValue("id"))
	if err != nil {
		return change.State{}, change.ErrUnknown
	}
	found, err := s.Changes.Show(r.Context(), id)
	if err == nil && found.By != commands.OriginOf(r.Context()).Actor && !may(r.Context(), staff.SeeAudit) {
		err = endpoint.Refuse(http.StatusForbidden, endpoint.StaffForbidden)
	}
	return found, err
}
