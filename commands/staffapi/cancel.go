package staffapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/order"
	"shop/readapi/endpoint"
)

// maxCancelled is how many orders one request may cancel.
const maxCancelled = 200

// cancelled is what became of an order that was to be cancelled.
type cancelled struct {
	// Order is how the request named it; the rest is absent when there is no such order.
	Order  string       `json:"order"`
	ID     *uuid.UUID   `json:"id,omitempty"`
	Number int64        `json:"number,omitempty"`
	Status order.Status `json:"status,omitempty"`
	// Code and Detail say why it was not cancelled; empty when it is.
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

// cancelMany is POST /api/staff/orders/cancellation/: many orders, each by itself.
func (s *Orders) cancelMany(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Orders []orderName `json:"orders"`
		Reason string      `json:"reason"`
	}
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	if n := len(asked.Orders); n == 0 || n > maxCancelled {
		return endpoint.WrongField("orders", fmt.Sprintf("Name 1 to %d orders.", maxCancelled))
	}
	if len(asked.Reason) > maxReason {
		return endpoint.WrongField("reason", "The reason is too long.")
	}
	var numbers []int64
	for _, name := range asked.Orders {
		if number, err := strconv.ParseInt(string(name), 10, 64); err == nil {
			numbers = append(numbers, number)
		}
	}
	known, err := s.Numbered.OrderIDs(r.Context(), numbers)
	if err != nil {
		return err
	}
	results := make([]cancelled, len(asked.Orders))
	var last int64
	for i, name := range asked.Orders {
		id, err := uuid.Parse(string(name))
		if number, bad := strconv.ParseInt(string(name), 10, 64); bad == nil {
			id, err = known[number], nil
		}
		results[i].Order = string(name)
		if err != nil || id == uuid.Nil {
			results[i].fail(order.ErrUnknown)
			continue
		}
		position, err := s.Orders.Cancel(r.Context(), id, "staff", asked.Reason)
		last = max(last, int64(position))
		if err != nil {
			if !results[i].fail(err) {
				endpoint.LogFailure(s.Log, r, err)
			}
			if r.Context().Err() != nil {
				return r.Context().Err()
			}
		}
		if stands, err := s.Orders.Standing(r.Context(), id); err == nil {
			results[i].ID, results[i].Number, results[i].Status = &stands.ID, stands.Number, stands.Status
		}
	}
	if last > 0 {
		w.Header().Set("X-Event-Position", strconv.FormatInt(last, 10))
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string][]cancelled{"results": results})
	return nil
}

// fail notes why an order was not cancelled; false when that is the shop's own trouble.
func (c *cancelled) fail(err error) bool {
	var refusal *domain.Refusal
	if errors.As(err, &refusal) {
		c.Code, c.Detail = refusal.Code, refusal.Message
		return true
	}
	c.Code, c.Detail = endpoint.Failed, endpoint.StaffFailed
	return false
}
