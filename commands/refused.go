package commands

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/order"
	"shop/domain/promocode"
	"shop/domain/review"
	"shop/eventstore"
)

// Invalid: the request's fields are wrong. Fields holds Russian messages by field ([]string); under "products" it
// may hold one entry per request line instead ([]LineError).
type Invalid struct{ Fields map[string]any }

func (e *Invalid) Error() string {
	names := make([]string, 0, len(e.Fields))
	for name := range e.Fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return "invalid " + strings.Join(names, ", ")
}

// invalid is one wrong field.
func invalid(field, message string) *Invalid {
	return &Invalid{Fields: map[string]any{field: []string{message}}}
}

// LineError says what is wrong with a line of a basket, by field: messages, or under "amount" the pieces that can
// be had. Empty: the line is good.
type LineError map[string]any

// Refused: the request as a whole cannot be carried out. Status is an HTTP status, Detail a Russian sentence.
type Refused struct {
	Status int
	Detail string
}

func (e *Refused) Error() string { return fmt.Sprintf("%d: %s", e.Status, e.Detail) }

// Outdated: the total is not the one the shopper saw. Calculation is what the basket costs now.
type Outdated struct{ Calculation Calculation }

func (e *Outdated) Error() string {
	return fmt.Sprintf("the total is %d now", e.Calculation.TotalPaid)
}

// Answer says an error to a shopper: an HTTP status and a JSON body. ok is false for errors that are the shop's
// own trouble and none of a shopper's business.
func Answer(err error) (status int, body any, ok bool) {
	type detail struct {
		Detail      string       `json:"detail"`
		Calculation *Calculation `json:"calculation,omitempty"`
	}
	var (
		wrong    *Invalid
		refused  *Refused
		outdated *Outdated
		refusal  *domain.Refusal
		conflict *eventstore.VersionConflict
	)
	switch {
	case errors.As(err, &wrong):
		return http.StatusBadRequest, wrong.Fields, true
	case errors.As(err, &refused):
		return refused.Status, detail{Detail: refused.Detail}, true
	case errors.As(err, &outdated):
		return http.StatusConflict, detail{
			Detail: "Сумма заказа изменилась. Проверьте заказ и подтвердите его ещё раз", Calculation: &outdated.Calculation,
		}, true
	case errors.As(err, &conflict):
		return http.StatusServiceUnavailable, detail{Detail: "Сейчас слишком много покупателей. Попробуйте ещё раз"}, true
	case errors.Is(err, order.ErrUnknown), errors.Is(err, catalog.ErrUnknown), errors.Is(err, promocode.ErrUnknown), errors.Is(err, review.ErrUnknown):
		errors.As(err, &refusal)
		return http.StatusNotFound, detail{Detail: refusal.Message}, true
	case errors.Is(err, order.ErrTooManyOpen), errors.Is(err, order.ErrTooManyPieces):
		errors.As(err, &refusal)
		return http.StatusConflict, struct {
			Detail string `json:"detail"`
			Code   string `json:"code"`
		}{refusal.Message, refusal.Code}, true
	case errors.As(err, &refusal):
		return http.StatusConflict, detail{Detail: refusal.Message}, true
	}
	return http.StatusInternalServerError, nil, false
}
