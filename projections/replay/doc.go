// Package replay reads history again for people who ask about it: what a stream was at each of its events and why, whether
// every order's price still comes out as it was, what all orders and baskets would have cost under other rules, and what the
// orders of the last days would have come to with a change of prices, rules or promo codes.
//
// Every answer is a fold of the log up to a position, so it can be had again. Only Replays keeps anything: the questions
// that were asked, and their reports for a while.
package replay
