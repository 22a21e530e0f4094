package staffapi

import (
	"context"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"shop/domain"
	"shop/domain/staff"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

// Today is the call that tells staff what waits.
type Today struct {
	Shop  reads.Shop
	Past  reads.Past
	Clock func() time.Time
}

// Routes adds its call. Its numbers are as new as the client's last write.
func (s Today) Routes(r chi.Router, allowed endpoint.Guard, fresh func(projections ...string) func(http.Handler) http.Handler) {
	r.Method("GET", "/api/staff/today", fresh("orders", "reviews", "stock")(allowed("", s.show)))
}

// wait is something that waits for staff.
type wait struct {
	// Code is stable: pages name it and lead to its list.
	Code  string `json:"code"`
	Count int64  `json:"count"`
	// City narrows it; absent: everywhere. An empty one is a pickup.
	City *string `json:"city,omitempty"`
}

// show is GET /api/staff/today/?at=: what waits, as far as the role has to do with it.
func (s Today) show(w http.ResponseWriter, r *http.Request) error {
	waits, err := seen(r, s.Past, s.Shop, s.waits)
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string][]wait{"waits": waits})
	return nil
}

// waits are what waits in the shop, now or at a moment of the past. What is in no event is left out of the past: tries of refunds, letters, parked events.
func (s Today) waits(ctx context.Context, shop reads.Shop) ([]wait, error) {
	now := shop.Time(s.Clock())
	today := now.In(domain.Almaty)
	t, err := shop.Today(ctx, now, today.Format(time.DateOnly))
	if err != nil {
		return nil, err
	}
	var cash int64
	if may(ctx, staff.PackOrders) {
		if cash, err = shop.OpenCashDays(ctx, today.AddDate(0, 0, 1-roundDays).Format(time.DateOnly), today.Format(time.DateOnly)); err != nil {
			return nil, err
		}
	}
	waits := []wait{}
	add := func(needs staff.Permission, all ...wait) {
		if may(ctx, needs) {
			waits = append(waits, all...)
		}
	}
	addNow := func(needs staff.Permission, one wait) {
		if shop.Then == nil {
			add(needs, one)
		}
	}
	add(staff.ChangeOrders, wait{Code: "to_confirm", Count: t.ToConfirm}, wait{Code: "expire_soon", Count: t.ExpireSoon}, wait{Code: "unpaid", Count: t.Unpaid})
	add(staff.PackOrders, wait{Code: "to_pack", Count: t.ToPack})
	for _, c := range t.ToHandOver {
		add(staff.PackOrders, wait{Code: "to_hand_over", Count: c.Count, City: &c.City})
	}
	add(staff.PackOrders, wait{Code: "cash_open", Count: cash})
	add(staff.SeePayments, wait{Code: "owing", Count: t.Owing})
	addNow(staff.SeePayments, wait{Code: "refunds_stuck", Count: t.RefundsStuck})
	add(staff.ModerateReviews, wait{Code: "reviews_pending", Count: t.ReviewsPending}, wait{Code: "reviews_unanswered", Count: t.ReviewsUnanswered})
	add(staff.SeeCatalog, wait{Code: "goods_low", Count: t.GoodsLow}, wait{Code: "goods_awaited", Count: t.GoodsAwaited})
	addNow(staff.ChangeOrders, wait{Code: "letters_dead", Count: t.LettersDead})
	addNow(staff.SeeProjections, wait{Code: "events_parked", Count: t.EventsParked})
	return waits, nil
}
