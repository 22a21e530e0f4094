// Package bonus is a customer's ledger of bonuses, one bonus a tenge: what completed orders earned, what paid for
// goods, and what came back either way. Every entry names its order, or is an adjustment by staff, and the balance is the sum of all entries.
//
// An order holds what it spends until it gives it back: when it is cancelled, refunded, or its payment is refused or
// expires. A new attempt to pay spends again, if the bonuses are still there. Commands state what the order keeps, not a
// difference, so they may be repeated; after a partial refund the order keeps less.
//
// Spending never goes below zero. Taking back earned bonuses does when they were spent meanwhile: the customer owes them, has
// nothing to spend, and the next bonuses pay the debt.
package bonus
