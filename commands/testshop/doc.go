// Package testshop is a shop on a database of its own, with the words in which tests of the write side speak: goods,
// orders, payments, and requests to the endpoints of shoppers.
package testshop
