// Package series makes the codes of a series of promo codes: a prefix and a random tail that nobody guesses.
package series
