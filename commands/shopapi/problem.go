package shopapi

import (
	"errors"
	"fmt"
	"time"

	"shop/commands"
	"shop/commands/identity/accounts"
	"shop/commands/identity/credential"
	"shop/domain"
	"shop/eventstore"
	"shop/readapi/endpoint"
)

// Refused: the request cannot be carried out, for a reason that HTTP alone knows. Status is an HTTP status, Detail a Russian
// sentence.
type Refused struct {
	Status int
	Detail string
}

func (e *Refused) Error() string { return fmt.Sprintf("%d: %s", e.Status, e.Detail) }

// Limited: the sender asks too often.
type Limited struct {
	For    time.Duration
	Detail string
}

func (e *Limited) Error() string { return fmt.Sprintf("asked too often, wait %s", e.For) }

// RetryAfter is when to come again.
func (e *Limited) RetryAfter() time.Duration { return e.For }

const (
	msgOutdated = "Сумма заказа изменилась. Проверьте заказ и подтвердите его ещё раз"
	msgCrowded  = "Сейчас слишком много покупателей. Попробуйте ещё раз"
)

// detail is the body of an error that is about the whole request. Code is a refusal's, which never changes.
type detail struct {
	Detail      string                `json:"detail"`
	Code        string                `json:"code,omitempty"`
	Calculation *commands.Calculation `json:"calculation,omitempty"`
}

// Problem says an error to a shopper: an HTTP status and a JSON body. ok is false for errors that are the shop's own trouble
// and none of a shopper's business.
func Problem(err error) (status int, body any, ok bool) {
	var (
		busy     *credential.Busy
		tries    *accounts.TooMany
		limited  *Limited
		wrong    *commands.Invalid
		refused  *Refused
		outdated *commands.Outdated
		refusal  *domain.Refusal
		conflict *eventstore.VersionConflict
	)
	switch {
	case errors.As(err, &wrong):
		return endpoint.Status(endpoint.Invalid), wrong.Fields, true
	case errors.As(err, &busy), errors.As(err, &tries):
		return endpoint.Status(endpoint.TooMany), detail{Detail: msgAttempts}, true
	case errors.As(err, &limited):
		return endpoint.Status(endpoint.TooMany), detail{Detail: limited.Detail}, true
	case errors.As(err, &refused):
		return refused.Status, detail{Detail: refused.Detail}, true
	case errors.As(err, &outdated):
		return endpoint.Status(endpoint.Outdated), detail{Detail: msgOutdated, Calculation: &outdated.Calculation}, true
	case errors.As(err, &conflict):
		return endpoint.Status(endpoint.Busy), detail{Detail: msgCrowded}, true
	case errors.As(err, &refusal):
		return endpoint.Status(refusal.Code), detail{Detail: refusal.Message, Code: refusal.Code}, true
	}
	return endpoint.Status(endpoint.Failed), nil, false
}
