package shopapi

import (
	"context"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands"
	"shop/domain"
	"shop/eventstore"
	"shop/readapi/endpoint"
	"shop/readapi/sentences"
)

// Baskets answers POST /api/orders/calculate-price/.
type Baskets struct {
	Baskets *commands.Baskets
	// Secure marks the basket cookie for https alone.
	Secure bool
	// Remembers says whether the log is to remember one more pricing of a request's network. Nil: it is.
	Remembers func(r *http.Request) bool
	guards    Guards
}

func (a Baskets) cookies() basketCookies { return basketCookies{a.Baskets.Secret} }

// Routes adds its call.
func (a Baskets) Routes(r chi.Router, by Guards) {
	a.guards = by
	known := by.Known(a.Calculate)
	unknown := by.NewBaskets(known)
	r.Method("POST", "/api/orders/calculate-price", by.Pricings(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, signed := a.cookies().basketOf(r); signed {
			known.ServeHTTP(w, r)
			return
		}
		unknown.ServeHTTP(w, r)
	})))
}

// Calculate prices a basket, and names it by a cookie. The basket is remembered once the cookie comes back.
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
	basket, signed := a.cookies().basketOf(r)
	p.BasketID, p.Unsigned = basket, !signed
	if p.BasketID != uuid.Nil && a.Remembers != nil && !a.Remembers(r) {
		p.BasketID = uuid.Nil
	}
	var (
		calculation domain.Calculation
		position    eventstore.Position
		known       bool
	)
	err = a.guards.guessed(r, p.Promocode, func() (wrong bool, err error) {
		calculation, position, known, err = a.Baskets.Price(ctx, p)
		return calculation.PromocodeError != "", err
	})
	if position > 0 {
		written(w, position)
	}
	if !signed && len(p.Lines) > 0 {
		id := p.BasketID
		if !known {
			id = a.Baskets.Make()
		}
		a.cookies().set(w, id, a.Secure || r.TLS != nil)
	}
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, shown(r, calculation))
}

// shown is a calculation with its sentences in the shopper's language. Steps of the price have codes, which pages name themselves.
func shown(r *http.Request, c domain.Calculation) commands.Calculation {
	s := commands.Shown(c)
	if commands.OriginOf(r.Context()).Language != domain.Kazakh {
		return s
	}
	if s.PromocodeError != nil {
		said := sentences.InKazakh(*s.PromocodeError)
		s.PromocodeError = &said
	}
	if s.Reason != nil {
		s.Reason.Text = sentences.InKazakh(s.Reason.Text)
	}
	return s
}

// seen lets the commands under a request's context know what its sender has seen, by X-Min-Position.
func seen(r *http.Request) context.Context {
	if token := endpoint.SeenBy(r); token.Position > 0 {
		return commands.WithSeen(r.Context(), eventstore.Position(token.Position))
	}
	return r.Context()
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
