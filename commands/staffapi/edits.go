package staffapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/identity/signin"
	"shop/commands/merchant"
	"shop/domain/order"
	"shop/domain/staff"
	"shop/eventstore"
	"shop/readapi/endpoint"
)

// declined is the shop's no to a customer's request to bring goods back.
type declined struct {
	RequestID uuid.UUID `json:"request_id"`
	Reason    string    `json:"reason"`
}

// editRoutes adds the calls that change what was ordered and where it goes, and that take goods back.
func (s *Orders) editRoutes(r chi.Router, allowed endpoint.Guard) {
	edit := func() *merchant.Orders { return &merchant.Orders{Orders: s.Orders} }
	r.Method("PUT", "/api/staff/orders/{order}/lines", allowed(staff.ChangeOrders, onOrder(s,
		func(ctx context.Context, id uuid.UUID, asked merchant.Lines) (eventstore.Position, error) {
			asked.MaxDiscount = limitsOf(ctx).Discount
			return edit().ChangeLines(ctx, id, asked)
		})))
	r.Method("POST", "/api/staff/orders/{order}/lines/preview", allowed(staff.ChangeOrders, s.previewLines))
	r.Method("PUT", "/api/staff/orders/{order}/address", allowed(staff.ChangeOrders, onOrder(s,
		func(ctx context.Context, id uuid.UUID, asked merchant.Address) (eventstore.Position, error) {
			return edit().ChangeAddress(ctx, id, asked)
		})))
	r.Method("POST", "/api/staff/orders/{order}/returns", allowed(staff.RefundOrders, onOrder(s,
		func(ctx context.Context, id uuid.UUID, asked merchant.Return) (eventstore.Position, error) {
			if err := s.withinReturn(ctx, id, asked); err != nil {
				return 0, err
			}
			return edit().TakeBack(ctx, id, asked)
		})))
	r.Method("POST", "/api/staff/orders/{order}/returns/decline", allowed(staff.ChangeOrders, onOrder(s,
		func(ctx context.Context, id uuid.UUID, asked declined) (eventstore.Position, error) {
			return edit().DeclineReturn(ctx, id, asked.RequestID, asked.Reason)
		})))
}

// withinReturn refuses goods whose money is above what the role may give back at once.
func (s *Orders) withinReturn(ctx context.Context, id uuid.UUID, asked merchant.Return) error {
	if err := signin.SteppedUp(ctx); err != nil {
		return err
	}
	if limitsOf(ctx).Refund == 0 {
		return nil
	}
	state, err := commands.See(ctx, s.Orders.Handler, commands.OrderStream(id))
	if err != nil {
		return err
	}
	return withinRefund(ctx, state.Worth(asked.Lines))
}

// previewLines is POST /api/staff/orders/{order}/lines/preview: the price that other lines would have. Nothing is written.
func (s *Orders) previewLines(w http.ResponseWriter, r *http.Request) error {
	var asked merchant.Lines
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	id, err := s.named(r.Context(), r.PathValue("order"))
	if err != nil {
		return err
	}
	asked.MaxDiscount = limitsOf(r.Context()).Discount
	price, err := (&merchant.Orders{Orders: s.Orders}).Preview(r.Context(), id, asked)
	if err != nil {
		return besideField(err)
	}
	w.Header().Set("Cache-Control", "no-store")
	endpoint.WriteJSON(w, http.StatusOK, map[string]any{"total_paid": price.TotalPaid, "explanation": price.Explanation})
	return nil
}

// overtaking is something that somebody did to an order.
type overtaking struct {
	Type  string    `json:"type"`
	Actor string    `json:"actor"`
	At    time.Time `json:"at"`
}

// tellOvertaken answers that somebody else was faster, with who changed what when; false when an error says something else.
func (s *Orders) tellOvertaken(w http.ResponseWriter, r *http.Request, err error) bool {
	overtaken, ok := merchant.IsOvertaken(err)
	if !ok {
		return false
	}
	name := s.Accounts.Names(r.Context(), s.Log)
	changes := make([]overtaking, len(overtaken.Events))
	for i, e := range overtaken.Events {
		changes[i] = overtaking{e.Type, name(e.Metadata.Actor), e.RecordedAt}
	}
	endpoint.WriteJSON(w, http.StatusConflict, map[string]any{
		"detail": order.ErrOvertaken.Message, "code": order.ErrOvertaken.Code, "changes": changes,
	})
	return true
}

// lineErrors are what is wrong with lines, by fields such as lines.0.amount; nil when an error says something else.
func lineErrors(err error) endpoint.FieldErrors {
	var invalid *commands.Invalid
	if !errors.As(err, &invalid) {
		return nil
	}
	wrong := endpoint.FieldErrors{}
	for field, value := range invalid.Fields {
		switch told := value.(type) {
		case []string:
			wrong[field] = told
		case []commands.LineError:
			for i, line := range told {
				for of, messages := range line {
					if texts, ok := messages.([]string); ok {
						wrong[field+"."+strconv.Itoa(i)+"."+of] = texts
					}
				}
			}
		}
	}
	return wrong
}
