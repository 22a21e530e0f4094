// Package order is an order's life from placed to completed, with its payment and its way back.
//
//	RECEIVED → APPROVED → PROCESSING → COMPLETED
//	RECEIVED → PAYMENT_ERR → RECEIVED (a new attempt)
//	before APPROVED by the customer, before COMPLETED by staff → CANCELLED; paid and cancelled → REFUNDED
package order
