package projections

import (
	"time"

	"shop/domain"
	"shop/domain/basket"
	"shop/domain/order"
	"shop/domain/pricing"
	"shop/eventstore"
)

// Funnel is how far each basket came on its way to a completed order, and what was in the way of those that did not.
//
// A basket with something in it has a row from its first pricing until it is checked out; from then on the order's row
// stands for it, which knows the day of that first pricing. So each row is of one stream, and rows are baskets.
func Funnel() Projection {
	return Projection{Name: "funnel", Version: 2, Rest: analyticRest, Tables: []AnyTable{funnelBaskets, funnelOrders}}
}

// Stop is how far a basket came; each includes those before.
type Stop int

const (
	StopPriced Stop = iota + 1
	// StopOrderable: an order could be made of it at some moment.
	StopOrderable
	// StopTried: an order was asked for.
	StopTried
	StopPlaced
	StopPaid
	StopCompleted
)

// Reasons of a basket that got no further, beside those of a calculation and of a refused checkout.
const (
	// ReasonDeliveryUnknown: nothing else was in the way, but the shop could not say what the delivery costs.
	ReasonDeliveryUnknown = "delivery_unknown"
	// ReasonEmptied: everything was taken out again.
	ReasonEmptied        = "emptied"
	ReasonPaymentRefused = "payment_refused"
	ReasonPaymentExpired = "expired"
	ReasonCancelled      = "cancelled"
	// ReasonRefunded: the order was completed, and all its money went back.
	ReasonRefunded = "refunded"
)

// FunnelBasket is a row of funnel.baskets: a basket that is no order.
type FunnelBasket struct {
	ID domain.ID `json:"id"`
	// Day is that of the first pricing, in Almaty, YYYY-MM-DD.
	Day  string `json:"day" sql:"date"`
	Step Stop   `json:"step"`
	// Reason is what was in the way at the last pricing or attempt; empty: nothing.
	Reason string `json:"reason"`
	// Money is what the basket would have cost then; of an emptied one, what it cost before.
	Money         domain.Money         `json:"money"`
	City          string               `json:"city"`
	PaymentMethod domain.PaymentMethod `json:"payment_method"`
	// SeenAt is the time of the last pricing or attempt.
	SeenAt time.Time `json:"seen_at"`
}

var funnelBaskets = Table[FunnelBasket]{
	Name: "baskets", Key: "id", KeyType: "uuid",
	DDL:    createTable[FunnelBasket]("baskets", "id") + " WITH (fillfactor = 70)",
	Events: []domain.Event{basket.Priced{}, basket.CheckoutRefused{}, basket.CheckedOut{}},
	Keys:   keyAfter("basket-"), Stream: streamOf("basket-"),
	Fold: foldFunnelBasket,
}

func foldFunnelBasket(_ string, b *FunnelBasket, event eventstore.Event) bool {
	switch e := event.Data.(type) {
	case basket.Priced:
		filled := len(e.Calculation.Lines) > 0
		if b.Step == 0 {
			if !filled {
				return false
			}
			b.ID, b.Day, b.Step = e.BasketID, dayOf(e.At), StopPriced
		}
		b.SeenAt, b.Reason = e.At, ReasonEmptied
		if !filled {
			return true
		}
		if e.Calculation.CanCreateOrder {
			b.Step = max(b.Step, StopOrderable)
		}
		b.Reason, b.Money = blockingReason(e), e.Calculation.TotalPaid
		b.City, b.PaymentMethod = e.Question.City, e.Question.PaymentMethod
	case basket.CheckoutRefused:
		if b.Step == 0 {
			return false
		}
		b.Step, b.Reason, b.Money = StopTried, stockReason(e.Reason), e.TotalPaid
		b.City, b.PaymentMethod, b.SeenAt = e.Question.City, e.Question.PaymentMethod, e.At
	case basket.CheckedOut:
		return false
	}
	return true
}

// blockingReason is why a priced basket is no order, the greatest hindrance first; empty: for nothing that we know.
func blockingReason(p basket.Priced) string {
	switch c, q := p.Calculation, p.Question; {
	case c.Reason != "":
		return stockReason(c.Reason)
	case c.PromocodeError != "":
		return basket.ReasonPromoInvalid
	case q.City != "" && q.DeliveryType == domain.Delivery && !c.IsDeliveryCalculated:
		return ReasonDeliveryUnknown
	}
	return ""
}

// stockReason takes too few pieces for none: either way they were not there.
func stockReason(reason string) string {
	if reason == pricing.ReasonNotEnoughStock {
		return pricing.ReasonOutOfStock
	}
	return reason
}

// FunnelOrder is a row of funnel.orders: a basket that became an order. Orders of no known basket have none.
type FunnelOrder struct {
	ID domain.ID `json:"id"`
	// Day is that of the basket's first pricing, in Almaty; of the order where that is not known.
	Day  string `json:"day" sql:"date"`
	Step Stop   `json:"step"`
	// Reason is how it ended, or what is in the way of its payment; empty: it goes on, or is done.
	Reason string `json:"reason"`
	// Money is what the order costs, Captured what the shop holds of it.
	Money         domain.Money         `json:"money"`
	Captured      domain.Money         `json:"captured"`
	City          string               `json:"city"`
	PaymentMethod domain.PaymentMethod `json:"payment_method"`
}

var funnelOrders = Table[FunnelOrder]{
	Name: "orders", Key: "id", KeyType: "uuid",
	DDL: createTable[FunnelOrder]("orders", "id") + " WITH (fillfactor = 70)",
	Events: []domain.Event{
		order.Placed{}, order.PaymentRequested{}, order.Paid{}, order.PaymentFailed{}, order.PaymentExpired{}, order.Completed{},
		order.Cancelled{}, order.Refunded{}, order.LinesChanged{},
	},
	Keys: keyAfter("order-"), Stream: streamOf("order-"),
	Fold: foldFunnelOrder,
}

func foldFunnelOrder(_ string, o *FunnelOrder, event eventstore.Event) bool {
	if placed, ok := event.Data.(order.Placed); ok && placed.BasketID != (domain.ID{}) {
		since := placed.BasketSince
		if since.IsZero() {
			since = placed.At
		}
		*o = FunnelOrder{
			ID: placed.ID, Day: dayOf(since), Step: StopPlaced, Money: placed.Calculation.TotalPaid, City: placed.City, PaymentMethod: placed.PaymentMethod,
		}
		return true
	}
	if o.Step == 0 {
		return false
	}
	switch e := event.Data.(type) {
	case order.PaymentRequested:
		o.Reason = ""
	case order.PaymentFailed:
		o.Reason = ReasonPaymentRefused
	case order.PaymentExpired:
		o.Reason = ReasonPaymentExpired
	case order.Paid:
		if o.Captured += e.Amount; o.Captured >= o.Money {
			o.Step = max(o.Step, StopPaid)
			if o.unpaid() {
				o.Reason = ""
			}
		}
	case order.LinesChanged:
		o.Money = e.Calculation.TotalPaid
	case order.Completed:
		o.Step = StopCompleted
	case order.Cancelled:
		if !o.unpaid() { // a cancellation because no payment came counts as lost to the payment
			o.Reason = ReasonCancelled
		}
	case order.Refunded:
		if o.Captured -= e.Amount; o.Captured <= 0 && o.Step == StopCompleted {
			o.Reason = ReasonRefunded
		}
	}
	return true
}

// unpaid says whether a payment that did not come is in the way.
func (o *FunnelOrder) unpaid() bool {
	return o.Reason == ReasonPaymentRefused || o.Reason == ReasonPaymentExpired
}
