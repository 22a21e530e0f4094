// Package refunds records money that staff gave back outside the shop, with a second person above the sum of the rules.
package refunds
