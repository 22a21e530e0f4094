package shopapi

import (
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/identity"
	"shop/domain/order"
	"shop/domain/review"
	"shop/eventstore"
)

const msgForgetting = "Личные данные удаляются. Платёжная система и сделанные раньше резервные копии хранят свои записи до конца срока"

// Guests let guests have the shop forget who made an order or wrote a review, by the links in their letters.
type Guests struct {
	Guests *identity.Guests
	Orders *commands.Orders
}

// Routes adds its calls.
func (a Guests) Routes(r chi.Router, by Guards) {
	r.Method("POST", "/api/orders/{id}/erasure", by.Pricings(by.Anyone(a.ForgetOrder)))
	r.Method("POST", "/api/reviews/{id}/erasure", by.Pricings(by.Anyone(a.ForgetReview)))
}

// ForgetOrder is POST /api/orders/{id}/erasure/. Without the key of the letter's link the order is missing.
func (a Guests) ForgetOrder(w http.ResponseWriter, r *http.Request) error {
	id, err := uuid.Parse(r.PathValue("id"))
	if err != nil {
		return order.ErrUnknown
	}
	if err := a.Orders.OwnsByLink(r.Context(), commands.OwnOrder{ID: id, Key: r.Header.Get(letterKeyHeader)}); err != nil {
		return err
	}
	position, err := a.Guests.ForgetOrder(r.Context(), id)
	return forgetting(w, r, position, err)
}

// ForgetReview is POST /api/reviews/{id}/erasure/. Without the key of the letter's link the review is missing.
func (a Guests) ForgetReview(w http.ResponseWriter, r *http.Request) error {
	id, err := uuid.Parse(r.PathValue("id"))
	if err != nil {
		return review.ErrUnknown
	}
	position, err := a.Guests.ForgetOwnReview(r.Context(), id, r.Header.Get(letterKeyHeader))
	return forgetting(w, r, position, err)
}

// forgetting answers that it is decided; policies.ForgetPersons carries it out within seconds.
func forgetting(w http.ResponseWriter, r *http.Request, position eventstore.Position, err error) error {
	if err != nil {
		return err
	}
	if position > 0 {
		written(w, position)
	}
	return answer(w, http.StatusAccepted, said(r, msgForgetting))
}
