package domain

import (
	"reflect"
	"slices"
)

// DeliveryType is how goods reach the customer.
type DeliveryType string

// PaymentMethod is how an order is paid.
type PaymentMethod string

const (
	Delivery DeliveryType = "DELIVERY"
	Pickup   DeliveryType = "PICKUP"

	Card      PaymentMethod = "CARD"
	KaspiBill PaymentMethod = "KASPI_BILL"
	Cash      PaymentMethod = "CASH"
)

// PricedLine is one product of a basket at the prices of the moment.
type PricedLine struct {
	ProductID ID     `json:"product_id"`
	Article   string `json:"article"`
	Name      string `json:"name"`
	Link      string `json:"link"`
	// Picture is the main image's URL; empty without one.
	Picture string `json:"picture,omitempty"`
	Amount  int64  `json:"amount"`
	// Price is the list price of one piece, DiscountedPrice the price to pay for one before order discounts.
	Price           Money `json:"price"`
	DiscountedPrice Money `json:"discounted_price"`
	// OrderDiscount is the line's share of the order's discount; shares add up exactly.
	OrderDiscount Money `json:"order_discount"`
	// Total is DiscountedPrice × Amount − OrderDiscount.
	Total Money `json:"total"`
	// InScope: the promo code that was given is for a part of the goods, and the product is in it.
	InScope bool `json:"in_scope,omitempty"`
}

// Step is one line of the explanation from list prices to the total to pay.
type Step struct {
	// Code is stable: list_prices, product_discounts, tier_discount, promocode, bonus, delivery, ….
	Code string `json:"code"`
	// Label says it to a shopper, in Russian.
	Label string `json:"label"`
	// Amount is what the step adds (negative: takes off). All steps add up to TotalPaid.
	Amount Money `json:"amount"`
	// Note says more, such as why a competing discount lost. Empty: nothing to say.
	Note string `json:"note,omitempty"`
}

// Manual is a discount that staff give an order by hand, on top of what the customer has anyway. Zero: none.
type Manual struct {
	// Percent is of the goods after all other discounts.
	Percent int64 `json:"percent"`
	// Reason is one of a list, so that it names nobody; pricing says it to the shopper.
	Reason string `json:"reason"`
	// Amount is what it took off.
	Amount Money `json:"amount"`
}

// Calculation is a priced basket. Sums are in tenge.
type Calculation struct {
	Lines []PricedLine `json:"lines"`
	// ListSum is Σ price × amount, TotalSum is Σ discounted price × amount.
	ListSum  Money `json:"list_sum"`
	TotalSum Money `json:"total_sum"`
	// ScopedSum is the part of TotalSum whose lines are InScope.
	ScopedSum Money `json:"scoped_sum,omitempty"`
	// OrderDiscount is the percent that was applied to the whole order, 0 when none was: a promo code for a sum, for a part of the goods, or
	// that its greatest discount cut, won.
	OrderDiscount int64 `json:"order_discount"`
	// DiscountedSum is TotalSum less the order's discount and the one by hand, never negative.
	DiscountedSum Money `json:"discounted_sum"`
	// Manual is the discount by hand, taken off after the order's discount.
	Manual               Manual `json:"manual,omitzero"`
	BonusSpent           Money  `json:"bonus_spent"`
	DeliveryPrice        Money  `json:"delivery_price"`
	IsDeliveryCalculated bool   `json:"is_delivery_calculated"`
	// TotalPaid is DiscountedSum − BonusSpent + DeliveryPrice = PayableNow + PayableOnDelivery.
	TotalPaid         Money `json:"total_paid"`
	PayableNow        Money `json:"payable_now"`
	PayableOnDelivery Money `json:"payable_on_delivery"`
	CanCreateOrder    bool  `json:"can_create_order"`
	// MissingSum is what TotalSum lacks to the minimum order; 0 when it is reached.
	MissingSum Money `json:"missing_sum"`
	// PromocodeApplied is the code whose discount won; empty when none did.
	PromocodeApplied string `json:"promocode_applied,omitempty"`
	// PromocodeError says in Russian why a given code brings nothing; empty when it may be used or none was given.
	PromocodeError string `json:"promocode_error,omitempty"`
	// Reason says why no order can be created: below_minimum, out_of_stock, not_enough_stock, empty, cash_unavailable; empty when one can.
	Reason       string `json:"reason,omitempty"`
	RulesVersion int64  `json:"rules_version"`
	Explanation  []Step `json:"explanation"`
}

// Equal says whether both are the same answer; no lines and nil lines are the same.
func (c Calculation) Equal(other Calculation) bool {
	if !slices.Equal(c.Lines, other.Lines) || !slices.Equal(c.Explanation, other.Explanation) {
		return false
	}
	c.Lines, c.Explanation = nil, nil
	other.Lines, other.Explanation = nil, nil
	return reflect.DeepEqual(c, other)
}
