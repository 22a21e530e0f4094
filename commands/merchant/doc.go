// Package merchant is what only the shop's staff do: they add products, and change orders that were placed: their
// lines and prices, their address, and goods that come back. A use case of orders moves the order, the stock, the promo code and the bonuses in one append, and afterwards asks for the
// money that the order lacks, or gives back what it has too much.
package merchant
