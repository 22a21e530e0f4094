package staffapi

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/identity"
	"shop/commands/identity/signin"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/staff"
	"shop/eventstore"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
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
	Numbered reads.Shop
	// Sheets reads an order with its past, Past the list as it was.
	Sheets   *reads.Reader
	Past     reads.Past
	Accounts *signin.Accounts
	// Guests forget who made a guest's order.
	Guests *identity.Guests
	// Letters shows what customers were written.
	Letters letters
	Log     *slog.Logger
}

// may says whether whoever is signed in has a permission.
func may(ctx context.Context, p staff.Permission) bool {
	return staff.Role(signin.SessionOf(ctx).Account.Role).May(p)
}

// Routes adds its calls. What a call reads is as new as the client's last write.
func (s *Orders) Routes(r chi.Router, allowed endpoint.Guard, fresh func(projections ...string) func(http.Handler) http.Handler) {
	for path, change := range map[string]struct {
		needs staff.Permission
		do    changeFunc
	}{
		"approval":     {staff.ChangeOrders, approveOrder},
		"processing":   {staff.PackOrders, processOrder},
		"completion":   {staff.PackOrders, completeOrder},
		"cancellation": {staff.ChangeOrders, cancelOrder},
		"refund":       {staff.RefundOrders, s.refund},
	} {
		r.Method("POST", "/api/staff/orders/{order}/"+path, allowed(change.needs, s.change(change.do)))
	}
	r.Method("POST", "/api/staff/orders/{order}/erasure", allowed(staff.ErasePersonal, s.change(s.forgetGuest)))
	r.Method("POST", "/api/staff/orders/cancellation", allowed(staff.ChangeOrders, s.cancelMany))
	r.Method("POST", "/api/staff/orders/actions", allowed(staff.SeeOrders, s.changeMany))
	r.Method("POST", "/api/staff/orders/search", fresh("orders")(allowed(staff.SeeOrders, s.search)))
	r.Method("GET", "/api/staff/orders/{order}", fresh("orders", "stock")(allowed(staff.SeeOrders, s.sheet)))
	r.Method("GET", "/api/staff/orders/{order}/letters/{version}", allowed(staff.SeePersonal, s.letter))
	r.Method("POST", "/api/staff/orders/{order}/notes", allowed(staff.PackOrders, s.note))
	r.Method("PUT", "/api/staff/orders/{order}/tags", allowed(staff.ChangeOrders, s.tag))
	r.Method("PUT", "/api/staff/orders/{order}/assignee", allowed(staff.ChangeOrders, s.assign))
	s.handRoutes(r, allowed)
	s.editRoutes(r, allowed)
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

// forgetGuest decides it; policies.ForgetPersons carries it out.
func (s *Orders) forgetGuest(ctx context.Context, _ *commands.Orders, id uuid.UUID, _ orderChange) (eventstore.Position, error) {
	return s.Guests.ForgetOrder(ctx, id)
}

// refund gives money back, no more at once than the role's limit; without an amount, all that is left of the order's money.
func (s *Orders) refund(ctx context.Context, o *commands.Orders, id uuid.UUID, c orderChange) (eventstore.Position, error) {
	if err := signin.SteppedUp(ctx); err != nil {
		return 0, err
	}
	if c.Amount < 0 || len(c.RefundID) > 100 {
		return 0, endpoint.Refuse(http.StatusBadRequest, "Want an amount of 0 or more and a refund_id of at most 100 characters.")
	}
	if limit := limitsOf(ctx).Refund; limit > 0 {
		stands, err := o.Standing(ctx, id)
		if err != nil {
			return 0, err
		}
		if asked := cmp.Or(domain.Money(c.Amount), stands.Captured); asked > limit {
			return 0, endpoint.WrongField("amount", fmt.Sprintf("Your role may refund at most %d tenge at once.", limit))
		}
	}
	return o.Refund(ctx, id, c.Amount, c.RefundID)
}

// limitsOf are what one action of whoever is signed in may move.
func limitsOf(ctx context.Context) staff.Limits {
	return staff.Role(signin.SessionOf(ctx).Account.Role).Limits()
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
		tellPosition(w, position)
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
