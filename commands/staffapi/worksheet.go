package staffapi

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"shop/commands/identity/signin"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/staff"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

// maxPage is how many orders one page of a list holds.
const maxPage = 200

var (
	orderStatuses = []string{
		string(order.StatusReceived), string(order.StatusApproved), string(order.StatusProcessing), string(order.StatusPaymentErr),
		string(order.StatusCompleted), string(order.StatusCancelled), string(order.StatusRefunded),
	}
	paymentMethods = []string{string(domain.Card), string(domain.KaspiBill), string(domain.Cash)}
	deliveryTypes  = []string{string(domain.Delivery), string(domain.Pickup)}
)

// search is POST /api/staff/orders/search/. It is a POST because what is searched for may be a person, and addresses of
// requests are kept in logs.
func (s *Orders) search(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		reads.OrderSearch
		Limit  *int `json:"limit"`
		Offset int  `json:"offset"`
	}
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	f := asked.OrderSearch
	if f.Limit = 50; asked.Limit != nil {
		f.Limit = *asked.Limit
	}
	f.Offset = asked.Offset
	if wrong := wrongSearch(f); len(wrong) > 0 {
		return wrong
	}
	persons, again := signin.Looks(r.Context(), "orders", uuid.Nil)
	found, err := thenOrNow(r, s.Past, func(ctx context.Context, at *reads.Then) (reads.FoundOrders, error) {
		return at.SearchOrders(ctx, s.Numbered, f, persons)
	}, func(ctx context.Context) (reads.FoundOrders, error) { return s.Numbered.SearchOrders(ctx, f, persons) })
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, struct {
		reads.FoundOrders
		// StepUp: persons are masked only until the second factor is shown again.
		StepUp bool `json:"step_up"`
	}{found, again})
	return nil
}

// wrongSearch says which fields of a search cannot be meant.
func wrongSearch(f reads.OrderSearch) endpoint.FieldErrors {
	wrong := endpoint.FieldErrors{}
	oneOf := func(field, value string, of []string) {
		if value != "" && !slices.Contains(of, value) {
			wrong[field] = []string{"Is not known."}
		}
	}
	for _, status := range f.Statuses {
		oneOf("statuses", status, orderStatuses)
	}
	oneOf("payment_method", f.PaymentMethod, paymentMethods)
	oneOf("delivery_type", f.DeliveryType, deliveryTypes)
	oneOf("sort", f.Sort, reads.OrderSorts)
	for field, day := range map[string]string{"day_from": f.DayFrom, "day_to": f.DayTo, "placed_from": f.PlacedFrom, "placed_to": f.PlacedTo} {
		if day == "" {
			continue
		}
		if _, err := time.Parse(time.DateOnly, day); err != nil {
			wrong[field] = []string{"Must be a day, YYYY-MM-DD."}
		}
	}
	if f.Limit < 1 || f.Limit > maxPage {
		wrong["limit"] = []string{"Must be 1 to " + strconv.Itoa(maxPage) + "."}
	}
	if f.Offset < 0 || f.Offset > 10_000 {
		wrong["offset"] = []string{"Must be 0 to 10000."}
	}
	return wrong
}

// sheet is GET /api/staff/orders/{order}: everything about an order that its worker needs on one page.
func (s *Orders) sheet(w http.ResponseWriter, r *http.Request) error {
	id, err := s.named(r.Context(), r.PathValue("order"))
	if err != nil {
		return err
	}
	persons := may(r.Context(), staff.SeePersonal)
	if persons {
		signin.LookedAt(r.Context(), "order sheet", id)
	}
	view, err := s.Sheets.OrderSheet(r.Context(), id, persons, reads.Names(s.Accounts.Names(r.Context(), s.Log)))
	if err != nil {
		return err
	}
	if view.Possible, err = s.Orders.Possible(r.Context(), id); err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, view)
	return nil
}

// note is POST /api/staff/orders/{order}/notes: {"text": "…"}.
func (s *Orders) note(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Text string `json:"text"`
	}
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	id, err := s.named(r.Context(), r.PathValue("order"))
	if err != nil {
		return err
	}
	position, err := s.Orders.Note(r.Context(), id, asked.Text)
	if err != nil {
		return err
	}
	return written(w, position)
}

// tag is PUT /api/staff/orders/{order}/tags: {"tags": ["…"]}.
func (s *Orders) tag(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Tags []string `json:"tags"`
	}
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	id, err := s.named(r.Context(), r.PathValue("order"))
	if err != nil {
		return err
	}
	position, err := s.Orders.Tag(r.Context(), id, asked.Tags)
	if err != nil {
		return err
	}
	return written(w, position)
}

// assign is PUT /api/staff/orders/{order}/assignee: {"staff_id": "…"}, null for nobody.
func (s *Orders) assign(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		StaffID json.RawMessage `json:"staff_id"`
	}
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	var to *uuid.UUID
	if err := json.Unmarshal(asked.StaffID, &to); err != nil {
		return endpoint.WrongField("staff_id", "Must be the id of an account, or null.")
	}
	id, err := s.named(r.Context(), r.PathValue("order"))
	if err != nil {
		return err
	}
	var account uuid.UUID
	if to != nil {
		account = *to
		known, err := s.Accounts.Has(r.Context(), account)
		if err != nil {
			return err
		}
		if !known {
			return endpoint.WrongField("staff_id", "There is no such account.")
		}
	}
	position, err := s.Orders.Assign(r.Context(), id, account)
	if err != nil {
		return err
	}
	return written(w, position)
}
