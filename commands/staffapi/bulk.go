package staffapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/order"
	"shop/domain/staff"
	"shop/eventstore"
	"shop/readapi/endpoint"
	"shop/readapi/sentences"
)

const (
	// maxOrders is how many orders one request may change.
	maxOrders = 200
	// together is how many of them are changed at the same time, so that they share appends.
	together = 16
)

// changed is what became of an order that a request named.
type changed struct {
	// Order is how the request named it; the rest is absent when there is no such order.
	Order  string       `json:"order"`
	ID     *uuid.UUID   `json:"id,omitempty"`
	Number int64        `json:"number,omitempty"`
	Status order.Status `json:"status,omitempty"`
	// Code and Detail say why it was not changed; empty when it is.
	Code   string `json:"code,omitempty"`
	Detail string `json:"detail,omitempty"`
}

// orderName names an order in a request: a number, as JSON has it or as text, or an id.
type orderName string

func (n *orderName) UnmarshalJSON(text []byte) error {
	var number json.Number
	if err := json.Unmarshal(text, &number); err == nil && len(text) > 0 && text[0] != '"' {
		*n = orderName(number)
		return nil
	}
	return json.Unmarshal(text, (*string)(n))
}

// bulkActions are what may be done to many orders at once, and the permission that each needs.
var bulkActions = map[string]struct {
	needs staff.Permission
	do    changeFunc
}{
	"approve":  {staff.ChangeOrders, approveOrder},
	"process":  {staff.PackOrders, processOrder},
	"complete": {staff.PackOrders, completeOrder},
	"cancel":   {staff.ChangeOrders, cancelOrder},
}

// manyOrders is the body of a request that changes many orders.
type manyOrders struct {
	Action string      `json:"action"`
	Orders []orderName `json:"orders"`
	Reason string      `json:"reason"`
}

// cancelMany is POST /api/staff/orders/cancellation/: many orders, each by itself.
func (s *Orders) cancelMany(w http.ResponseWriter, r *http.Request) error {
	var asked manyOrders
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	asked.Action = "cancel"
	return s.changeAll(w, r, asked)
}

// changeMany is POST /api/staff/orders/actions/: an action on many orders, each by itself.
func (s *Orders) changeMany(w http.ResponseWriter, r *http.Request) error {
	var asked manyOrders
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	action, known := bulkActions[asked.Action]
	if !known {
		return endpoint.WrongField("action", "Must be approve, process, complete or cancel.")
	}
	if !may(r.Context(), action.needs) {
		return endpoint.Refuse(http.StatusForbidden, endpoint.StaffForbidden)
	}
	return s.changeAll(w, r, asked)
}

func (s *Orders) changeAll(w http.ResponseWriter, r *http.Request, asked manyOrders) error {
	if n := len(asked.Orders); n == 0 || n > maxOrders {
		return endpoint.WrongField("orders", fmt.Sprintf("Name 1 to %d orders.", maxOrders))
	}
	if len(asked.Reason) > maxReason {
		return endpoint.WrongField("reason", "The reason is too long.")
	}
	ids, err := s.idsOf(r.Context(), asked.Orders)
	if err != nil {
		return err
	}
	results, last := make([]changed, len(ids)), make([]eventstore.Position, len(ids))
	do := bulkActions[asked.Action].do
	slots := make(chan struct{}, together)
	var all sync.WaitGroup
	for i, id := range ids {
		results[i].Order = string(asked.Orders[i])
		if id == uuid.Nil {
			results[i].fail(order.ErrUnknown)
			continue
		}
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			position, err := do(r.Context(), s.Orders, id, orderChange{Reason: asked.Reason})
			last[i] = position
			if err != nil && !results[i].fail(err) {
				endpoint.LogFailure(s.Log, r, err)
			}
			if stands, err := s.Orders.Standing(r.Context(), id); err == nil {
				results[i].ID, results[i].Number, results[i].Status = &stands.ID, stands.Number, stands.Status
			}
		})
	}
	all.Wait()
	if err := r.Context().Err(); err != nil {
		return err
	}
	for i := range results {
		results[i].Detail = sentences.ForStaff(endpoint.Language(r), results[i].Detail)
	}
	tellPosition(w, last...)
	endpoint.WriteJSON(w, http.StatusOK, map[string][]changed{"results": results})
	return nil
}

// idsOf are the ids of orders that a request names; a zero one stands for an order that there is not.
func (s *Orders) idsOf(ctx context.Context, names []orderName) ([]uuid.UUID, error) {
	var numbers []int64
	for _, name := range names {
		if number, err := strconv.ParseInt(string(name), 10, 64); err == nil {
			numbers = append(numbers, number)
		}
	}
	known, err := s.Numbered.OrderIDs(ctx, numbers)
	if err != nil {
		return nil, err
	}
	ids := make([]uuid.UUID, len(names))
	for i, name := range names {
		if number, err := strconv.ParseInt(string(name), 10, 64); err == nil {
			ids[i] = known[number]
		} else if id, err := uuid.Parse(string(name)); err == nil {
			ids[i] = id
		}
	}
	return ids, nil
}

// fail notes why an order was not changed; false when that is the shop's own trouble.
func (c *changed) fail(err error) bool {
	var refusal *domain.Refusal
	if errors.As(err, &refusal) {
		c.Code, c.Detail = refusal.Code, refusal.Message
		return true
	}
	c.Code, c.Detail = endpoint.Failed, endpoint.StaffFailed
	return false
}

// tellPosition lets the client read what it wrote.
func tellPosition(w http.ResponseWriter, positions ...eventstore.Position) {
	var last eventstore.Position
	for _, p := range positions {
		last = max(last, p)
	}
	if last > 0 {
		w.Header().Set("X-Event-Position", strconv.FormatInt(int64(last), 10))
	}
}

// written answers a change with nothing but the position that was written.
func written(w http.ResponseWriter, position eventstore.Position) error {
	tellPosition(w, position)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}
