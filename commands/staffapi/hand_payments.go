package staffapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/changes"
	"shop/commands/fulfilment"
	"shop/commands/identity/signin"
	"shop/commands/photos"
	"shop/commands/refunds"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/order"
	"shop/domain/round"
	"shop/domain/staff"
	"shop/domain/stock"
	"shop/eventstore"
	"shop/readapi/endpoint"
)

// handPayment is money that staff say came, or went back, without a provider; each call reads the fields that it needs.
type handPayment struct {
	Method    order.HandMethod `json:"method"`
	Reference string           `json:"reference"`
	Amount    domain.Money     `json:"amount"`
	// PaymentID is whose money went back.
	PaymentID string `json:"payment_id"`
}

// handRoutes adds the calls about money that no provider reports.
func (s *Orders) handRoutes(r chi.Router, allowed endpoint.Guard) {
	for path, call := range map[string]struct {
		needs staff.Permission
		do    func(ctx context.Context, id uuid.UUID, asked handPayment) (eventstore.Position, error)
	}{
		"payments": {staff.MarkPayments, func(ctx context.Context, id uuid.UUID, asked handPayment) (eventstore.Position, error) {
			position, _, err := s.Orders.PayByHand(ctx, id, commands.HandPayment{Method: asked.Method, Reference: asked.Reference, Amount: asked.Amount})
			return position, err
		}},
		"payments/confirmation": {staff.MarkPayments, func(ctx context.Context, id uuid.UUID, asked handPayment) (eventstore.Position, error) {
			return s.Orders.ConfirmByHand(ctx, id, asked.Reference)
		}},
		"payments/withdrawal": {staff.MarkPayments, func(ctx context.Context, id uuid.UUID, asked handPayment) (eventstore.Position, error) {
			return s.Orders.WithdrawByHand(ctx, id, asked.Reference)
		}},
		"payments/refund":              {staff.RefundOrders, s.refundByHand},
		"payments/refund/confirmation": {staff.RefundOrders, s.confirmHandRefund},
		"payments/refund/withdrawal": {staff.RefundOrders, func(ctx context.Context, id uuid.UUID, asked handPayment) (eventstore.Position, error) {
			return refunds.Desk{Orders: s.Orders}.WithdrawHandRefund(ctx, id, asked.Reference)
		}},
	} {
		r.Method("POST", "/api/staff/orders/{order}/"+path, allowed(call.needs, onOrder(s, call.do)))
	}
}

func (s *Orders) refundByHand(ctx context.Context, id uuid.UUID, asked handPayment) (eventstore.Position, error) {
	if err := signin.SteppedUp(ctx); err != nil {
		return 0, err
	}
	if err := withinRefund(ctx, asked.Amount); err != nil {
		return 0, err
	}
	position, _, err := refunds.Desk{Orders: s.Orders}.RefundByHand(ctx, id, asked.PaymentID, asked.Reference, asked.Amount)
	return position, err
}

// confirmHandRefund is the second person's word; its role's limit holds as well.
func (s *Orders) confirmHandRefund(ctx context.Context, id uuid.UUID, asked handPayment) (eventstore.Position, error) {
	if err := signin.SteppedUp(ctx); err != nil {
		return 0, err
	}
	state, err := commands.See(ctx, s.Orders.Handler, commands.OrderStream(id))
	if err != nil {
		return 0, err
	}
	if claim, waits := state.RefundClaim(asked.Reference); waits {
		if err := withinRefund(ctx, claim.Amount); err != nil {
			return 0, err
		}
	}
	return refunds.Desk{Orders: s.Orders}.ConfirmHandRefund(ctx, id, asked.Reference)
}

// withinRefund refuses a sum above what the role may give back at once.
func withinRefund(ctx context.Context, amount domain.Money) error {
	if limit := limitsOf(ctx).Refund; limit > 0 && amount > limit {
		return endpoint.WrongField("amount", "Ваша роль может вернуть за раз не больше "+domain.Tenge(limit))
	}
	return nil
}

// onOrder is a call with a body of its own about an order that is named by number or id. The answer is the order as it stands
// then. A refusal that is about a field of the body is told beside it.
func onOrder[B any](s *Orders, do func(ctx context.Context, id uuid.UUID, asked B) (eventstore.Position, error)) endpoint.Endpoint {
	return func(w http.ResponseWriter, r *http.Request) error {
		var asked B
		if err := endpoint.StaffBody(r, &asked); err != nil {
			return err
		}
		id, err := s.named(r.Context(), r.PathValue("order"))
		if err != nil {
			return err
		}
		position, err := do(r.Context(), id, asked)
		if s.tellOvertaken(w, r, err) {
			return nil
		}
		if err != nil {
			return besideField(err)
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

// fieldOf is the field of a form that a refusal is about, by the refusal's code.
var fieldOf = map[string]string{
	order.ErrBadTracking.Code: "tracking",
	order.ErrBadCarrier.Code:  "carrier",
	order.ErrBadReason.Code:   "reason",
	order.ErrLongText.Code:    "reason",
	order.ErrBadDay.Code:      "day",
	round.ErrNeedsReason.Code: "reason",
	round.ErrBadDay.Code:      "day",
	round.ErrBadStops.Code:    "orders",
	round.ErrBadSum.Code:      "handed_in",
	round.ErrNeedsNote.Code:   "note",
	round.ErrLongNote.Code:    "note",
	catalog.ErrBadShelf.Code:  "shelf",

	catalog.ErrBadArticle.Code:   "article",
	catalog.ErrArticleTaken.Code: "article",
	catalog.ErrBadLink.Code:      "link",
	catalog.ErrLinkTaken.Code:    "link",
	catalog.ErrNoName.Code:       "name",
	catalog.ErrNameTooLong.Code:  "name",
	catalog.ErrNoCategory.Code:   "category_id",
	catalog.ErrBadPrice.Code:     "price",
	catalog.ErrBadDiscount.Code:  "discounted_price",
	stock.ErrBadQuantity.Code:    "lines",
	stock.ErrTooMuch.Code:        "lines",
	changes.ErrNoLines.Code:      "lines",
	changes.ErrLongNote.Code:     "note",

	fulfilment.ErrBadFile.Code: "csv",

	photos.ErrKind.Code:      "photo",
	photos.ErrPixels.Code:    "photo",
	photos.ErrTooLarge.Code:  "photo",
	order.ErrManyPhotos.Code: "photo",

	order.ErrBadHandMethod.Code:  "method",
	order.ErrBadReference.Code:   "reference",
	order.ErrReferenceUsed.Code:  "reference",
	order.ErrNoClaim.Code:        "reference",
	order.ErrBackAlready.Code:    "reference",
	order.ErrBadAmount.Code:      "amount",
	order.ErrHandTooMuch.Code:    "amount",
	order.ErrRefundTooMuch.Code:  "amount",
	order.ErrUnknownPayment.Code: "payment_id",
	order.ErrNotByHand.Code:      "payment_id",
	order.ErrUnexplained.Code:    "reason",
	order.ErrLastLine.Code:       "lines",
	order.ErrNoStreet.Code:       "street",
	order.ErrNoCity.Code:         "city",
	order.ErrNoCash.Code:         "city",
	order.ErrBadDate.Code:        "delivery_date",
	order.ErrNothingBack.Code:    "lines",
	order.ErrReturnTooMany.Code:  "lines",
	order.ErrMoreThanAsked.Code:  "lines",
	order.ErrReturnTooLate.Code:  "late",
}

// besideField turns a refusal that is about a field into an error of that field.
func besideField(err error) error {
	if wrong := lineErrors(err); len(wrong) > 0 {
		return wrong
	}
	var refusal *domain.Refusal
	if errors.As(err, &refusal) {
		if field, known := fieldOf[refusal.Code]; known {
			return endpoint.WrongField(field, refusal.Message)
		}
	}
	return fmt.Errorf("change an order: %w", err)
}
