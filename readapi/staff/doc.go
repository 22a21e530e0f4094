// Package staff holds what operators, analysts and the shop's staff read, as pages and the command line show it.
//
// Shoppers' reads are in readapi.
package staff
