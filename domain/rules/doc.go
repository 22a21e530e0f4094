// Package rules is the shop's rules as data: one versioned stream that staff change while the shop runs.
package rules
