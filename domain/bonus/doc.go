// Package bonus is a customer's ledger of bonuses, one bonus a tenge: what completed orders earned, what paid for
// goods, and what came back either way. Every entry names its order, and the balance is the sum of all entries.
//
// An order holds what it spends until it gives it back: when it is cancelled, refunded, or its payment is refused or
// expires. A new attempt to pay spends again, if the bonuses are still there. What is given back and taken back is told
// as what the order keeps, not as a difference, so that a command may be repeated, and a partial refund is a smaller
// keep.
//
// Spending never goes below zero. Taking back what was earned does when it was spent meanwhile: the customer owes it,
// has nothing to spend, and the next bonuses pay it off.
package bonus
