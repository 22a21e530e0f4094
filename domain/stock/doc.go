// Package stock counts the pieces of one product: on hand, reserved by orders, and free to sell.
// Every movement carries its cause; nothing is ever sold twice.
package stock
