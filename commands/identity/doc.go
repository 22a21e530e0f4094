// Package identity is who shoppers and staff are: the commands about customers' accounts and about those of staff.
//
// What is a fact is an event; what opens a door (passwords, tokens, codes, links) is in the tables of the packages below it,
// and never an event.
package identity
