// Package pricing prices a basket: one pure function from lines, rules and promo code to a calculation that
// explains itself step by step. The same input gives the same calculation, for ever.
package pricing
