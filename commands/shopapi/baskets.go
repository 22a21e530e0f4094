package shopapi

import (
	"context"
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands"
	"shop/domain"
	"shop/eventstore"
)

// Baskets answers POST /api/orders/calculate-price/.
type Baskets struct {
	Baskets *commands.Baskets
	// Secure marks the basket cookie for https alone.
	Secure bool
	guards Guards
}

// Routes adds its call.
func (a Baskets) Routes(r chi.Router, by Guards) {
	a.guards = by
	r.Method("POST", "/api/orders/calculate-price", by.Pricings(by.Known(a.Calculate)))
}

// Calculate prices a basket, and names it by a cookie.
func (a Baskets) Calculate(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	asked := f.lines("products")
	p := commands.PriceBasket{
		Promocode:     f.text("promocode", textRule{max: 64, null: true}),
		City:          f.text("city", textRule{max: 100, null: true}),
		DeliveryType:  f.deliveryType(),
		PaymentMethod: f.paymentMethod(true),
		CustomerID:    commands.CustomerOf(r.Context()),
	}
	p.SpendBonus = f.spendBonus(p.CustomerID)
	if err := f.done(); err != nil {
		return err
	}
	ctx := seen(r)
	if p.Lines, err = a.Baskets.Handler.Identify(ctx, asked, a.Baskets.Links); err != nil {
		return err
	}
	known := false
	if p.BasketID, known = basketOf(r); !known && len(p.Lines) > 0 {
		p.BasketID, p.IsNew = a.Baskets.Handler.NewID(), true
	}
	var calculation domain.Calculation
	var position eventstore.Position
	err = a.guards.guessed(r, p.Promocode, func() (wrong bool, err error) {
		calculation, position, err = a.Baskets.Price(ctx, p)
		return calculation.PromocodeError != "", err
	})
	if position > 0 {
		written(w, position)
		if !known {
			http.SetCookie(w, &http.Cookie{
				Name: basketCookie, Value: p.BasketID.String(), Path: "/", MaxAge: 365 * 24 * 60 * 60,
				HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: a.Secure || r.TLS != nil,
			})
		}
	}
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, commands.Shown(calculation))
}

// seen lets the commands under a request's context know what its sender has seen, by X-Min-Position.
func seen(r *http.Request) context.Context {
	position, err := strconv.ParseInt(r.Header.Get("X-Min-Position"), 10, 64)
	if err != nil || position <= 0 {
		return r.Context()
	}
	return commands.WithSeen(r.Context(), eventstore.Position(position))
}

const basketCookie = "basket"

// basketOf is the basket a request's cookie names.
func basketOf(r *http.Request) (domain.ID, bool) {
	cookie, err := r.Cookie(basketCookie)
	if err != nil || len(cookie.Value) != 36 {
		return domain.ID{}, false
	}
	id, err := uuid.Parse(cookie.Value)
	return id, err == nil && id != uuid.Nil
}

func (f *form) deliveryType() domain.DeliveryType {
	word := f.choice("delivery_type", msgDelivery, false, string(domain.Delivery), string(domain.Pickup))
	if word == "" {
		return domain.Delivery
	}
	return domain.DeliveryType(word)
}

func (f *form) paymentMethod(null bool) domain.PaymentMethod {
	return domain.PaymentMethod(f.choice("payment_method", msgPayment, null, string(domain.Card), string(domain.KaspiBill), string(domain.Cash)))
}
