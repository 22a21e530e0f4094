package staffapi

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"shop/readapi/endpoint"
)

// Desks are the calls behind the office's pages beside orders, by noun.
type Desks struct {
	Payments   *Payments
	Customers  *Customers
	Waiting    *Waiting
	DeadMail   *DeadMail
	Products   *Products
	Settings   *Settings
	Changes    *Changes
	Stock      *Stock
	Content    *Content
	Letters    *LetterTexts
	Imports    *Imports
	Presence   *Presence
	Promocodes *Promocodes
}

// Routes adds their calls.
func (d Desks) Routes(r chi.Router, allowed endpoint.Guard, fresh func(projections ...string) func(http.Handler) http.Handler) {
	d.Payments.Routes(r, allowed, fresh)
	d.Customers.Routes(r, allowed, fresh)
	d.Waiting.Routes(r, allowed, fresh)
	d.DeadMail.Routes(r, allowed, fresh)
	d.Products.Routes(r, allowed, fresh)
	d.Settings.Routes(r, allowed)
	d.Changes.Routes(r, allowed, fresh)
	d.Stock.Routes(r, allowed, fresh)
	d.Content.Routes(r, allowed, fresh)
	d.Letters.Routes(r, allowed)
	d.Imports.Routes(r, allowed)
	d.Presence.Routes(r, allowed)
	d.Promocodes.Routes(r, allowed, fresh)
}
