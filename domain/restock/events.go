package restock

import (
	"time"

	"shop/domain"
)

// Stream names a product's waiting list.
func Stream(product domain.ID) string { return "restock-" + product.String() }

// Event is a fact about a waiting list. Place numbers the list's subscriptions from 1 and is never used twice.
//
//sumtype:decl
type Event interface {
	domain.Event
	isEvent()
}

// Subscribed put a customer at the end of the list.
type Subscribed struct {
	ProductID  domain.ID `json:"product_id"`
	CustomerID domain.ID `json:"customer_id"`
	Place      int64     `json:"place"`
	At         time.Time `json:"at"`
}

// Notified took a customer off the list; a letter tells them that the product is back.
type Notified struct {
	ProductID  domain.ID `json:"product_id"`
	CustomerID domain.ID `json:"customer_id"`
	Place      int64     `json:"place"`
	At         time.Time `json:"at"`
}

// Unsubscribed took a customer off the list at their own wish.
type Unsubscribed struct {
	ProductID  domain.ID `json:"product_id"`
	CustomerID domain.ID `json:"customer_id"`
	Place      int64     `json:"place"`
	At         time.Time `json:"at"`
}

func (Subscribed) EventType() string   { return "restock.subscribed" }
func (Notified) EventType() string     { return "restock.notified" }
func (Unsubscribed) EventType() string { return "restock.unsubscribed" }
func (Subscribed) isEvent()            {}
func (Notified) isEvent()              {}
func (Unsubscribed) isEvent()          {}
