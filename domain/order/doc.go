// Package order is an order's life from placed to completed, with its payment and its way back.
//
//	RECEIVED → APPROVED → PROCESSING → COMPLETED
//	RECEIVED → PAYMENT_ERR → RECEIVED (a new attempt)
//	before APPROVED by the customer, before COMPLETED by staff → CANCELLED; paid and cancelled → REFUNDED
//	COMPLETED, and all money given back → REFUNDED
//
// The status is the order's progress; the payments decide whether it is paid. After every change other aggregates follow the
// order's state: HoldsGoods for stock and promo code, BonusHeld for the bonuses that
// pay for it, BonusBase for those it earns, Owed for the money to refund.
package order
