package rules

import (
	"time"

	"shop/domain"
)

// Stream is the one stream of rules.
const Stream = "rules"

// Rules are the shop's rules of one version. Money in tenge, percents as integers, durations in the unit they name.
type Rules struct {
	// Tiers are discounts on the whole order, ascending by From (inclusive).
	Tiers []Tier `json:"tiers"`
	// MinimumSum is the least TotalSum of an order.
	MinimumSum domain.Money `json:"minimum_sum"`
	// Delivery lists the cities with a delivery price of the shop's own.
	Delivery []CityDelivery `json:"delivery"`
	// MaxPerOrder is the most pieces of one product in an order.
	MaxPerOrder int64 `json:"max_per_order"`
	// BonusSpendPercent limits bonuses spent, of DiscountedSum; BonusEarnPercent is earned of the goods paid.
	BonusSpendPercent int64 `json:"bonus_spend_percent"`
	BonusEarnPercent  int64 `json:"bonus_earn_percent"`
	// CardMinutes and KaspiMinutes are how long a reservation waits for its payment.
	CardMinutes  int64 `json:"card_minutes"`
	KaspiMinutes int64 `json:"kaspi_minutes"`
	// NewDays is how long a product counts as new.
	NewDays int64 `json:"new_days"`
	// SameDayUntil is the hour (Almaty) before which an order is delivered the same day.
	SameDayUntil int `json:"same_day_until"`
	// ReviewsModerated: reviews wait for staff before they are shown.
	ReviewsModerated bool `json:"reviews_moderated"`
	// GuestOpenOrders and GuestOpenPieces bound the orders, and the pieces in them, that are neither paid nor confirmed: of
	// guests with one phone, and with one e-mail; CustomerOpen… those of a signed-in customer, NetworkOpen… those of one
	// network, whoever ordered. 0: no bound.
	GuestOpenOrders    int64 `json:"guest_open_orders"`
	GuestOpenPieces    int64 `json:"guest_open_pieces"`
	CustomerOpenOrders int64 `json:"customer_open_orders"`
	CustomerOpenPieces int64 `json:"customer_open_pieces"`
	NetworkOpenOrders  int64 `json:"network_open_orders"`
	NetworkOpenPieces  int64 `json:"network_open_pieces"`
	// CashHours are the working hours in which a guest's order in cash is to be confirmed; 0: it waits for ever.
	CashHours int64 `json:"cash_hours"`
	// GuestMonths is how many months after its end an order shows who made it as a guest; 0: for ever.
	GuestMonths int64 `json:"guest_months"`
	// PromocodeProof: a promo code that is limited per customer is for customers whose e-mail is proved.
	PromocodeProof bool `json:"promocode_proof"`
	// HandConfirmAbove is the sum of payments taken by hand above which a second person confirms them; 0: none does.
	HandConfirmAbove domain.Money `json:"hand_confirm_above"`
	// ReturnDays is how many days after its completion goods of an order may come back; 0: customers cannot ask for it.
	ReturnDays int64 `json:"return_days"`
	// LowStock is the most pieces of a product that are few, where the product says nothing else.
	LowStock int64 `json:"low_stock"`
	// A change of the shop needs a second person when it cuts a price to pay by more than ApprovalPriceCut percent (0: none does), is about
	// more than ApprovalProducts products (0: none does), sets a price to pay below the product's cost, or changes rules or settings.
	ApprovalPriceCut  int64 `json:"approval_price_cut"`
	ApprovalProducts  int64 `json:"approval_products"`
	ApprovalBelowCost bool  `json:"approval_below_cost"`
	ApprovalRules     bool  `json:"approval_rules"`
	// OpensAt and ClosesAt are the hours (Almaty) between which staff work, every day.
	OpensAt  int `json:"opens_at"`
	ClosesAt int `json:"closes_at"`
}

// Tier gives Percent off the order from a TotalSum of From on.
type Tier struct {
	From    domain.Money `json:"from"`
	Percent int64        `json:"percent"`
}

// CityDelivery is what delivery costs in a city.
type CityDelivery struct {
	City string `json:"city"`
	// Aliases are other spellings that mean the city.
	Aliases []string     `json:"aliases"`
	Price   domain.Money `json:"price"`
	// FreeFrom is the DiscountedSum from which delivery is free.
	FreeFrom domain.Money `json:"free_from"`
}

// Event is a fact about the rules.
//
//sumtype:decl
type Event interface {
	domain.Event
	isEvent()
}

// Changed replaced the rules; Version counts from 1.
type Changed struct {
	Version int64     `json:"version"`
	Rules   Rules     `json:"rules"`
	At      time.Time `json:"at"`
}

func (Changed) EventType() string { return "rules.changed" }
func (Changed) isEvent()          {}
