package ops

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands/identity/signin"
	"shop/domain"
	"shop/domain/basket"
	"shop/domain/rules"
	"shop/domain/staff"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

// historyRoutes are how analysts follow history; openapi.yaml describes them.
func (o *Ops) historyRoutes(r chi.Router, allowed endpoint.Guard) {
	get := func(path string, e endpoint.Endpoint) {
		h := allowed(staff.SeeReports, e)
		r.Method("GET", "/api/analytics"+path, h)
		r.Method("HEAD", "/api/analytics"+path, h)
	}
	get("/orders/{number}", o.followOrder)
	get("/products/{id}/stock", o.showLedger)
	get("/products/{id}/prices", o.showPrices)
	get("/baskets/{id}", o.followBasket)
	get("/rules", o.followRules)
	get("/reports", o.listReports)
	get("/reports/{name}", o.showReport)
}

// orderNamed finds an order by its number, or by the id that other events name it by.
func (o *Ops) orderNamed(ctx context.Context, name string) (number int64, id uuid.UUID, err error) {
	orders := reads.Shop{DB: o.pool}
	var found bool
	if id, err = uuid.Parse(name); err == nil {
		var numbers map[uuid.UUID]int64
		numbers, err = orders.OrderNumbers(ctx, []uuid.UUID{id})
		number, found = numbers[id]
	} else {
		if number, err = strconv.ParseInt(name, 10, 64); err != nil || number < 1 {
			return 0, id, endpoint.WrongField("number", "Must be a number from 1, or an order's id.")
		}
		id, found, err = orders.OrderID(ctx, number)
	}
	if err == nil && !found {
		err = endpoint.Refuse(http.StatusNotFound, "There is no such order.")
	}
	return number, id, err
}

func (o *Ops) followOrder(w http.ResponseWriter, r *http.Request) error {
	number, id, err := o.orderNamed(r.Context(), chi.URLParam(r, "number"))
	if err != nil {
		return err
	}
	persons, again := signin.Looks(r.Context(), "order", id)
	view, err := o.reads.OrderTrail(r.Context(), number, id, persons, o.names(r.Context()))
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, struct {
		reads.OrderTrail
		stepUp
	}{view, stepUp{again}})
	return nil
}

// idIn reads an id of the path.
func idIn(r *http.Request, name string) (uuid.UUID, error) {
	id, err := uuid.Parse(chi.URLParam(r, name))
	if err != nil {
		return uuid.UUID{}, endpoint.WrongField(name, "Must be an id.")
	}
	return id, nil
}

func (o *Ops) followBasket(w http.ResponseWriter, r *http.Request) error {
	id, err := idIn(r, "id")
	if err != nil {
		return err
	}
	return o.follow(w, r, basket.Stream(id), "basket", id)
}

func (o *Ops) followRules(w http.ResponseWriter, r *http.Request) error {
	return o.follow(w, r, rules.Stream, "rules", uuid.Nil)
}

// follow shows a stream, whose persons are seen at a place.
func (o *Ops) follow(w http.ResponseWriter, r *http.Request, stream, at string, about uuid.UUID) error {
	persons, again := signin.Looks(r.Context(), at, about)
	view, err := o.reads.Trail(r.Context(), stream, persons, o.names(r.Context()))
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, struct {
		reads.Trail
		stepUp
	}{view, stepUp{again}})
	return nil
}

func (o *Ops) showLedger(w http.ResponseWriter, r *http.Request) error {
	id, err := idIn(r, "id")
	if err != nil {
		return err
	}
	limit, err := numberIn(r.URL.Query(), "limit", 100, 1, 1000)
	if err != nil {
		return err
	}
	var at time.Time
	if text := r.URL.Query().Get("at"); text != "" {
		if at, err = domain.MomentIn(text); err != nil {
			return endpoint.WrongField("at", "Must be a time such as 2026-03-02T12:00:00+05:00 or 2026-03-02T12:00, or a day.")
		}
	}
	view, err := o.reads.Ledger(r.Context(), id, reads.Moment{Time: at}, int(limit), o.names(r.Context()))
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, view)
	return nil
}

func (o *Ops) showPrices(w http.ResponseWriter, r *http.Request) error {
	id, err := idIn(r, "id")
	if err != nil {
		return err
	}
	view, err := o.reads.Prices(r.Context(), id, o.names(r.Context()))
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, view)
	return nil
}
