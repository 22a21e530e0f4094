package staffapi

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"

	"shop/domain"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

// roundDays is how many days a list of rounds covers by default, maxRoundDays at most.
const (
	roundDays    = 31
	maxRoundDays = 93
)

// rounds is GET /api/staff/rounds/?from=&to=&courier=&state=open&at=: the cash of couriers' days, the newest first.
func (s *Parcels) rounds(w http.ResponseWriter, r *http.Request) error {
	var f reads.CashFilter
	found, err := seen(r, s.Past, s.Shop, func(ctx context.Context, shop reads.Shop) (days []reads.CashDay, err error) {
		if f, err = cashFilterOf(r.URL.Query(), s.today(shop)); err != nil {
			return nil, err
		}
		return shop.CashDays(ctx, f)
	})
	if err != nil {
		return err
	}
	name := s.Accounts.Names(r.Context(), s.Log)
	for i := range found {
		found[i].CourierName = name("staff:" + found[i].Courier.String())
		found[i].SettledBy, found[i].ClosedBy = name(found[i].SettledBy), name(found[i].ClosedBy)
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string]any{"from": f.From, "to": f.To, "results": found})
	return nil
}

// cashFilterOf reads which days a list shows: by default the last ones up to today.
func cashFilterOf(q url.Values, today string) (reads.CashFilter, error) {
	f := reads.CashFilter{Open: q.Get("state") == "open", To: q.Get("to"), From: q.Get("from"), Today: today}
	if f.To == "" {
		f.To = f.Today
	}
	to, err := time.Parse(time.DateOnly, f.To)
	if err != nil {
		return f, endpoint.WrongField("to", "Must be a day, YYYY-MM-DD.")
	}
	if f.From == "" {
		f.From = to.AddDate(0, 0, 1-roundDays).Format(time.DateOnly)
	}
	from, err := time.Parse(time.DateOnly, f.From)
	if err != nil || from.After(to) || from.AddDate(0, 0, maxRoundDays).Before(to) {
		return f, endpoint.WrongField("from", "Must be a day, YYYY-MM-DD, at most 93 before the last.")
	}
	if id := q.Get("courier"); id != "" {
		if f.Courier, err = uuid.Parse(id); err != nil {
			return f, endpoint.WrongField("courier", "Must be the id of an account.")
		}
	}
	return f, nil
}

// cashOf is the cash that a courier took on a day.
func (s *Parcels) cashOf(ctx context.Context, courier uuid.UUID, day string) (domain.Money, error) {
	rounds, err := s.Shop.Rounds(ctx, day)
	if err != nil {
		return 0, err
	}
	at := slices.IndexFunc(rounds, func(c reads.CourierRound) bool { return c.Courier == courier })
	if at < 0 {
		return 0, endpoint.WrongField("courier", "The courier has no orders on this day.")
	}
	return domain.Money(rounds[at].Cash), nil
}

// closeShort is POST /api/staff/rounds/{courier}/{day}/closure/: {"reason": "…"}: what is short is waited for no more.
func (s *Parcels) closeShort(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Reason string `json:"reason"`
	}
	courier, day, err := askedOfRound(r, &asked)
	if err != nil {
		return err
	}
	cash, err := s.cashOf(r.Context(), courier, day)
	if err != nil {
		return err
	}
	position, err := s.Parcels.CloseShort(r.Context(), courier, day, cash, asked.Reason)
	if err != nil {
		return besideField(err)
	}
	return written(w, position)
}

// askedOfRound is roundOf of a request that has a body, and reads that too.
func askedOfRound(r *http.Request, asked any) (courier uuid.UUID, day string, err error) {
	if courier, day, err = roundOf(r); err == nil {
		err = endpoint.StaffBody(r, asked)
	}
	return courier, day, err
}

// roundOf reads whose round of which day a request is about.
func roundOf(r *http.Request) (courier uuid.UUID, day string, err error) {
	if courier, err = uuid.Parse(r.PathValue("courier")); err != nil {
		return courier, "", endpoint.WrongField("courier", "Must be the id of an account.")
	}
	day = r.PathValue("day")
	return courier, day, checkDay(day)
}

// sort is PUT /api/staff/rounds/{courier}/{day}/stops/: {"orders": ["…"]}.
func (s *Parcels) sort(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Orders []uuid.UUID `json:"orders"`
	}
	courier, day, err := askedOfRound(r, &asked)
	if err == nil {
		err = s.isCourier(r.Context(), courier)
	}
	if err != nil {
		return err
	}
	position, err := s.Parcels.Sort(r.Context(), courier, day, asked.Orders)
	if err != nil {
		return besideField(err)
	}
	return written(w, position)
}

// settle is POST /api/staff/rounds/{courier}/{day}/cash/: {"handed_in": 9000, "note": "…"}.
func (s *Parcels) settle(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		HandedIn domain.Money `json:"handed_in"`
		Note     string       `json:"note"`
	}
	courier, day, err := askedOfRound(r, &asked)
	if err != nil {
		return err
	}
	cash, err := s.cashOf(r.Context(), courier, day)
	if err != nil {
		return err
	}
	position, err := s.Parcels.Settle(r.Context(), courier, day, cash, asked.HandedIn, asked.Note)
	if err != nil {
		return besideField(err)
	}
	return written(w, position)
}
