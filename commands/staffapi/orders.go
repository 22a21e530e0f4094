package staffapi

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/identity/signin"
	"shop/domain/order"
	"shop/domain/staff"
	"shop/eventstore"
	"shop/readapi"
	"shop/readapi/endpoint"
)

// orderChange is what staff ask of an order; the fields that a change does not know are ignored.
type orderChange struct {
	// Reason is why it is cancelled, as the customer will read it.
	Reason string `json:"reason"`
	// Amount is what to refund in tenge; 0 or absent: everything.
	Amount int64 `json:"amount"`
	// RefundID makes a refund unrepeatable.
	RefundID string `json:"refund_id"`
}

// Orders are the calls of staff that change an order, named by number or id.
type Orders struct {
	Orders *commands.Orders
	// Numbered finds orders by number.
	Numbered readapi.Staff
	Log      *slog.Logger
}

// Routes adds its calls.
func (s *Orders) Routes(r chi.Router, allowed endpoint.Guard) {
	for path, change := range map[string]changeFunc{
		"approval": approveOrder, "processing": processOrder, "completion": completeOrder, "cancellation": cancelOrder, "refund": refundOrder,
	} {
		r.Method("POST", "/api/staff/orders/{order}/"+path, allowed(staff.ChangeOrders, s.change(change)))
	}
	r.Method("POST", "/api/staff/orders/cancellation", allowed(staff.ChangeOrders, s.cancelMany))
}

type changeFunc func(ctx context.Context, o *commands.Orders, id uuid.UUID, c orderChange) (eventstore.Position, error)

func approveOrder(ctx context.Context, o *commands.Orders, id uuid.UUID, _ orderChange) (eventstore.Position, error) {
	return o.Approve(ctx, id)
}

func processOrder(ctx context.Context, o *commands.Orders, id uuid.UUID, _ orderChange) (eventstore.Position, error) {
	return o.Process(ctx, id)
}

func completeOrder(ctx context.Context, o *commands.Orders, id uuid.UUID, _ orderChange) (eventstore.Position, error) {
	return o.Complete(ctx, id)
}

func cancelOrder(ctx context.Context, o *commands.Orders, id uuid.UUID, c orderChange) (eventstore.Position, error) {
	return o.Cancel(ctx, id, "staff", c.Reason)
}

func refundOrder(ctx context.Context, o *commands.Orders, id uuid.UUID, c orderChange) (eventstore.Position, error) {
	if err := signin.SteppedUp(ctx); err != nil {
		return 0, err
	}
	if c.Amount < 0 || len(c.RefundID) > 100 {
		return 0, endpoint.Refuse(http.StatusBadRequest, "Want an amount of 0 or more and a refund_id of at most 100 characters.")
	}
	return o.Refund(ctx, id, c.Amount, c.RefundID)
}

// maxReason bounds a reason in bytes.
const maxReason = 1000

// change is POST /api/staff/orders/{order}/…, where an order is named by number or id. The answer is the order as
// it stands then. A body is wanted only where there is something to say.
func (s *Orders) change(change changeFunc) endpoint.Endpoint {
	return func(w http.ResponseWriter, r *http.Request) error {
		var asked orderChange
		if r.ContentLength != 0 {
			if err := endpoint.StaffBody(r, &asked); err != nil {
				return err
			}
		}
		if len(asked.Reason) > maxReason {
			return endpoint.Refuse(http.StatusBadRequest, "The reason is too long.")
		}
		id, err := s.named(r.Context(), r.PathValue("order"))
		if err != nil {
			return err
		}
		position, err := change(r.Context(), s.Orders, id, asked)
		if err != nil {
			return err
		}
		stands, err := s.Orders.Standing(r.Context(), id)
		if err != nil {
			return err
		}
		if position > 0 {
			w.Header().Set("X-Event-Position", strconv.FormatInt(int64(position), 10))
		}
		endpoint.WriteJSON(w, http.StatusOK, stands)
		return nil
	}
}

// named is the id of an order that is named by id or number.
func (s *Orders) named(ctx context.Context, name string) (uuid.UUID, error) {
	if number, err := strconv.ParseInt(name, 10, 64); err == nil {
		id, found, err := s.Numbered.OrderID(ctx, number)
		if err == nil && !found {
			err = order.ErrUnknown
		}
		return id, err
	}
	id, err := uuid.Parse(name)
	if err != nil {
		return uuid.UUID{}, order.ErrUnknown
	}
	return id, nil
}
