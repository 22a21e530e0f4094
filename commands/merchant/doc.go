// Package merchant is what the shop's staff change of an order that was placed: its lines and prices, its address, and goods that
// come back. Each use case moves the order, the stock, the promo code and the bonuses in one append, and afterwards asks for the
// money that the order lacks, or gives back what it has too much.
package merchant
