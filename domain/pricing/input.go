package pricing

import (
	"time"

	"shop/domain"
	"shop/domain/promocode"
	"shop/domain/rules"
)

// Line is one product of the basket with the facts of the moment.
type Line struct {
	ProductID       domain.ID
	Article         string
	Name            string
	Link            string
	Picture         string
	Amount          int64
	Price           domain.Money
	DiscountedPrice domain.Money
	// HandReason is why staff gave the line its DiscountedPrice instead of HandWas; empty: they did not.
	HandReason string
	HandWas    domain.Money
	// InScope: the promo code is for a part of the goods, and the product is in it. Whoever prices knows the catalog of the
	// moment; the calculation keeps the answer.
	InScope bool
}

// Code is the promo code a customer gave.
type Code struct {
	Code string
	// Problem says in Russian why the code cannot be used, whatever the basket; empty when it can.
	Problem string
	Terms   promocode.Terms
}

// Input is everything a price depends on.
type Input struct {
	Lines        []Line
	Rules        rules.Rules
	RulesVersion int64
	// Promocode is nil when none was given.
	Promocode     *Code
	City          string
	DeliveryType  domain.DeliveryType
	PaymentMethod domain.PaymentMethod
	// BonusBalance is what the customer has; SpendBonus what they want to spend at most, −1: as much as allowed.
	BonusBalance domain.Money
	SpendBonus   domain.Money
	// Manual is the percent that staff take off by hand, and why; its Amount is ignored.
	Manual domain.Manual
	// Edited: the shop changes an order that was made already, so it says what it lets pass.
	Edited bool
	At     time.Time
}
