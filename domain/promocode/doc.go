// Package promocode is a code that takes a percentage or a sum off an order, within a window and a number of uses.
package promocode
