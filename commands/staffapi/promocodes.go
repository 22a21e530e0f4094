package staffapi

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands/series"
	"shop/domain/change"
	"shop/domain/promocode"
	"shop/domain/staff"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

// CodeEffects measure what a promo code would have done in the days before a time, if everybody who may use it had given it. Goods and members
// are those that it is for; nil: all.
type CodeEffects interface {
	MeasureCode(ctx context.Context, terms promocode.Terms, goods, members map[uuid.UUID]bool, days int, at time.Time) (change.Effect, error)
}

// Promocodes are the calls of staff about promo codes. They are made and revoked by changes.
type Promocodes struct {
	Shop    reads.Shop
	Past    reads.Past
	Effects CodeEffects
	Clock   func() time.Time
}

// Routes adds its calls. What a call reads is as new as the client's last write.
func (s *Promocodes) Routes(r chi.Router, allowed endpoint.Guard, fresh func(projections ...string) func(http.Handler) http.Handler) {
	r.Method("GET", "/api/staff/promocodes", fresh("promocode", "sales")(allowed(staff.ChangeRules, s.list)))
	r.Method("GET", "/api/staff/promocodes/{code}", fresh("promocode", "sales", "catalog")(allowed(staff.ChangeRules, s.show)))
	r.Method("POST", "/api/staff/promocodes/series", allowed(staff.ChangeRules, s.series))
	r.Method("POST", "/api/staff/promocodes/effect", fresh("customer", "catalog")(allowed(staff.ChangeRules, s.effect)))
}

// list is GET /api/staff/promocodes/?at=: promo codes, the newest first.
func (s *Promocodes) list(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	limit, offset, err := pageOf(q)
	if err != nil {
		return err
	}
	f := reads.PromocodeSearch{Query: q.Get("query"), State: q.Get("state"), Limit: limit, Offset: offset}
	if f.State != "" && !slices.Contains(reads.PromocodeStates, f.State) {
		return endpoint.WrongField("state", "Must be active, planned, ended, used-up or revoked.")
	}
	found, err := s.seen(r, func(ctx context.Context, shop reads.Shop, now time.Time) (any, error) {
		return shop.FindPromocodes(ctx, f, now)
	})
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, found)
	return nil
}

// seen is what see reads at the moment that the address names or now. Codes begin and end with the time.
func (s *Promocodes) seen(r *http.Request, see func(ctx context.Context, shop reads.Shop, now time.Time) (any, error)) (any, error) {
	return seen(r, s.Past, s.Shop, func(ctx context.Context, shop reads.Shop) (any, error) {
		return see(ctx, shop, shop.Time(s.Clock()))
	})
}

// show is GET /api/staff/promocodes/{code}/?at=: a promo code, and what it brought.
func (s *Promocodes) show(w http.ResponseWriter, r *http.Request) error {
	code := promocode.Normal(r.PathValue("code"))
	sheet, err := s.seen(r, func(ctx context.Context, shop reads.Shop, now time.Time) (any, error) {
		return shop.Promocode(ctx, code, now)
	})
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, sheet)
	return nil
}

// series is POST /api/staff/promocodes/series/: {"prefix": "SPRING-", "count": 100} makes codes for a change that issues them.
func (s *Promocodes) series(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Prefix string `json:"prefix"`
		Count  int    `json:"count"`
	}
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	codes, err := series.Codes(asked.Prefix, asked.Count)
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string][]string{"codes": codes})
	return nil
}

// effect is POST /api/staff/promocodes/effect/: what orders of the last days would have come to with a code of these terms.
func (s *Promocodes) effect(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Terms promocode.Terms `json:"terms"`
		Days  int             `json:"days"`
	}
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	made, err := promocode.Decider.Decide(promocode.Issue{Code: "EFFECT", Terms: asked.Terms, At: s.Clock()}, promocode.State{})
	if err != nil {
		return atItsField(err, "terms.")
	}
	terms := asked.Terms
	for _, e := range made {
		if issued, ok := e.(promocode.Issued); ok {
			terms = issued.Terms
		}
	}
	var goods, members map[uuid.UUID]bool
	if !terms.Everything() {
		ids, err := s.Shop.GoodsIn(r.Context(), terms.Scope)
		if err != nil {
			return err
		}
		goods = setOf(ids)
	}
	if len(terms.Groups) > 0 {
		ids, err := s.Shop.Members(r.Context(), terms.Groups)
		if err != nil {
			return err
		}
		members = setOf(ids)
	}
	effect, err := s.Effects.MeasureCode(r.Context(), terms, goods, members, asked.Days, s.Clock())
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, told(r, effect))
	return nil
}

func setOf(ids []uuid.UUID) map[uuid.UUID]bool {
	set := make(map[uuid.UUID]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}
