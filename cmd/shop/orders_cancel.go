package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"shop/commands"
	"shop/domain"
	"shop/domain/order"
	"shop/readapi"
)

// ordersCancel cancels one order or many: what becomes of one stops no other.
func ordersCancel(w world) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use: "cancel NUMBER...", Short: "Cancel orders and refund their payments",
		Long:    "Cancel orders and refund their payments. The result of each order is printed. When an order cannot be cancelled the exit status is 1; the others are cancelled.",
		Example: "  shop orders cancel 100001 100002 100003 --reason 'nobody answers the phone'",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("want one order number or more")
			}
			for _, arg := range args {
				if err := oneNumber(nil, []string{arg}); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why; the orders show it")
	cmd.RunE = withShop(w, func(ctx context.Context, s *shop, _ *cobra.Command, args []string) error {
		orders, err := s.orders(ctx)
		if err != nil {
			return err
		}
		if err := s.catchUp(ctx, w, "orders"); err != nil {
			return err
		}
		numbers := make([]int64, len(args))
		for i, arg := range args {
			numbers[i], _ = strconv.ParseInt(arg, 10, 64) // Args has looked at it
		}
		known, err := readapi.Staff{DB: s.pool}.OrderIDs(ctx, numbers)
		if err != nil {
			return err
		}
		failed := 0
		for _, number := range numbers {
			said, err := cancelOne(ctx, orders, known[number], reason)
			if err != nil {
				failed++
				said = "not cancelled: " + err.Error()
			}
			if _, err := fmt.Fprintf(w.stdout, "order %d: %s\n", number, said); err != nil {
				return err
			}
		}
		if failed > 0 {
			return fmt.Errorf("%d of %d orders were not cancelled", failed, len(numbers))
		}
		return nil
	})
	return cmd
}

// cancelOne cancels an order and says what became of it.
func cancelOne(ctx context.Context, orders *commands.Orders, id uuid.UUID, reason string) (string, error) {
	if id == uuid.Nil {
		return "", errors.New("there is no such order")
	}
	position, err := orders.Cancel(ctx, id, "staff", reason)
	var refusal *domain.Refusal
	if errors.As(err, &refusal) {
		return "", refusal // without the way it came
	}
	if err != nil {
		return "", err
	}
	stands, err := orders.Standing(ctx, id)
	if err != nil {
		return "", err
	}
	if position == 0 {
		return fmt.Sprintf("nothing to change, it is %s", stands.Status), nil
	}
	return string(stands.Status), nil
}

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
func (s *staffOrders) cancelMany(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Orders []orderName `json:"orders"`
		Reason string      `json:"reason"`
	}
	if err := staffBody(r, &asked); err != nil {
		return err
	}
	if n := len(asked.Orders); n == 0 || n > maxCancelled {
		return wrongField("orders", fmt.Sprintf("Name 1 to %d orders.", maxCancelled))
	}
	if len(asked.Reason) > maxReason {
		return wrongField("reason", "The reason is too long.")
	}
	var numbers []int64
	for _, name := range asked.Orders {
		if number, err := strconv.ParseInt(string(name), 10, 64); err == nil {
			numbers = append(numbers, number)
		}
	}
	known, err := s.numbered.OrderIDs(r.Context(), numbers)
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
		position, err := s.orders.Cancel(r.Context(), id, "staff", asked.Reason)
		last = max(last, int64(position))
		if err != nil {
			if !results[i].fail(err) {
				logFailure(s.log, r, err)
			}
			if r.Context().Err() != nil {
				return r.Context().Err()
			}
		}
		if stands, err := s.orders.Standing(r.Context(), id); err == nil {
			results[i].ID, results[i].Number, results[i].Status = &stands.ID, stands.Number, stands.Status
		}
	}
	if last > 0 {
		w.Header().Set("X-Event-Position", strconv.FormatInt(last, 10))
	}
	writeJSON(w, http.StatusOK, map[string][]cancelled{"results": results})
	return nil
}

// fail notes why an order was not cancelled; false when that is the shop's own trouble.
func (c *cancelled) fail(err error) bool {
	var refusal *domain.Refusal
	if errors.As(err, &refusal) {
		c.Code, c.Detail = refusal.Code, refusal.Message
		return true
	}
	c.Code, c.Detail = "failed", staffFailed
	return false
}
