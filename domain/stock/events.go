package stock

import (
	"time"

	"shop/domain"
)

// Stream names the stock of a product.
func Stream(product domain.ID) string { return "stock-" + product.String() }

// Cause says why stock moved.
type Cause struct {
	// Kind is import, receipt, count, order, cancellation, payment_failed, payment_expired, shipment, edit, return.
	Kind string `json:"kind"`
	// Ref identifies the cause: an order, a file, a document. May be empty.
	Ref string `json:"ref,omitempty"`
}

// Event is a fact about a product's stock. OnHand and Reserved are the sums after the event.
//
//sumtype:decl
type Event interface {
	domain.Event
	isEvent()
}

// Received added pieces.
type Received struct {
	ProductID domain.ID `json:"product_id"`
	Quantity  int64     `json:"quantity"`
	OnHand    int64     `json:"on_hand"`
	Reserved  int64     `json:"reserved"`
	Cause     Cause     `json:"cause"`
	At        time.Time `json:"at"`
}

// Adjusted set the pieces on hand to what was counted; Quantity is the difference.
type Adjusted struct {
	ProductID domain.ID `json:"product_id"`
	Quantity  int64     `json:"quantity"`
	OnHand    int64     `json:"on_hand"`
	Reserved  int64     `json:"reserved"`
	Cause     Cause     `json:"cause"`
	At        time.Time `json:"at"`
}

// Reserved holds pieces for an order.
type Reserved struct {
	ProductID domain.ID `json:"product_id"`
	OrderID   domain.ID `json:"order_id"`
	Quantity  int64     `json:"quantity"`
	OnHand    int64     `json:"on_hand"`
	Reserved  int64     `json:"reserved"`
	Cause     Cause     `json:"cause"`
	At        time.Time `json:"at"`
}

// Released gave an order's pieces back to sale.
type Released struct {
	ProductID domain.ID `json:"product_id"`
	OrderID   domain.ID `json:"order_id"`
	Quantity  int64     `json:"quantity"`
	OnHand    int64     `json:"on_hand"`
	Reserved  int64     `json:"reserved"`
	Cause     Cause     `json:"cause"`
	At        time.Time `json:"at"`
}

// Shipped took an order's reserved pieces out of the warehouse.
type Shipped struct {
	ProductID domain.ID `json:"product_id"`
	OrderID   domain.ID `json:"order_id"`
	Quantity  int64     `json:"quantity"`
	OnHand    int64     `json:"on_hand"`
	Reserved  int64     `json:"reserved"`
	Cause     Cause     `json:"cause"`
	At        time.Time `json:"at"`
}

// Replenished: the free pieces stepped from 0 to Available. Depleted: they stepped to 0.
type Replenished struct {
	ProductID domain.ID `json:"product_id"`
	Available int64     `json:"available"`
	At        time.Time `json:"at"`
}
type Depleted struct {
	ProductID domain.ID `json:"product_id"`
	At        time.Time `json:"at"`
}

func (Received) EventType() string    { return "stock.received" }
func (Adjusted) EventType() string    { return "stock.adjusted" }
func (Reserved) EventType() string    { return "stock.reserved" }
func (Released) EventType() string    { return "stock.released" }
func (Shipped) EventType() string     { return "stock.shipped" }
func (Replenished) EventType() string { return "stock.replenished" }
func (Depleted) EventType() string    { return "stock.depleted" }

func (Received) isEvent()    {}
func (Adjusted) isEvent()    {}
func (Reserved) isEvent()    {}
func (Released) isEvent()    {}
func (Shipped) isEvent()     {}
func (Replenished) isEvent() {}
func (Depleted) isEvent()    {}
