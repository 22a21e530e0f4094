package shopapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands"
	"shop/domain"
	"shop/domain/catalog"
	"shop/eventstore"
)

// Restock answers POST and DELETE /api/subscriptions/products/{id}/.
type Restock struct{ Restock *commands.Restock }

const msgNoProduct = "Такого товара нет в магазине"

type subscription struct {
	IsSubscribed bool `json:"is_subscribed"`
}

// Routes adds its calls.
func (a Restock) Routes(r chi.Router, by Guards) {
	r.Method("POST", "/api/subscriptions/products/{id}", by.Customer(a.Subscribe))
	r.Method("DELETE", "/api/subscriptions/products/{id}", by.Customer(a.Unsubscribe))
}

// Subscribe puts who is signed in on a product's waiting list.
func (a Restock) Subscribe(w http.ResponseWriter, r *http.Request) error {
	return a.change(w, r, http.StatusCreated, true, a.Restock.Wait)
}

// Unsubscribe takes them off it.
func (a Restock) Unsubscribe(w http.ResponseWriter, r *http.Request) error {
	return a.change(w, r, http.StatusOK, false, a.Restock.Leave)
}

func (a Restock) change(w http.ResponseWriter, r *http.Request, status int, subscribed bool,
	do func(ctx context.Context, product, customer domain.ID) (eventstore.Position, error),
) error {
	customer := commands.CustomerOf(r.Context())
	if customer == uuid.Nil {
		return commands.ErrSignedOut
	}
	named, err := a.Restock.Handler.Identify(r.Context(), []commands.NamedLine{{Product: r.PathValue("id")}}, a.Restock.Links)
	if err != nil {
		return err
	}
	position, err := do(r.Context(), named[0].ProductID, customer)
	if errors.Is(err, catalog.ErrUnknown) {
		return catalog.ErrUnknown.With(msgNoProduct)
	}
	if err != nil {
		return err
	}
	written(w, position)
	return answer(w, status, subscription{subscribed})
}
